import Companion
import FaceMessages
import Frames
import MQTT
import OverlayRendering

/// Where the messages for pages are put together.
enum ServedMessage {
    /// A message of a JSON header, an SVG document and a JPEG, which may be empty.
    ///
    /// The lengths of the three parts come first, each as four bytes with the highest first.
    static func encode(_ json: [UInt8], svg: [UInt8] = [], jpeg: [UInt8] = []) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(12 + json.count + svg.count + jpeg.count)
        for count in [json.count, svg.count, jpeg.count] {
            withUnsafeBytes(of: UInt32(count).bigEndian) { message.append(contentsOf: $0) }
        }
        message.append(contentsOf: json)
        message.append(contentsOf: svg)
        message.append(contentsOf: jpeg)
        return message
    }
}
