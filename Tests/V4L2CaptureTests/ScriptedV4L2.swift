import CV4L2
import Frames
import SystemPackage

@testable import V4L2Capture

/// A kernel with cameras that does what a script says, at the seam of the system calls.
///
/// Each `wait` takes the next step of the script; at its end the capture is told to stop. So a whole run is one
/// synchronous call, and the tests look at what came out and at what the driver was asked.
final class ScriptedV4L2: V4L2Calls {
    /// What a `wait` finds.
    enum Step {
        /// Filled buffers, all at once.
        case buffers([Fill])
        /// What is ready, and what taking a buffer then fails with.
        case ready(Readiness, dequeue: Errno)
        /// `poll` itself fails.
        case failing(Errno)
        /// Nothing, for the whole time.
        case silence
        /// Something else happens before the next step.
        case doing(@Sendable (inout State) -> Void)
    }

    /// A buffer as the driver fills it.
    struct Fill {
        var sequence: UInt32
        var bytes: [UInt8] = []
        var byteCount: Int?
        var hasError = false
        /// Nanoseconds before now; nil: no stamp.
        var age: Int64? = 1_000_000
        /// The seconds and microseconds of a stamp that no clock gave.
        var stamp: (Int, Int)?
        /// Instead of the buffer that was queued first.
        var index: UInt32?
    }

    /// A node under `/dev`.
    struct Node {
        var driver = "scripted"
        var card = "Camera"
        var bus = "usb-1"
        var index = 0
        var capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        var formats = [
            CameraFormat(
                fourCC: .yuyv,
                name: "YUYV",
                sizes: [CameraSize(FrameSize(width: 32, height: 16), rates: [30...30])]
            )
        ]
        var converted: [CameraFormat] = []
        var controls: [CameraControl] = []
        /// What requests fail with.
        var failures: [V4L2Request: Errno] = [:]
        var openFailure: Errno?
    }

    /// The kernel's state, and what it was asked.
    struct State {
        var nodes: [String: Node] = ["/dev/video0": Node()]
        var links: [String: String] = [:]
        var script: [Step] = []
        var filled: [Fill] = []
        var dequeueFailure: Errno?
        var clock = ClockReading(monotonic: 1_000_000_000_000, wall: 1_790_000_000_000_000_000)
        /// What happens each time that the capture waits without a device; at the end it is stopped.
        var absences: [@Sendable (inout State) -> Void] = []
        var waits: [Int] = []

        var open: [CInt: String] = [:]
        var nextDescriptor: CInt = 100
        var isConverting = false
        var queued: [UInt32] = []
        var fewestQueued = Int.max
        var requeues: [UInt32: Int] = [:]
        var memory: [UnsafeMutableRawPointer] = []
        var mappedCount = 0
        var unmappedCount = 0
        var bufferCount = 0
        var madePrivate = 0
        var isStreaming = false
        var controlsSet: [UInt32: Int32] = [:]
        /// The denominator of the frame rate that was set, in thousandths.
        var rateSet: UInt32?
    }

    let state: Locked<State>

    init(_ script: [Step] = [], _ set: (inout State) -> Void = { _ in }) {
        var initial = State()
        initial.script = script
        set(&initial)
        state = Locked(initial)
    }

    /// The size of each buffer.
    static let bufferLength = 32 * 16 * 2

    func open(_ path: String) throws(Errno) -> CInt {
        let result: Result<CInt, Errno> = state.withLock { state in
            guard let node = state.nodes[state.links[path] ?? path] else { return .failure(.noSuchFileOrDirectory) }
            if let failure = node.openFailure { return .failure(failure) }
            state.nextDescriptor += 1
            state.open[state.nextDescriptor] = state.links[path] ?? path
            return .success(state.nextDescriptor)
        }
        return try result.get()
    }

    func close(_ descriptor: CInt) {
        state.withLock { state in state.open[descriptor] = nil }
    }

    func convert(_ descriptor: CInt) throws(Errno) {
        state.withLock { $0.isConverting = true }
    }

    func map(_ descriptor: CInt, length: Int, offset: Int) throws(Errno) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: length)
        return state.withLock { state in
            state.memory.append(memory)
            state.mappedCount += 1
            return memory
        }
    }

    func makePrivate(_ base: UnsafeMutableRawPointer, length: Int) throws(Errno) {
        state.withLock { $0.madePrivate += 1 }
    }

    func unmap(_ base: UnsafeMutableRawPointer, length: Int) {
        state.withLock { $0.unmappedCount += 1 }
        base.deallocate()
    }

    func wait(_ descriptor: CInt, stop: CInt, milliseconds: Int) throws(Errno) -> Readiness {
        let result: Result<Readiness, Errno> = state.withLock { state in
            if descriptor < 0 {
                state.waits.append(milliseconds)
                state.clock.pass(milliseconds: milliseconds)
                guard !state.absences.isEmpty else { return .success(.stopped) }
                state.absences.removeFirst()(&state)
                return .success([])
            }
            while true {
                guard !state.script.isEmpty else { return .success(.stopped) }
                state.dequeueFailure = nil
                state.clock.pass(milliseconds: 1)
                switch state.script.removeFirst() {
                case .doing(let change): change(&state)
                case .buffers(let fills):
                    state.filled = fills
                    return .success(.readable)
                case .ready(let readiness, let failure):
                    state.dequeueFailure = failure
                    return .success(readiness)
                case .failing(let errno): return .failure(errno)
                case .silence:
                    state.clock.pass(milliseconds: milliseconds)
                    return .success([])
                }
            }
        }
        return try result.get()
    }

    func now() -> ClockReading { state.withLock { $0.clock } }

    func nodes() -> [String] { state.withLock { $0.nodes.keys.sorted() } }

    func node(at path: String) -> String? {
        state.withLock { state in
            let node = state.links[path] ?? path
            return state.nodes[node] == nil ? nil : node
        }
    }

    func index(ofNode node: String) -> Int? { state.withLock { $0.nodes[node]?.index } }
}

extension ClockReading {
    mutating func pass(milliseconds: Int) {
        monotonic += Int64(milliseconds) * 1_000_000
        wall += Int64(milliseconds) * 1_000_000
    }
}
