import Glibc

/// Decides which packets of a stream are worth decoding while nothing is seen in its pictures.
///
/// A coder spends few bits on what has not changed. So at rest only key pictures are decoded, and the packets between
/// them wait. Each is compared with those at the same place in earlier groups, relative to how much these vary: once
/// they are larger, something happens, and the whole group is decoded from its key picture on.
///
/// Everything is decoded where that cannot work: where groups are long, packets have no times, or those between key
/// pictures are not small beside them even at rest, as with a constant rate that noise fills.
struct IdleDecoding {
    struct Packet {
        var isKey: Bool
        var bytes: Int
        /// When its picture is to be shown, in seconds; nil if the stream does not say.
        var presentation: Double?
    }

    enum Decision: Equatable {
        /// It is decoded as it comes.
        case decode
        /// It begins a group that waits: it is decoded by itself, and those that waited before are not.
        case watch
        /// It waits with its group.
        case wait
        /// What waits is decoded, then this one and what follows.
        case resume
        /// It is left out: it comes before its key picture, and refers to a group that may not have been decoded.
        case skip
    }

    /// What may wait, in seconds and bytes: longer groups are decoded.
    static let longestGroup = 5.0
    static let mostBytes = 16 << 20
    /// How many packets of a group may wait, and at how many places the usual size is kept.
    static let mostPlaces = 1000
    /// Packets at rest, about two seconds, before their sizes are known; and how many of the newest are compared.
    static let fewestSizes = 50
    static let mostSizes = 128
    /// How many times larger than a packet between them key pictures must be at least: a face that covers a twentieth
    /// of the picture then adds as much as the packet has.
    static let keyFactor = 16.0
    /// A packet counts by how many deviations more than `slack` it is larger than usual, up to `largest` of them; from
    /// `alarm` on their sum, which never falls below 0, says that something happens.
    static let slack = 2.0
    static let largest = 4.0
    static let alarm = 6.0
    /// How much of a packet's size is learnt as that of its place.
    static let learning = 0.25
    /// In octaves: sizes that hardly vary are no reason to take the next small difference for an event.
    static let smallestDeviation = 0.12
    /// Seconds for which everything is decoded after that.
    static let pause = 1.0

    private var isWaiting = false
    /// Whether the current group, or its beginning, waited.
    private var hasWaited = false
    /// When the key picture of the current group is to be shown, and the latest of its pictures so far.
    private var began: Double?
    private var latest = 0.0
    private var groupBytes = 0
    /// How long the group before was, in seconds.
    private var groupLength: Double?
    /// The usual size at each place after a key picture, as a binary logarithm.
    private var usual: [Double] = []
    /// The place of the newest packet.
    private var place = 0
    /// Of packets whose pictures are shown after all that came before.
    private var forward = Excess()
    /// The mean size of these, as a binary logarithm.
    private var meanSize = 0.0
    /// Of those whose pictures are shown between others, such as B-frames.
    private var between = Excess()
    private var evidence = 0.0
    private var earliestWait = -Double.infinity

    /// Decides about the next packet; `isAtRest` says whether nothing was seen in the pictures decoded so far.
    mutating func decide(_ packet: Packet, isAtRest: Bool) -> Decision {
        guard let time = packet.presentation else {
            // As of the first packet over RTSP.
            began = nil
            return isWaiting ? resume(at: latest) : .decode
        }
        guard packet.isKey else { return decide(between: packet, at: time, isAtRest) }
        if let began, time > began { groupLength = time - began }
        began = time
        latest = time
        groupBytes = packet.bytes
        place = 0
        forward.settle()
        between.settle()
        let isSmall = forward.isKnown && meanSize <= log2(Double(packet.bytes) / Self.keyFactor)
        let isShort = groupLength.map { $0 <= Self.longestGroup } ?? false
        hasWaited = isAtRest && isSmall && isShort && time >= earliestWait
        // The group before, which nothing else would decode.
        guard hasWaited || !isWaiting else { return resume(at: time) }
        isWaiting = hasWaited
        return isWaiting ? .watch : .decode
    }

    private mutating func decide(between packet: Packet, at time: Double, _ isAtRest: Bool) -> Decision {
        guard let began else { return .decode }
        // Such pictures follow their key picture at once: later ones come of a sender that set its clock back.
        guard time >= began || latest > began else { return hasWaited ? .skip : .decode }
        let isForward = time > latest
        latest = max(latest, time)
        groupBytes += packet.bytes
        // Where a packet has no usual size, nothing would show that something happens.
        let isBounded = place < usual.count && time - began <= Self.longestGroup && groupBytes <= Self.mostBytes
        note(log2(Double(max(1, packet.bytes))), isForward, isAtRest)
        guard isWaiting else { return .decode }
        guard !isAtRest || evidence > Self.alarm || !isBounded else { return .wait }
        return resume(at: time)
    }

    /// Compares a size with the usual one, and learns from it at rest.
    private mutating func note(_ size: Double, _ isForward: Bool, _ isAtRest: Bool) {
        defer { place += 1 }
        guard place < usual.count else {
            if isAtRest, place == usual.count, place < Self.mostPlaces { usual.append(size) }
            return
        }
        let excess = size - usual[place]
        let deviations = isForward ? forward.deviations(excess) : between.deviations(excess)
        evidence = max(0, evidence + min(deviations, Self.largest) - Self.slack)
        guard isAtRest else { return }
        usual[place] += Self.learning * excess
        if isForward {
            forward.note(excess)
            meanSize += (size - meanSize) / Double(forward.count)
        } else {
            between.note(excess)
        }
    }

    private mutating func resume(at time: Double) -> Decision {
        isWaiting = false
        evidence = 0
        earliestWait = time + Self.pause
        return .resume
    }

    /// By how much packets of one kind are larger at rest than is usual at their place, in octaves.
    private struct Excess {
        private var newest: [Double] = []
        private var median = 0.0
        private var deviation = 0.0
        var count: Int { newest.count }
        var isKnown: Bool { deviation > 0 }

        mutating func note(_ excess: Double) {
            if newest.count == IdleDecoding.mostSizes { newest.removeFirst() }
            newest.append(excess)
        }

        /// Finds the median and the deviation, estimated from the median of the absolute ones, once enough was noted.
        mutating func settle() {
            guard newest.count >= IdleDecoding.fewestSizes else { return }
            median = newest.sorted()[newest.count / 2]
            let deviations = newest.map { abs($0 - median) }.sorted()
            deviation = max(IdleDecoding.smallestDeviation, 1.4826 * deviations[newest.count / 2])
        }

        /// By how many deviations this is above the median; 0 while these are not known.
        func deviations(_ excess: Double) -> Double { isKnown ? (excess - median) / deviation : 0 }
    }
}
