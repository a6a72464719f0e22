import FaceMetadata
import FaceTracking
import Testing

@testable import FacetKit

@Suite("What a session does next")
struct RunStateTests {
    private typealias Configuration = RunState.Configuration

    private static let first = Configuration(source: .file("first"), options: FaceSession.Options())
    private static let other = Configuration(source: .file("other"), options: FaceSession.Options())
    private static let error = FaceSessionError.decoder(reason: "a test")

    private var state = RunState(Self.first.source, Self.first.options)

    private func options(patience: Double) -> FaceSession.Options {
        var options = FaceSession.Options()
        options.tracking.patience = patience
        return options
    }

    // The macro takes no mutating call.

    private mutating func expect(next step: RunState.Step?, at place: SourceLocation = #_sourceLocation) {
        let next = state.next()
        #expect(next == step, sourceLocation: place)
    }

    private mutating func expect(
        begin ticket: RunTicket?,
        on thread: UInt,
        _ expected: Bool?,
        at place: SourceLocation = #_sourceLocation
    ) {
        let begun = state.begin(ticket, on: thread)
        #expect(begun == expected, sourceLocation: place)
    }

    private mutating func expectFailure(goesOn expected: Bool, at place: SourceLocation = #_sourceLocation) {
        let goesOn = state.sourceFailed(Self.error)
        #expect(goesOn == expected, sourceLocation: place)
    }

    /// Begins a run, and lets its source deliver a frame.
    private mutating func runWithFrame() {
        expect(begin: nil, on: 1, true)
        expect(next: .open(Self.first, .restart))
        state.sourceWorks(hasFrame: true)
    }

    @Test("a stop without a run is not remembered, a ticket's cancellation is")
    mutating func stopping() {
        state.stop()
        runWithFrame()
        state.stop()
        #expect(state.isLeaving)
        state.sourceEnded()
        expect(next: .end)
        state.end()
        let ticket = RunTicket()
        ticket.cancel()
        expect(begin: ticket, on: 1, true)
        expect(next: .end)
    }

    @Test("a ticket stops its own run only")
    mutating func tickets() {
        let own = RunTicket()
        let another = RunTicket()
        expect(begin: own, on: 1, true)
        expect(next: .open(Self.first, .restart))
        state.stop(only: another)
        #expect(!state.isLeaving)
        state.stop(only: own)
        #expect(state.isLeaving)
    }

    @Test("a second run is refused; one that comes while the first ends waits, but not on the first one's thread")
    mutating func secondRun() {
        runWithFrame()
        expect(begin: nil, on: 2, false)
        state.stop()
        expect(begin: nil, on: 2, nil)
        expect(begin: nil, on: 1, false)
        state.end()
        expect(begin: nil, on: 2, true)
    }

    @Test("a pause closes the source, and a source given meanwhile is opened at the end of it")
    mutating func pausing() {
        runWithFrame()
        state.pause()
        #expect(state.isLeaving && !state.isSettled)
        state.sourceEnded()
        expect(next: .pause)
        #expect(state.isSettled)
        expect(next: nil)
        state.apply(Self.other.source, Self.other.options)
        #expect(state.status == ConfigurationStatus(number: 1, outcome: .pending))
        expect(next: .report)
        #expect(state.status.outcome == .inEffect)
        expect(next: nil)
        state.resume()
        #expect(!state.isSettled)
        expect(next: .open(Self.other, .disabled))
        #expect(state.status.outcome == .pending && state.isSettled)
    }

    @Test("a pause that ends at once opens the source again, as it was asked to stop")
    mutating func shortPause() {
        runWithFrame()
        state.pause()
        state.resume()
        #expect(state.isLeaving)
        state.sourceEnded()
        expect(next: .open(Self.first, .disabled))
    }

    @Test("the end of a source ends the run, unless it was asked to stop for another one")
    mutating func ending() {
        runWithFrame()
        state.apply(Self.other.source, Self.other.options)
        #expect(state.isLeaving)
        state.sourceEnded()
        expect(next: .open(Self.other, .restart))
        #expect(!state.isLeaving)
        state.sourceEnded()
        expect(next: .end)
    }

    @Test("a configuration is in effect from its first frame on, or when the source waits for its camera")
    mutating func inEffect() {
        expect(begin: nil, on: 1, true)
        expect(next: .open(Self.first, .restart))
        #expect(state.status == ConfigurationStatus(number: 0, outcome: .pending))
        state.sourceWorks(hasFrame: false)
        #expect(state.status.outcome == .inEffect)
        state.apply(nil, options(patience: 2))
        #expect(!state.isLeaving)
        #expect(state.newOptions == options(patience: 2))
        state.sourceWorks(hasFrame: true)
        #expect(state.status == ConfigurationStatus(number: 1, outcome: .pending))
        state.optionsWereLoaded(options(patience: 2))
        #expect(state.newOptions == nil)
        state.sourceWorks(hasFrame: true)
        #expect(state.status.outcome == .inEffect)
        state.apply(nil, options(patience: 2))
        #expect(state.status == ConfigurationStatus(number: 2, outcome: .inEffect))
    }

    @Test("options that cannot be loaded are rejected; newer ones are not rejected with them")
    mutating func rejectedOptions() {
        runWithFrame()
        state.apply(nil, options(patience: 2))
        state.optionsWereLoaded(options(patience: 2), Self.error)
        #expect(state.status == ConfigurationStatus(number: 1, outcome: .rejected(Self.error)))
        #expect(state.newOptions == nil)
        state.apply(nil, options(patience: 3))
        state.apply(nil, options(patience: 4))
        state.optionsWereLoaded(options(patience: 3), Self.error)
        #expect(state.status == ConfigurationStatus(number: 3, outcome: .pending))
        #expect(state.newOptions == options(patience: 4))
    }

    @Test("a source that fails is given up for the one that worked; without one the run fails")
    mutating func rejectedSource() {
        runWithFrame()
        state.apply(Self.other.source, Self.other.options)
        state.sourceEnded()
        expect(next: .open(Self.other, .restart))
        expectFailure(goesOn: true)
        #expect(state.status == ConfigurationStatus(number: 1, outcome: .rejected(Self.error)))
        expect(next: .open(Self.first, .restart))
        expectFailure(goesOn: false)
    }

    @Test("a source that fails although it had worked ends the run, unless another one was given meanwhile")
    mutating func failing() {
        runWithFrame()
        state.apply(Self.other.source, Self.other.options)
        expectFailure(goesOn: true)
        #expect(state.status.outcome == .pending)
        expect(next: .open(Self.other, .restart))
        state.sourceWorks(hasFrame: true)
        expectFailure(goesOn: false)
    }
}
