/// Measures the direction in which the nearest face looks, as the median over some seconds.
package struct GazeMeasurement: PersonMeasurement {
    /// The maximum median angle, in degrees, between the gazes and their median. Above it, the eyes moved too much.
    private static let mostSpread = 6.0
    package var deadline: Double { Self.patience + seconds }
    private let seconds: Double
    private var start: Double?
    private var gazes: [Gaze] = []
    private var hasSeenFace = false

    package init(seconds: Double) { self.seconds = seconds }

    /// Adds the faces seen at `time`, in seconds. Returns the median gaze `seconds` after the first gaze.
    package mutating func measure(_ faces: [FaceObject], at time: Double) throws(CommandFailure) -> Gaze? {
        let nearest = faces.max { $0.bounds.area < $1.bounds.area }
        hasSeenFace = hasSeenFace || nearest != nil
        guard let gaze = nearest?.gaze, nearest?.isSeen == true else { return nil }
        let began = start ?? time
        start = began
        gazes.append(gaze)
        guard time - began >= seconds else { return nil }
        let middle = Gaze(yaw: Self.median(gazes.map(\.yaw)), pitch: Self.median(gazes.map(\.pitch)))
        let spread = Self.median(gazes.map { $0.angle(to: middle) })
        guard spread <= Self.mostSpread else {
            throw CommandFailure("the eyes moved by \(Int(spread)) degrees: look at one point, and try again")
        }
        return middle
    }

    package var failure: String? {
        guard hasSeenFace else { return nil }
        return gazes.isEmpty
            ? "no gaze is known: come nearer, or let the daemon publish it with metadata.fields: [looking, gaze]"
            : "the eyes were not seen for long enough: look at the thing for \(seconds) s, and try again"
    }

    /// The direction as the value of a setting: `[yaw, pitch]` in degrees, rounded to tenths.
    package static func text(_ direction: Gaze) -> String {
        // Adding 0 turns −0 into 0.
        "[\((direction.yaw * 10).rounded() / 10 + 0), \((direction.pitch * 10).rounded() / 10 + 0)]"
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
