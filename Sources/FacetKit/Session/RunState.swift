import Synchronization

/// Decides what a session does next, from the program's requests and from what happened to the source.
struct RunState {
    struct Configuration: Equatable {
        var source: FaceSession.Source
        var options: FaceSession.Options
    }

    /// The next action of a run while no source runs.
    enum Step: Equatable {
        case end
        case pause
        /// Report the outcome of the newest configuration.
        case report
        /// Run a source. The reason is that of the `leave` events for the faces of the former source.
        case open(Configuration, FaceEvent.LeaveReason)
    }

    private struct Run {
        let ticket: RunTicket?
        /// The thread of the run, which must not wait for the run's end.
        let thread: UInt
        var isEnding: Bool
    }

    private(set) var status = ConfigurationStatus(number: 0, outcome: .pending)
    /// The configuration that the session is to use: the newest or, if it was rejected, the one before.
    private var wanted: Configuration
    /// The configuration in use; nil while no source runs.
    private var current: Configuration?
    /// The configuration with which a frame was last analysed. The session returns to it if a newer one fails.
    private var working: Configuration?
    private var run: Run?
    private var isPaused = false
    /// The number that identifies the newest configuration when a pause was last reported; nil if none was reported.
    private var pausedAt: Int?
    private(set) var isLeaving = false
    private var leaveReason = FaceEvent.LeaveReason.restart

    init(_ source: FaceSession.Source, _ options: FaceSession.Options) {
        wanted = Configuration(source: source, options: options)
    }

    var isInterrupted: Bool { isEnding || isPaused }
    /// Whether the session has done what it was last asked to do: pause, resume or end.
    var isSettled: Bool { run == nil || !isEnding && isPaused == (pausedAt != nil) }
    private var isEnding: Bool { run?.isEnding ?? false }
    var ticket: RunTicket? { run?.ticket }

    // MARK: - What is asked for

    mutating func pause() {
        isPaused = true
        isLeaving = current != nil
        leaveReason = .disabled
    }

    mutating func resume() { isPaused = false }

    /// Asks the run in progress to end; if a ticket is given, only the ticket's run.
    mutating func stop(only wanted: RunTicket? = nil) {
        guard run != nil, !isEnding, wanted == nil || ticket === wanted else { return }
        run?.isEnding = true
        isLeaving = current != nil
    }

    /// Sets the wanted options and, unless nil, the wanted source. A change of the source ends the current stream.
    mutating func apply(_ source: FaceSession.Source?, _ options: FaceSession.Options) {
        let new = Configuration(source: source ?? wanted.source, options: options)
        let isInEffect = new == wanted && status.outcome == .inEffect
        status = ConfigurationStatus(number: status.number + 1, outcome: isInEffect ? .inEffect : .pending)
        wanted = new
        if let current, current.source != new.source { (isLeaving, leaveReason) = (true, .restart) }
    }

    // MARK: - The run

    /// Begins a run. Returns false if another run is in progress; nil if the caller must wait for a run that is ending.
    mutating func begin(_ ticket: RunTicket?, on thread: UInt) -> Bool? {
        if let run { return run.isEnding && run.thread != thread ? nil : false }
        run = Run(ticket: ticket, thread: thread, isEnding: ticket?.isCancelled ?? false)
        working = nil
        return true
    }

    mutating func end() {
        run = nil
        pausedAt = nil
        sourceIsClosed()
    }

    /// Returns the next action while no source runs; nil if the run must wait for another request.
    mutating func next() -> Step? {
        if isEnding { return .end }
        guard isPaused else {
            pausedAt = nil
            current = wanted
            if status.outcome == .inEffect, wanted != working { status.outcome = .pending }
            return .open(wanted, leaveReason)
        }
        guard pausedAt != status.number else { return nil }
        defer { pausedAt = status.number }
        if status.outcome == .pending { status.outcome = .inEffect }
        return pausedAt == nil ? .pause : .report
    }

    /// The options to load before the next frame; nil if the wanted options are already in use.
    var newOptions: FaceSession.Options? {
        current.flatMap { isLeaving || wanted.options == $0.options ? nil : wanted.options }
    }

    /// Notes that options are in use or, with an error, that they were rejected and the former options stay.
    mutating func optionsWereLoaded(_ options: FaceSession.Options, _ error: FaceSessionError? = nil) {
        guard let error else {
            current?.options = options
            return
        }
        guard let current, wanted.options == options else { return }
        wanted.options = current.options
        status.outcome = .rejected(error)
    }

    /// Notes that the source is usable: a frame was analysed or, if not `hasFrame`, it waits for its camera or sender.
    mutating func sourceWorks(hasFrame: Bool) {
        if hasFrame, working != current { working = current }
        if status.outcome == .pending, current == wanted { status.outcome = .inEffect }
    }

    /// Notes that the source came to its end, or was stopped on request.
    mutating func sourceEnded() {
        if !isLeaving { run?.isEnding = true }
        sourceIsClosed()
    }

    /// Notes that the source or the models failed. Returns whether the run can continue with another configuration.
    mutating func sourceFailed(_ error: FaceSessionError) -> Bool {
        defer { sourceIsClosed() }
        guard current == wanted else { return true }
        guard let working, working != wanted else { return false }
        wanted = working
        status.outcome = .rejected(error)
        return true
    }

    private mutating func sourceIsClosed() { (current, isLeaving) = (nil, false) }
}

/// The handle by which one run of a session can be cancelled, without an effect on the run before or after it.
package final class RunTicket: Sendable {
    private let flag = Atomic(false)
    /// The function that lets the session go on without waiting for the reader of its updates.
    let release: @Sendable () -> Void

    package init(release: @escaping @Sendable () -> Void = {}) { self.release = release }

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}
