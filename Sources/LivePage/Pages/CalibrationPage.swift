/// The calibration steps for the page on which people find their smile settings, and the answers to its requests.
enum CalibrationPage {
    /// The maximum size of a request in bytes, enough for `mostSamples` samples.
    static let longestBody = 24 << 10
    /// The maximum number of samples in a request: 20 per second of the calibration and of a wait before it.
    private static let mostSamples = 1200

    /// The steps of the calibration with their durations, and the default levels of a smile's start and end, as JSON.
    static let script = JSONWriter.object { json in
        json.array("steps", SmileCalibration.steps) { json, step in
            json.field("words", step.words)
            json.field("seconds", step.seconds, decimals: 3)
        }
        json.array("limits", SmileCalibration.limits) { json, limit in json.field("level", limit, decimals: 2) }
    }

    /// Calibrates from samples, a JSON array of `[seconds, faces]` or, with one face, `[seconds, 1, smile, mouthOpen]`.
    ///
    /// - Returns: JSON with `settings` and `words` about them, or with `failure`; status 204 if it needs more samples.
    static func answer(_ samples: [UInt8]) -> HTTPResponse {
        guard let samples = try? JSONDecoder().decode([[Double]].self, from: Data(samples)),
            samples.count <= mostSamples, samples.allSatisfy(isSample),
            zip(samples, samples.dropFirst()).allSatisfy({ $0[0] < $1[0] })
        else {
            let form = "[seconds, faces] or [seconds, 1, smile, mouthOpen]"
            return .text(400, "Each sample must be \(form), later than the last.\n")
        }
        var measurement = GuidedMeasurement()
        do {
            for sample in samples {
                guard let outcome = try measurement.measure(faces(in: sample), at: sample[0]) else { continue }
                let found = JSONWriter.object { json in
                    json.field("words", measurement.script.words(on: outcome))
                    json.field("settings", SettingsText.group("smile", outcome.settings.fields) + "\n")
                }
                return .json(found)
            }
        } catch { return failure("\(error)") }
        guard let last = samples.last, last[0] > measurement.deadline else { return HTTPResponse(204) }
        return failure(measurement.failureReason("the camera"))
    }

    private static func failure(_ reason: String) -> HTTPResponse {
        .json(JSONWriter.object { $0.field("failure", reason) })
    }

    private static func isSample(_ values: [Double]) -> Bool {
        guard values.count == 2 || values.count == 4 && values[1] == 1 else { return false }
        return 0...3600 ~= values[0] && 0...1000 ~= values[1] && values.dropFirst(2).allSatisfy { 0...1 ~= $0 }
    }

    private static func faces(in sample: [Double]) -> [FaceObject] {
        var face = FaceObject(faceID: FaceID(rawValue: 1), bounds: .zero, confidence: 1)
        if sample.count == 4 {
            face.smile = sample[2]
            face.mouthOpen = sample[3]
        }
        // Two faces are as wrong as more.
        return Array(repeating: face, count: Int(min(sample[1], 2)))
    }
}
