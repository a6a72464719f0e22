/// Decides which packets of a stream are worth decoding while no face is seen in its pictures.
///
/// An encoder spends few bits on what has not changed. At rest, therefore, only key frames are decoded, and the packets
/// between them wait. Each packet's size is compared with those at the same position in earlier groups of pictures, in
/// units of their usual variation. Larger packets mean that something moves. The whole group is decoded then.
///
/// Everything is decoded where that cannot work: where groups are long, packets have no times, or packets between key
/// frames are hardly smaller than key frames even at rest, as with a constant bit rate.
struct IdleDecoding {
    enum Decision: Equatable {
        /// Decode the packet as it comes.
        case decode
        /// Drop the waiting packets, decode this key frame alone, and let the rest of its group of pictures wait.
        case watch
        /// Keep the packet undecoded, until `resume` or until a `watch` at the next key frame drops it.
        case wait
        /// Decode the waiting packets, then this one and those that follow.
        case resume
        /// Drop the packet. Its picture precedes its key frame and needs the group before, which may have been dropped.
        case skip
    }

    /// The maximum length, in seconds, of a group of pictures whose packets may wait. `mostBytes` is its maximum size.
    static let longestGroup = 5.0
    static let mostBytes = 16 << 20
    /// The maximum number of positions in a group for which usual packet sizes are learnt. Later packets cannot wait.
    static let mostPositions = 1000
    /// The minimum number of packets at rest, two seconds of video, for computing the usual variation of sizes. At most
    /// `mostSizes` of the newest packets are kept for this.
    static let fewestSizes = 50
    static let mostSizes = 128
    /// The minimum ratio of a key frame's size to the mean size of other packets at which those may wait undecoded. At
    /// this ratio, a new face on a twentieth of the picture about doubles the size of a packet.
    static let keyFactor = 16.0
    /// The parameters for detecting motion by a sum (CUSUM) that never falls below 0. Each packet adds its excess over
    /// the usual size, in deviations up to `largest`, minus `slack`. Above `alarm`, waiting packets are decoded.
    static let slack = 2.0
    static let largest = 4.0
    static let alarm = 6.0
    /// The weight of a new packet in the moving average of the packet sizes at one position in the group of pictures.
    static let learning = 0.25
    /// The minimum deviation of sizes, in octaves, so that a small change after nearly constant sizes raises no alarm.
    static let smallestDeviation = 0.12
    /// The time after an alarm, in seconds, for which everything is decoded.
    static let pause = 1.0

    private var isWaiting = false
    /// Whether at least the beginning of the current group waited undecoded.
    private var hasWaited = false
    /// The presentation times, in seconds, of the current group's key frame and, in `latest`, of its latest picture.
    private var began: Double?
    private var latest = 0.0
    private var groupBytes = 0
    /// The duration of the previous group of pictures, from key frame to key frame, in seconds.
    private var groupLength: Double?
    /// The usual size at each position after a key frame, as the binary logarithm of bytes.
    private var usual: [Double] = []
    /// The position of the next packet after the key frame, from 0.
    private var position = 0
    /// The excess sizes of the packets whose pictures are shown after those of all earlier packets.
    private var forward = Excess()
    /// The mean size of the packets in `forward`, as the binary logarithm of bytes.
    private var meanSize = 0.0
    /// The excess sizes of B-frames: packets whose pictures are shown between those of earlier packets.
    private var between = Excess()
    private var evidence = 0.0
    private var earliestWait = -Double.infinity

    /// Decides about the next packet, whose presentation time is in seconds, nil if the stream does not state it.
    /// `isQuiet` tells whether no face was seen in the pictures decoded so far.
    mutating func decide(isKey: Bool, bytes: Int, presentation: Double?, isQuiet: Bool) -> Decision {
        guard let time = presentation else {
            // The first packet of RTSP, for example, has no time.
            began = nil
            return isWaiting ? resume(at: latest) : .decode
        }
        guard isKey else { return decide(between: bytes, at: time, isQuiet) }
        if let began, time > began { groupLength = time - began }
        began = time
        latest = time
        groupBytes = bytes
        position = 0
        forward.settle()
        between.settle()
        let isSmall = forward.isKnown && meanSize <= log2(Double(bytes) / Self.keyFactor)
        let isShort = groupLength.map { $0 <= Self.longestGroup } ?? false
        hasWaited = isQuiet && isSmall && isShort && time >= earliestWait
        // Nothing else would decode the packets of the previous group.
        guard hasWaited || !isWaiting else { return resume(at: time) }
        isWaiting = hasWaited
        return isWaiting ? .watch : .decode
    }

    private mutating func decide(between bytes: Int, at time: Double, _ isQuiet: Bool) -> Decision {
        guard let began else { return .decode }
        // Pictures shown before their key frame follow it at once. Later ones mean that the clock was set back.
        guard time >= began || latest > began else { return hasWaited ? .skip : .decode }
        let isForward = time > latest
        latest = max(latest, time)
        groupBytes += bytes
        // If the position has no usual size, nothing would show that something happens.
        let isBounded = position < usual.count && time - began <= Self.longestGroup && groupBytes <= Self.mostBytes
        note(log2(Double(max(1, bytes))), isForward, isQuiet)
        guard isWaiting else { return .decode }
        guard !isQuiet || evidence > Self.alarm || !isBounded else { return .wait }
        return resume(at: time)
    }

    /// Compares a packet's size with the usual one, and learns from it while no face is seen.
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

    /// The excess sizes of one kind of packets at rest: size minus the usual size at the packet's position, in octaves.
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

        /// Computes the median and, from the median absolute difference, the deviation, once there are enough values.
        mutating func settle() {
            guard newest.count >= IdleDecoding.fewestSizes else { return }
            median = newest.sorted()[newest.count / 2]
            let deviations = newest.map { abs($0 - median) }.sorted()
            deviation = max(IdleDecoding.smallestDeviation, 1.4826 * deviations[newest.count / 2])
        }

        /// The difference between an excess and the median, in deviations; 0 while the deviation is unknown.
        func deviations(_ excess: Double) -> Double { isKnown ? (excess - median) / deviation : 0 }
    }
}
