import FaceInference
import FaceMessages
import FaceMetadata
import FacetKit
import Frames
import System

/// A session about a file, some frames ahead of its reader on a thread of its own, so that finding faces and drawing them
/// share the work.
final class AnalysedClip: Sendable {
    /// Updates made ahead.
    private static let ahead = 4

    private struct State {
        var waiting: [FaceUpdate] = []
        var isOver = false
        var isStopped = false
        var failure: FaceSessionError?
    }

    private let session: FaceSession
    /// The run is cancelled by it, also before it has begun.
    private let ticket = RunTicket()
    private let state = Monitor(State())
    private let thread: JoinableThread

    /// Opens a file and begins to look for faces.
    ///
    /// - Throws: `CommandFailure` if it is no clip and no picture, or the models are missing.
    init(_ path: String, options: FaceSession.Options) throws {
        do {
            let session = try FaceSession(source: .file(path), options: options)
            self.session = session
            thread = try JoinableThread(named: "faces") { [state, ticket] in
                var failure: FaceSessionError?
                do throws(FaceSessionError) {
                    try session.run(ticket) { update in
                        state.wait { state -> Void? in
                            guard state.waiting.count < Self.ahead || state.isStopped else { return nil }
                            state.waiting.append(update)
                            return ()
                        }
                    }
                } catch {
                    failure = error
                }
                state.update { ($0.isOver, $0.failure) = (true, failure) }
            }
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    deinit {
        stop()
        thread.join()
    }

    /// Ends the analysis before the file's end, from any thread; what was analysed before can still be read.
    func stop() {
        state.update { $0.isStopped = true }
        session.cancel(ticket)
    }

    /// The next update; blocks while it is made. Nil at the end.
    ///
    /// - Throws: `CommandFailure` if the file is damaged or cut off; the frames before stand.
    func next() throws -> FaceUpdate? {
        let (update, failure) = state.wait { state -> (FaceUpdate?, FaceSessionError?)? in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), nil) }
            return state.isOver ? (nil, state.failure) : nil
        }
        if let failure { throw CommandFailure(failure.description) }
        return update
    }

    /// Whether nothing ended it before the file's own end.
    var isWhole: Bool { state.update { !$0.isStopped } }
}

/// What stands for a camera's name and run in the messages about a file.
enum FileMessages {
    static let origin = MessageOrigin(camera: "file", boot: "file")

    /// An event as a daemon would publish it.
    static func event(_ event: FaceEvent) -> EventMessage {
        EventMessage(origin: origin, id: "", seq: 0, event: event, latency: nil)
    }
}
