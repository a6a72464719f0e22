import Frames
import Synchronization

extension FaceSession {
    /// All updates, from the start of a run to its end; the run begins with the first `next`.
    ///
    /// A clip with pace `asap` waits for the reader of the updates, who gets every one. Live sources do not wait: an update
    /// that only says where the faces are may be replaced by a newer one, counted in `FrameCounts.replacedUpdates`; one with
    /// an event or a change never is. The run stops when the loop over the updates ends or its task is cancelled.
    public var updates: Updates { Updates(session: self) }

    /// The updates of a session as an asynchronous sequence.
    public struct Updates: AsyncSequence, Sendable {
        fileprivate let session: FaceSession

        /// Gives the updates of one run.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(run: UpdateRun(session))
        }

        /// Gives the updates of one run.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let run: UpdateRun

            /// The next update; nil at the end of the run.
            ///
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
    private let ticket = RunTicket()

    init(_ session: FaceSession) {
        self.session = session
        channel = UpdateChannel(meter: session.meter)
    }

    deinit {
        // The reader has gone: nobody wants more.
        channel.cancel()
        session.cancel(ticket)
    }

    func next() async throws(FaceSessionError) -> FaceUpdate? {
        do {
            try start()
        } catch {
            throw .thread(error)
        }
        let result = await withTaskCancellationHandler {
            await channel.next()
        } onCancel: {
            channel.cancel()
            session.cancel(ticket)
        }
        return try result.get()
    }

    private func start() throws(ThreadError) {
        try thread.withLock { thread throws(ThreadError) in
            guard thread == nil else { return }
            thread = try JoinableThread(named: "session") { [session, channel, ticket] in
                let end: Result<FaceUpdate?, FaceSessionError>
                do throws(FaceSessionError) {
                    try session.run(ticket) {
                        if !channel.send($0, isLive: session.isLive) { session.cancel(ticket) }
                    }
                    end = .success(nil)
                } catch {
                    end = .failure(error)
                }
                channel.finish(end)
            }
        }
    }
}

/// Names one run of a session, so that it can be cancelled without an effect on the run before or after it.
final class RunTicket: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}

/// Hands updates from a thread that may block to a task that may not.
final class UpdateChannel: Sendable {
    private typealias Reader = CheckedContinuation<Result<FaceUpdate?, FaceSessionError>, Never>

    private struct State {
        var waiting: [FaceUpdate] = []
        var reader: Reader?
        var end: Result<FaceUpdate?, FaceSessionError>?
    }

    private let state = Monitor(State())
    private let meter: SessionMeter

    init(meter: SessionMeter) {
        self.meter = meter
    }

    /// Hands an update to the reader who waits for it. With none, a live one is kept, in place of one that it can stand for;
    /// any other waits until a reader has come for it.
    ///
    /// - Returns: false if the reader wants no more.
    func send(_ update: FaceUpdate, isLive: Bool) -> Bool {
        let (isWanted, reader) = state.wait { state -> (Bool, Reader?)? in
            guard state.end == nil else { return (false, nil) }
            if let reader = state.reader {
                state.reader = nil
                return (true, reader)
            }
            guard isLive || state.waiting.isEmpty else { return nil }
            if isLive, let last = state.waiting.last, last.canBeReplaced(by: update) {
                state.waiting.removeLast()
                meter.countReplacedUpdate()
            }
            state.waiting.append(update)
            return (true, nil)
        }
        reader?.resume(returning: .success(update))
        return isWanted
    }

    func next() async -> Result<FaceUpdate?, FaceSessionError> {
        await withCheckedContinuation { continuation in
            let result = state.update { state -> Result<FaceUpdate?, FaceSessionError>? in
                if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
                if let end = state.end {
                    // An error is thrown once; after it the sequence is at its end, as sequences are.
                    state.end = .success(nil)
                    return end
                }
                state.reader = continuation
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    /// There are no more updates.
    func finish(_ end: Result<FaceUpdate?, FaceSessionError>) {
        let reader = state.update { state -> Reader? in
            guard state.end == nil else { return nil }
            defer { state.reader = nil }
            state.end = state.reader == nil ? end : .success(nil)
            return state.reader
        }
        reader?.resume(returning: end)
    }

    /// The reader wants no more.
    func cancel() {
        let reader = state.update { state in
            defer { state.reader = nil }
            state.end = .success(nil)
            state.waiting = []
            return state.reader
        }
        reader?.resume(returning: .success(nil))
    }
}
