package import FaceMessages

/// Keeps account of events: which faces are there, and the totals since local midnight.
package struct DayLedger: Sendable {
    /// The faces whose leave is not published yet, each with the leave that the next run publishes if this one dies.
    private var open: [FaceID: (entered: Timestamp, leave: FaceEvent)]
    /// Faces of an earlier run, which are not there any more.
    private let orphans: Set<FaceID>
    package private(set) var today: DayTotals

    /// Begins with the totals and the owed leaves of an earlier run.
    package init(today: DayTotals = DayTotals(since: .wallClock()), leavesOfLastRun: [FaceEvent] = []) {
        self.today = today
        open = Dictionary(leavesOfLastRun.map { ($0.face.faceID, ($0.stamp.time, $0)) }) { $1 }
        orphans = Set(open.keys)
    }

    /// The leaves to publish if nothing more becomes known of the faces that are there.
    package var owedLeaves: [FaceEvent] { open.sorted { $0.key < $1.key }.map(\.value.leave) }

    private var presentFaces: Int { open.keys.count { !orphans.contains($0) } }

    /// Notes an event: an enter opens a face, a leave closes it. What the face did since its last event counts for
    /// today. Returns whether today's totals are other ones now.
    package mutating func note(_ event: FaceEvent, at now: Timestamp) -> Bool {
        let before = today
        let face = event.face.faceID
        let known = open.removeValue(forKey: face)
        // The leave that is kept for this face has its visit so far.
        let counted = known?.leave.face.visit ?? Visit()
        var event = event
        event.face.visit = event.face.visit ?? counted
        _ = turn(to: now)
        var hasEnded = false
        switch event.kind {
        // A picture of a face was no visit: what was counted of it is taken back.
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

    /// Begins the totals anew if another day has begun; returns whether it has.
    package mutating func turn(to now: Timestamp) -> Bool {
        today.turn(to: now, faces: presentFaces) { $0.localOffset }
    }
}

extension FaceEvent {
    /// The leave to publish if nothing more becomes known of the face after this event.
    fileprivate func owedLeave(entered: Timestamp) -> FaceEvent {
        let dwell = max(0, stamp.time.seconds(since: entered))
        return FaceEvent(kind: .leave(dwell: dwell, lastSeen: stamp.time, reason: .restart), face: face, stamp: stamp)
    }
}
