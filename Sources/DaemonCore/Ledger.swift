import FaceMessages
import Frames
package import MQTT
import Synchronization
import System

/// Numbers events and faces, so that no number is ever used twice, not even after a restart, and keeps which faces
/// subscribers believe present, what was seen today and how detection was switched last; all in the outbox.
///
/// What an event changes is written together with it: a daemon that is killed has published and counted both or neither.
package final class Ledger: Sendable {
    private enum Key {
        static let faceID = "nextFaceID"
        static let openFaces = "owedLeaves"
        static let today = "today"
        static let zones = "zones"
        static let detection = "detection"
    }

    private struct State {
        /// The faces whose leave is not published yet, and the leave that the next run publishes should this one die.
        var open: [FaceID: (entered: Timestamp, leave: FaceEvent)]
        var today: DayTotals
    }

    /// The face numbers that are believed; half of what JSON readers take exactly, so that counting on stays within.
    private static let faceIDs = 1...(1 << 52)
    /// Writes what is kept in the form of messages, which their reader checks.
    private static let encoder = MessageEncoder(camera: "", boot: "")

    /// Where what is kept with an event is written when the event is.
    let store: Outbox
    private let keepsSwitch: Bool
    private let state: Mutex<State>
    /// The leaves, with reason `restart`, of the faces that an earlier run left open by dying.
    let leavesOfLastRun: [FaceEvent]

    /// Begins with what an earlier run left in an outbox; with 1 in one without a file.
    package init(store: Outbox = Outbox(), keepsSwitch: Bool = false) {
        (self.store, self.keepsSwitch) = (store, keepsSwitch)
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
        let open = leavesOfLastRun.map { ($0.face.faceID, ($0.stamp.time, $0)) }
        state = Mutex(State(open: Dictionary(open) { $1 }, today: today))
    }

    /// The identity that the next face to enter gets.
    func nextFaceID() -> FaceID {
        let saved = store.value(for: Key.faceID)
        let number = saved.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            .flatMap { Self.faceIDs.contains($0) ? $0 : nil }
        let afterOrphans = (leavesOfLastRun.map(\.face.faceID.rawValue).max() ?? 0) + 1
        let isKnown = number != nil && !store.hasStaleValues || saved == nil && !store.mayHaveLostValues
        // Where it is unknown what was used before: no run has seen a new face each second since 1970.
        let byClock = isKnown ? 0 : Int(Timestamp.wallClock().nanoseconds / 1_000_000_000)
        let next = max(number ?? 0, afterOrphans, byClock)
        if store.hasStaleValues {
            store.set(Array(String(next).utf8), for: Key.faceID)
            store.settle()
        }
        return FaceID(rawValue: next)
    }

    /// Notes an event: an enter opens a face, a leave closes it. What the face did since its last event counts for today.
    /// Returns what is to be kept with the event, and today's totals if they are other ones now.
    func note(_ event: FaceEvent, at now: Timestamp) -> (kept: [String: [UInt8]?], today: DayTotals?) {
        state.withLock { state in
            let before = state.today
            let face = event.face.faceID
            let known = state.open.removeValue(forKey: face)
            // What is owed of the face is what is counted of it.
            let counted = known?.leave.face.visit ?? Visit()
            var (event, kept) = (event, [String: [UInt8]?]())
            event.face.visit = event.face.visit ?? counted
            _ = turn(&state, to: now)
            var hasEnded = false
            switch event.kind {
            // A picture of a face was no visit: what was counted of it is taken back.
            case .leave(_, _, reason: .still): event.face.visit = nil
            case .leave: hasEnded = true
            default:
                let entered = known?.entered ?? event.stamp.time
                state.open[face] = (entered, event.owedLeave(entered: entered))
            }
            let visit = event.face.visit ?? Visit()
            state.today.add(visit, beyond: counted, hasEnded: hasEnded, at: now) { $0.localOffset }
            if case .enter = event.kind {
                state.today.mostFaces = max(state.today.mostFaces, presentFaces(state))
                kept[Key.faceID] = Array(String(face.rawValue + 1).utf8)
            }
            let leaves = state.open.sorted { $0.key < $1.key }.map(\.value.leave)
            let payloads = leaves.map { Self.encoder.event($0, id: "", seq: 0, latency: nil).payload }
            kept[Key.openFaces] = Array(payloads.joined(separator: "\n".utf8))
            guard state.today != before else { return (kept, nil) }
            kept[Key.today] = Self.encoder.today(state.today).payload
            return (kept, state.today)
        }
    }

    /// Today's totals, begun anew if another day has begun: only then, unless `always`.
    func today(at now: Timestamp, always: Bool) -> DayTotals? {
        state.withLock { state in
            let isNew = turn(&state, to: now)
            if isNew || always { store.set(Self.encoder.today(state.today).payload, for: Key.today) }
            return isNew || always ? state.today : nil
        }
    }

    private func turn(_ state: inout State, to now: Timestamp) -> Bool {
        state.today.turn(to: now, faces: presentFaces(state)) { $0.localOffset }
    }

    /// How many faces are there; those of an earlier run are not.
    private func presentFaces(_ state: State) -> Int {
        state.open.count { face, _ in !leavesOfLastRun.contains { $0.face.faceID == face } }
    }

    /// Whether detection was last switched on or off by a subscriber; nil if it was not, or the owner does not want that kept.
    var lastSwitch: Bool? { keepsSwitch ? store.value(for: Key.detection).map { $0 != Array("OFF".utf8) } : nil }

    /// Keeps a switch, which may wait for the disk.
    func keep(switch isOn: Bool) async throws {
        guard keepsSwitch else { return }
        try await onThread(named: "outbox") { [store] in
            store.set(Array((isOn ? "ON" : "OFF").utf8), for: Key.detection)
        }
    }

    /// Notes whether there are zones: whether subscribers know of some, or did until now.
    func note(hasZones: Bool) -> Bool {
        let hadZones = store.value(for: Key.zones) != nil
        if hasZones != hadZones { store.set(hasZones ? [1] : nil, for: Key.zones) }
        return hasZones || hadZones
    }
}

extension FaceEvent {
    /// The leave to be published if nothing is known of the face after this event.
    fileprivate func owedLeave(entered: Timestamp) -> FaceEvent {
        let dwell = max(0, stamp.time.seconds(since: entered))
        return FaceEvent(kind: .leave(dwell: dwell, lastSeen: stamp.time, reason: .restart), face: face, stamp: stamp)
    }
}
