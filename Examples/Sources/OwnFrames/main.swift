// Finds faces in frames that this program makes: OwnFrames PICTURE.jpg. The picture moves to the right, pixel by pixel.
import FacetKit
import Foundation

/// The pictures of a game engine, a simulation or a test.
final class MovingPicture: FrameSource {
    private let picture: (bytes: [UInt8], size: FrameSize)
    private let count: Int

    init(_ picture: (bytes: [UInt8], size: FrameSize), count: Int) {
        self.picture = picture
        self.count = count
    }

    func run(into mailbox: FrameMailbox) {
        // Not live: each frame waits until it is taken, and none is dropped.
        let stream = StreamDescription(name: "moving", size: picture.size, format: "RGB", rate: 30, isLive: false)
        mailbox.put(.streaming(stream))
        do {
            for number in 0..<count where !mailbox.put(.frame(try frame(number))) { return }
        } catch {
            mailbox.put(.ended(.failed(SourceFailure(reason: .other, description: "\(error)"))))
        }
    }

    /// `put` returns false once the session has stopped, which ends the loop above.
    func stop() {}

    private func frame(_ number: Int) throws -> Frame {
        let bytesPerRow = 3 * picture.size.width
        let shift = min(3 * number, bytesPerRow)
        var bytes = [UInt8](repeating: 128, count: picture.bytes.count)
        for row in stride(from: 0, to: bytes.count, by: bytesPerRow) {
            bytes[row + shift..<row + bytesPerRow] = picture.bytes[row..<row + bytesPerRow - shift]
        }
        let time = Double(number) / 30
        let stamp = FrameStamp(frame: number, time: .wallClock(), mediaTime: time)
        return try Frame(copying: bytes, size: picture.size, format: .rgb24, stamp: stamp)
    }
}

guard CommandLine.arguments.count == 2 else {
    print("usage: OwnFrames PICTURE.jpg")
    exit(64)
}
let path = CommandLine.arguments[1]
print("one picture: \(try await FaceSession.faces(inPictureAt: path).count) faces")
let jpeg = try Frame(
    jpeg: Array(Data(contentsOf: URL(filePath: path))),
    stamp: FrameStamp(frame: 0, time: .wallClock(), mediaTime: 0)
)
var moved = (from: Double?.none, to: 0.0)
try FaceSession(source: .custom(MovingPicture(jpeg.rgb(), count: 60))).run { update in
    for event in update.events {
        print("frame \(event.stamp.frame): face \(event.face.faceID.rawValue): \(event.kind)")
    }
    guard let x = update.faces.first?.bounds.x else { return }
    moved = (moved.from ?? x, x)
}
print("the face went from \(moved.from ?? 0) to \(moved.to) of the width")
