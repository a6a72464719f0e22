# Builds the programs of deploy/package for $architecture and $suite: on this machine if it is of that release, else in a
# tree of it with this machine's toolchain, and for arm64 with the cross compiler of Debian's unstable release.
# Sourced by deploy/package, whose variables it uses. It defines:
#   programs, runtime   directories of the built programs, and of the Swift runtime's libraries for them
#   run_built           runs a command where the built programs run ($emulator goes before each of them)
#   run_packing         runs a command where the release's packaging tools and libraries are
#   make_clip           makes the demo's clip with this machine's toolchain
# shellcheck shell=bash disable=SC2034,SC2154,SC2317

emulator=''

# The same bytes wherever they are built: no path of this machine in the programs.
# With the toolchain's own linker: the one of the release differs, and trixie's leaves all of a program's tables writable.
common_options=(-c release --disable-sandbox -debug-info-format none -Xcc "-ffile-prefix-map=$work/=" -Xswiftc -use-ld=lld)
swift_options=("${common_options[@]}")

host_generator() { # swift-argument-parser's generator of manual pages, built by this machine's toolchain
    manual_generator --package-path "$source" --scratch-path "$work/build-host"
}

build_id() { # PRODUCT : says which build it is, in hexadecimal; the linker's would depend on the build's directory
    local versions=$source/Package.resolved
    [ -f "$versions" ] || versions=/dev/null
    { echo "$1 $architecture $suite $commit" && cat "$versions"; } | sha1sum | cut -d ' ' -f 1
}

build_both() { # COMMAND-PREFIX... : builds both programs with `PREFIX swift build`
    local product
    for product in facetd facet; do
        say "building $product"
        "$@" --product $product -Xlinker "--build-id=0x$(build_id $product)" >"$work/build.log" 2>&1 ||
            { tail -n 30 "$work/build.log" >&2 && fail "the build of $product failed; all of its output: $work/build.log"; }
    done
}

make_clip() { # FILE [--short]
    local tool=$programs/demo-clip scratch=$work/build-host options
    [ ! -s "$1" ] || return 0
    say "making the demo's clip"
    if [ -z "$native" ] || [ ! -x "$tool" ]; then
        [ -z "$native" ] || scratch=$work/build-$architecture-$suite
        options=("${common_options[@]}" --package-path "$source" --scratch-path "$scratch")
        swift build "${options[@]}" --product demo-clip >"$work/build.log" 2>&1 ||
            { tail -n 30 "$work/build.log" >&2 && fail "the build of demo-clip failed; all of its output: $work/build.log"; }
        tool=$(swift build "${options[@]}" --show-bin-path)/demo-clip
    fi
    "$tool" "$1" "${@:2}" >"$work/clip.log" 2>&1 ||
        { tail -n 20 "$work/clip.log" >&2 && fail "demo-clip could not make the clip"; }
}

build_natively() {
    local scratch=$work/build-$architecture-$suite
    run_built() { "$@"; }
    run_packing() { "$@"; }
    swift_options+=(--package-path "$source" --scratch-path "$scratch")
    if [ -z "$programs" ]; then
        build_both swift build "${swift_options[@]}"
        programs=$(swift build "${swift_options[@]}" --show-bin-path)
    fi
    runtime=$toolchain/lib/swift/linux
}

build_programs() {
    if [ -n "$native" ]; then
        build_natively
    elif [ "$architecture" = arm64 ]; then
        # shellcheck source=packaging/build-arm64.sh
        . packaging/build-arm64.sh
        build_for_arm64
    else
        # shellcheck source=packaging/build-tree.sh
        . packaging/build-tree.sh
        build_in_tree
    fi
}
