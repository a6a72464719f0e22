# Shared by the scripts that install and package Facet: messages, the version, what is built and run with.
# Sourced, from bash in strict mode, in the top directory of the checkout.
# shellcheck shell=bash

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

need() { # COMMAND:PACKAGE...: fails unless all commands are there, and names all that are not
    local pair commands=() packages=()
    for pair; do
        command -v "${pair%:*}" >/dev/null || { commands+=("${pair%:*}") && packages+=("${pair#*:}"); }
    done
    [ ${#commands[@]} = 0 ] || fail "${commands[*]}: not on this machine: apt install ${packages[*]}"
}

# Debian packages that the programs are compiled and linked with.
# shellcheck disable=SC2034 # used by the scripts that source this file
build_packages=(
    libv4l-dev libmosquitto-dev libmicrohttpd-dev libssl-dev libturbojpeg0-dev libcairo2-dev libchafa-dev libevdev-dev
    libsqlite3-dev libcurl4-openssl-dev libavformat-dev libavcodec-dev libavutil-dev libswscale-dev zlib1g-dev
)

# The version, from its only home in the sources.
facet_version() { # [DIRECTORY]
    local found
    found=$(grep -rhoE 'let facetVersion = "[^"]+"' "${1:-.}/Sources" | cut -d'"' -f2)
    [ "$(wc -w <<<"$found")" = 1 ] || fail "the sources do not define facetVersion exactly once"
    printf '%s\n' "$found"
}

# What programs say that they are built from (FACET_COMMIT): nothing for a release, else the commit of this checkout.
facet_commit() {
    local commit
    # The sources of a release come without a repository.
    [ -e .git ] || return 0
    commit=$(git describe --always --dirty --exclude '*' --abbrev=8 2>/dev/null) || commit='commit unknown'
    [[ $commit != *-dirty && -n $(git tag --points-at HEAD "v$(facet_version)" 2>/dev/null) ]] || echo "$commit"
}

# Where the settings of an installation under a prefix belong.
settings_directory() { # PREFIX
    case $1 in
        /usr | /usr/local) echo /etc/facet ;;
        *) echo "$1/etc/facet" ;;
    esac
}

# Debian's name of this machine's architecture.
host_architecture() {
    case $(uname -m) in
        x86_64) echo amd64 ;;
        aarch64) echo arm64 ;;
        *) fail "Facet runs on x86_64 and aarch64, not on $(uname -m)" ;;
    esac
}

swift_toolchain() { # the directory that holds the toolchain's bin and lib
    local swift
    swift=$(command -v swift) || fail "swift is not on the PATH: install a Swift 6.2 or newer toolchain first"
    swift=$(readlink -f "$swift")
    echo "${swift%/bin/*}"
}

# Builds swift-argument-parser's generator of manual pages with the host's toolchain; the last line is its path.
# shellcheck disable=SC2120 # the options are optional
manual_generator() { # [OPTION...] of swift package
    # The plugin itself would build every product for the host first; its help builds only the generator.
    swift package "$@" plugin generate-manual --help >/dev/null 2>&1 ||
        fail "swift package plugin generate-manual does not work here; run it to see why"
    local tool
    tool=$(swift build "$@" --show-bin-path)/generate-manual-tool
    [ -x "$tool" ] || fail "swift package plugin generate-manual built no $tool"
    printf '%s\n' "$tool"
}
