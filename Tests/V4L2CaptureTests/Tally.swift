import Frames

/// A mailbox's counts, to compare as a whole.
struct Tally: Equatable {
    var captured: Int
    var taken: Int
    var dropped: [FrameMailbox.Drop: Int]

    init(captured: Int, taken: Int, dropped: [FrameMailbox.Drop: Int] = [:]) {
        self.captured = captured
        self.taken = taken
        self.dropped = dropped
    }

    init(_ mailbox: FrameMailbox) {
        let counts = mailbox.counts
        self.init(captured: counts.captured, taken: counts.taken, dropped: counts.dropped)
    }
}
