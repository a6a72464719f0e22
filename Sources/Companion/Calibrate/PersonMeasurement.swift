/// A measurement of the person before a camera.
package protocol PersonMeasurement {
    associatedtype Value
    /// The time, in seconds, until which a result is waited for.
    var deadline: Double { get }
    /// Measures the faces at a time in seconds; returns the result once it is known, throws what the person did wrong.
    mutating func measure(_ faces: [FaceObject], at time: Double) throws(CommandFailure) -> Value?
    /// The reason why there was no result; nil if no face was seen.
    var failure: String? { get }
    /// The instruction to the person; nil if there is none yet.
    var prompt: String? { get }
    /// The prompt, the seconds that are left for it, and a bar, as a terminal shows them.
    var progress: String { get }
}

extension PersonMeasurement {
    /// The seconds that a measurable face is waited for.
    package static var patience: Double { 20 }
    package var prompt: String? { nil }
    package var progress: String { "" }

    /// Takes the measurement before a camera; throws `CommandFailure` that says why that cannot be done.
    package mutating func result(_ subscriber: Subscriber) async throws -> Value {
        defer { if Console.showsProgress { Console.progress("") } }
        var state = CameraState()
        var result: Value?
        // By the time of the pictures: on a busy machine messages and ticks wait.
        var time = 0.0
        // How much later than its own time the first picture came, and how much more the newest did.
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
            // Metadata comes only when a value changes: until then the faces are as they were.
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

    /// Why nothing could be measured.
    package func failureReason(_ address: String, _ camera: CameraState = CameraState()) -> String {
        if let failure { return failure }
        let cause = camera.mayShowFaces ? "sit before the camera, and try again" : "the camera is \(camera.summary)"
        return "no face was seen at \(address): \(cause)"
    }
}
