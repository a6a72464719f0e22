import Synchronization

/// Numbers events and faces, so that no number is ever used twice, also after a restart. It stores in the outbox which
/// faces subscribers believe present, the totals of today, and the last switch of detection.
///
/// What an event changes is written together with it: a daemon that is killed has published and counted it, or neither.
package final class Ledger: Sendable {
    private enum Key {
        static let faceID = "nextFaceID"
        static let openFaces = "owedLeaves"
        static let today = "today"
        static let zones = "zones"
        static let detection = "detection"
    }

    /// The identities that a stored value may have: half of the integers that JSON readers take exactly, to have room.
    private static let faceIDs = 1...(1 << 52)
    /// The sender in stored values: these have the form of messages, whose reader checks it.
    private static let origin = MessageOrigin(camera: "", boot: "")

    /// The outbox. Values that belong to an event are written together with it.
    let store: Outbox
    private let keepsSwitch: Bool
    private let day: Mutex<DayLedger>
    /// The leaves, with reason `restart`, of the faces that were present when an earlier run died.
    let leavesOfLastRun: [FaceEvent]

    /// Continues from what an earlier run left in an outbox; begins with 1 in an outbox without a file.
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
        // Still open until each one's leave is published: this run may die before it has published them all.
        day = Mutex(DayLedger(today: today, leavesOfLastRun: leavesOfLastRun))
    }

    /// The identity for the next face that enters.
    func nextFaceID() -> FaceID {
        let saved = store.value(for: Key.faceID)
        let number = saved.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            .flatMap { Self.faceIDs.contains($0) ? $0 : nil }
        let afterOrphans = (leavesOfLastRun.map(\.face.faceID.rawValue).max() ?? 0) + 1
        let isKnown = !store.hasLostValues && (number != nil || saved == nil)
        // Seconds since 1970 are above all numbers used so far: no run has seen a new face each second.
        let byClock = isKnown ? 0 : Int(Timestamp.wallClock().nanoseconds / 1_000_000_000)
        let next = max(number ?? 0, afterOrphans, byClock)
        if store.hasLostValues {
            store.set(Array(String(next).utf8), for: Key.faceID)
            store.settle()
        }
        return FaceID(rawValue: next)
    }

    /// Notes an event. Returns the values to store with it, and today's totals if they have changed.
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

    /// Today's totals; nil unless a new day has begun or `always`.
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

    /// Whether a subscriber switched detection on last; nil if none did, or if the owner does not want it kept.
    var lastSwitch: Bool? { keepsSwitch ? store.value(for: Key.detection).map { $0 != Array("OFF".utf8) } : nil }

    /// Keeps a switch, which may wait for the disk.
    func keep(switch isOn: Bool) async throws {
        guard keepsSwitch else { return }
        try await onThread(named: "outbox") { [store] in
            store.set(Array((isOn ? "ON" : "OFF").utf8), for: Key.detection)
        }
    }

    /// Notes whether there are zones. Returns whether subscribers must be told of zones: there are some, or there were.
    func note(hasZones: Bool) -> Bool {
        let hadZones = store.value(for: Key.zones) != nil
        if hasZones != hadZones { store.set(hasZones ? [1] : nil, for: Key.zones) }
        return hasZones || hadZones
    }
}
