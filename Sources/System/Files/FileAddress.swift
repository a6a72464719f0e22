extension String {
    /// The path of a file's address (RFC 8089), as desktops and browsers write it: `file:///home/me/a%20clip.mp4`,
    /// `file://localhost/…` or `file:/…`; nil for any other text, also for a file of another machine. A % that begins
    /// no escape stays: people write addresses themselves.
    package var pathOfFileAddress: String? {
        guard let address = wholeMatch(of: /(?i)file:(?:\/\/(?:localhost)?)?(?<path>\/(?s:.*))/) else { return nil }
        guard !address.path.hasPrefix("//") else { return nil }
        var bytes: [UInt8] = []
        var rest = address.path.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.wholeMatch(of: /[0-9A-Fa-f]{2}/) != nil,
                let value = UInt8(digits, radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(fileName: bytes)
    }
}

extension [String] {
    /// The arguments of a command, with paths in place of files' addresses, also in the values of options.
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
