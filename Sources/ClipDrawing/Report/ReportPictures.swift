/// The pictures of a report, cut out of the clip that the report is about.
struct ReportPictures {
    enum Subject: Hashable {
        /// The best view of a face during the presence that began at the given time.
        case portrait(FaceID, since: Double)
        case event(FaceReport.Happening)
        /// The whole picture halfway through the clip.
        case scene
    }

    /// The maximum number of events that get pictures.
    static let most = 24

    /// The order in which kinds of events get pictures. Kinds that only end something, such as smile_end, get none.
    private static let ranks: [Set<Topic>] = [
        [.smile], [.enter], [.look, .sign, .mouthOpen, .eyesClosed, .zoneEnter], [.leave, .zoneLeave], [.blink],
    ]

    private struct Wish {
        var subject: Subject
        /// The time, in seconds, of the picture: the first frame at or after this time is taken.
        var time: Double
        /// The face to cut out; nil for a whole picture.
        var face: FaceObject?
    }

    /// Whether a signal ended the search for pictures.
    private(set) var areMissing = false
    /// The failure of the clip that ended the search for pictures; nil if it did not fail.
    private(set) var failure: (any Error)?
    private var wishes: [Wish]
    private let picture = Picture()
    private let encoder: JPEGEncoder
    /// The sharpest picture so far of each subject, as a data URL, with its sharpness.
    private var sources: [Subject: (text: String, sharpness: Int)] = [:]

    /// Chooses the moments to show, and cuts their pictures out of the clip, until a signal comes.
    init(of report: FaceReport, from clip: String, until interruption: Interruption) throws {
        let portraits = ReportPage.detailed(report).flatMap { presence in
            presence.portraits.map {
                Wish(subject: .portrait(presence.faceID, since: presence.start), time: $0.time, face: $0.face)
            }
        }
        let events = Self.chosen(report.happenings.filter { !$0.isEndOfSource }).flatMap { happening in
            report.presence(of: happening)?.samples(showing: happening).map {
                Wish(subject: .event(happening), time: $0.time, face: $0.face)
            } ?? []
        }
        let scene = Wish(subject: .scene, time: report.end / 2)
        wishes = (portraits + events + [scene]).sorted { $0.time < $1.time }
        encoder = try JPEGEncoder(quality: 80)
        let frames = try ClipFrames(clip)
        do {
            while !wishes.isEmpty, !areMissing, let frame = try frames.next() {
                try cutOut(of: frame)
                areMissing = !wishes.isEmpty && interruption.number != report.signal
            }
        } catch {
            failure = error
        }
    }

    /// Returns the events that get pictures, chosen rank by rank in the order of `ranks`. If a rank has more events
    /// than the maximum still allows, those chosen are spread evenly over it.
    private static func chosen(_ happenings: [FaceReport.Happening]) -> [FaceReport.Happening] {
        ranks.reduce(into: []) { chosen, rank in
            let room = most - chosen.count
            let found = happenings.filter { rank.contains($0.topic) }
            chosen += found.count <= room ? found : (0..<room).map { found[$0 * found.count / room] }
        }
    }

    /// Cuts the wanted pictures out of the clip's next frame.
    private mutating func cutOut(of frame: Frame) throws {
        guard let first = wishes.first, first.time <= frame.stamp.mediaTime + MessageTrack.rounding else { return }
        try picture.update(from: frame)
        while let wish = wishes.first, wish.time <= frame.stamp.mediaTime + MessageTrack.rounding {
            wishes.removeFirst()
            let sharpness = try wish.face.map { try picture.sharpness(of: $0.bounds) } ?? 0
            if let known = sources[wish.subject], known.sharpness >= sharpness { continue }
            sources[wish.subject] = try cut(wish).map { ($0, sharpness) }
        }
    }

    /// The picture of a subject as the `src` of an `img`; nil if there is none.
    subscript(_ subject: Subject) -> String? { sources[subject]?.text }

    /// Returns the wanted part as the `src` of an `img`, scaled down if it is larger than the page shows it.
    private func cut(_ wish: Wish) throws -> String? {
        guard let size = picture.uprightSize?.points else { return nil }
        var part = NormalizedRect.whole
        var most = 640.0
        if let face = wish.face {
            // A portrait shows only the head, an event also its surroundings.
            let isPortrait = if case .portrait = wish.subject { true } else { false }
            let aspect = isPortrait ? 1 : 1.5
            let side = (face.bounds.size * size).max()
            // A small face is shown with more of its surroundings, because it would be blurred if it were enlarged.
            let wanted = max((isPortrait ? 1.7 : 2.6) * side, isPortrait ? 88 : 130)
            let center = face.bounds.center.vector
            guard wanted.isFinite, center.sum().isFinite else { return nil }
            let height = min(wanted, size.height, size.width / aspect)
            let shown = SIMD2(height * aspect, height) / size
            let corner = (center - shown / 2).clamped(lowerBound: .zero, upperBound: 1 - shown)
            part = NormalizedRect(x: corner.x, y: corner.y, width: shown.x, height: shown.y)
            most = 360
        }
        return try picture.jpeg(of: part, scale: min(1, most / (part.width * size.width)), with: encoder)?.jpegSource
    }
}

extension [UInt8] {
    /// The JPEG as a data URL for the `src` of an `img`, for pages that consist of one file.
    var jpegSource: String { "data:image/jpeg;base64,\(Data(self).base64EncodedString())" }
}
