import Companion
import FaceMessages
import Foundation
import Frames
import MQTT

extension FaceObject {
    /// How well a face is seen: large, turned to the camera, not cut off, with open eyes, and not in a yawn.
    var quality: Double {
        let turn = pose.map { abs($0.yaw) + abs($0.pitch) } ?? 45
        let isWhole =
            bounds.x >= 0 && bounds.y >= 0 && bounds.x + bounds.width <= 1 && bounds.y + bounds.height <= 1
        let isAtRest = leftEyeClosed != true && rightEyeClosed != true && (mouthOpen ?? 0) < 0.3
        return bounds.area.squareRoot() * max(0.1, 1 - turn / 90) * (isWhole ? 1 : 0.3) * (isAtRest ? 1 : 0.5)
    }
}
