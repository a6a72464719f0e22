import Foundation
import RegexBuilder

/// A password or the like, which logs, dumps and string interpolation do not show.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    package init(_ value: String) {
        self.value = value
        Secrets.add(value)
    }

    /// Makes a secret of a text that contains secrets, such as an address or a command.
    package init(partly text: String) {
        value = text
        Secrets.learn(from: text)
    }

    /// Returns the secret value, for the one place that uses it.
    package func revealed() -> String { value }
    package var description: String { "<redacted>" }
    package var debugDescription: String { description }
    // The default mirror would show the value.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The secret values in this process's configuration, which are removed from texts before people read them.
///
/// A library or a command may quote any part of an address in any form. So values are searched for, and not patterns.
package enum Secrets {
    private final class Known: Sendable { let values = Mutex<Set<String>>([]) }
    /// The known secrets: those of the process, or within a call of `alone` those that were added there.
    @TaskLocal private static var known = Known()
    /// The minimum length of a secret. Shorter values occur in too many words and numbers.
    private static let shortest = 2

    /// Runs a function that starts without known secrets. Secrets that it adds are forgotten afterwards.
    package static func alone(_ body: () -> Void) { $known.withValue(Known(), operation: body) }

    /// Adds a secret, also in percent-encoded and percent-decoded form, as messages about an address may quote it.
    package static func add(_ value: String) {
        var unreserved = CharacterSet.alphanumerics
        unreserved.insert(charactersIn: "-._~")
        let forms = [
            value, value.removingPercentEncoding, value.addingPercentEncoding(withAllowedCharacters: unreserved),
        ]
        known.values.withLock { $0.formUnion(forms.compactMap(\.self).filter { $0.count >= shortest }) }
    }

    /// Signs of secrets, in lower case. A text without any of them matches no pattern in `learn`, and is skipped.
    private static let signs = [
        "@", "$", "?", "&", ";", "-u", "--user", "--proxy-user", "pass", "pw", "token", "secret", "credential",
        "bearer", "key", "authorization", "cookie",
    ].map { Array($0.utf8) }

    /// Replaces variables in a setting, argument or command by their values in `environment`, then adds its secrets:
    /// passwords and queries in addresses, values of secret properties and headers. In doubt, a value is a secret.
    package static func learn(from text: String, environment: [String: String] = [:]) {
        // Most texts contain no sign of a secret, and the expressions below are slow at a program's start.
        let bytes = Array(text.lowercased().utf8)
        guard signs.contains(where: { sign in bytes.firstRange(of: sign) != nil }) else { return }
        let text = text.replacing(Pattern.variable) { environment[String($0.name)] ?? String($0.output.0) }
        for address in text.ranges(of: "://") {
            let rest = text[address.upperBound...].prefix { !$0.isNewline }
            // A numeric address after `://` is a host and not a user's name, so what follows is a path.
            guard let colon = rest.firstIndex(of: ":"), !rest.starts(with: Pattern.number) else { continue }
            // A password may contain a / or a blank, which seems to end the address, and an @.
            for at in rest.indices where rest[at] == "@" && at > colon {
                let behind = rest[rest.index(after: at)...]
                guard behind.starts(with: Pattern.host) else { continue }
                add(String(rest[..<at]))
                addParts(of: rest[rest.index(after: colon)..<at])
                if behind.starts(with: Pattern.number) { break }
            }
        }
        for value in text.matches(of: Pattern.query) { add(String(value.value)) }
        for match in text.matches(of: Pattern.login) { addParts(of: match.password) }
        for match in text.matches(of: Pattern.option) { addParts(of: match.password) }
        for match in text.matches(of: Pattern.named) where !namesFile(match.output.1) {
            // Without = or : between name and value, only an option has a value.
            let (_, name, value) = match.output
            let isAssigned = text[name.endIndex..<value.startIndex].contains { "=:".contains($0) }
            if isAssigned || name.hasPrefix("-") {
                add(value.trimmingCharacters(in: CharacterSet(charactersIn: "\"'")))
            }
        }
        for match in text.matches(of: Pattern.header) {
            for word in match.value.split(separator: " ") where word.count >= 6 { add(String(word)) }
        }
    }

    /// Whether a setting, an option or a variable of this name contains the path of a file, which is no secret.
    private static func namesFile(_ name: some StringProtocol) -> Bool {
        ["file", "path"].contains { name.lowercased().hasSuffix($0) }
    }

    /// Adds the secrets in the command line and the environment.
    package static func learn(arguments: [String], environment: [String: String]) {
        for argument in arguments { learn(from: argument, environment: environment) }
        for (name, value) in environment where name.hasPrefix("FACET_") && !namesFile(name) {
            if name.contains(/PASSWORD|TOKEN|SECRET/) {
                add(value)
            } else {
                learn(from: value, environment: environment)
            }
        }
    }

    /// Adds a password and its parts. A program that mistakes a part for a host or a path quotes only that part.
    private static func addParts(of password: Substring) {
        add(String(password))
        for part in password.split(whereSeparator: { !$0.isLetter && !$0.isNumber && !"-_.".contains($0) })
        where part.count > shortest || part.contains(where: \.isNumber) {
            add(String(part))
        }
    }

    /// Returns the text with known secrets replaced by `…`.
    ///
    /// The search compares scalars, so a combining mark after a secret does not hide the secret from it. Foundation's
    /// search, which `contains` uses, crashes with some texts.
    fileprivate static func hidden(in text: String) -> String {
        var text = text.unicodeScalars
        let values = known.values.withLock { $0 }.map(\.unicodeScalars).filter { text.firstRange(of: $0) != nil }
        for value in values.sorted(by: { ($1.count, String($1)) < ($0.count, String($0)) }) {
            text = value.count < 8 ? replacing(value, in: text) : text.replacing(value, with: "…".unicodeScalars)
        }
        return String(text)
    }

    /// Replaces a short secret by `…` where it is a whole word, so not 1234 in 12345, `pass` in `passed` or 20 in %20.
    private static func replacing(
        _ value: String.UnicodeScalarView,
        in text: String.UnicodeScalarView
    ) -> String.UnicodeScalarView {
        func isEdge(_ scalar: Unicode.Scalar?) -> Bool {
            scalar.map { !$0.properties.isAlphabetic && $0.properties.numericType == nil && $0 != "%" } ?? true
        }
        var result = String.UnicodeScalarView()
        var rest = text[...]
        while let range = rest.firstRange(of: value) {
            let before = rest[..<range.lowerBound].last ?? result.last
            let isWord = isEdge(before) && isEdge(rest[range.upperBound...].first)
            result += rest[..<range.lowerBound]
            result += isWord ? "…".unicodeScalars[...] : rest[range]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}

/// Regular expressions for texts that may contain secrets. They are static so that they are compiled only once.
private enum Pattern {
    nonisolated(unsafe) static let variable = /\$\{?(?<name>\w+)\}?/
    /// An IPv4 address with the character that ends it, such as `:` or `/`.
    nonisolated(unsafe) static let number = /\d+\.\d+\.\d+\.\d+(?:[:\/?#\s"']|$)/
    nonisolated(unsafe) static let host = /(?:[\w.%-]+|\[[^\]]*\])(?:[:\/?#\s"';,)\]|]|$)/
    nonisolated(unsafe) static let query = /[?&;][\w.%\[\]-]+=(?<value>[^&;#\s"'@]{6,})/
    nonisolated(unsafe) static let login =
        /(?:^|[\s"'=,])(?:-u|--user|--proxy-user)?[\s="']*[^\s"':@\/,=]+:(?<password>[^\s"'\/][^\s"']*)@/
    nonisolated(unsafe) static let option =
        /(?:-u|--user|--proxy-user)[\s=]*["']?[^\s"':]+:(?<password>[^\s"']+)/
    nonisolated(unsafe) static let named = Regex {
        Capture {
            /[\w-]*/
            /(?:pass|pw|token|secret|credential|bearer|api_?-?key)/.ignoresCase()
            /[\w-]*/
        }
        /["']?(?:\s*[=:]\s*|\s+)/
        Capture(/"[^"]*"|'[^']*'|[^\s&;,"']+/)
    }
    nonisolated(unsafe) static let header = /(?i)(?:authorization|cookie)\s*[=:]\s*(?<value>[^"'\n]+)/

    nonisolated(unsafe) static let loginOfAddress = /:\/\/[^"'\n]*@/
    /// A login before a host, perhaps after others whose secrets were replaced already.
    nonisolated(unsafe) static let loginAlone = /(?<before>^|[\s"'])(?:…@)*[^\s"'\/:@]+:[^\s"'\/]+@/
    nonisolated(unsafe) static let shownHeader =
        /(?i)(?<name>\b(?:[\w-]*authorization|[\w-]*cookie|[\w-]*headers))\s*[=:].*/
    nonisolated(unsafe) static let shownSetting =
        /(?i)(?<name>[\w-]*(?:pass|pw|token|secret|credential)[\w-]*)(?:\s*=\s*|:\s+)(?:"[^"]*"?|'[^']*'?|\S+)/
}

extension String {
    /// The text as it may be shown: without the secrets of this process, and with bytes that are not UTF-8 as `\xE9`.
    package var withoutSecrets: String {
        Secrets.hidden(in: unicodeScalars.contains { $0.byteOfFileName != nil } ? withVisibleBytes : self)
    }

    private var withVisibleBytes: String {
        unicodeScalars.map { scalar in
            scalar.byteOfFileName.map { "\\x" + String($0, radix: 16, uppercase: true) } ?? String(scalar)
        }.joined()
    }

    /// Text from elsewhere in a form that may be shown: without this process's secrets, without user names and
    /// passwords in addresses, and without the values of secret properties and headers.
    package var withoutPasswords: String {
        withoutSecrets.replacing(Pattern.loginOfAddress, with: "://")
            .replacing(Pattern.loginAlone) { $0.before }
            .replacing("…@", with: "")
            .replacing(Pattern.shownHeader) { "\($0.name)=…" }
            .replacing(Pattern.shownSetting) { "\($0.name)=…" }
    }

    /// A source's address as it may be shown. Of `exec:COMMAND` only the program is left, of `gstreamer:PIPELINE` only
    /// the first element, because the rest may contain a password in any form.
    package var shownSource: String {
        if let command = wholeMatch(of: /exec:\s*(?<program>\S*)(?s:.*)/) {
            let isPlain = command.program.wholeMatch(of: /[\w.\/+-]+/) != nil
            return "exec:" + (isPlain ? command.program : "…")
        }
        if let pipeline = wholeMatch(of: /gstreamer:\s*(?<element>\w*)(?<rest>(?s:.*))/) {
            let isAlone = pipeline.rest.allSatisfy(\.isWhitespace)
            return "gstreamer:\(pipeline.element)" + (isAlone ? "" : " …")
        }
        let shown = withoutPasswords
        guard !lowercased().hasPrefix("file:"), let place = shown.firstRange(of: "://")?.upperBound else {
            return shown
        }
        // The query may contain a secret under any name, or without one.
        return String(shown[..<place] + shown[place...].prefix { !"?#".contains($0) })
    }
}
