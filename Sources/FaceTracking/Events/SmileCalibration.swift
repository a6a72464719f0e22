/// Finds the smile settings of one person from what they did when asked to smile, to talk and to look neutral.
///
/// It plays the recorded levels to the detector with many settings. Published levels are clipped to 0…1 and have part
/// of the resting level taken off, which the detector does again: with a high resting level, the result is too low.
package struct SmileCalibration: Sendable {
    /// What the person was asked to do during a part of the measurement.
    package enum Part: Hashable, Sendable {
        case neutral
        case smile(Int)
        /// Anything, in the pause after a smile.
        case pause
        case talk
    }

    /// Settings, and the number of smiles that would have been reported with them.
    package struct Outcome: Hashable, Sendable {
        package var settings: SmileSettings
        /// The number of requested smiles that were reported.
        package var found = 0
        /// The number of smiles reported while the person was to look neutral or to talk.
        package var falseOnes = 0
    }

    private static let levels = stride(from: 0.3, through: 0.95, by: 0.05)
    private static let holds = [0, 0.5]
    /// The least difference of a smile's level from the highest level of the neutral face.
    private static let leastRise = 0.15

    private var samples: [(time: Double, mouth: FaceObservation.MouthShape, part: Part)] = []
    private var peaks: [Part: Double] = [:]
    private var smiles: [Part: Double] { peaks.filter { if case .smile = $0.key { true } else { false } } }
    /// Whether the level rose when a smile was asked for.
    package var hasSmiled: Bool { smiles.values.max() ?? 0 >= (peaks[.neutral] ?? 0) + Self.leastRise }

    package init() {}

    package mutating func take(_ face: FaceObject, at time: Double, in part: Part) {
        guard let level = face.smile else { return }
        let opening = (face.mouthOpen ?? 0) * FaceObject.widestMouth
        take(.init(opening: opening, cornerDrop: 0, smileLevel: level), at: time, in: part)
    }

    mutating func take(_ mouth: FaceObservation.MouthShape, at time: Double, in part: Part) {
        samples.append((time, mouth, part))
        peaks[part] = max(peaks[part] ?? 0, mouth.smileLevel)
    }

    /// Tries all levels with each hold. Of the levels that find the most smiles and no false one, returns the middle,
    /// with the shortest hold; nil if no level finds more than half.
    ///
    /// The middle is used even if the default level would do: it found more of the later smiles (docs/accuracy.md).
    package func outcome() -> Outcome? {
        let tried = Self.holds.map { hold in
            Self.levels.map { level in
                var settings = SmileSettings()
                settings.level = (level * 100).rounded() / 100
                settings.hold = hold
                return outcome(with: settings)
            }.filter { $0.falseOnes == 0 && 2 * $0.found > smiles.count }
        }
        let most = tried.joined().map(\.found).max()
        let best = tried.map { $0.filter { $0.found == most } }.first { !$0.isEmpty }
        return best.map { $0[($0.count - 1) / 2] }
    }

    /// The numbers of smiles that these settings would have reported.
    package func outcome(with settings: SmileSettings) -> Outcome {
        var options = FaceTracker.Options()
        options.smile = settings
        var observation = FaceObservation()
        observation.eyeDistance = options.smallestEyeDistance
        var detector = SmileDetector()
        var found: Set<Part> = []
        var falseOnes = 0
        for sample in samples {
            var stamp = FrameStamp.unset
            stamp.mediaTime = sample.time
            let context = FrameContext(observation: observation, stamp: stamp, frameRate: 30, options: options)
            guard detector.advance(sample.mouth, context) == .smile else { continue }
            switch sample.part {
            case .neutral, .talk: falseOnes += 1
            case .smile: found.insert(sample.part)
            case .pause: break
            }
        }
        return Outcome(settings: settings, found: found.count, falseOnes: falseOnes)
    }
}
