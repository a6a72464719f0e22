# Shared by the tests of the installed programs, and by packaging/check-inside. Sourced, from bash in strict mode.
# shellcheck shell=bash

say() { printf '%s: %s\n' "${part:-${0##*/}}" "$*"; }
fail() {
    printf '%s: %s\n' "${part:-${0##*/}}" "$*" >&2
    exit 1
}

wait_for() { # COMMAND: up to 30 s
    for _ in $(seq 300); do
        eval "$1" 2>/dev/null && return
        sleep 0.1
    done
    fail "did not come true: $1"
}
