import FaceMessages
import FaceMetadata
import Foundation
import Frames
import SettingsFiles

@testable import OverlayRendering

/// A face in the middle of the picture that knows everything about itself.
func sampleFace(
    id: Int = 1,
    bounds: NormalizedRect = NormalizedRect(x: 0.4, y: 0.3, width: 0.2, height: 0.4),
    pose: HeadPose? = HeadPose(roll: 10, yaw: 20, pitch: 5)
) -> FaceObject {
    var face = FaceObject(faceID: FaceID(rawValue: id), bounds: bounds, pose: pose, confidence: 0.9)
    face.leftEye = NormalizedPoint(x: bounds.x + bounds.width * 0.3, y: bounds.y + bounds.height * 0.31)
    face.rightEye = NormalizedPoint(x: bounds.x + bounds.width * 0.7, y: bounds.y + bounds.height * 0.31)
    face.mouth = NormalizedPoint(x: bounds.x + bounds.width * 0.5, y: bounds.y + bounds.height * 0.7)
    (face.smiling, face.smile) = (true, 0.8)
    (face.leftEyeClosed, face.rightEyeClosed) = (true, false)
    face.trackedFrames = 3
    return face
}

/// A pose, for tables.
func pose(_ roll: Double, _ yaw: Double, _ pitch: Double) -> HeadPose { HeadPose(roll: roll, yaw: yaw, pitch: pitch) }

extension HeadPose {
    /// Whether all angles agree within a hundredth of a degree, −180 being 180.
    func isClose(to other: HeadPose) -> Bool {
        zip([roll, yaw, pitch], [other.roll, other.yaw, other.pitch]).allSatisfy { left, right in
            guard let left, let right else { return left == right }
            let apart = abs(left - right).truncatingRemainder(dividingBy: 360)
            return min(apart, 360 - apart) < 0.01
        }
    }
}

extension SurfacePoint {
    func isClose(to other: SurfacePoint) -> Bool { distance(to: other) < 1e-6 }
}

extension SurfaceRect {
    init(x: Double, y: Double, width: Double, height: Double) { self.init(origin: [x, y], size: [width, height]) }

    func isClose(to other: SurfaceRect) -> Bool {
        abs(x - other.x) < 1e-6 && abs(y - other.y) < 1e-6 && abs(width - other.width) < 1e-6
            && abs(height - other.height) < 1e-6
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A picture of 64×64 pixels: red and green above, blue and yellow below.
let quarters: [UInt8] = {
    let text =
        "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAYAAACqaXHeAAAAa0lEQVR42u3QgQ0AIAwCMP5/evoFxhXCATSTTHMPFAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAPgeoPz/JtUBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACwAOvi7eDmO4SNkAAAAASUVORK5CYII="
    return Data(base64Encoded: text).map { [UInt8]($0) } ?? []
}()

extension OwnOverlay {
    /// Reads the text of an overlay's file; `pictures` stands for all files with pictures.
    init(text: String, pictures: PastedPicture) throws(SettingsError) {
        let file = try SettingsFile(path: "overlay", text: text)
        try self.init(file) { _ throws(PastedPicture.Refusal) in pictures }
    }
}

/// All built-in overlays, and one that a user made.
let overlayNames = OverlayName.allCases.map(\.rawValue) + ["own"]

/// The overlays of these names.
func overlays() throws -> Overlays {
    let text = """
        hat: {image: a.png, anchor: head, offset: [0, -0.8]}
        lens: {image: a.png, anchor: leftEye, width: 0.4}
        glasses: {image: a.png, anchor: eyes}
        beard: {image: a.png, anchor: mouth, width: 0.6, rotation: 5}
        frame: {image: a.png, anchor: box, width: 0.5}
        """
    return Overlays(own: try OwnOverlay(text: text, pictures: try PastedPicture(png: quarters)), name: "own")
}

let origin = MessageOrigin(camera: "front", boot: "RUN1")

func stamp(_ frame: Int, rate: Double = 30) -> FrameStamp {
    FrameStamp(frame: frame, time: Timestamp(nanoseconds: 0), mediaTime: Double(frame) / rate)
}

func metadata(_ faces: [FaceObject], frame: Int) -> DaemonMessage {
    .metadata(MetadataMessage(origin: origin, stamp: stamp(frame), faces: faces))
}

func status(_ status: DaemonStatus) -> DaemonMessage { .status(status, from: origin) }

func event(_ kind: FaceEvent.Kind, face: Int, frame: Int) -> DaemonMessage {
    .event(
        EventMessage(
            origin: origin,
            id: "E\(frame)",
            seq: frame,
            event: FaceEvent(kind: kind, face: sampleFace(id: face), stamp: stamp(frame)),
            latency: nil
        )
    )
}
