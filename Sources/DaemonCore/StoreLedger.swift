import FaceMessages
import FaceMetadata
import FoundationEssentials
import MQTT
import Synchronization

/// Numbers events and faces through the outbox's store, so that they go on growing after a restart, and keeps there which
/// faces subscribers believe present.
final class StoreLedger: Ledger {
    private static let faceIDKey = "nextFaceID"
    private static let openFacesKey = "openFaces"

    /// What the leave of a face needs that a dead run cannot tell any more.
    fileprivate struct OpenFace: Codable {
        var faceID: Int
        var bounds: [Double]
        var confidence: Double
        var frame: Int
        var mediaTime: Double
        var entered: Int64
        var lastTold: Int64
    }

    private let store: any EventStore
    private let openFaces: Mutex<[OpenFace]>
    private let orphans: [OpenFace]

    init(store: any EventStore) {
        self.store = store
        let saved = store.value(for: Self.openFacesKey).flatMap { bytes in
            try? JSONDecoder().decode([OpenFace].self, from: Data(bytes))
        }
        orphans = saved ?? []
        // Still open until each one's leave is noted: this run may die before it has told them all.
        openFaces = Mutex(orphans)
    }

    func nextSequence() -> Int {
        Int(store.nextSequence())
    }

    func nextFaceID() -> FaceID {
        let text = store.value(for: Self.faceIDKey).map { String(decoding: $0, as: UTF8.self) }
        return FaceID(rawValue: text.flatMap { Int($0) } ?? 1)
    }

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

    func leavesOfLastRun() -> [FaceEvent] {
        orphans.map(\.leave)
    }

    private func save(_ faces: [OpenFace]) {
        // Numbers and texts always encode; there is nothing to lose by leaving the old value in place.
        guard let data = try? JSONEncoder().encode(faces) else { return }
        store.set(Array(data), for: Self.openFacesKey)
    }
}

extension StoreLedger.OpenFace {
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

    /// The leave that the dead run owed, as of the last that it told of the face.
    fileprivate var leave: FaceEvent {
        let lastSeen = Timestamp(nanoseconds: lastTold)
        let box = bounds + Array(repeating: 0, count: max(0, 4 - bounds.count))
        let face = FaceObject(
            faceID: FaceID(rawValue: faceID),
            bounds: NormalizedRect(x: box[0], y: box[1], width: box[2], height: box[3]),
            confidence: confidence,
            trackedFrames: 0
        )
        let dwell = max(0, lastSeen.seconds(since: Timestamp(nanoseconds: entered)))
        return FaceEvent(
            kind: .leave(dwell: dwell, lastSeen: lastSeen, reason: .restart),
            face: face,
            stamp: FrameStamp(frame: frame, time: lastSeen, mediaTime: mediaTime)
        )
    }
}
