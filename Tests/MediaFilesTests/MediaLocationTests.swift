import Frames
import System
import Testing

@testable import MediaFiles

@Suite("Media location")
struct MediaLocationTests {
    @Test(
        "shows an address without user, password and query",
        arguments: [
            ("rtsp://user:secret@cam.lan:554/stream?token=abc", "rtsp://cam.lan:554/stream"),
            ("http://cam.lan/video.mjpg", "http://cam.lan/video.mjpg"),
            ("RTSP://admin:p@ss@10.0.0.2/ch0#x", "rtsp://10.0.0.2/ch0"),
            ("http://cam.lan?password=secret", "http://cam.lan"),
        ]
    )
    func names(address: String, name: String) throws {
        let location = try MediaLocation(address)
        #expect(location.name == name)
        #expect(location.isStream && location.address.revealed() == address.replacing("RTSP", with: "rtsp"))
    }

    @Test("takes a path as it is, whatever characters it has")
    func paths() throws {
        let location = try MediaLocation("/clips/a:b %20.mp4")
        #expect(location.path == "/clips/a:b %20.mp4" && location.address.revealed() == "file:/clips/a:b %20.mp4")
        #expect(try MediaLocation("file:///clips/x.mp4").path == "/clips/x.mp4")
    }

    @Test(
        "refuses an address that no server can have",
        arguments: [
            "http://", "rtsp:///stream", "http://:80/x", "http://[::1", "http://[]/x", "http://[::1]x/",
            "http://user:pw@/x",
            "http://cam.lan:99999/x", "http://cam.lan:0", "http://cam.lan:80a/", "http://cam.lan:-1/", "http://a b/x",
            "https://user:a/pw@cam.lan/x", "rtsp://admin:1pw#pw2@cam.lan/x", "rtsp://admin:20?pw@cam.lan/x",
            "rtsp://admin:12/pw@cam.lan/x", "rtsp://admin:a pw@cam.lan/x", "rtsp://me@x.org:1/pw@[::1]:554/x",
        ]
    )
    func impossible(address: String) {
        #expect {
            try MediaLocation(address)
        } throws: { error in
            let text = (error as? SourceFailure)?.description
            return text.map { $0.hasPrefix("cannot open the address") && !$0.contains("pw") } ?? false
        }
    }

    @Test(
        "takes addresses with and without a port, and IPv6 in brackets",
        arguments: [
            "http://[::1]:8080/x", "http://[fe80::1%25eth0]/x", "rtsp://cam.lan", "http://cam.lan:/x", "http://a:65535",
        ]
    )
    func possible(address: String) throws {
        #expect(try MediaLocation(address).isStream)
    }

    @Test(
        "names the escape of the character that ends a password too early",
        arguments: ["#": "%23", "?": "%3F", "/": "%2F", " ": "%20", "\t": "%09"]
    )
    func escapes(sign: String, escape: String) {
        #expect {
            try MediaLocation("rtsp://admin:12\(sign)34@cam.lan:554/ch0")
        } throws: { error in
            let text = "\(error)"
            return text.contains("is written \(escape)") && !text.contains("12") && !text.contains("34")
        }
    }

    @Test(
        "takes an @ behind the host for a part of the path where it cannot be of a password",
        arguments: [
            "http://cam.lan/a@2x.jpg", "http://10.0.0.2:80/a@b.jpg", "http://u:p@10.0.0.2/a@b.jpg",
            "http://cam.lan:80/cgi?user=me@example.com&pwd=secret",
        ]
    )
    func at(address: String) throws {
        let name = try MediaLocation(address).name
        #expect(name == address.replacing("u:p@", with: "").prefix { $0 != "?" })
    }

    @Test("refuses schemes that are not for pictures")
    func schemes() {
        #expect {
            try MediaLocation("ftp://host/x.mp4")
        } throws: {
            "\($0)".contains("begins with ftp://; known are a file's path and http://, https://, rtsp://, rtsps://.")
        }
    }
}

@Suite("Orientation")
struct OrientationTests {
    @Test("two turns become one", arguments: Orientation.allCases, Orientation.allCases)
    func composition(first: Orientation, second: Orientation) {
        let stored = FrameSize(width: 7, height: 5)
        let between = first.uprightSize(of: stored)
        let combined = first.then(second)
        let direct = combined.storedFromUpright(stored: stored)
        let back = second.storedFromUpright(stored: between).then(first.storedFromUpright(stored: stored))
        #expect(direct == back)
    }

    @Test("a display matrix is read by where it sends the axes")
    func displayMatrices() {
        let one: Int32 = 1 << 16
        let expected: [(Int32, Int32, Int32, Int32, Orientation)] = [
            (one, 0, 0, one, .up), (-one, 0, 0, one, .upMirrored), (-one, 0, 0, -one, .down),
            (one, 0, 0, -one, .downMirrored), (0, one, one, 0, .leftMirrored), (0, one, -one, 0, .right),
            (0, -one, -one, 0, .rightMirrored), (0, -one, one, 0, .left),
        ]
        for (a, b, c, d, orientation) in expected {
            #expect(Orientation(displayMatrix: [a, b, 0, c, d, 0, 0, 0, 1 << 30]) == orientation)
        }
    }
}
