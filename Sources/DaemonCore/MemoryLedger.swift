package import FaceMetadata
import Synchronization

/// Numbers events and faces from 1: for runs without an outbox, which no subscriber can confuse with an earlier one.
package final class MemoryLedger: Ledger {
    private struct State {
        var sequence = 0
        var nextFaceID = FaceID(rawValue: 1)
    }

    private let state = Mutex(State())

    /// Makes a ledger that knows of nothing.
    package init() {}

    /// The number of the next event.
    package func nextSequence() -> Int {
        state.withLock { state in
            state.sequence += 1
            return state.sequence
        }
    }

    /// The identity that the next face to enter gets.
    package func nextFaceID() -> FaceID {
        state.withLock { $0.nextFaceID }
    }

    /// Notes an event as told.
    package func note(_ event: FaceEvent) {
        guard case .enter = event.kind else { return }
        state.withLock { $0.nextFaceID = max($0.nextFaceID, FaceID(rawValue: event.face.faceID.rawValue + 1)) }
    }

    /// None: nothing is known of an earlier run.
    package func leavesOfLastRun() -> [FaceEvent] { [] }
}
