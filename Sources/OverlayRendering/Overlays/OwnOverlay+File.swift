import Foundation

extension OwnOverlay {
    private static let maximumParts = 16
    private static let example = "docs/examples/overlays/party.yaml"

    /// Reads an overlay file and its pictures, with paths relative to it. Throws `SettingsError` with all problems.
    package init(path: String) throws(SettingsError) {
        let directory = URL(filePath: path).deletingLastPathComponent()
        try self.init(try SettingsFile(path: path, example: Self.example)) { name throws(PastedPicture.Refusal) in
            try PastedPicture(path: name.hasPrefix("/") ? name : directory.appending(path: name).path)
        }
    }

    package typealias Load = (_ path: String) throws(PastedPicture.Refusal) -> PastedPicture

    package init(_ file: SettingsFile, load: Load) throws(SettingsError) {
        var reader = SettingsReader(file: file)
        // Later pictures of the file cover earlier ones.
        let names = file.lines.filter { !$0.key.contains(".") }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        guard names.count <= Self.maximumParts else {
            throw SettingsError(file.path, "holds \(names.count) pictures; \(Self.maximumParts) are allowed")
        }
        let parts = names.compactMap { Self.part($0.key, &reader, load) }
        try reader.finish()
        self.parts = parts
    }

    private static func part(_ name: String, _ reader: inout SettingsReader, _ load: Load) -> Part? {
        var image: String?
        var anchor: Anchor?
        var form = Form()
        var isRing = false
        reader.read("\(name).image", &image)
        let anchors = Anchor.allCases.map(\.rawValue).joined(separator: ", ")
        reader.read("\(name).anchor", &anchor, "one of \(anchors)") { Anchor(rawValue: $0).map { .some($0) } }
        reader.read("\(name).width", &form.width, in: 0.01...10)
        reader.read("\(name).rotation", &form.rotation, in: -360...360)
        form.offset = offset("\(name).offset", anchor, &reader)
        reader.read("\(name).around", &isRing)
        reader.read("\(name).turn", &form.turn, in: -180...180)
        reader.read("\(name).tilt", &form.tilt, in: -180...180)
        let isTurned = form.turn != 0 || form.tilt != 0
        var isCurved = anchor?.isOnFront == true && !isRing && !isTurned
        reader.read("\(name).curved", &isCurved)
        // A picture can follow the round front of the head at these anchors.
        if isCurved, let anchor, !anchor.isOnFront, anchor != .head {
            reader.refuse("\(name).curved", "is only for the anchors eyes, mouth, upperLip and head")
        } else if isCurved, isRing || isTurned {
            reader.refuse("\(name).curved", "is not for a picture with around, turn or tilt")
        }
        if isRing, anchor != .head { reader.refuse("\(name).around", "is only for the anchor head") }
        if anchor == .box, isTurned {
            let key = form.turn != 0 ? "turn" : "tilt"
            reader.refuse("\(name).\(key)", "is not for the anchor box, which does not turn")
        }
        form.shape = isRing ? .around : isCurved ? .curved : .flat
        if anchor == nil { reader.refuseIfMissing("\(name).anchor", "name what it sticks to, one of \(anchors)") }
        guard let image else {
            reader.refuseIfMissing("\(name).image", "name a PNG file")
            return nil
        }
        do {
            let picture = try load(image)
            return anchor.map { Part(picture: picture, anchor: $0, form: form) }
        } catch {
            reader.refuse("\(name).image", "cannot use \(image): \(error.reason)")
            return nil
        }
    }

    private static func offset(_ key: String, _ anchor: Anchor?, _ reader: inout SettingsReader) -> Vector {
        let read = reader.readList(key, "a number from -10 to 10") { (-10...10).holding(Double($0)) }
        guard let numbers = read, !reader.hasProblem(with: key) else { return .zero }
        if numbers.count == 3, anchor?.hasDepth == false {
            reader.refuse(key, "must be two numbers for the anchor box: right and down")
        } else if numbers.count != 2, numbers.count != 3 {
            reader.refuse(key, "must be two numbers, right and down, or three: right, down and out of the face")
        }
        guard numbers.count >= 2 else { return .zero }
        return Vector(x: numbers[0], y: numbers[1], z: numbers.count > 2 ? numbers[2] : 0)
    }
}
