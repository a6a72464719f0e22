/// Numbers events and faces so that no number is ever reused, even after a restart. Stores in the outbox which faces
/// subscribers believe present, today's totals, and whether detection was last switched on.
///
/// Whatever an event changes is stored together with the event, so a killed daemon has stored both or neither.
package final class Ledger: Sendable {
    private enum Key {
        static let faceID = "nextFaceID"
        static let openFaces = "owedLeaves"
        static let today = "today"
        static let zones = "zones"
        static let detection = "detection"
    }

    /// The valid range of stored face identities. Its end leaves room for new faces below 2^53, JSON's exact limit.
    private static let faceIDs = 1...(1 << 52)
    /// A placeholder for the sender of values stored as encoded messages, which the message decoder validates.
    private static let origin = MessageOrigin(camera: "", boot: "")

    let store: Outbox
    private let keepsSwitch: Bool
    private let day: Mutex<DayLedger>
    /// The leave events, with reason `restart`, of the faces that were present when an earlier run was killed.
    let leavesOfLastRun: [FaceEvent]

    /// Continues with the values that an earlier run stored in the outbox. Without an outbox file, numbers begin at 1.
    package init(store: Outbox = Outbox(), keepsSwitch: Bool = false) {
        self.store = store
        self.keepsSwitch = keepsSwitch
        if !keepsSwitch, store.value(for: Key.detection) != nil { store.set(nil, for: Key.detection) }
        leavesOfLastRun = (store.value(for: Key.openFaces) ?? []).split(separator: UInt8(ascii: "\n")).compactMap {
            line in
            guard case .event(let message)? = try? MessageDecoder().decode(line, on: .leave),
                Self.faceIDs.contains(message.event.face.faceID.rawValue)
            else { return nil }
            return message.event
        }
        var today = DayTotals(since: .wallClock())
        if let saved = store.value(for: Key.today),
            case .today(let totals, _)? = try? MessageDecoder().decode(saved, on: .today)
        {
            today = totals
        }
        // These faces stay open until their leaves are published, because this run too may be killed before that.
        day = Mutex(DayLedger(today: today, leavesOfLastRun: leavesOfLastRun))
    }

    /// Returns the identity for the next face that enters, one that no face has had before.
    func nextFaceID() -> FaceID {
        let saved = store.value(for: Key.faceID)
        let number = saved.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            .flatMap { Self.faceIDs.contains($0) ? $0 : nil }
        let afterOrphans = (leavesOfLastRun.map(\.face.faceID.rawValue).max() ?? 0) + 1
        let isKnown = !store.hasLostValues && (number != nil || saved == nil)
        // The seconds since 1970 exceed all numbers used so far, because no run has seen a new face each second.
        let byClock = isKnown ? 0 : Int(Timestamp.wallClock().nanoseconds / 1_000_000_000)
        let next = max(number ?? 0, afterOrphans, byClock)
        if store.hasLostValues {
            store.set(Array(String(next).utf8), for: Key.faceID)
            store.settle()
        }
        return FaceID(rawValue: next)
    }

    /// Counts an event. Returns the values to store together with it, and today's totals if they have changed.
    func note(_ event: FaceEvent, at now: Timestamp) -> (kept: [String: [UInt8]?], today: DayTotals?) {
        day.withLock { day in
            let isOther = day.note(event, at: now)
            let leaves = day.owedLeaves.map { leave in
                let message = EventMessage(origin: Self.origin, id: "", seq: 0, event: leave, latency: nil)
                return DaemonMessage.event(message).encoded.payload
            }
            var kept: [String: [UInt8]?] = [Key.openFaces: Array(leaves.joined(separator: "\n".utf8))]
            if case .enter = event.kind { kept[Key.faceID] = Array(String(event.face.faceID.rawValue + 1).utf8) }
            guard isOther else { return (kept, nil) }
            kept[Key.today] = Self.payload(day.today)
            return (kept, day.today)
        }
    }

    /// Returns and stores today's totals if a new day has begun or `always` is set; otherwise returns nil.
    func today(at now: Timestamp, always: Bool) -> DayTotals? {
        day.withLock { day in
            guard day.turn(to: now) || always else { return nil }
            store.set(Self.payload(day.today), for: Key.today)
            return day.today
        }
    }

    private static func payload(_ today: DayTotals) -> [UInt8] {
        DaemonMessage.today(today, from: origin).encoded.payload
    }

    /// Whether the last `detect/set` command switched detection on; nil if there was none or commands are not stored.
    var lastSwitch: Bool? { keepsSwitch ? store.value(for: Key.detection).map { $0 != Array("OFF".utf8) } : nil }

    /// Stores whether a command switched detection on, if the settings ask for that. May wait for the disk.
    func keep(switch isOn: Bool) async throws {
        guard keepsSwitch else { return }
        try await onThread(named: "outbox") { [store] in
            store.set(Array((isOn ? "ON" : "OFF").utf8), for: Key.detection)
        }
    }

    /// Stores whether there are zones. Returns whether to publish the zones: if there are some now, or if there were
    /// some at the last call, even in an earlier run.
    func note(hasZones: Bool) -> Bool {
        let hadZones = store.value(for: Key.zones) != nil
        if hasZones != hadZones { store.set(hasZones ? [1] : nil, for: Key.zones) }
        return hasZones || hadZones
    }
}
