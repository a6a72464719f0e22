import DaemonCore
import FaceMessages
import MQTT
import MediaFiles
import OverlayRendering
import V4L2Capture

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

    /// A message, taken for one on the topic that its length chooses.
    static let messages: Target = { bytes in
        _ = try? MessageDecoder().decode(bytes, on: Topic.allCases[bytes.count % Topic.allCases.count])
    }

    /// A clip's messages, as `facet apply` and `facet record` read them, played over two seconds.
    static let track: Target = { bytes in
        guard let track = try? MessageTrack(lines: String(decoding: bytes, as: UTF8.self)) else { return }
        _ = (track.end, track.firstFace)
        var playback = MessagePlayback(track)
        for step in 0..<20 { playback.advance(to: Double(step) / 10) }
    }

    /// What people type as a camera, a clip, a stream or a broker.
    static let names: Target = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        _ = DeviceSelector(text).description
        // A path would be opened.
        if text.contains("://"), !text.lowercased().hasPrefix("file"), let shown = (try? ClipSource(text))?.name {
            let host = shown.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
            precondition(!host.contains("@"), "a password would be shown")
        }
        _ = try? BrokerAddress(url: text)
    }
}
