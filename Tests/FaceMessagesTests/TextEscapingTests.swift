import FaceMessages
import Testing

@Suite("Text that others sent")
struct TextEscapingTests {
    /// A line break of one character, and signs whose characters a combining mark makes others.
    private let hostile = "a\r\nb\"\u{301}\\\u{301}<\u{301}&\u{301}>'\u{1B}"

    // Compared by scalars: strings are equal by characters.
    private func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

    @Test("breaks out of no label of Prometheus")
    func prometheus() {
        // It must not control the terminal of a person who reads the file either.
        let expected = "a \\nb\\\"\u{301}\\\\\u{301}<\u{301}&\u{301}>' "
        #expect(scalars(hostile.escapedForPrometheus) == scalars(expected))
    }

    @Test("breaks out of no text and no attribute of HTML")
    func html() {
        let expected = "a  b&quot;\u{301}\\\u{301}&lt;\u{301}&amp;\u{301}&gt;&#39; "
        #expect(scalars(hostile.escapedForHTML) == scalars(expected))
    }

    @Test(
        "is no formula in a spreadsheet, whatever combines with its first sign",
        arguments: ["=1+1", "=\u{338}1+1", "+\u{301}1", "-\u{20E3}1", "@\u{200D}a"]
    )
    func cell(text: String) {
        #expect(text.cellOfCSV.unicodeScalars.starts(with: "\"'".unicodeScalars))
        #expect(scalars("a\"\u{301}=".cellOfCSV) == scalars("\"a\"\"\u{301}=\""))
    }

    @Test("acts on no terminal")
    func terminal() {
        #expect(scalars(hostile.printable) == scalars("a  b\"\u{301}\\\u{301}<\u{301}&\u{301}>' "))
    }
}

@Suite("Full names of topics")
struct TopicNameTests {
    @Test("are taken apart into base and topic", arguments: ["faces", "porch/faces", "a/b/detect", ""])
    func parts(base: String) {
        for topic in Topic.allCases {
            let name = topic.name(under: base)
            #expect(Topic(name: name) == topic && topic.base(of: name) == base)
        }
    }

    @Test("of others are none", arguments: ["", "faces", "metadata", "detect/state", "faces/other", "faces/metadata/"])
    func others(name: String) {
        #expect(Topic(name: name) == nil)
    }
}
