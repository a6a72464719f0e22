import DaemonCore
import FaceMessages
import Foundation
import MQTT
import MediaFiles
import OverlayRendering
import SettingsFiles
import System
import V4L2Capture

@testable import Frames
@testable import HTTPServing

/// Readers of text that touch nothing outside.
enum Parsers {
    /// A settings file.
    static let settings: Target = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(SettingsError) {
            _ = try Settings.load(SettingsReader(file: try SettingsFile(path: "settings", text: text)))
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
            let problem = "a password would be shown: \(shown) of \(text.debugDescription)"
            precondition(shown.firstMatch(of: /:\/\/[^\/\s]*@/) == nil, problem)
            guard !text.hasPrefix("exec:") else { return }
            let host = shown.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }
            precondition(!host.contains("@"), problem)
        }
        _ = try? BrokerAddress(url: text)
    }

    /// Addresses of servers, of files and of clients, the latter as a proxy's `X-Forwarded-For` has them.
    static let addresses: Target = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let client = ClientAddress(text) {
            precondition(ClientAddress(client.description) == client, "a client is another one by its own text")
            precondition(ClientAddress("[\(client)]:80") == client, "a client is another one with a port")
        }
        let scheme = text.prefix { $0 != ":" }
        if !scheme.isEmpty, scheme.allSatisfy(\.isLetter), text[scheme.endIndex...].hasPrefix("://") {
            let rest = text[scheme.endIndex...].dropFirst(3)
            let login = rest[..<(rest.lastIndex(of: "@") ?? rest.startIndex)]
            let user = login.prefix { $0 != ":" }
            let password = login[user.endIndex...].dropFirst()
            let shown: String
            // An address without a password may have a : and an @ in its path.
            let host = rest[login.endIndex...]
            // A text that is shown in another place too tells nothing.
            let begin = "\(scheme.lowercased())://"
            let isElsewhere = [begin + user, begin + host.dropFirst(), String(host)].contains { $0.holds(password) }
            var isSecret = password.count > 4 && !isElsewhere
            do throws(ServerAddress.Failure) {
                let address = try ServerAddress(scheme: scheme, rest)
                precondition(address.revealed().hasSuffix(rest), "what connects gets another address")
                shown = address.description
                isSecret = isSecret && address.hasPassword
            } catch {
                shown = error.shown
            }
            precondition(!isSecret || !shown.holds(password), "a password would be shown")
        }
        if let path = text.pathOfFileAddress { precondition(path.hasPrefix("/"), "a file's address has no whole path") }
    }

    /// The times of pictures and the moments at which they arrive. Two bytes say how the stream is, then each picture
    /// has a kind of time, a time and the milliseconds since the picture before.
    static let times: Target = { bytes in
        guard bytes.count > 2 else { return }
        let isLive = bytes[0] & 1 == 1
        let longestDelay = Double(bytes[0] >> 1) / 20
        var delivery = PictureDelivery(
            into: FrameMailbox(policy: .newest),
            until: StopSignal(false),
            longestGap: .seconds(2)
        )
        delivery.begin(
            isLive ? .live(hasTimes: true) : .file,
            rate: bytes[1] == 0 ? nil : Double(bytes[1]),
            isConnection: false,
            longestDelay: longestDelay
        )
        var sent = 0.0
        var arrival = 0.0
        var latest = -1.0
        var rest = bytes.dropFirst(2)[...]
        while let kind = rest.popFirst() {
            var number = UInt64(0)
            for byte in rest.prefix(kind & 3 == 3 ? 8 : 2) { number = number << 8 | UInt64(byte) }
            rest = rest.dropFirst(kind & 3 == 3 ? 8 : 2)
            arrival += Double(rest.popFirst() ?? 0) / 1000
            let presentation: Double?
            switch kind & 3 {
            case 0: presentation = nil
            case 1:
                sent += Double(number) / 1000
                presentation = sent
            case 2:
                sent -= Double(number) / 1000
                presentation = sent
            default: presentation = Double(bitPattern: number)
            }
            let time = delivery.mediaTime(presentation: presentation, arrival: arrival)
            // Where it is later than the longest that is delivered, the picture counts as damaged.
            guard time < FrameStamp.longestMediaTime else { return }
            precondition(time > latest, "a picture is not later than the one before it")
            precondition(!isLive || time <= arrival + longestDelay + 0.01, "a live picture waits longer than allowed")
            latest = time
        }
    }
}

extension String {
    /// Whether a text is in it, by scalars: Foundation's search traps with some texts.
    fileprivate func holds(_ text: Substring) -> Bool { unicodeScalars.firstRange(of: text.unicodeScalars) != nil }
}
