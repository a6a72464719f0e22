extension String {
    /// A text without the users and passwords of its addresses, and without the values of properties and headers that are secrets.
    /// Of a source `exec:COMMAND` only the program is left, of `gstreamer:PIPELINE` the first element, as the rest may hold a
    /// password in any form.
    package var withoutPasswords: String {
        if let command = wholeMatch(of: /exec:\s*(?<program>\S*)(?s:.*)/) {
            let isPlain = command.program.wholeMatch(of: /[\w.\/+-]+/) != nil
            return "exec:" + (isPlain ? command.program : "…")
        }
        if let pipeline = wholeMatch(of: /gstreamer:\s*(?<element>\w*)(?<rest>(?s:.*))/) {
            let isAlone = pipeline.rest.allSatisfy(\.isWhitespace)
            return "gstreamer:\(pipeline.element)" + (isAlone ? "" : " …")
        }
        return replacing(/:\/\/[^\/\s]*@/, with: "://")
            .replacing(/(?<before>^|[\s"'])[^\s"'\/:@]+:[^\s"'\/]+@/) { $0.before }
            .replacing(/(?i)(?<name>\b(?:[\w-]*authorization|[\w-]*cookie|[\w-]*headers))\s*[=:].*/) { "\($0.name)=…" }
            .replacing(
                /(?i)(?<name>[\w-]*(?:pass|pw|token|secret|credential)[\w-]*)(?:\s*=\s*|:\s+)(?:"[^"]*"?|'[^']*'?|\S+)/
            ) { "\($0.name)=…" }
    }
}
