/// The address (URL) of a server. As text, it has no user, password or query.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The reason why a text is not an address.
    package struct Failure: Error, Hashable {
        /// The part of the text that may be shown, because it has no secrets.
        package let shown: String
        package let reason: String
    }

    /// The user's name before the host; nil without an `@`.
    package let user: String?
    package let hasPassword: Bool
    package let place: HostAndPort
    /// The part after the host and the port, without the query.
    package let path: String
    package let description: String
    private let whole: Secret

    /// Parses an address, of which `rest` is the text after `scheme://`.
    package init(scheme: some StringProtocol, _ rest: Substring) throws(Failure) {
        let scheme = scheme.lowercased()
        func isEnd(_ character: Character) -> Bool { "/?#".contains(character) }
        whole = Secret(partly: "\(scheme)://\(rest)")
        let authority = rest.prefix { !isEnd($0) }
        var login = authority.lastIndex(of: "@").map { authority[..<$0] }
        let host = login.map { authority[$0.endIndex...].dropFirst() } ?? authority
        if let last = rest.lastIndex(of: "@"), last >= authority.endIndex, rest[..<last].contains(":") {
            let behind = rest[rest.index(after: last)...].prefix { !isEnd($0) }
            if !HostAndPort(host).isNumeric, HostAndPort(behind).isPlain { login = rest[..<last] }
        }
        let tail = rest[(login?.endIndex ?? rest.startIndex)...].drop { $0 == "@" }
        let shown = tail.prefix { !"?#".contains($0) }
        description = "\(scheme)://\(String(shown).withoutPasswords)"
        func failure(_ reason: String) -> Failure {
            // If the text is no valid address, anything before an @ may be a password.
            let certain = shown.lastIndex(of: "@").map { shown[$0...].dropFirst() } ?? shown
            return Failure(shown: "\(scheme)://\(String(certain).withoutPasswords)", reason: reason)
        }
        if let login, let sign = login.first(where: { isEnd($0) || $0.isWhitespace }) {
            let escape = sign.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
            let name = sign.isWhitespace ? "a blank" : "a \(sign)"
            let others = login.contains("@") || sign == "/" ? ", an @ in a path %40" : ""
            throw failure("\(name) in a user or password is written \(escape)\(others)")
        }
        guard let place = HostAndPort(host) else {
            throw failure("it needs a host without blanks, and a port from 1 to 65535 if it names one")
        }
        self.place = place
        user = login.map { String($0.prefix { $0 != ":" }) }
        hasPassword = login?.contains(":") ?? false
        path = String(shown[host.endIndex...])
    }

    /// Returns the whole address with its secrets, for the code that connects.
    package func revealed() -> String { whole.revealed() }
}

extension HostAndPort? {
    /// Whether the host is a numeric address, and so cannot be a user's name.
    fileprivate var isNumeric: Bool {
        guard let host = self?.host else { return false }
        return host.contains(":") || host.wholeMatch(of: /\d+\.\d+\.\d+\.\d+/) != nil
    }

    /// Whether the host has only characters that occur in names and addresses.
    fileprivate var isPlain: Bool {
        self?.host.allSatisfy { $0.isLetter || $0.isNumber || "-._:%".contains($0) } ?? false
    }
}
