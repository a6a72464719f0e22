# Builds for another release on this machine's architecture: in a tree of that release, with this machine's toolchain.
# Sourced by build.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2317

# The packages' sources come from what this machine's toolchain fetched, so that both build the same versions.
fetch_sources() {
    swift package resolve --package-path "$source" --scratch-path "$work/build-host" >"$work/build.log" 2>&1 ||
        { cat "$work/build.log" >&2 && fail "the Swift packages could not be fetched"; }
    local repository
    {
        printf '[safe]\n\tdirectory = *\n'
        for repository in "$work"/build-host/repositories/*; do
            printf '[url "file://%s"]\n\tinsteadOf = %s\n' "$repository" \
                "$(git -c safe.directory='*' -C "$repository" config remote.origin.url)"
        done
    } >"$work/gitconfig"
}

build_in_tree() {
    local scratch=$work/build-$architecture-$suite
    # Not local: the functions below use it after this one has returned.
    tree=$work/tree-$suite-amd64
    make_tree "$tree" "$suite" amd64 debhelper patchelf binutils g++ git pkg-config ca-certificates file \
        libcurl4 libxml2 libncurses6 libsqlite3-0 "${build_packages[@]}"
    fetch_sources
    binds=(--bind "$work" --bind "$toolchain")
    run_built() { in_tree "$tree" "${binds[@]}" -- "$@"; }
    run_packing() { in_tree "$tree" "${binds[@]}" -- "$@"; }
    swift_options+=(--package-path "$source" --scratch-path "$scratch")
    build_both run_built env HOME=/root GIT_CONFIG_GLOBAL="$work/gitconfig" "$toolchain/bin/swift" build "${swift_options[@]}"
    programs=$scratch/x86_64-unknown-linux-gnu/release
    runtime=$toolchain/lib/swift/linux
}
