import Frames
import Testing

@testable import V4L2Capture

@Suite("Format negotiation")
struct FormatNegotiationTests {
    static let vga = FrameSize(width: 640, height: 480)
    static let hd = FrameSize(width: 1280, height: 720)

    static func format(_ fourCC: FourCC, _ sizes: [(FrameSize, [Double])], isEmulated: Bool = false) -> CameraFormat {
        CameraFormat(
            fourCC: fourCC,
            name: "",
            isEmulated: isEmulated,
            sizes: sizes.map { CameraSize($0.0, rates: $0.1.map { $0...$0 }) }
        )
    }

    /// A usual webcam: HD is slow unless compressed.
    static let webcam = [
        format(.mjpg, [(hd, [30, 60]), (vga, [30, 60])]),
        format(.yuyv, [(hd, [10, 5]), (vga, [30, 15])]),
    ]

    func choose(_ request: CaptureRequest, _ formats: [CameraFormat] = webcam) -> CaptureMode? {
        FormatNegotiation(request: request).choose(from: formats)
    }

    @Test("left alone it takes 640x480 at 30 in the format that needs no decoding")
    func choosesUsualMode() {
        #expect(choose(CaptureRequest()) == CaptureMode(format: .yuyv, size: Self.vga, rate: 30))
    }

    @Test("takes MJPG where only that is fast enough")
    func prefersRate() {
        #expect(choose(CaptureRequest(size: Self.hd)) == CaptureMode(format: .mjpg, size: Self.hd, rate: 30))
    }

    @Test("what is asked for is binding")
    func obeysRequest() {
        #expect(choose(CaptureRequest(size: Self.hd, rate: 10)) == CaptureMode(format: .yuyv, size: Self.hd, rate: 10))
        #expect(choose(CaptureRequest(rate: 60)) == CaptureMode(format: .mjpg, size: Self.vga, rate: 60))
        #expect(choose(CaptureRequest(format: .mjpg)) == CaptureMode(format: .mjpg, size: Self.vga, rate: 30))
    }

    @Test(
        "what the camera can't do is refused",
        arguments: [
            CaptureRequest(size: FrameSize(width: 800, height: 600)), CaptureRequest(rate: 50),
            CaptureRequest(size: hd, rate: 30, format: .yuyv), CaptureRequest(format: .nv12),
        ]
    )
    func refuses(_ request: CaptureRequest) {
        #expect(choose(request) == nil)
    }

    @Test("29.97 is sold as 30")
    func toleratesRates() {
        let formats = [Self.format(.yuyv, [(Self.vga, [30000.0 / 1001])])]
        #expect(choose(CaptureRequest(rate: 30), formats)?.rate == 30)
    }

    @Test("nobody needs 120 frames per second unasked, and 60 beats 15")
    func avoidsExcess() {
        #expect(choose(CaptureRequest(), [Self.format(.yuyv, [(Self.vga, [120, 60, 15])])])?.rate == 60)
    }

    @Test("a range of sizes yields the wanted size, on its steps, and a range of rates the wanted rate")
    func usesRanges() {
        let range = CameraSize(
            minimum: FrameSize(width: 16, height: 16),
            maximum: FrameSize(width: 1920, height: 1080),
            step: FrameSize(width: 16, height: 2),
            rates: [1...90]
        )
        let formats = [CameraFormat(fourCC: .nv12, name: "", sizes: [range])]
        #expect(choose(CaptureRequest(), formats) == CaptureMode(format: .nv12, size: Self.vga, rate: 30))
        #expect(choose(CaptureRequest(size: FrameSize(width: 802, height: 600)), formats) == nil)
        #expect(choose(CaptureRequest(size: FrameSize(width: 800, height: 600), rate: 90), formats)?.rate == 90)
    }

    @Test("a driver that lists no sizes is asked for the wanted one")
    func asksSilentDriver() {
        let formats = [CameraFormat(fourCC: .grey, name: "", sizes: [])]
        #expect(choose(CaptureRequest(), formats) == CaptureMode(format: .grey, size: Self.vga, rate: nil))
        #expect(
            choose(CaptureRequest(size: Self.hd, rate: 25), formats)
                == CaptureMode(format: .grey, size: Self.hd, rate: 25)
        )
    }

    @Test("a native format wins over a converted one, whatever size and rate")
    func avoidsConversion() {
        let formats = [
            Self.format(.yu12, [(Self.vga, [30])], isEmulated: true), Self.format(.mjpg, [(Self.hd, [15])]),
        ]
        #expect(choose(CaptureRequest(), formats)?.format == .mjpg)
    }

    @Test("gray is only taken if there is no colour")
    func avoidsGray() {
        let both = [Self.format(.grey, [(Self.vga, [30])]), Self.format(.mjpg, [(Self.vga, [30])])]
        #expect(choose(CaptureRequest(), both)?.format == .mjpg)
    }

    @Test("formats nobody can read do not exist")
    func ignoresUnreadable() {
        #expect(choose(CaptureRequest(), [Self.format(FourCC(rawValue: 0x3436_3248), [(Self.vga, [30])])]) == nil)
        #expect(choose(CaptureRequest(), []) == nil)
    }
}
