/// The evidence of whether a clip is complete, gathered while it is read.
struct Completeness: Hashable {
    var decoded = 0
    /// The number of packets or pictures that could not be decoded.
    var damaged = 0
    var endsDamaged = false
    /// The error that ended the reading, other than the end of the file.
    var readError: String?
    /// Whether reading ended because the data gave no picture for too long, or only one that is too large.
    var isUndecodable = false
    /// The number of packets of the video track so far, including empty ones, which show as gaps in the numbers.
    var packets = 0
    /// The number of packets that the header states; nil if it states none.
    var announcedPackets: Int?
    /// The latest end of a packet of any track, in seconds from the clip's start.
    var reached = 0.0
    /// The length in seconds that the container states; nil if it states none.
    var announcedDuration: Double?
    /// Whether the container's index points beyond the end of the file.
    var indexExceedsFile = false
    /// The seconds of the stated length that may be missing, as the last picture's duration is often unknown.
    static let durationTolerance = 0.5
    /// The maximum fraction of damaged pictures with which a clip still counts as complete.
    static let damagedShare = 0.1

    /// Counts a packet of the video track. If its `number` (from 0) is known, numbers left out before it count, too.
    mutating func countPacket(number: Int64?) {
        let before = max(packets, number.map { Int(clamping: $0) } ?? 0)
        packets = before == .max ? before : before + 1
    }

    /// The reason why the clip does not count as complete, in words; nil if it does.
    var problem: String? {
        if let readError { return "reading failed after \(pictures) (\(readError))" }
        if decoded == 0 {
            return damaged == 0 ? "it holds no pictures" : "none of its \(damaged) pictures could be decoded"
        }
        if indexExceedsFile {
            return "its end is missing: the file is shorter than its index says; \(pictures) could be played"
        }
        if let announcedPackets, packets < announcedPackets {
            return "its end is missing: \(packets) of \(announcedPackets) pictures are there"
        }
        if let announcedDuration, reached + Self.durationTolerance < announcedDuration {
            return "its end is missing: it stops at \(Self.tenths(reached)) of \(Self.tenths(announcedDuration)) s"
        }
        if endsDamaged { return "its last picture is damaged, the end may be missing; \(pictures) could be played" }
        if Double(damaged) > Self.damagedShare * Double(decoded + damaged) {
            return "\(damaged) of \(decoded + damaged) pictures are damaged"
        }
        return nil
    }

    private var pictures: String { decoded == 1 ? "1 picture" : "\(decoded) pictures" }

    private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
