# Trees of Debian releases, to build, pack and test in without changing this machine.
# Sourced, after common.sh; needs root. Uses $work.
# shellcheck shell=bash disable=SC2154

debian_mirror() { # where this machine's apt gets Debian from
    # shellcheck disable=SC2016 # apt's own variable
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$' ||
        fail "apt knows no Debian archive: is this a Debian machine?"
}

make_tree() { # DIRECTORY SUITE ARCHITECTURES PACKAGE...: unpacks and configures a minimal release with these packages
    local directory=$1 suite=$2 architectures=$3 mirror packages
    shift 3
    packages=$(IFS=, && echo "$*")
    [ ! -e "$directory/.complete" ] || return 0
    say "making a tree of $suite in $directory"
    rm -rf "$directory"
    mirror=$(debian_mirror)
    # A tree of another architecture is made in packaging/emulate, where its programs run.
    mmdebstrap --quiet --skip=check/qemu --variant=minbase --architectures="$architectures" ${packages:+--include="$packages"} \
        --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
        --dpkgopt=force-unsafe-io "$suite" "$directory" "deb $mirror $suite main" >&2 ||
        fail "mmdebstrap could not make a tree of $suite"
    # Nothing may start a service in a tree.
    printf '#!/bin/sh\nexit 101\n' >"$directory/usr/sbin/policy-rc.d"
    chmod +x "$directory/usr/sbin/policy-rc.d"
    touch "$directory/.complete"
}

in_tree() { # TREE [--bind SOURCE]... [--bind-at SOURCE TARGET]... -- COMMAND...: runs in the current directory, if bound
    # Mounts of a name space of their own: they end with the command, whatever becomes of it.
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --propagation private bash -euo pipefail -c '
        tree=$1 directory=$PWD
        shift
        mount -t proc proc "$tree/proc"
        mount --rbind /dev "$tree/dev"
        # LiteRT asks for the processors there.
        mount --rbind /sys "$tree/sys"
        while [ "$1" != -- ]; do
            source=$2 target=$2
            [ "$1" = --bind ] || target=$3
            [ "$1" = --bind ] || shift
            if [ -d "$source" ]; then mkdir -p "$tree$target"; else rm -f "$tree$target" && : >"$tree$target"; fi
            mount --bind "$source" "$tree$target"
            shift 2
        done
        shift
        [ -d "$tree$directory" ] || directory=/
        # A directory of this machine for temporary files means nothing in the tree.
        exec chroot "$tree" /usr/bin/env -u TMPDIR --chdir="$directory" "$@"
    ' in_tree "$@"
}

remove_work() { # everything that deploy/package made in $work, but for logs
    rm -rf --one-file-system "$work"/{tree,build,stage,sdk,swift,runtime}-* "$work"/{source,index,commit,gitconfig,portrait.mp4,portrait.json,demo.mp4} \
        "$work/qemu-aarch64"
}
