import System

extension FaceSession {
    /// The treatment of updates that are made while their reader is still busy with an earlier one.
    public enum UpdatePolicy: Hashable, Sendable {
        /// At most this number of updates wait for their reader; a number below 1 counts as 1. A waiting update that
        /// only says where the faces are is replaced by the next one. If too many wait, the oldest is dropped with its
        /// events. Only the newest waiting update keeps its frame and its landmarks. `FrameCounts` counts replaced and
        /// dropped updates.
        case bounded(Int)
        /// The session waits until its last update was read. Meanwhile a live source drops frames, counted as late.
        case waiting

        /// The policy by which only the newest update waits for its reader.
        public static let newest = UpdatePolicy.bounded(1)
    }

    /// The updates of one run. The run begins with the first `next`, and stops when the loop over the updates ends or
    /// the loop's task is cancelled. The policy is `.waiting` if the source waits for its reader, as a file with pace
    /// `asap` does; otherwise `.bounded(100)`.
    public var updates: Updates { Updates(session: self, policy: nil) }

    /// The updates of one run, like the property `updates`, but with the given policy for every source.
    public func updates(keeping policy: UpdatePolicy) -> Updates { Updates(session: self, policy: policy) }

    /// The updates of a session as an asynchronous sequence.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let session: FaceSession
        fileprivate let policy: UpdatePolicy?

        /// Makes an iterator over the updates of a new run.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(run: UpdateRun(session, policy)) }

        /// An iterator over the updates of one run.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let run: UpdateRun

            /// Returns the next update; nil at the end of the run.
            /// - Throws: `FaceSessionError` if the source or the models cannot be used.
            public mutating func next(
                isolation: isolated (any Actor)? = #isolation
            ) async throws(FaceSessionError) -> FaceUpdate? {
                try await run.next()
            }
        }
    }
}

/// One run of a session on a thread of its own, for one reader of its updates.
private final class UpdateRun: Sendable {
    private let session: FaceSession
    private let channel: UpdateChannel
    private let thread = Mutex<JoinableThread?>(nil)
    private let ticket: RunTicket

    init(_ session: FaceSession, _ policy: FaceSession.UpdatePolicy?) {
        self.session = session
        channel = UpdateChannel(policy, meter: session.meter)
        ticket = RunTicket { [channel] in channel.release() }
    }

    // The reader has gone.
    deinit { cancel() }

    func next() async throws(FaceSessionError) -> FaceUpdate? {
        try failing(as: FaceSessionError.thread, start)
        let result = await withTaskCancellationHandler {
            await channel.next()
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func cancel() {
        channel.cancel()
        session.cancel(ticket)
    }

    private func start() throws(SystemError) {
        try thread.withLock { thread throws(SystemError) in
            guard thread == nil else { return }
            thread = try JoinableThread(named: "session") { [session, channel, ticket] in
                let end = Result<FaceUpdate?, _> { () throws(FaceSessionError) in
                    try session.run(ticket) { if !channel.send($0) { session.cancel(ticket) } }
                    return nil
                }
                channel.finish(end)
            }
        }
    }
}

/// A queue of updates from the session's thread, which may block, to the reader's task, which may not.
final class UpdateChannel: Sendable {
    /// The next update; nil or an error at the end of the run.
    typealias Next = Result<FaceUpdate?, FaceSessionError>
    private typealias Reader = CheckedContinuation<Next, Never>

    private struct State {
        var waiting: [FaceUpdate] = []
        var reader: Reader?
        var end: Next?
        /// Whether `send` queues updates without waiting for the reader, so that the session can pause or end.
        var isReleased = false
    }

    private let state = Monitor(State())
    private let policy: FaceSession.UpdatePolicy?
    private let meter: SessionMeter

    init(_ policy: FaceSession.UpdatePolicy?, meter: SessionMeter) { (self.policy, self.meter) = (policy, meter) }

    /// Hands an update to a waiting reader, or queues it as the policy says. Returns false if the reader wants no more.
    func send(_ update: FaceUpdate) -> Bool {
        // Released after the lock: giving a frame back to its source may take a system call.
        var displaced: [FaceUpdate] = []
        defer { withExtendedLifetime(displaced) {} }
        let (isWanted, reader) = state.wait { state -> (Bool, Reader?)? in
            guard state.end == nil else { return (false, nil) }
            if let reader = exchange(&state.reader, with: nil) { return (true, reader) }
            switch policy ?? (update.comesAtItsOwnTime ? .bounded(100) : .waiting) {
            case .waiting:
                guard state.waiting.isEmpty || state.isReleased else { return nil }
            case .bounded(let limit):
                displaced = Self.makeRoom(for: update, in: &state.waiting, limit: limit)
            }
            // The update that reports the pause or the end is the last one that does not wait.
            if !update.isStreaming { state.isReleased = false }
            state.waiting.append(update)
            return (true, nil)
        }
        for old in displaced { meter.count(old.canBeReplaced(by: update) ? \.replacedUpdates : \.droppedUpdates) }
        reader?.resume(returning: .success(update))
        return isWanted
    }

    private static func makeRoom(for update: FaceUpdate, in waiting: inout [FaceUpdate], limit: Int) -> [FaceUpdate] {
        guard let last = waiting.last else { return [] }
        if last.canBeReplaced(by: update) { return [waiting.removeLast()] }
        waiting[waiting.count - 1].frame = nil
        waiting[waiting.count - 1].landmarks = [:]
        return waiting.count < limit ? [] : [waiting.removeFirst()]
    }

    /// Lets `send` queue updates without waiting for the reader, until an update reports the pause or the end.
    func release() { state.update { $0.isReleased = true } }

    func next() async -> Next {
        await withCheckedContinuation { continuation in
            let result = state.update { state -> Next? in
                if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
                // An error is thrown once. After it, the sequence is at its end.
                if state.end != nil { return exchange(&state.end, with: .success(nil)) }
                state.reader = continuation
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// Ends the sequence, and drops the queued updates.
    func cancel() { finish(.success(nil), isCancelled: true) }

    /// Ends the sequence, unless it has ended. Queued updates can still be read, unless the run was cancelled.
    func finish(_ end: Next, isCancelled: Bool = false) {
        let reader = state.update { state -> Reader? in
            if isCancelled { state.waiting = [] } else if state.end != nil { return nil }
            state.end = state.reader == nil ? end : .success(nil)
            return exchange(&state.reader, with: nil)
        }
        reader?.resume(returning: end)
    }
}
