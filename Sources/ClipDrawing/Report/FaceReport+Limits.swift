/// The limits on what a report keeps, since it may cover weeks. Its counts are not affected by them.
extension FaceReport {
    /// The maximum numbers of samples, events and presences that a report keeps, over all faces together.
    ///
    /// The usual ones take about 60 MB. An hour of one face at 30 frames/s has 108,000 samples.
    struct Limits {
        var samples = 60_000
        var happenings = 10_000
        var presences = 10_000
    }

    /// Totals over several faces: their number, their events of each kind, and the seconds of smiling and of looking.
    struct Figures {
        private(set) var faces = 0
        private(set) var counts: [Topic: Int] = [:]
        private(set) var smiling = 0.0
        private(set) var looking = 0.0

        func count(of topic: Topic) -> Int { counts[topic, default: 0] }

        mutating func add(_ face: Presence) {
            faces += 1
            counts.merge(face.counts, uniquingKeysWith: +)
            smiling += face.smiling
            looking += face.looking
        }
    }

    /// Removes the least informative presences, events and samples where there are more than the limit.
    mutating func thin() {
        if presences.count > limits.presences { thinPresences() }
        while kept.happenings > limits.happenings { thinHappenings() }
        guard kept.samples > limits.samples else { return }
        var keepsChanges = true
        repeat {
            thinSamples(keepsChanges: keepsChanges)
            keepsChanges = false
            resolution *= 2
        } while kept.samples > limits.samples * 3 / 4 && resolution < 2 * end
    }

    /// Removes the shorter half of the presences that have ended, and adds them to `others`.
    private mutating func thinPresences() {
        let present = Set(indices.values)
        let gone = presences.indices.filter { !present.contains($0) }.sorted {
            presences[$0].duration < presences[$1].duration
        }
        let left = Set(gone.prefix(gone.count / 2))
        for index in left { others.add(presences[index]) }
        presences = presences.indices.filter { !left.contains($0) }.map { presences[$0] }
        for face in indices.keys { indices[face] = presences.lastIndex { $0.faceID == face } }
        countKept()
    }

    private mutating func countKept() {
        kept.samples = presences.reduce(0) { $0 + $1.samples.count }
        kept.happenings = presences.reduce(0) { $0 + $1.happenings.count }
    }

    /// Removes every second event of the kind with the most events.
    private mutating func thinHappenings() {
        let counts = Dictionary(presences.flatMap(\.happenings).map { ($0.topic, 1) }, uniquingKeysWith: +)
        let most = counts.max { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }?.key
        var isLeft = false
        for index in presences.indices {
            presences[index].happenings.removeAll { happening in
                guard happening.topic == most else { return false }
                isLeft.toggle()
                return isLeft
            }
        }
        countKept()
    }

    /// Removes samples less than `resolution` seconds after the last kept one. Keeps each face's best sample and, with
    /// `keepsChanges`, those in which a state changes.
    private mutating func thinSamples(keepsChanges: Bool) {
        for index in presences.indices {
            let best = presences[index].portraits.first?.time
            var last: Sample?
            presences[index].samples.removeAll { sample in
                if let last, sample.time - last.time < resolution, sample.time != best,
                    !keepsChanges || sample.face.states == last.face.states
                {
                    return true
                }
                last = sample
                return false
            }
        }
        countKept()
    }
}

extension FaceObject {
    /// The states whose durations appear in the report, such as smiling.
    fileprivate var states: [Bool?] { [smiling, looking, isSeen, leftEyeClosed, rightEyeClosed] }
}
