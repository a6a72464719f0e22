import Foundation

/// The state of every camera that a command hears of, by the base of its topics.
package struct CameraTable {
    package typealias Camera = (base: String, state: CameraState)

    /// The most cameras at the same time: any client that may publish can make up bases under a pattern.
    private static let capacity = 1024

    package private(set) var connection: ConnectionState = .connecting
    package private(set) var cameras: ByteDictionary<CameraState>
    /// The number of messages that break the contract, and of those of cameras beyond the capacity.
    package private(set) var refused = 0
    private let fixed: [String]
    private var heard = ByteDictionary<Timestamp>()

    /// Makes a table of cameras of which nothing is known; more are added as they are heard of.
    init(bases: [String] = [], refused: Int = 0) {
        fixed = bases
        cameras = ByteDictionary(bases.map { (key: $0, value: CameraState()) })
        self.refused = refused
    }

    /// The cameras in the order of their bases, in which numbers are compared by their value.
    package var sorted: [Camera] {
        cameras.sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }
            .map { (base: $0.key, state: $0.value) }
    }

    /// The cameras in their order, but those with a problem first.
    var problemsFirst: [Camera] {
        let sorted = sorted
        return sorted.filter(\.state.hasProblem) + sorted.filter { !$0.state.hasProblem }
    }

    /// Whether any camera streams.
    var isStreaming: Bool { cameras.values.contains { $0.condition == .streaming } }
    /// The number of faces that are held without being seen.
    var heldCount: Int { cameras.values.reduce(0) { $0 + $1.heldCount } }

    /// The number of faces that all cameras see; nil if no camera is looking for faces.
    package var faceCount: Int? {
        let counts = cameras.values.compactMap(\.faceCount)
        return counts.isEmpty ? nil : counts.reduce(0, +)
    }

    /// Whether the camera's state is certain: it gave a sign of life, or its daemon is known to have ended.
    func isCertain(_ base: String) -> Bool { heard[base] != nil || cameras[base]?.status?.state != .online }

    /// The longest interval of signs of life, in seconds, that a command waits for if it asks only once.
    private static let longestInterval = 10.0

    /// The seconds until all cameras count as gone that are known only from retained messages; nil if there is none.
    var uncertainty: Double? {
        let intervals = cameras.filter { !isCertain($0.key) }.compactMap { $1.status?.signInterval }
        return intervals.max().map { min($0, Self.longestInterval) * LifeSigns.patience + 2 }
    }

    /// The seconds since the newest message of a camera. While nothing came but retained messages, those since its
    /// status; nil for a camera that streams, which sends nothing while nothing changes.
    package func age(of base: String, at now: Timestamp) -> Double? {
        let state = cameras[base]
        let time = heard[base] ?? (state?.condition == .streaming ? nil : state?.status?.time)
        return time.map { max(0, now.seconds(since: $0)) }
    }

    /// - Returns: the camera and what changed of it; nil if nothing did.
    package mutating func take(
        _ occurrence: Subscriber.Occurrence,
        at now: Timestamp = .wallClock()
    ) -> (base: String, change: CameraState.Change)? {
        if case .connection(let state) = occurrence {
            // While the broker was away, anything may have changed.
            if state.isInterrupted { self = CameraTable(bases: fixed, refused: refused) }
            connection = state
        }
        guard case .message(let message) = occurrence else { return nil }
        let base = message.base
        guard cameras[base] != nil || cameras.count < Self.capacity else {
            refused += 1
            return nil
        }
        var change: CameraState.Change = []
        switch message.content {
        case .decoded(let decoded): change = cameras[base, default: CameraState()].take(decoded)
        case .removed:
            guard message.topic == .status, cameras[base] != nil else { return nil }
            cameras[base] = fixed.contains { $0.utf8.elementsEqual(base.utf8) } ? CameraState() : nil
            heard[base] = nil
            return (base, .status)
        case .malformed:
            refused += 1
            return nil
        case .picture: break
        }
        if !message.isRetained { heard[base] = now }
        return change.isEmpty ? nil : (base, change)
    }

    /// Listens for cameras, `bases` and others, then stops the subscriber, and returns the table.
    ///
    /// It ends `limit` seconds after the connection. It ends earlier if `isComplete`, which is asked after `pause`
    /// seconds without a new camera: then the broker has sent what it had retained. `picture` takes pictures. Throws
    /// `CommandFailure` if the broker cannot be reached.
    package static func listen(
        to subscriber: Subscriber,
        bases: [String] = [],
        atMost limit: (CameraTable) -> Double = { _ in Subscriber.listening },
        pause: Double = Subscriber.listening,
        until isComplete: (CameraTable) -> Bool = { _ in false },
        picture: (_ base: String, PreviewPicture) -> Void = { _, _ in }
    ) async throws -> CameraTable {
        var table = CameraTable(bases: bases)
        // Times on the clock of the inputs.
        var connected: Double?
        var news = 0.0
        try await subscriber.ask(every: .milliseconds(50)) { input in
            guard case .occurrence(let occurrence) = input.content else {
                guard let connected else { return true }
                let isOver = input.seconds - connected > limit(table)
                return !isOver && !(input.seconds - news > pause && isComplete(table))
            }
            if case .connection(let state) = occurrence { connected = state.isConnected ? input.seconds : nil }
            let known = table.cameras.count
            _ = table.take(occurrence)
            if case .message(let message) = occurrence, case .picture(let new) = message.content {
                picture(message.base, new)
            }
            if connected == nil || table.cameras.count != known { news = input.seconds }
            return true
        }
        return table
    }
}

extension ConnectionState {
    /// The reason why there is no connection; nil if there is one, or one is being made or was ended.
    package var trouble: String? {
        switch self {
        case .disconnected(let reason), .refused(let reason), .takenOver(let reason): reason
        case .connecting, .connected, .stopped: nil
        }
    }

    /// Whether the connection was there and is lost.
    package var isInterrupted: Bool { trouble != nil || self == .stopped }
}

extension CameraState {
    /// Takes over the state of the camera after an occurrence; nothing while the connection is interrupted.
    package mutating func take(_ occurrence: Subscriber.Occurrence) {
        if case .connection(let connection) = occurrence, connection.isInterrupted { _ = forget() }
        if let message = occurrence.decoded { _ = take(message) }
    }

    /// The value of `camera.orientation` with which the faces would be upright; nil if none lies on its side.
    package var betterOrientation: Orientation? {
        let rolls = faces.compactMap(\.pose?.roll)
        guard !rolls.isEmpty else { return nil }
        if rolls.allSatisfy({ (60...120).contains($0) }) { return .left }
        return rolls.allSatisfy { (-120 ... -60).contains($0) } ? .right : nil
    }

    /// The camera's condition and the reason for it, in one line.
    package var summary: String { explanation.map { "\(condition.rawValue) – \($0)" } ?? condition.rawValue }
}
