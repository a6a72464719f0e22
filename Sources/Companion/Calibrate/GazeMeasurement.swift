package import FaceMessages

/// Where the nearest face looks, over a stretch of time.
package struct GazeMeasurement {
    /// Degrees around the middle that half of the gazes may lie off: with more the person looks around.
    private static let mostSpread = 6.0
    /// Seconds until somebody is given up.
    private static let patience = 20.0

    /// For how many seconds.
    package let seconds: Double
    private var start: Double?
    private var gazes: [Gaze] = []
    private var hasSeenFace = false

    init(seconds: Double) { self.seconds = seconds }

    /// Measures where the nearest face of a camera looks.
    ///
    /// - Throws: `CommandFailure` that says why that cannot be measured.
    package static func direction(_ subscriber: Subscriber, seconds: Double) async throws -> Gaze {
        var measurement = GazeMeasurement(seconds: seconds)
        var state = CameraState()
        var direction: Gaze?
        StandardOutput.note("look at the thing and keep still")
        try await subscriber.follow(every: .milliseconds(50), interruptible: false) { input in
            guard case .tick = input.content else {
                if case .occurrence(let occurrence) = input.content { state.take(occurrence) }
                return true
            }
            if !subscriber.isLocal, state.status?.state != .online, input.seconds > Notices.patience {
                throw subscriber.noCamera
            }
            // Metadata comes only when a value changes: until then it holds.
            direction = try measurement.take(state.faces, at: input.seconds)
            return direction == nil && input.seconds <= patience
        }
        guard let direction else { throw CommandFailure(measurement.failureReason(subscriber.address, state)) }
        return direction
    }

    /// Takes the faces at a time in seconds.
    ///
    /// - Returns: the middle of all gazes, once there are enough of them.
    /// - Throws: `CommandFailure` if the face looked around.
    package mutating func take(_ faces: [FaceObject], at time: Double) throws(CommandFailure) -> Gaze? {
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

    /// Why nothing could be measured.
    func failureReason(_ address: String, _ camera: CameraState = CameraState()) -> String {
        if !hasSeenFace {
            let cause = camera.mayShowFaces ? "sit before the camera, and try again" : "the camera is \(camera.summary)"
            return "no face was seen at \(address): \(cause)"
        }
        return gazes.isEmpty
            ? "no gaze is known: come nearer, or let the daemon publish it with metadata.fields: [looking, gaze]"
            : "the eyes were not seen for long enough: look at the thing for \(seconds) s, and try again"
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
