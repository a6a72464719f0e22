package import FaceMessages

/// Counts a session's events in the totals since local midnight, and keeps track of the faces that have not left. Each
/// of these is owed a `leave`: if this run of the daemon dies, the next run publishes that `leave`.
package struct DayLedger: Sendable {
    /// The faces whose `leave` is not published yet, each with the time of its enter and the owed `leave`.
    private var open: [FaceID: (entered: Timestamp, leave: FaceEvent)]
    /// The faces that were present when an earlier run died.
    private let orphans: Set<FaceID>
    package private(set) var today: DayTotals

    /// Begins with the totals of an earlier run, and with the `leave` events that it still owed when it died.
    package init(today: DayTotals = DayTotals(since: .wallClock()), leavesOfLastRun: [FaceEvent] = []) {
        self.today = today
        open = Dictionary(leavesOfLastRun.map { ($0.face.faceID, ($0.stamp.time, $0)) }) { $1 }
        orphans = Set(open.keys)
    }

    /// The `leave` events that the next run of the daemon publishes if this run dies now, ordered by face identity.
    package var owedLeaves: [FaceEvent] { open.sorted { $0.key < $1.key }.map(\.value.leave) }

    private var presentFaces: Int { open.keys.count { !orphans.contains($0) } }

    /// Adds to today's totals what an event's face has done since the face's last event, and updates the owed leaves.
    /// Returns whether the totals have changed.
    package mutating func note(_ event: FaceEvent, at now: Timestamp) -> Bool {
        let before = today
        let face = event.face.faceID
        let known = open.removeValue(forKey: face)
        // The owed leave contains the face's visit so far.
        let counted = known?.leave.face.visit ?? Visit()
        var event = event
        event.face.visit = event.face.visit ?? counted
        _ = turn(to: now)
        var hasEnded = false
        switch event.kind {
        // A face that turned out to be a picture made no visit: what it had counted is subtracted.
        case .leave(_, _, reason: .still): event.face.visit = nil
        case .leave: hasEnded = true
        default:
            let entered = known?.entered ?? event.stamp.time
            open[face] = (entered, event.owedLeave(entered: entered))
        }
        today.add(event.face.visit ?? Visit(), beyond: counted, hasEnded: hasEnded, at: now) { $0.localOffset }
        if case .enter = event.kind { today.mostFaces = max(today.mostFaces, presentFaces) }
        return today != before
    }

    /// Begins new totals if another local day has begun, and returns whether it has.
    package mutating func turn(to now: Timestamp) -> Bool {
        today.turn(to: now, faces: presentFaces) { $0.localOffset }
    }
}

extension FaceEvent {
    /// Returns the `leave` to publish for the event's face if this run dies after the event.
    fileprivate func owedLeave(entered: Timestamp) -> FaceEvent {
        let dwell = max(0, stamp.time.seconds(since: entered))
        return FaceEvent(kind: .leave(dwell: dwell, lastSeen: stamp.time, reason: .restart), face: face, stamp: stamp)
    }
}
