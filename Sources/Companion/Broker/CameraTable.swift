/// The states of all cameras that a command has received messages from, by topic base.
package struct CameraTable {
    package typealias Camera = (base: String, state: CameraState)

    /// The maximum number of cameras. It is needed because any client that may publish can make up cameras.
    static let capacity = 1024

    package private(set) var connection: ConnectionState = .connecting
    package private(set) var cameras: ByteDictionary<CameraState>
    /// The number of messages that were malformed, or from cameras beyond the maximum number.
    package private(set) var refused = 0
    private let fixed: [String]
    private var heard = ByteDictionary<Timestamp>()

    /// Makes a table with cameras of which nothing is known yet. Other cameras are added with their first message.
    init(bases: [String] = [], refused: Int = 0) {
        fixed = bases
        cameras = ByteDictionary(bases.map { (key: $0, value: CameraState()) })
        self.refused = refused
    }

    /// The cameras, ordered by topic base; numbers in topic bases are compared by value.
    package var sorted: [Camera] {
        cameras.sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }
            .map { (base: $0.key, state: $0.value) }
    }

    /// The cameras with a problem, then the others, each in the order of their topic bases.
    var problemsFirst: [Camera] {
        let sorted = sorted
        return sorted.filter(\.state.hasProblem) + sorted.filter { !$0.state.hasProblem }
    }

    var isStreaming: Bool { cameras.values.contains { $0.condition == .streaming } }
    /// The number of faces that are held: counted as present, although they are not seen at the moment.
    var heldCount: Int { cameras.values.reduce(0) { $0 + $1.heldCount } }

    /// The number of faces on all cameras; nil if no camera is looking for faces.
    package var faceCount: Int? {
        let counts = cameras.values.compactMap(\.faceCount)
        return counts.isEmpty ? nil : counts.reduce(0, +)
    }

    /// Whether the camera's state is certain: a message that was not retained has come, or its status is not `online`.
    func isCertain(_ base: String) -> Bool { heard[base] != nil || cameras[base]?.status?.state != .online }

    /// The maximum of `uncertainty`: the interval between signs of life that it assumes is at most 10 s.
    package static let patience = 10 * LifeSigns.patience + 2

    /// How long to wait, in seconds, for signs of life from cameras whose state is uncertain; nil if there are none.
    var uncertainty: Double? {
        let intervals = cameras.filter { !isCertain($0.key) }.compactMap { $1.status?.signInterval }
        return intervals.max().map { min($0 * LifeSigns.patience + 2, Self.patience) }
    }

    /// The seconds since the camera's newest message that was not retained. Without such a message, the seconds since
    /// its status last changed; nil if the camera streams, because it may be silent only because nothing changes.
    package func age(of base: String, at now: Timestamp) -> Double? {
        let state = cameras[base]
        let time = heard[base] ?? (state?.condition == .streaming ? nil : state?.status?.time)
        return time.map { max(0, now.seconds(since: $0)) }
    }

    /// Applies a message or a change of the connection. Returns the camera whose state the message changed, if any.
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
        if !message.isRetained, cameras[base] != nil { heard[base] = now }
        return change.isEmpty ? nil : (base, change)
    }

    /// Listens until `limit` seconds after connecting, or until `isComplete` is true, then stops the subscriber and
    /// returns the table. The table contains the cameras `bases` from the start. `isComplete` is asked only after
    /// `pause` seconds without a new camera, when the broker has sent its retained messages. `picture` receives the
    /// preview pictures. Throws `CommandFailure` if the broker cannot be reached.
    package static func listen(
        to subscriber: Subscriber,
        bases: [String] = [],
        atMost limit: (CameraTable) -> Double = { _ in Subscriber.listening },
        pause: Double = Subscriber.listening,
        until isComplete: (CameraTable) -> Bool = { _ in false },
        picture: (_ base: String, PreviewPicture) -> Void = { _, _ in }
    ) async throws -> CameraTable {
        var table = CameraTable(bases: bases)
        // These times are on the same clock as `input.seconds`.
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
    /// Why there is no connection; nil if there is one, if one is being made, or if it was ended on purpose.
    package var trouble: String? {
        switch self {
        case .disconnected(let reason), .refused(let reason), .takenOver(let reason): reason
        case .connecting, .connected, .stopped: nil
        }
    }

    /// Whether there is no connection any more, through an error or because it was ended.
    package var isInterrupted: Bool { trouble != nil || self == .stopped }
}

extension CameraState {
    /// Updates the state with a message, or forgets it if the command's connection to the broker was interrupted.
    package mutating func take(_ occurrence: Subscriber.Occurrence) {
        if case .connection(let connection) = occurrence, connection.isInterrupted { _ = forget() }
        if let message = occurrence.decoded { _ = take(message) }
    }

    /// The `camera.orientation` that would make the faces upright; nil unless all lie sideways in the same direction.
    package var betterOrientation: Orientation? {
        let rolls = faces.compactMap(\.pose?.roll)
        guard !rolls.isEmpty else { return nil }
        if rolls.allSatisfy({ (60...120).contains($0) }) { return .left }
        return rolls.allSatisfy { (-120 ... -60).contains($0) } ? .right : nil
    }

    /// The camera's condition and the reason for it, in one line.
    package var summary: String { explanation.map { "\(condition.rawValue) – \($0)" } ?? condition.rawValue }
}
