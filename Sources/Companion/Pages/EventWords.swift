package import FaceMessages

/// What pages show of a kind of event.
package struct EventWords: Sendable {
    /// The name of a drawing in `PageParts.icons`, without i-.
    package let icon: String
    package let words: String
    /// The name of the filter that it belongs to.
    package let group: String
    /// The words at the face where it begins; nil if it does not begin there.
    let pop: String?

    private init(_ icon: String, _ words: String, _ group: String, pop: String? = nil) {
        self.icon = icon
        self.words = words
        self.group = group
        self.pop = pop
    }

    /// The words for a topic; nil if it has no events.
    package init?(_ topic: Topic) {
        switch topic {
        case .enter: self.init("enter", "came", "faces", pop: "hello")
        case .leave: self.init("leave", "left", "faces")
        case .smile: self.init("smile", "smiles", "smiles", pop: "smile")
        case .smileEnd: self.init("smile", "smile ended", "smiles")
        case .look: self.init("look", "looks here", "looks", pop: "looks here")
        case .lookAway: self.init("look", "looks away", "looks")
        case .blink: self.init("blink", "blinked", "blinks", pop: "blink")
        case .eyesClosed: self.init("blink", "eyes closed", "eyes", pop: "eyes closed")
        case .eyesOpen: self.init("blink", "eyes open again", "eyes")
        case .mouthOpen: self.init("other", "mouth open", "other", pop: "mouth open")
        case .zoneEnter: self.init("enter", "enters zone", "zones")
        case .zoneLeave: self.init("leave", "leaves zone", "zones")
        case .sign: self.init("other", "made a sign", "other", pop: "sign")
        case .metadata, .count, .zones, .today, .status, .stats, .detectSet, .detectState, .smileSet, .previewJPEG:
            return nil
        }
    }

    /// The words of all events as a module of the live page's script.
    package static var script: [UInt8] {
        let table = JSONWriter.object { json in
            for topic in Topic.events {
                guard let words = EventWords(topic) else { continue }
                json.field(topic.rawValue, [words.icon, words.words, words.group] + (words.pop.map { [$0] } ?? []))
            }
        }
        return Array(
            "// Of each kind of event: its icon, its words, its filter, the words at the face.\nexport const kinds = "
                .utf8
        )
            + table + Array(";\n".utf8)
    }
}
