// Switches a lamp with each smile: SmileLamp [FILE|ADDRESS]. Without one it watches the first camera.
import FacetKit

let source = CommandLine.arguments.dropFirst().first.map { FaceSession.Source.file($0) } ?? .camera()
let session = try FaceSession(source: source)
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
