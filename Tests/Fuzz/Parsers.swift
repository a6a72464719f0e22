import DaemonCore
import FaceMessages
import Foundation
import Frames
import MQTT
import MediaFiles
import OverlayRendering
import SettingsFiles
import V4L2Capture

@testable import HTTPServing

/// Readers of text that touch nothing outside.
enum Parsers {
    /// A settings file.
    static let settings: Target = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(SettingsError) {
            _ = try Settings.read(text: text)
        } catch {
            precondition(error.description.utf8.count < 20_000, "the problems are too long to read")
        }
    }

    /// An overlay's file, or the PNG in one.
    static let overlay: Target = { bytes in
        guard let picture = try? PastedPicture(png: [UInt8](bytes)) else {
            do throws(SettingsError) {
                let file = try SettingsFile(path: "overlay", text: String(decoding: bytes, as: UTF8.self))
                _ = try OwnOverlay(file) { _ throws(PastedPicture.Refusal) in transparent }
            } catch {
                precondition(error.description.utf8.count < 20_000, "the problems are too long to read")
            }
            return
        }
        precondition(picture.size.width <= 2048 && picture.size.height <= 2048, "it is larger than allowed")
    }

    /// A picture of one pixel.
    nonisolated(unsafe) private static let transparent: PastedPicture = {
        let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
        guard let data = Data(base64Encoded: png), let picture = try? PastedPicture(png: [UInt8](data)) else {
            preconditionFailure("the picture of one pixel is damaged")
        }
        return picture
    }()

    /// A message, taken for one on the topic that its length chooses.
    static let messages: Target = { bytes in
        _ = try? MessageDecoder().decode(bytes, on: Topic.allCases[bytes.count % Topic.allCases.count])
    }

    /// A clip's messages, as `facet apply` and `facet record` read them, played over two seconds.
    static let track: Target = { bytes in
        guard let track = try? MessageTrack(rows: String(decoding: bytes, as: UTF8.self).split(separator: "\n")) else {
            return
        }
        _ = (track.end, track.firstFace)
        var playback = MessagePlayback(track)
        for step in 0..<20 { playback.advance(to: Double(step) / 10) }
    }

    /// The form with which a visitor logs in, as anybody may send it; and any text in it as a browser would.
    static let form: Target = { bytes in
        _ = HTTPRequest(method: "POST", path: "/login", body: [UInt8](bytes)).formField("token")
        let text = String(decoding: bytes, as: UTF8.self)
        let escaped = text.utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
        let request = HTTPRequest(method: "POST", path: "/login", body: Array("a=b&token=\(escaped)&c".utf8))
        precondition(request.formField("token") == text, "a form's text comes back as another one")
    }

    /// What people type as a camera, a clip, a stream or a broker.
    static let names: Target = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = DeviceSelector(text).description
        // A path would be opened.
        if text.contains("://"), !text.lowercased().hasPrefix("file"), let shown = (try? ClipSource(text))?.name {
            // In a command an address ends with a space.
            precondition(shown.firstMatch(of: /:\/\/[^\/\s]*@/) == nil, "a password would be shown")
            guard !text.hasPrefix("exec:") else { return }
            let host = shown.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
            precondition(!host.contains("@"), "a password would be shown")
        }
        _ = try? BrokerAddress(url: text)
    }
}
