import FaceMessages
import FaceMetadata
import FoundationEssentials
import Frames
package import MQTT
import Synchronization

/// Numbers events and faces, so that no number is ever used twice, not even after a restart, and keeps which faces
/// subscribers believe present; both in the outbox.
package final class Ledger: Sendable {
    private static let faceIDKey = "nextFaceID"
    private static let openFacesKey = "openFaces"

    /// What the leave of a face needs, which a run that was killed cannot supply any more.
    fileprivate struct OpenFace: Codable {
        var faceID: Int
        var bounds: [Double]
        var confidence: Double
        var frame: Int
        var mediaTime: Double
        var entered: Int64
        var lastTold: Int64
    }

    private let store: Outbox
    private let openFaces: Mutex<[OpenFace]>
    private let orphans: [OpenFace]

    /// The face numbers that are believed; half of what JSON readers take exactly, so that counting on stays within.
    private static let faceIDs = 1...(1 << 52)

    /// Begins with what an earlier run left in an outbox; with 1 in one without a file.
    package init(store: Outbox = Outbox()) {
        self.store = store
        let saved = store.value(for: Self.openFacesKey).flatMap { bytes in
            try? JSONDecoder().decode([OpenFace].self, from: Data(bytes))
        }
        orphans = (saved ?? []).filter { Self.faceIDs.contains($0.faceID) && $0.isPlausible }
        // Still open until each one's leave is noted: this run may die before it has published them all.
        openFaces = Mutex(orphans)
    }

    /// The number of the next event; each call gives the next one.
    func nextSequence() -> Int { Int(store.nextSequence()) }

    /// The identity that the next face to enter gets.
    func nextFaceID() -> FaceID {
        let saved = store.value(for: Self.faceIDKey)
        let number = saved.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        let afterOrphans = (orphans.map(\.faceID).max() ?? 0) + 1
        if let number, Self.faceIDs.contains(number) { return FaceID(rawValue: max(number, afterOrphans)) }
        guard saved != nil || store.mayHaveLostValues else { return FaceID(rawValue: afterOrphans) }
        // What was used before is unknown. No run has seen a new face each second since 1970.
        return FaceID(rawValue: max(Int(Timestamp.wallClock().nanoseconds / 1_000_000_000), afterOrphans))
    }

    /// Notes an event as published: an enter opens a face, a leave closes it.
    func note(_ event: FaceEvent) {
        openFaces.withLock { faces in
            let known = faces.first { $0.faceID == event.face.faceID.rawValue }
            faces.removeAll { $0.faceID == event.face.faceID.rawValue }
            if case .leave = event.kind {
                save(faces)
                return
            }
            faces.append(OpenFace(event, entered: known?.entered))
            save(faces)
            guard case .enter = event.kind else { return }
            store.set(Array(String(event.face.faceID.rawValue + 1).utf8), for: Self.faceIDKey)
        }
    }

    /// The leaves, with reason `restart`, of the faces that an earlier run left open by dying.
    func leavesOfLastRun() -> [FaceEvent] { orphans.map(\.leave) }

    private func save(_ faces: [OpenFace]) {
        // Numbers and texts always encode; there is nothing to lose by leaving the old value in place.
        guard let data = try? JSONEncoder().encode(faces) else { return }
        store.set(Array(data), for: Self.openFacesKey)
    }
}

extension Ledger.OpenFace {
    fileprivate init(_ event: FaceEvent, entered: Int64?) {
        let bounds = event.face.bounds
        self.init(
            faceID: event.face.faceID.rawValue,
            bounds: [bounds.x, bounds.y, bounds.width, bounds.height],
            confidence: event.face.confidence,
            frame: event.stamp.frame,
            mediaTime: event.stamp.mediaTime,
            entered: entered ?? event.stamp.time.nanoseconds,
            lastTold: event.stamp.time.nanoseconds
        )
    }

    /// Whether the values can be computed with: a damaged outbox may hold anything.
    fileprivate var isPlausible: Bool {
        let times: ClosedRange<Int64> = 0...(1 << 62)
        return bounds.allSatisfy { (-1...2).contains($0) } && (0...1).contains(confidence) && frame >= 0
            && (0...1e12).contains(mediaTime) && times.contains(entered) && times.contains(lastTold)
    }

    /// The leave that the dead run owed, as of the last message about the face.
    fileprivate var leave: FaceEvent {
        let lastSeen = Timestamp(nanoseconds: lastTold)
        let box = bounds + Array(repeating: 0, count: max(0, 4 - bounds.count))
        let face = FaceObject(
            faceID: FaceID(rawValue: faceID),
            bounds: NormalizedRect(x: box[0], y: box[1], width: box[2], height: box[3]),
            confidence: confidence
        )
        let dwell = max(0, lastSeen.seconds(since: Timestamp(nanoseconds: entered)))
        return FaceEvent(
            kind: .leave(dwell: dwell, lastSeen: lastSeen, reason: .restart),
            face: face,
            stamp: FrameStamp(frame: frame, time: lastSeen, mediaTime: mediaTime)
        )
    }
}
