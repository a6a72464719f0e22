import ArgumentParser

/// Whether a file that is there may be replaced.
struct ReplacingOption: ParsableArguments {
    @Flag(help: "Replace the output if it is there; without it that is an error.")
    var force = false
}
