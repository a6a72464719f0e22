# Builds for arm64 on an amd64 machine: with the compiler of Debian's unstable release, whose Swift exists for both
# architectures in the same version, against the libraries of the release that the packages are for.
# Sourced by build.sh.
# shellcheck shell=bash disable=SC2034,SC2154,SC2317

# shellcheck source=packaging/build-tree.sh
. packaging/build-tree.sh

# Swift's standard library and runtime for arm64, out of unstable's packages: nothing else of them is unpacked.
fetch_swift_for_arm64() {
    local package
    [ ! -e "$swift_arm64/.complete" ] || return 0
    say "fetching Swift's standard library for arm64"
    rm -rf "$swift_arm64"
    mkdir -p "$swift_arm64/packages"
    in_tree "$compiler" --bind "$swift_arm64" -- bash -c "
        cd '$swift_arm64/packages'
        apt-get -qq -o Acquire::Check-Valid-Until=false update
        apt-get -qq -o APT::Sandbox::User=root download swiftlang:arm64 libswiftlang:arm64" >&2
    for package in "$swift_arm64"/packages/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$swift_arm64" --strip-components=5 --wildcards \
            './usr/libexec/swift/lib/swift/*' './usr/libexec/swift/lib/clang/*' 2>/dev/null || true
        rm "$package"
    done
    [ -f "$swift_arm64/swift/linux/libswiftCore.so" ] || fail "unstable's packages hold no libswiftCore.so for arm64"
    touch "$swift_arm64/.complete"
}

# A Swift SDK named facet: where the compiler finds the other architecture's libraries. Its sysroot is the release's tree,
# with Swift's library for arm64 bound into it while the compiler runs.
write_sdk() { # DIRECTORY
    local bundle=$1/facet.artifactbundle
    mkdir -p "$bundle/facet/sysroot"
    cat >"$bundle/info.json" <<'J'
{ "schemaVersion": "1.0", "artifacts": { "facet": {
  "type": "swiftSDK", "version": "1", "variants": [ { "path": "facet" } ] } } }
J
    cat >"$bundle/facet/swift-sdk.json" <<'J'
{ "schemaVersion": "4.0", "targetTriples": { "aarch64-unknown-linux-gnu": {
  "sdkRootPath": "sysroot", "swiftResourcesPath": "sysroot/usr/lib/swift", "toolsetPaths": ["toolset.json"] } } }
J
    cat >"$bundle/facet/toolset.json" <<'J'
{ "schemaVersion": "1.0", "swiftCompiler": { "extraCLIOptions": ["-use-ld=lld"] } }
J
    sysroot=$bundle/facet/sysroot
}

build_for_arm64() {
    local scratch=$work/build-$architecture-$suite libraries=("${build_packages[@]/%/:arm64}")
    local sysroot
    swift_arm64=$work/swift-arm64 compiler=$work/tree-sid
    tree=$work/tree-$suite-arm64

    make_tree "$compiler" sid amd64,arm64 swiftlang libc6-dev g++ git pkg-config lld ca-certificates file qemu-user
    fetch_swift_for_arm64
    # The release's own tools, and beside them the libraries of the other architecture.
    make_tree "$tree" "$suite" amd64,arm64 debhelper patchelf binutils binutils-aarch64-linux-gnu \
        libc6-dev:arm64 "libstdc++-$([ "$suite" = bookworm ] && echo 12 || echo 14)-dev:arm64" \
        libcurl4:arm64 "${libraries[@]}"
    fetch_sources
    write_sdk "$work/sdk-$suite"

    in_compiler() {
        in_tree "$compiler" --bind "$work" --bind-at "$tree" "$sysroot" --bind-at "$swift_arm64/swift" "$sysroot/usr/lib/swift" \
            --bind-at "$swift_arm64/clang" "$sysroot/usr/lib/clang" -- env HOME=/root "$@"
    }
    swift_options+=(--package-path "$source" --scratch-path "$scratch" --swift-sdks-path "$work/sdk-$suite" --swift-sdk facet)
    if [ "$suite" = bookworm ]; then make_old_glibc_fit; fi
    build_both in_compiler env GIT_CONFIG_GLOBAL="$work/gitconfig" PKG_CONFIG_SYSROOT_DIR="$sysroot" \
        PKG_CONFIG_PATH="$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig" /usr/bin/swift build "${swift_options[@]}"
    programs=$scratch/aarch64-unknown-linux-gnu/release
    runtime=$swift_arm64/swift/linux
    [ "$suite" != bookworm ] || runtime=$work/runtime-bookworm-arm64
    # Unstable's emulator is statically linked, and newer than bookworm's, which crashes.
    cp "$compiler/usr/bin/qemu-aarch64" "$work/qemu-aarch64"
    emulator="$work/qemu-aarch64 -E LD_LIBRARY_PATH=$runtime"
    run_built() { in_tree "$tree" --bind "$work" -- "$@"; }
    run_packing() { in_tree "$tree" --bind "$work" -- "$@"; }
}

# bookworm has glibc 2.36 and GCC 12's libstdc++; unstable's runtime wants a few newer names. packaging/oldlibs.c has
# them, each program is linked with it, and the runtime's requirement of the newer versions becomes a weak one.
make_old_glibc_fit() {
    local library
    say "making the runtime fit bookworm's glibc"
    rm -rf "$work/runtime-bookworm-arm64"
    mkdir -p "$work/runtime-bookworm-arm64"
    cp "$swift_arm64"/swift/linux/*.so "$work/runtime-bookworm-arm64/"
    in_compiler /usr/libexec/swift/bin/clang --target=aarch64-linux-gnu --sysroot="$sysroot" -fuse-ld=lld -O2 -fPIC -shared -nostdlib -Wl,-soname,libfacet-oldlibs.so "$source/packaging/oldlibs.c" -lc \
        -o "$work/runtime-bookworm-arm64/libfacet-oldlibs.so"
    for library in "$work"/runtime-bookworm-arm64/libswift*.so "$work"/runtime-bookworm-arm64/lib*Foundation*.so \
        "$work"/runtime-bookworm-arm64/libdispatch.so; do
        python3 "$source/packaging/weaken-versions" "$library" GLIBC_2.38 GLIBCXX_3.4.31 GLIBCXX_3.4.32
    done
    swift_options+=(-Xlinker --push-state -Xlinker --no-as-needed
        -Xlinker "$work/runtime-bookworm-arm64/libfacet-oldlibs.so" -Xlinker --pop-state)
}
