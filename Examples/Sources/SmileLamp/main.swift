// Switches a lamp with each smile: SmileLamp [FILE|ADDRESS]. Without one it watches the first camera.
import FacetKit
import Foundation

let source = CommandLine.arguments.dropFirst().first.map { FaceSession.Source.file($0) } ?? .camera()
var isLampOn = false
do {
    for try await update in try FaceSession(source: source).updates {
        for event in update.events {
            print("frame \(event.stamp.frame): face \(event.face.faceID.rawValue): \(event.kind)")
            if event.kind == .smile {
                isLampOn.toggle()
                print("the lamp is \(isLampOn ? "on" : "off")")
            }
        }
    }
} catch {
    print("\(error)")
    exit(1)
}
