import Glibc

/// Decides which packets of a stream are worth decoding while nothing is seen in its pictures.
///
/// A coder spends few bits on what has not changed. So at rest only key pictures are decoded, and the packets between
/// them wait. Each is compared with those at the same position in earlier groups, relative to how much these vary: once
/// they are larger, something happens, and the whole group is decoded from its key picture on.
///
/// Everything is decoded where that cannot work: where groups are long, packets have no times, or those between key
/// pictures are not small beside them even at rest, as with a constant rate that noise fills.
struct IdleDecoding {
    struct Packet {
        var isKey: Bool
        var bytes: Int
        /// The time at which its picture is to be shown, in seconds; nil if the stream does not say.
        var presentation: Double?
    }

    enum Decision: Equatable {
        /// Decode the packet as it comes.
        case decode
        /// Decode this key picture alone, and drop the packets that waited; those of its group wait from now on.
        case watch
        /// Let the packet wait with its group.
        case wait
        /// Decode the waiting packets, then this one and those that follow.
        case resume
        /// Drop the packet: it comes before its key picture, and refers to a group that may not have been decoded.
        case skip
    }

    /// The longest group, in seconds and bytes, whose packets wait: longer groups are decoded.
    static let longestGroup = 5.0
    static let mostBytes = 16 << 20
    /// The most packets of a group that may wait, and the most positions for which the usual size is kept.
    static let mostPositions = 1000
    /// The number of packets without movement, about two seconds, after which their usual sizes are known, and the
    /// number of the newest ones that are compared.
    static let fewestSizes = 50
    static let mostSizes = 128
    /// The least ratio of a key picture's size to that of a packet between key pictures: a face that covers a twentieth
    /// of the picture then adds as much as the packet has.
    static let keyFactor = 16.0
    /// The limits of the evidence: a packet counts by the deviations more than `slack` by which it is larger than
    /// usual, up to `largest`; from `alarm` on their sum, which never falls below 0, shows that something happens.
    static let slack = 2.0
    static let largest = 4.0
    static let alarm = 6.0
    /// The share of a packet's size that is learnt as the usual size of its position.
    static let learning = 0.25
    /// The least deviation, in octaves: sizes that hardly vary do not make the next small difference an event.
    static let smallestDeviation = 0.12
    /// The seconds for which everything is decoded after an alarm.
    static let pause = 1.0

    private var isWaiting = false
    /// Whether the current group, or its beginning, waited.
    private var hasWaited = false
    /// The presentation times of the key picture of the current group, and of the latest of its pictures so far.
    private var began: Double?
    private var latest = 0.0
    private var groupBytes = 0
    /// The length of the group before, in seconds.
    private var groupLength: Double?
    /// The usual size at each position after a key picture, as a binary logarithm.
    private var usual: [Double] = []
    /// The position of the newest packet.
    private var position = 0
    /// The excess of packets whose pictures are shown after all that came before.
    private var forward = Excess()
    /// The mean size of these packets, as a binary logarithm.
    private var meanSize = 0.0
    /// The excess of packets whose pictures are shown between others, such as B-frames.
    private var between = Excess()
    private var evidence = 0.0
    private var earliestWait = -Double.infinity

    /// Decides about the next packet; `isQuiet` says whether no face was seen in the pictures decoded so far.
    mutating func decide(_ packet: Packet, isQuiet: Bool) -> Decision {
        guard let time = packet.presentation else {
            // As of the first packet over RTSP.
            began = nil
            return isWaiting ? resume(at: latest) : .decode
        }
        guard packet.isKey else { return decide(between: packet, at: time, isQuiet) }
        if let began, time > began { groupLength = time - began }
        began = time
        latest = time
        groupBytes = packet.bytes
        position = 0
        forward.settle()
        between.settle()
        let isSmall = forward.isKnown && meanSize <= log2(Double(packet.bytes) / Self.keyFactor)
        let isShort = groupLength.map { $0 <= Self.longestGroup } ?? false
        hasWaited = isQuiet && isSmall && isShort && time >= earliestWait
        // The group before, which nothing else would decode.
        guard hasWaited || !isWaiting else { return resume(at: time) }
        isWaiting = hasWaited
        return isWaiting ? .watch : .decode
    }

    private mutating func decide(between packet: Packet, at time: Double, _ isQuiet: Bool) -> Decision {
        guard let began else { return .decode }
        // Such pictures follow their key picture at once: later ones come of a sender that set its clock back.
        guard time >= began || latest > began else { return hasWaited ? .skip : .decode }
        let isForward = time > latest
        latest = max(latest, time)
        groupBytes += packet.bytes
        // Where a packet has no usual size, nothing would show that something happens.
        let isBounded = position < usual.count && time - began <= Self.longestGroup && groupBytes <= Self.mostBytes
        note(log2(Double(max(1, packet.bytes))), isForward, isQuiet)
        guard isWaiting else { return .decode }
        guard !isQuiet || evidence > Self.alarm || !isBounded else { return .wait }
        return resume(at: time)
    }

    /// Compares a packet's size with the usual one; learns from it while nothing moves.
    private mutating func note(_ size: Double, _ isForward: Bool, _ isQuiet: Bool) {
        defer { position += 1 }
        guard position < usual.count else {
            if isQuiet, position == usual.count, position < Self.mostPositions { usual.append(size) }
            return
        }
        let excess = size - usual[position]
        let deviations = isForward ? forward.deviations(excess) : between.deviations(excess)
        evidence = max(0, evidence + min(deviations, Self.largest) - Self.slack)
        guard isQuiet else { return }
        usual[position] += Self.learning * excess
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

    /// How much larger than usual at their position packets of one kind are while nothing moves, in octaves.
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

        /// Computes the median and the deviation, from the median of the absolute differences, of enough values.
        mutating func settle() {
            guard newest.count >= IdleDecoding.fewestSizes else { return }
            median = newest.sorted()[newest.count / 2]
            let deviations = newest.map { abs($0 - median) }.sorted()
            deviation = max(IdleDecoding.smallestDeviation, 1.4826 * deviations[newest.count / 2])
        }

        /// The distance of an excess from the median, in deviations; 0 while these are not known.
        func deviations(_ excess: Double) -> Double { isKnown ? (excess - median) / deviation : 0 }
    }
}
