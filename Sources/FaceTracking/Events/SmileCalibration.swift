/// Finds the smile settings of one person from measurements while the person smiles, talks or looks neutral on request.
///
/// Runs the detector on the measured levels with many settings. Published levels are already reduced by part of the
/// resting level, and the detector reduces them again. A high resting level therefore makes the result too low.
package struct SmileCalibration: Sendable {
    /// What the person was asked to do during a part of the measurement.
    package enum Part: Hashable, Sendable {
        case neutral
        case smile(Int)
        /// The person may do anything: this is the pause after a requested smile.
        case pause
        case talk
    }

    /// Settings, and the number of smiles that the detector reports with them.
    package struct Outcome: Hashable, Sendable {
        package var settings: SmileSettings
        /// The number of requested smiles that were reported.
        package var found = 0
        /// The number of smiles reported while the person was asked to look neutral or to talk.
        package var falseOnes = 0
    }

    private static let levels = stride(from: 0.3, through: 0.95, by: 0.05)
    private static let holds = [0, 0.5]
    /// The minimum rise of a requested smile's level above the highest level of the neutral face.
    private static let leastRise = 0.15

    private var samples: [(time: Double, mouth: FaceObservation.MouthShape, part: Part)] = []
    private var peaks: [Part: Double] = [:]
    private var smiles: [Part: Double] { peaks.filter { if case .smile = $0.key { true } else { false } } }
    /// Whether the level rose clearly in at least one requested smile.
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

    /// Returns the settings that detect the most requested smiles and no false ones; nil if none detect more than half.
    ///
    /// If several levels do equally well, the middle one is returned, with the shortest hold. The middle is used even
    /// if the default level would do, because it found more of the smiles made later (docs/accuracy.md).
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

    /// Returns how many requested and how many false smiles the detector reports with the settings.
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
