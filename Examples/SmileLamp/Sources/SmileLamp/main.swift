// Switches a lamp with each smile: SmileLamp [CLIP]. Without a clip it watches the first camera.
import FaceSession

let clip = CommandLine.arguments.dropFirst().first
let session = try FaceSession(source: clip.map { .clip($0) } ?? .camera(.automatic))
var isLampOn = false
for try await update in session.updates {
    for event in update.events {
        print("frame \(event.stamp.frame): face \(event.face.faceID.rawValue): \(event.kind)")
        if event.kind == .smile {
            isLampOn.toggle()
            print("the lamp is \(isLampOn ? "on" : "off")")
        }
    }
}
