import Companion
import FacetKit

/// What `apply` found in a file, and of what it warns.
struct OverlaySummary {
    /// How many lost faces the warnings name.
    private static let named = 5

    private let hidesFaces: Bool
    private let maximumFaces: Int
    private(set) var frames = 0
    private var faces = 0
    private var smiles = 0
    private var lost: [(face: FaceID, time: Double)] = []
    private var damaged = 0
    private var isOverLimit = false

    init(hidesFaces: Bool, maximumFaces: Int) { (self.hidesFaces, self.maximumFaces) = (hidesFaces, maximumFaces) }

    mutating func take(_ update: FaceUpdate) {
        if update.frame != nil { frames += 1 }
        damaged = update.counts.dropped[.corrupt, default: 0]
        isOverLimit = isOverLimit || update.isOverLimit
        for event in update.events {
            switch event.kind {
            case .enter: faces += 1
            case .smile: smiles += 1
            case .leave(_, let lastSeen, .left) where !update.isCut && event.face.bounds.isInside:
                let unseen = Double(event.stamp.time.nanoseconds - lastSeen.nanoseconds) * 1e-9
                lost.append((event.face.faceID, max(0, event.stamp.mediaTime - unseen)))
            default: break
            }
        }
    }

    mutating func showsPicture(with faces: [FaceObject]) {
        // What only the detector takes for a face is hidden, but never counted.
        let entered = faces.filter { $0.faceID.rawValue > 0 }
        (frames, self.faces, smiles) = (1, entered.count, entered.count { $0.smiling == true })
    }

    var sentence: String {
        let found = "\(faces.counted("face")), \(smiles.counted("smile")), \(frames.counted("frame"))"
        return hidesFaces ? "\(found); hid \(faces - lost.count) of \(faces)" : found
    }

    /// What may be in the output although it should not, or is missing.
    var warnings: [String] {
        var warnings: [String] = []
        if damaged > 0 {
            warnings.append("damaged: at least \(damaged.counted("frame")) could not be decoded and will be missing")
        }
        if isOverLimit {
            let rest = hidesFaces ? "hidden only where the detector saw them" : "not drawn over"
            warnings.append(
                "more than \(maximumFaces) faces at the same time; the others were \(rest): raise --maximum-faces"
            )
        }
        if hidesFaces, !lost.isEmpty {
            let times = lost.prefix(Self.named).map { "face \($0.face.rawValue) at \(($0.time * 10).rounded() / 10) s" }
            let more = lost.count > Self.named ? " and \(lost.count - Self.named) more" : ""
            warnings.append(
                "lost inside the picture: \(times.joined(separator: ", "))\(more); what is seen of them after that is bare"
            )
        }
        return warnings
    }
}
