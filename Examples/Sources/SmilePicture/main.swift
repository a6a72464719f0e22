// Saves a picture of each smile: SmilePicture DIRECTORY [FILE|ADDRESS]. Without a file it watches the first camera.
import FacetKit
import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard let directory = arguments.first else {
    print("usage: SmilePicture DIRECTORY [FILE|ADDRESS]")
    exit(64)
}
var options = FaceSession.Options()
// At full size; `.analysed` would be cheaper, and may be smaller.
options.frames = .full
let source = arguments.dropFirst().first.map { FaceSession.Source($0) } ?? .camera()
do {
    for try await update in try FaceSession(source: source, options: options).updates {
        guard let frame = update.frame, update.events.contains(where: { $0.kind == .smile }) else { continue }
        let path = URL(filePath: directory).appending(path: "smile-\(frame.stamp.frame).jpg")
        try Data(frame.jpeg(maximumWidth: 1280)).write(to: path)
        print("saved \(path.path)")
    }
} catch {
    print("\(error)")
    exit(1)
}
