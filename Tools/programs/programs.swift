// Holds nothing: `swift build --target programs` builds the programs that this target depends on, see Package.swift.
