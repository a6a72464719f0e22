/// The options of all commands that draw faces.
struct DrawingOptions: ParsableArguments {
    private static let hiding = OverlayName.allCases.filter(\.overlay.hidesFaces).map(\.rawValue)

    @Option(
        help: """
            How faces are drawn: an overlay's name, of which \(Self.hiding.joined(separator: ", ")) hide them, or the file of an \
            overlay of your own, as `facet help overlays` shows it.
            """
    )
    var overlay = OverlayChoice.builtIn(.label)

    @Flag(help: "Mirror the picture left to right, as people expect of their own image.")
    var mirror = false
    var style: DrawingStyle { DrawingStyle(overlay: overlay, isMirrored: mirror) }
}

/// The options for drawing the faces of recorded messages over a clip, without a broker. The result is reproducible.
struct ClipOptions: ParsableArguments {
    @Option(help: "Draw over this clip or picture instead of the live preview.", value: "clip")
    var over: String?

    @Option(
        help: "What to draw: the lines that `facetd --print` wrote about the clip; - reads them from standard input.",
        value: "file.jsonl",
        completion: .file(extensions: ["jsonl"])
    )
    var metadata: String?

    /// Returns the clip and its messages; nil if the user gave no clip and so wants to draw over the live preview.
    func load(needsMetadata: Bool = true) throws -> (clip: String, track: MessageTrack?)? {
        guard let over else {
            guard metadata == nil else { throw ValidationError("--metadata belongs to a clip: add --over CLIP") }
            return nil
        }
        guard let metadata else {
            guard needsMetadata else { return (over, nil) }
            throw ValidationError(
                """
                --over needs --metadata FILE.jsonl with the messages about the clip; make them with
                  facetd --source \(over) --pace asap --no-mqtt --print --every-change > FILE.jsonl
                """
            )
        }
        let lines = try MessageLines(metadata)
        let track = try MessageTrack(lines, over: over)
        if let cut = lines.cut { Console.note("\(cut)") }
        return (over, track)
    }
}

struct ReplacingOption: ParsableArguments {
    @Flag(help: "Replace the output if it is there; without it that is an error.")
    var force = false
}

// MARK: - Kinds of options

extension Option where Value == String? {
    /// Makes an option that takes a file. If it is hidden, only `facet help broker` shows it.
    init(file help: String, _ visibility: ArgumentVisibility = .default) {
        self.init(help: .init("\(help)", valueName: "file", visibility: visibility), completion: .file())
    }
}

extension Option {
    /// Makes an option; `name` stands for its value in the help text.
    init<Wrapped: ExpressibleByArgument>(help: String, value name: String, completion: CompletionKind? = nil)
    where Value == Wrapped? {
        self.init(help: .init("\(help)", valueName: name), completion: completion)
    }

    /// Makes an option for a number in a range.
    init(wrappedValue: Value, help: String, in range: ClosedRange<Value>)
    where Value: LosslessStringConvertible & Comparable & Sendable {
        func text(_ value: Value) -> String { "\(value)".replacing(/\.0$/, with: "") }
        let limits = "\(text(range.lowerBound)) to \(text(range.upperBound))"
        let help = ArgumentHelp("\(help) (\(limits), default: \(text(wrappedValue)))", valueName: "number")
        self.init(wrappedValue: wrappedValue, help: help) { text in
            if let number = Value(text), range.contains(number) { return number }
            throw ValidationError("it must be \(limits)")
        }
    }
}

/// Reads a duration in seconds, of at most a year.
@Sendable func seconds(_ text: String) throws -> Double {
    guard let seconds = Double(text), seconds > 0, seconds <= 31_536_000 else {
        throw ValidationError("It must be a number of seconds that is more than 0 and at most 31536000, a year")
    }
    return seconds
}

extension TerminalFormat: ExpressibleByArgument {}
extension VideoGravity: ExpressibleByArgument {}
extension EventName: ExpressibleByArgument {
    package static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension OverlayChoice: ExpressibleByArgument {
    package var defaultValueDescription: String { name }

    package static var allValueStrings: [String] { names + ["FILE.yaml"] }
    private static var names: [String] { OverlayName.allCases.map(\.rawValue) + examples }

    /// The shell completions for an overlay: the names of overlays, and the YAML files near the working directory.
    package static var defaultCompletionKind: CompletionKind {
        let print = "printf '%s\\n' \(names.joined(separator: " "))"
        // Quoted patterns only: zsh reports an error for a pattern without a match.
        let files = "find . -maxdepth 2 -name '*.yaml' | sed 's|^[.]/||' | \(CompletionKind.plainLines)"
        return .shellCommand("\(print); \(files)")
    }
}
