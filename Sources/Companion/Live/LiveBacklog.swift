import FaceMessages
import Synchronization
import System
import TerminalPictures

/// The inputs that wait for a command that may be slower than they come, in order.
///
/// Of the messages only the newest are kept, and of frames even fewer, so that a command that is held up needs no more
/// and more memory; keys, signals and changes of the connection always are. A tick waits at most once: a late one says as much as several.
struct LiveBacklog {
    /// Messages, frames and bytes of messages; a tick.
    typealias Amounts = SIMD4<Int>

    private(set) var dropped = 0

    /// Whether nothing is added any more.
    var isClosed = false

    /// As many messages as the command wants. Half a second of frames: of 1080p they are 50 MB. The messages of a hostile
    /// publisher are large.
    private let most: Amounts
    private var waiting: [LiveInput] = []
    private var amounts = Amounts.zero

    /// Makes a backlog in which so many messages may wait.
    init(capacity: Int) {
        most = [max(1, capacity), 16, 32 << 20, 1]
    }

    mutating func put(_ input: LiveInput) {
        let new = input.amounts
        guard !isClosed, new[3] + amounts[3] <= 1 else { return }
        // One that is larger than all may be waits alone.
        while let kind = new.indices.first(where: { new[$0] > 0 && amounts[$0] > 0 && amounts[$0] + new[$0] > most[$0] }
        ),
            let oldest = waiting.firstIndex(where: { $0.amounts[kind] > 0 })
        {
            amounts &-= waiting.remove(at: oldest).amounts
            dropped += 1
        }
        waiting.append(input)
        amounts &+= new
    }

    mutating func take() -> LiveInput? {
        guard !waiting.isEmpty else { return nil }
        var input = waiting.removeFirst()
        amounts &-= input.amounts
        (input.isLast, input.dropped) = (waiting.isEmpty, dropped)
        return input
    }
}
