import FaceMessages

/// What is shown of a face beside its number.
struct FaceSignal {
    let name: String
    /// Angles reach from −45° to 45°, so that straight ahead is in the middle.
    var range = 0.0...1
    /// How high its bar is; nil if it is unknown.
    let level: (FaceObject) -> Double?
    /// Which of two levels is that of both: a blink or a smile must not fall between two bars.
    var together: (Double, Double) -> Double = { $1 }
    /// The value now; nil if it is unknown.
    let value: (FaceObject) -> String?
    /// Whether the value stands out now.
    var isActive: (FaceObject) -> Bool = { _ in false }

    static let valueWidth = 5

    static var all: [FaceSignal] {
        let smile = FaceSignal(name: "SMILE", level: \.smile, together: max) { face in
            face.smile.flatMap { Int(exactly: ($0 * 100).rounded()) }.map { "\($0)%" }
        } isActive: {
            $0.smiling == true
        }
        let eyes = FaceSignal(name: "EYES", level: { $0.openEyes }, together: min) { face in
            guard let left = face.leftEyeClosed, let right = face.rightEyeClosed else { return nil }
            return left && right ? "shut" : left ? "left" : right ? "right" : "open"
        } isActive: {
            $0.leftEyeClosed == true || $0.rightEyeClosed == true
        }
        let look = FaceSignal(name: "LOOK", level: { $0.looking.map { $0 ? 1 : 0 } }, together: max) { face in
            face.looking.map { $0 ? "here" : "away" }
        } isActive: {
            $0.looking == true
        }
        let angles: [(String, KeyPath<HeadPose, Double>)] = [("YAW", \.yaw), ("PITCH", \.pitch), ("ROLL", \.roll)]
        return [smile, eyes, look]
            + angles.map { name, angle in
                FaceSignal(name: name, range: -45...45, level: { $0.pose?[keyPath: angle] }) { face in
                    (face.pose?[keyPath: angle]).flatMap { Int(exactly: $0.rounded()) }.map { "\($0)°" }
                }
            }
    }
}

extension FaceObject {
    /// How many of the eyes are open, as a share.
    fileprivate var openEyes: Double? {
        guard let leftEyeClosed, let rightEyeClosed else { return nil }
        return (leftEyeClosed ? 0 : 0.5) + (rightEyeClosed ? 0 : 0.5)
    }
}
