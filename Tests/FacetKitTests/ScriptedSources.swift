import FaceInference
import FaceMetadata
import FaceTracking
import FacetTestSupport
import Foundation
import Frames
import Synchronization
import System
import Testing

@testable import FacetKit

private let portrait = "/usr/local/share/facet/grace_hopper.jpg"

func jpeg() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: portrait))) }

/// Who came and went, in short.
func short(_ updates: [FaceUpdate]) -> [String] {
    updates.flatMap(\.events).compactMap { event in
        switch event.kind {
        case .enter: "enter \(event.face.faceID.rawValue)"
        case .leave(_, _, let reason): "leave \(event.face.faceID.rawValue) \(reason.rawValue)"
        default: nil
        }
    }
}

func name(_ state: StreamState) -> String {
    switch state {
    case .starting: "starting"
    case .streaming: "streaming"
    case .lost(let failure): "lost \(failure.reason)"
    case .paused: "paused"
    case .ended: "ended"
    }
}

/// A source that a closure plays.
final class Script: FrameSource {
    /// Takes a frame, nil for the loss of the source; false once no more are wanted.
    typealias Put = (Frame?) -> Bool

    private let play: @Sendable (Put) -> Void

    init(_ play: @escaping @Sendable (Put) -> Void) {
        self.play = play
    }

    var source: FaceSession.Source { .custom(self) }

    private let isStopped = Atomic(false)

    func run(into mailbox: FrameMailbox) {
        isStopped.store(false, ordering: .relaxed)
        let size = FrameSize(width: 512, height: 600)
        mailbox.put(.streaming(StreamDescription(name: "script", size: size, format: "", rate: 30, isLive: false)))
        play { frame in
            guard !isStopped.load(ordering: .relaxed) else { return false }
            guard let frame else {
                mailbox.put(.lost(SourceFailure(reason: .unplugged, description: "a test")))
                while !isStopped.load(ordering: .relaxed) { usleep(1000) }
                return false
            }
            return mailbox.put(.frame(frame))
        }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }
}

/// Fails twice to open, which is one loss; then it delivers ten frames and is lost, and ten more and ends.
final class FailingSource: FrameSource {
    private let frame: @Sendable (Int) -> Frame
    private let count = Atomic(0)
    var runs: Int { count.load(ordering: .relaxed) }

    init(_ frame: @escaping @Sendable (Int) -> Frame) { self.frame = frame }

    func run(into mailbox: FrameMailbox) throws(SourceFailure) {
        let run = count.add(1, ordering: .relaxed).newValue
        guard run > 2 else { throw SourceFailure(reason: .busy, description: "a test") }
        let size = FrameSize(width: 512, height: 600)
        mailbox.put(.streaming(StreamDescription(name: "script", size: size, format: "", rate: 30, isLive: false)))
        for index in 10 * run..<10 * run + 10 { mailbox.put(.frame(frame(index))) }
        if run == 3 { throw SourceFailure(reason: .streamLost, description: "a test") }
    }

    func stop() {}
}

/// Waits in `run` for a `stop` that comes while it does, and forgets the one that came before.
final class ForgetfulSource: FrameSource {
    private let state = Monitor((hasBegun: false, stops: 0, isStopped: false))

    var stops: Int { state.update { $0.stops } }

    func run(into mailbox: FrameMailbox) {
        // Lets the session end without a call of `stop`.
        mailbox.put(.ended(.finished))
        state.wait { $0.stops > 0 ? () : nil }
        state.update { $0.isStopped = false }
        state.wait { $0.isStopped ? () : nil }
    }

    func stop() {
        state.update {
            $0.stops += 1
            $0.isStopped = true
        }
    }
}

extension Frame {
    /// A JPEG as a camera of 30 frames a second delivers it.
    static func jpeg(_ bytes: [UInt8], index: Int) -> Frame {
        let time = Double(index) / 30
        let stamp = FrameStamp(frame: index, time: Timestamp(nanoseconds: 0).advanced(bySeconds: time), mediaTime: time)
        let size = FrameSize(width: 512, height: 600)
        do {
            return try Frame(copying: bytes, size: size, format: .jpeg, stamp: stamp)
        } catch {
            fatalError("\(error)")
        }
    }
}
