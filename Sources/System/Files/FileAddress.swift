extension String {
    /// The path in a `file:` URL (RFC 8089), as desktops and browsers write it: `file:///home/me/a%20clip.mp4`,
    /// `file://localhost/…` or `file:/…`. Nil for any other text, including URLs with another host. A % without two
    /// hexadecimal digits stays as it is, because people type such URLs by hand.
    package var pathOfFileAddress: String? {
        guard let address = wholeMatch(of: /(?i)file:(?:\/\/(?:localhost)?)?(?<path>\/(?s:.*))/) else { return nil }
        guard !address.path.hasPrefix("//") else { return nil }
        var bytes: [UInt8] = []
        var rest = address.path.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            let isEscape = byte == UInt8(ascii: "%") && digits.wholeMatch(of: /[0-9A-Fa-f]{2}/) != nil
            bytes.append(isEscape ? UInt8(digits, radix: 16) ?? byte : byte)
            if isEscape { rest.removeFirst(2) }
        }
        return String(fileName: bytes)
    }
}

extension [String] {
    /// The arguments of a command, with `file:` URLs replaced by paths, also in options (`--option=file:…`).
    package var withPlainPaths: [String] {
        map { argument in
            if let path = argument.pathOfFileAddress { return path }
            guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "="),
                let path = String(argument[argument.index(after: equals)...]).pathOfFileAddress
            else { return argument }
            return argument[...equals] + path
        }
    }
}
