/// The words and the icon with which pages show a kind of event.
package struct EventWords: Sendable {
    /// The name of a drawing in `PageParts.icons`, without its prefix `i-`.
    package let icon: String
    package let words: String
    /// The name of the page's filter that shows or hides these events.
    package let group: String
    /// The words that appear at the face when the event happens; nil for none.
    var pop: String?
}

extension EventWords {
    /// The words for the events on a topic; nil if the topic has no events.
    package init?(_ topic: Topic) {
        switch topic {
        case .enter: self.init(icon: "enter", words: "came", group: "faces", pop: "hello")
        case .leave: self.init(icon: "leave", words: "left", group: "faces")
        case .smile: self.init(icon: "smile", words: "smiles", group: "smiles", pop: "smile")
        case .smileEnd: self.init(icon: "smile", words: "smile ended", group: "smiles")
        case .look: self.init(icon: "look", words: "looks here", group: "looks", pop: "looks here")
        case .lookAway: self.init(icon: "look", words: "looks away", group: "looks")
        case .blink: self.init(icon: "blink", words: "blinked", group: "blinks", pop: "blink")
        case .eyesClosed: self.init(icon: "blink", words: "eyes closed", group: "eyes", pop: "eyes closed")
        case .eyesOpen: self.init(icon: "blink", words: "eyes open again", group: "eyes")
        case .mouthOpen: self.init(icon: "other", words: "mouth open", group: "other", pop: "mouth open")
        case .zoneEnter: self.init(icon: "enter", words: "enters zone", group: "zones")
        case .zoneLeave: self.init(icon: "leave", words: "leaves zone", group: "zones")
        case .sign: self.init(icon: "other", words: "made a sign", group: "other", pop: "sign")
        case .metadata, .count, .zones, .today, .status, .stats, .detectSet, .detectState, .smileSet, .zoneSet,
            .previewJPEG:
            return nil
        }
    }

    /// The words of all events, as a module for the live page's script.
    package static var script: [UInt8] {
        let table = JSONWriter.object { json in
            for topic in Topic.events {
                guard let words = EventWords(topic) else { continue }
                json.field(topic.rawValue, [words.icon, words.words, words.group] + (words.pop.map { [$0] } ?? []))
            }
        }
        let comment = "// Of each kind of event: its icon, its words, its filter, the words at the face.\n"
        return Array((comment + "export const kinds = ").utf8) + table + Array(";\n".utf8)
    }
}
