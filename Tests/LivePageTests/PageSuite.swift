import ClipDrawing
import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import Frames
import HTTPServing
import MQTT
import OverlayRendering
import Synchronization
import System
import Testing

@testable import Companion
@testable import LivePage

/// A suite about the messages that pages are sent.
protocol PageSuite {
    var viewers: Viewers { get }
}

extension PageSuite {
    func publisher(_ overlay: OverlayChoice = .builtIn(.label)) throws -> PagePublisher {
        var options = ServeTests.options()
        options.style.overlay = overlay
        return try PagePublisher(options, viewers, ServedState(address: "broker:1883"), bases: ["faces"])
    }

    func join(_ overlay: String = "hearts", camera: String? = nil) throws -> Viewer {
        try #require(viewers.join(ViewerWish(overlay: overlay, isMirrored: false, camera: camera)))
    }

    func received(_ message: Message, under base: String = "faces") -> Subscriber.Occurrence {
        occurrence(message, under: base)
    }

    /// The parts of the next message that a page is sent.
    func next(_ viewer: Viewer) throws -> (header: [String: Any], svg: String, jpeg: [UInt8]) {
        try parts(of: try #require(bytes(viewer.next())))
    }

    func parts(of message: [UInt8]) throws -> (header: [String: Any], svg: String, jpeg: [UInt8]) {
        let lengths = stride(from: 0, to: 12, by: 4).map { message[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        #expect(message.count == 12 + lengths.reduce(0, +))
        let svg = 12 + lengths[0]
        let jpeg = 12 + lengths[0] + lengths[1]
        let json = try JSONSerialization.jsonObject(with: Data(message[12..<svg]))
        return (
            try #require(json as? [String: Any]),
            String(decoding: message[svg..<jpeg], as: UTF8.self),
            Array(message[jpeg...])
        )
    }

    func jpeg() throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        let path = directory.file("picture.jpg")
        try Canvas(pixelSize: FrameSize(width: 48, height: 32)).write(to: path)
        return Array(try Data(contentsOf: URL(filePath: path)))
    }
}
