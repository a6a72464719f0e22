import FacetTestSupport
import Testing

@testable import System

@Suite("Secrets")
struct SecretTests {
    @Test(
        "what others say about a configured secret is shown without it, in whatever form they have it",
        arguments: [
            ("exec:ffmpeg -i rtsp://admin:kiwi1/kiwi2@cam/s", "Failed to resolve host admin:kiwi1", "kiwi1"),
            ("exec:ffmpeg -i rtsp://admin:kiwi1/kiwi2@cam/s", "no route kiwi2@cam", "kiwi2"),
            ("exec:ffmpeg -i \"rtsp://admin:mango1 mango2@cam/s\"", "port 'mango1'", "mango1"),
            ("exec:ffmpeg -i rtsp://admin:1357/2468@cam/s", "Connection to admin:1357 failed", "1357"),
            ("exec:curl -u me:papaya9 http://cam", "papaya9 was refused", "papaya9"),
            ("exec:curl --user=me:papaya8 http://cam", "papaya8 was refused", "papaya8"),
            ("exec:CAM_PASSWORD=guava77 grab", "guava77?", "guava77"),
            ("exec:grab --password guava78", "guava78?", "guava78"),
            ("exec:curl -H 'Authorization: Bearer lychee55' http://cam", "token lychee55 expired", "lychee55"),
            ("gstreamer:rtspsrc location=rtsp://cam user-id=me user-pw=\"fig 61\" ! decodebin", "is fig 61", "fig 61"),
            ("http://cam/cgi?user=me&pwd=damson4", "damson4", "damson4"), ("rtsp://a:pe%23ar@cam", "pe#ar", "pe#ar"),
            ("rtsp://a:pl#um@cam", "pl%23um", "pl%23um"), ("mqtt://a:date1,date2@b", "host date2@b", "date2"),
            ("rtsp://me@x.org:quince3@cam/1", "for quince3", "quince3"),
            ("http://cam/v?%70wd=sorbus12", "v?%70wd=sorbus12 ^", "sorbus12"),
            ("http://cam/v;session=sorbus13", "at http://cam/v;session=sorbus13", "sorbus13"),
        ]
    )
    func learnt(setting: String, text: String, secret: String) {
        Secrets.learn(from: setting)
        #expect(!text.withoutSecrets.contains(secret))
    }

    @Test("of two logins in an address that names no possible host, none is shown")
    func twoLogins() throws {
        let rest = "us/user:first@cer:p%40ss@cam\u{FFFD}.lan:554/stream"
        let address = try ServerAddress(scheme: "rtsp", rest[...])
        #expect(address.description == "rtsp://cam\u{FFFD}.lan:554/stream")
    }

    @Test("of an address's query nothing is shown, whatever it is called")
    func query() {
        #expect("http://cam/v?%70wd=a".shownSource == "http://cam/v" && "RTSP://cam/v#b".shownSource == "RTSP://cam/v")
        #expect("http://cam/a;b?c".shownSource == "http://cam/a;b")
        #expect("file:///a#b?.mp4".shownSource == "file:///a#b?.mp4")
    }

    @Test("a variable that a command names is a secret where a password stands")
    func variables() {
        Secrets.learn(from: "exec:ffmpeg -i rtsp://a:${CAM}@h/", environment: ["CAM": "medlar12"])
        #expect("medlar12".withoutSecrets == "…")
    }

    @Test(
        "of an address that is refused, nothing before the last @ is shown",
        arguments: ["admin:plum1:5/kumquat3@cam\u{FFFD}:x/s", "adm:1\u{16}/\u{1}4kumquat3@cam@)\u{13}\rca/s"]
    )
    func refusedAddress(rest: String) {
        let failure = #expect(throws: ServerAddress.Failure.self) { try ServerAddress(scheme: "rtsp", rest[...]) }
        #expect(failure?.shown.contains("kumquat3") == false)
    }

    @Test("a mark that combines with the last letter of a secret hides it from nobody who cleans a text")
    func combining() {
        Secrets.add("medlarpear")
        #expect(!"of medlarpear\u{301}!".withoutSecrets.contains("medlar"))
    }

    @Test("a text with which Foundation's search traps is cleaned")
    func trap() throws {
        let text = "rtp://ad\u{FFFD}\u{40C}\u{FFFD}Unsafem1?x=1" + String(repeating: "\0", count: 17)
        let address = try ServerAddress(scheme: "rtp", text.dropFirst(6))
        #expect(address.description.hasSuffix("Unsafem1"))
    }

    @Test("what is learnt alone is known to nobody else, and a process's secrets are not known there")
    func alone() {
        Secrets.add("quincejam")
        Secrets.alone {
            Secrets.add("sloejam")
            #expect("quincejam sloejam".withoutSecrets == "quincejam …")
        }
        #expect("quincejam sloejam".withoutSecrets == "… sloejam")
    }

    @Test("a short secret is no part of a longer word or number")
    func short() {
        Secrets.add("q7")
        #expect("q7 q70 xq7 (q7)".withoutSecrets == "… q70 xq7 (…)")
    }

    @Test(
        "what is no secret stays",
        arguments: [
            "exec:ffmpeg -i /dev/video7 -f mjpeg -", "mqtt.passwordFile=/etc/loquat", "--password-file /run/sloe",
        ]
    )
    func plain(setting: String) {
        Secrets.learn(from: setting)
        let text = "cannot read /dev/video7, /etc/loquat, /run/sloe: mjpeg"
        #expect(text.withoutSecrets == text)
    }

    @Test("a mark, a carriage return and blanks at the end are no part of a secret, and UTF-16 is named")
    func textFiles() throws {
        let directory = try TemporaryDirectory()
        func write(_ bytes: [UInt8]) throws -> String {
            let path = directory.file("secret")
            try bytes.withUnsafeBytes { try PendingFile.write($0, to: path) }
            return path
        }
        let secret: [UInt8] = Array("medlar".utf8)
        let readable: [[UInt8]] = [
            secret, [0xEF, 0xBB, 0xBF] + secret + [13, 10], secret + [32, 9, 10], secret + [13] + secret,
        ]
        for bytes in readable {
            #expect(try SmallFile.firstLine(of: write(bytes)) == "medlar")
        }
        let wide: [UInt8] = secret.flatMap { byte -> [UInt8] in [byte, 0] }
        let other: [[UInt8]] = [[0xFF, 0xFE] + wide, [0xFE, 0xFF, 0] + wide.dropLast(), wide, [0] + wide]
        for bytes in other {
            let error = #expect(throws: FileError.self) { try SmallFile.firstLine(of: write(bytes)) }
            #expect(error?.reason == "it is UTF-16 text; save it as UTF-8")
        }
    }

    @Test("an empty variable is an unset one, and a line end is no part of another's value")
    func variablesOfFiles() {
        let environment = ["A": "", "B": "\r", "C": "x\r", "D": " y", "E": "\u{FEFF}z\r\n"]
        #expect(environment.given == ["C": "x", "D": " y", "E": "z"])
    }
}
