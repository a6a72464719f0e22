/// A measurement of a person in front of a camera.
package protocol PersonMeasurement {
    associatedtype Value
    /// The time at which to give up waiting for a result, in seconds since the command began to listen.
    var deadline: Double { get }
    /// Adds the faces seen at `time`, in seconds. Returns the result once known; throws an error if the person erred.
    mutating func measure(_ faces: [FaceObject], at time: Double) throws(CommandFailure) -> Value?
    /// Why there is no result, as a message to the person; nil if no face was seen.
    var failure: String? { get }
    /// The instruction to the person; nil if there is none.
    var prompt: String? { get }
    /// The line shown on a terminal during the measurement: the instruction, the seconds left for it, and a bar.
    var progress: String { get }
}

extension PersonMeasurement {
    /// How long to wait for a measurable face, in seconds.
    package static var patience: Double { 20 }
    package var prompt: String? { nil }
    package var progress: String { "" }

    /// Measures a person with the subscriber's camera. Throws `CommandFailure` if there is no result by `deadline`.
    package mutating func result(_ subscriber: Subscriber) async throws -> Value {
        defer { if Console.showsProgress { Console.progress("") } }
        var state = CameraState()
        var result: Value?
        // Measured by the capture times of the pictures, since messages and ticks may be delayed on a busy machine.
        var time = 0.0
        // How much later than its media time the first picture arrived, and the additional delay of the newest one.
        var start = Double.infinity
        var lag = 0.0
        try await subscriber.follow(every: .milliseconds(33), interruptible: false) { input in
            if !subscriber.isLocal, state.status?.state != .online, input.seconds > Notices.patience {
                throw subscriber.noCamera
            }
            var isNew = false
            if case .occurrence(let occurrence) = input.content {
                let before = state.stamp
                state.take(occurrence)
                if let stamp = state.stamp, stamp != before {
                    let late = input.seconds - stamp.mediaTime
                    if abs(late - start) > 1 { start = late }
                    lag = late - start
                    isNew = true
                }
            }
            // Metadata comes only when a value changes, so until then the faces are as before.
            guard isNew || input.seconds - lag - time > 0.06 else { return true }
            time = max(time, input.seconds - lag)
            let asked = prompt
            result = try measure(state.faces, at: time)
            if result == nil, let prompt {
                if Console.showsProgress {
                    Console.progress(progress)
                } else if prompt != asked {
                    Console.note(prompt)
                }
            }
            return result == nil && input.seconds <= deadline
        }
        guard let result else { throw CommandFailure(failureReason(subscriber.address, state)) }
        return result
    }

    /// The message to the person that says why nothing could be measured.
    package func failureReason(_ address: String, _ camera: CameraState = CameraState()) -> String {
        if let failure { return failure }
        let cause = camera.mayShowFaces ? "sit before the camera, and try again" : "the camera is \(camera.summary)"
        return "no face was seen at \(address): \(cause)"
    }
}
