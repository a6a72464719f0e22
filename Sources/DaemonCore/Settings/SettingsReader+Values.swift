import Foundation

extension SettingsReader {
    mutating func readTopic(_ key: String, _ topic: inout String) {
        read(key, &topic, "a topic without wildcards, leading or trailing slash") { text in
            let isTopic =
                !text.isEmpty && !text.hasPrefix("/") && !text.hasSuffix("/") && !text.hasPrefix("$")
                && !text.unicodeScalars.contains { "+#\0".unicodeScalars.contains($0) } && text.utf8.count <= 1000
            return isTopic ? text.precomposedStringWithCanonicalMapping : nil
        }
    }

    mutating func readWebAddress(_ key: String, _ address: inout String?) {
        read(key, &address, "a web address such as https://help.example/cameras") { text -> String?? in
            let url = URLComponents(string: text)
            let isWeb = ["http", "https"].contains(url?.scheme) && url?.host?.isEmpty == false
            return isWeb ? .some(text) : nil
        }
    }

    mutating func read(_ key: String, _ value: inout Gaze) {
        guard let angles = readList(key, "a number", { Double($0) }) else { return }
        guard angles.count == 2, angles.allSatisfy({ (-60...60).contains($0) }) else {
            return refuse(key, "must be yaw and pitch in degrees from -60 to 60, such as [12, -5]")
        }
        value = Gaze(yaw: angles[0], pitch: angles[1])
    }

    /// Reads a rectangle: x, y, width and height as fractions of the picture's size. An empty list gives nil.
    mutating func read(_ key: String, _ value: inout NormalizedRect?) {
        guard let shares = readList(key, "a number", { Double($0) }) else { return }
        value = nil
        guard !shares.isEmpty else { return }
        guard shares.count == 4, shares[..<2].allSatisfy({ $0 >= 0 }), shares[2...].allSatisfy({ $0 > 0 }),
            (0...1).allSatisfy({ shares[$0] + shares[$0 + 2] <= 1.000_001 })
        else {
            let expected = "four shares of the picture, x, y, width, height, such as [0.25, 0, 0.5, 1], inside 0…1"
            return refuse(key, "must be \(expected)")
        }
        value = NormalizedRect(x: shares[0], y: shares[1], width: shares[2], height: shares[3])
    }
}

extension FrameSize {
    /// Parses a size such as `640x480`, 16 to 16384 pixels a side; nil for anything else.
    init?(text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard sides.count == 2, sides.allSatisfy((16...16_384).contains) else { return nil }
        self.init(width: sides[0], height: sides[1])
    }
}
