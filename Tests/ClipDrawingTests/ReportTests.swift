import CompanionTestSupport
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import FoundationXML
import Frames
import System
import Testing

@testable import ClipDrawing
@testable import Companion

@Suite("facet report", .timeLimit(.minutes(5)))
struct ReportTests {
    private func metadata(_ faces: [FaceObject], frame: Int) -> DaemonMessage {
        .metadata(
            MetadataMessage(origin: MessageOrigin(camera: "front", boot: "RUN1"), stamp: stamp(frame), faces: faces)
        )
    }

    private func face(_ id: Int, smiles: Bool, closed: Bool = false) -> FaceObject {
        var face = CompanionTestSupport.face(id)
        (face.smiling, face.smile) = (smiles, smiles ? 0.9 : 0.1)
        (face.leftEyeClosed, face.rightEyeClosed) = (closed, closed)
        return face
    }

    private func streaming(_ detail: String) -> DaemonMessage {
        var status = DaemonStatus(state: .online, cameraState: .streaming, detail: detail)
        status.picture = DaemonStatus.Picture(width: 640, height: 480)
        return .status(status, from: MessageOrigin(camera: "front", boot: "RUN1"))
    }

    /// Face 1 from 1 s to 4 s, smiling from 2 s to 3 s; face 2 from 3 s to the end at 6 s, with a blink at 5 s.
    private func report() -> FaceReport {
        var report = FaceReport()
        report.title = "clip.mp4"
        report.apply(streaming("/home/me/clip.mp4: h264 640x480 at 30.0 frames/s"), at: 0)
        report.apply(metadata([], frame: 0), at: 0)
        report.apply(metadata([face(1, smiles: false)], frame: 30), at: 1)
        report.apply(metadata([face(1, smiles: true)], frame: 60), at: 2)
        report.apply(.event(event(.smile, frame: 60)), at: 2)
        report.apply(metadata([face(1, smiles: false), face(2, smiles: false)], frame: 90), at: 3)
        report.apply(metadata([face(2, smiles: false, closed: true)], frame: 120), at: 4)
        var blink = event(.blink(eyes: .both, duration: 0.15), frame: 150)
        blink.event.face.faceID = FaceID(rawValue: 2)
        report.apply(.event(blink), at: 5)
        report.apply(metadata([face(2, smiles: false)], frame: 150), at: 5)
        report.finish(at: 6)
        return report
    }

    @Test("faces, times and events are counted")
    func figures() {
        let report = report()
        #expect(report.presences.map(\.start) == [1, 3] && report.presences.map(\.end) == [4, 6])
        #expect(report.largestCount == 2 && report.occupied == 5 && report.end == 6 && report.camera == "front")
        #expect(report.presences[0].stretches { $0.smiling == true } == [2...3])
        #expect(report.presences[1].seconds { $0.leftEyeClosed == true } == 1)
        #expect(report.presences.map { $0.count(of: .smile) } == [1, 0])
        #expect(report.presences.map { $0.count(of: .blink) } == [0, 1])
        #expect(report.presences[0].medianPose?.yaw == 8.1)
    }

    @Test("the picture of a blink is one with closed eyes, though it is reported when they are open again")
    func closedEyes() throws {
        var report = FaceReport()
        for number in 0..<40 {
            // Closed from the 20th picture to the 23rd, reported at the 28th.
            let isClosed = 20...23 ~= number
            report.apply(metadata([face(1, smiles: false, closed: isClosed)], frame: number), at: Double(number) / 30)
            guard number == 28 else { continue }
            report.apply(.event(event(.blink(eyes: .both, duration: 0.12), frame: 24)), at: Double(number) / 30)
        }
        report.finish()
        let happening = try #require(report.happenings.first)
        let shown = try #require(report.presence(of: happening)?.samples(showing: happening).first)
        #expect(20.0 / 30...24.0 / 30 ~= shown.time && shown.face.leftEyeClosed == true, "\(shown.time)")
    }

    @Test("faces end when nothing is being looked at any more")
    func lost() {
        var report = FaceReport()
        report.apply(metadata([face(1, smiles: false)], frame: 0), at: 0)
        let status = DaemonStatus(state: .online, cameraState: .lost)
        let origin = MessageOrigin(camera: "front", boot: "RUN1")
        report.apply(.status(status, from: origin), at: 2)
        report.apply(metadata([], frame: 60), at: 3)
        report.finish()
        #expect(report.presences.map(\.end) == [2])
    }

    @Test("what a report keeps has a limit, and what it counts has none")
    func limits() {
        var all = FaceReport()
        var limited = FaceReport(limits: .init(samples: 400, happenings: 100, presences: 50))
        var time = 0.0
        var number = 0
        for id in 1...500 {
            // Each is there for 2 to 5 s, smiles for the second half and blinks at its end.
            let frames = 40 + id * 7 % 60
            for frame in 0..<frames {
                var seen = face(id, smiles: frame >= frames / 2)
                if frame == frames - 3 { seen.smile = 0.97 }
                var messages = [metadata([seen], frame: number)]
                if frame == frames / 2 { messages.append(.event(eventMessage(.smile, frame: number, of: id))) }
                if frame > frames - 4 {
                    messages.append(.event(eventMessage(.blink(eyes: .both, duration: 0.1), frame: number, of: id)))
                }
                for message in messages {
                    all.apply(message, at: time)
                    limited.apply(message, at: time)
                }
                #expect(limited.presences.count <= 50 && limited.happenings.count <= 100)
                #expect(limited.presences.reduce(0) { $0 + $1.samples.count } <= 400)
                time = time + 0.05
                number = number + 1
            }
            all.apply(metadata([], frame: number), at: time)
            limited.apply(metadata([], frame: number), at: time)
        }
        all.finish(at: time)
        limited.finish(at: time)
        let whole = all.figures
        let figures = limited.figures
        #expect(figures.faces == 500 && figures.counts == whole.counts && whole.counts == [.smile: 500, .blink: 1500])
        #expect(limited.largestCount == 1 && abs(limited.occupied - all.occupied) < 1e-6 && limited.end == all.end)
        #expect(abs(figures.smiling - whole.smiling) < 0.1 * whole.smiling, "\(figures.smiling) of \(whole.smiling) s")
        // Those that stayed longest, beside the ones that came since faces were left out; each with its best moment.
        let shortest = limited.presences.prefix(25).map(\.duration).min() ?? 0
        #expect(shortest > 4, "\(shortest) s")
        #expect(limited.presences.dropLast().allSatisfy { $0.bestSmile?.face.smile == 0.97 })
        #expect(Set(limited.happenings.map(\.topic)) == [.smile, .blink])
        let text = String(decoding: limited.json, as: UTF8.self)
        let faces = 500 - limited.presences.count, events = 2000 - limited.happenings.count
        #expect(text.contains("\"omittedFaces\":\(faces),\"omittedEvents\":\(events),"))
        #expect(!String(decoding: all.json, as: UTF8.self).contains("omitted"))
        let page = ReportPage(report: limited).html
        #expect(
            page.contains("A selection of the 2000 events")
                && page.contains("\(500 - 24) more faces for a shorter time")
        )
    }

    @Test("faces of which only events come, and which never leave, are limited, too")
    func eventsAlone() {
        var report = FaceReport(limits: .init(samples: 400, happenings: 100, presences: 300))
        var most = 0
        for id in 1...3000 {
            report.apply(.event(eventMessage(.enter, frame: id, of: id)), at: Double(id) / 30)
            most = max(most, report.presences.count)
        }
        report.finish()
        #expect(most == 300)
        #expect(report.largestCount == 100 && report.figures.faces == 3000 && report.figures.counts == [.enter: 3000])
    }

    @Test("a picture of no camera's form makes no map of millions of cells", arguments: [(1, 8192), (8192, 1)])
    func narrow(width: Int, height: Int) {
        var report = FaceReport()
        var status = DaemonStatus(state: .online, cameraState: .streaming)
        status.picture = DaemonStatus.Picture(width: width, height: height)
        report.apply(.status(status, from: MessageOrigin(camera: "front", boot: "RUN1")), at: 0)
        report.apply(metadata([face(1, smiles: false)], frame: 0), at: 0)
        report.finish(at: 1)
        let html = ReportPage(report: report).html
        #expect(html.contains("Where the faces were") && html.utf8.count < 500_000, "\(html.utf8.count)")
    }

    private func eventMessage(_ kind: FaceEvent.Kind, frame: Int, of id: Int) -> EventMessage {
        var message = CompanionTestSupport.event(kind, frame: frame)
        message.event.face.faceID = FaceID(rawValue: id)
        return message
    }

    /// What is between the page's head and its end, which is well-formed XML.
    private func body(of html: String) throws -> XMLElement {
        let start = try #require(html.firstRange(of: "<body")?.lowerBound)
        let text = String(html[start...].replacing("</html>", with: ""))
        return try #require(try XMLDocument(data: Data(text.utf8)).rootElement())
    }

    @Test("the page is well-formed, shows what it says, and needs nothing else")
    func page() throws {
        var report = report()
        report.title = "<i>&\".mp4"
        let html = ReportPage(report: report).html
        for text in [
            "&lt;i&gt;&amp;&quot;.mp4", "h264 640x480", "both eyes, 0.15 s", "Face 2", "did not smile", "83%",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        for text in ["http:", "https:", "src=\"/", "@import", "url(", "/home", "<!-- ", "<i>"] {
            #expect(!html.contains(text), "\(text)")
        }
        let links = try body(of: html).nodes(forXPath: "//a/@href").compactMap(\.stringValue)
        #expect(Set(links) == ["#t=2.0", "#t=5.0"])
        #expect(try body(of: html).nodes(forXPath: "//tr[@id='t=5.0' and @class='blink']").count == 1)
        #expect(try body(of: html).nodes(forXPath: "//*[@class='track']").count == 2)
    }

    @Test("faces without a lane of their own share one, also those that came together with others")
    func others() {
        var report = FaceReport()
        report.apply(metadata((1...30).map { face($0, smiles: false) }, frame: 0), at: 0)
        report.finish(at: 2)
        #expect(ReportPage(report: report).html.contains("aria-label=\"6 faces\""))
    }

    @Test("the page's policy allows its own script by its digest, and no other")
    func script() throws {
        let html = ReportPage(report: report()).html
        let script = try #require(html.firstMatch(of: /<script type="module">(?<text>[\s\S]*?)<\/script>/)).text
        #expect(html.ranges(of: "<script").count == 1 && !html.contains("<!-- style"))
        let hasher = try #require(SHA256())
        Array(script.utf8).withUnsafeBytes(hasher.add)
        let digest = Array(hasher.finish())
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digest[$0...($0 + 1)]), radix: 16) }
        #expect(html.contains("script-src 'sha256-\(Data(bytes).base64EncodedString())'\""))
    }

    @Test("colours, drawings and words are those of the live page")
    func shared() {
        let html = ReportPage(report: report()).html
        #expect(html.contains("--accent:") && html.contains("<g id=\"i-smile\">"))
        #expect(html.contains("#i-smile\"/></svg>smiles</b>") && html.contains("#i-blink\"/></svg>blinked</b>"))
        #expect(html.contains("Facet \(facetBuild)"), "what it was made with is told")
    }

    @Test(
        "a source is named without its path and what is secret in it",
        arguments: [
            ("/home/me/My clip.mp4", "My clip.mp4"), ("clips/me/a.mov", "a.mov"), ("file:///home/me/a.mkv", "a.mkv"),
            ("/dev/video0", "video0"), ("rtsp://me:secret@cam.local:554/a?token=b", "cam.local"),
            ("Front door", "Front door"),
            ("rtsp://me:p/w@cam/a", "stream"), ("exec:cat /home/me/a.ts", "exec"), ("hall/left", "hall/left"),
        ]
    )
    func names(source: String, name: String) {
        #expect(FaceReport.name(of: source) == name)
    }

    @Test("a file is named without its directory, whatever its ending and however its path is given")
    func relativeName() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("", to: "anna.ts").dropFirst()
        #expect(FaceReport.name(of: String(repeating: "../", count: 30) + path) == "anna.ts")
    }

    @Test("a session in this program is called without passwords")
    func session() throws {
        let session = try Subscriber(source: "rtsp://me:secret@127.0.0.1:9/a?token=secret")
        #expect(session.address == "rtsp://127.0.0.1:9/a")
    }

    @Test("the figures as JSON are those of the page, and of their schema")
    func json() throws {
        var report = report()
        var leave = event(.leave(dwell: 3, lastSeen: stamp(90).time, reason: .left), frame: 90)
        leave.event.face.faceID = FaceID(rawValue: 1)
        report.apply(.event(leave), at: 6)
        report.began = Date(timeIntervalSince1970: 1_795_234_353)
        let text = String(decoding: report.json, as: UTF8.self)
        #expect(
            text.contains(
                "\"began\":\"2026-11-21T04:12:33Z\",\"seconds\":6.0,\"picture\":{\"width\":640,\"height\":480}"
            )
        )
        #expect(text.contains("\"bestSmile\":{\"at\":2.0,\"smile\":0.9}"))
        #expect(text.contains("{\"at\":5.0,\"event_type\":\"blink\",\"faceID\":2,\"eyes\":\"both\",\"duration\":0.15}"))
        #expect(
            text.contains("\"dwell\":3.0,\"lastSeen\":\"2026-11-21T04:12:36.120456Z\",\"reason\":\"left\"}]")
                && !text.contains("/home")
        )
        let directory = try TemporaryDirectory()
        let schema = URL(filePath: #filePath).appending(path: "../../../config/schemas/report.schema.json").standardized
        let validate = """
            import sys, json, jsonschema
            schema, value = (json.load(open(path)) for path in sys.argv[1:])
            jsonschema.Draft202012Validator.check_schema(schema)
            print("\\n".join(e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(value)), end="")
            """
        let file = try directory.write(text, to: "report.json")
        #expect(try Tool.run("/usr/bin/python3", ["-c", validate, schema.path, file]).isEmpty)
    }

    @Test("a portrait shows the strongest smile with open eyes, else the best view; a blink the closed eyes")
    func moments() throws {
        var report = FaceReport()
        for (index, (smile, isClosed)) in [(0.2, false), (0.8, false), (1.0, true), (0.99, false), (0.1, false)]
            .enumerated()
        {
            var face = face(1, smiles: smile > 0.5, closed: isClosed)
            face.smile = smile
            report.apply(metadata([face], frame: index), at: Double(index))
            if index == 1 { report.apply(.event(event(.smile, frame: 1)), at: 1) }
        }
        report.apply(.event(event(.blink(eyes: .both, duration: 0.5), frame: 4)), at: 4.25)
        report.finish(at: 5)
        let presence = report.presences[0]
        #expect(presence.portraits.first?.time == 3 && presence.bestSmile?.face.smile == 0.99)
        #expect(report.happenings.map { presence.samples(showing: $0).first?.time } == [3, 4])
        let leave = event(.leave(dwell: 4, lastSeen: stamp(120).time, reason: .left), frame: 150)
        #expect(presence.samples(showing: FaceReport.Happening(time: 5, message: leave)).first?.time == 4)
    }

    @Test("nobody and numbers that are none make a page too")
    func nothing() {
        #expect(ReportPage(report: FaceReport()).html.contains("No face was seen"))
        var report = FaceReport()
        var odd = CompanionTestSupport.face()
        odd.smile = .nan
        odd.pose = HeadPose(roll: .infinity, yaw: 1e300, pitch: -1e300)
        odd.bounds = NormalizedRect(x: 1e300, y: .nan, width: 1, height: 1)
        report.apply(metadata([odd], frame: 0), at: 0)
        report.finish(at: 1e9)
        #expect(ReportPage(report: report).html.contains("Face 1"))
    }

    @Test("a long series is thinned and keeps its extremes")
    func thinned() {
        var report = FaceReport()
        for frame in 0..<20_000 {
            var face = face(1, smiles: false)
            face.smile = frame == 777 ? 1 : 0
            report.apply(metadata([face], frame: frame), at: Double(frame) / 30)
        }
        report.finish()
        let area = ReportChart(end: report.end, smileLevel: 0.7).area(report.presences[0]) { $0.smile }
        #expect(area.count { $0 == "L" } < 4 * 1000)
        #expect(area.contains(" 0L"))
    }

    @Test(
        "a report on a clip has pictures of its faces",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func clip() async throws {
        let directory = try TemporaryDirectory()
        let output = directory.file("report.html")
        let clip = DevelopmentClips.path("pyfeat/single_face.mp4")
        let interruption = Interruption()
        defer { interruption.cancel() }
        let report = try await FaceReport(clip: clip, until: interruption)
        #expect(try report.write(to: output, picturesOf: clip, until: interruption))
        let html = try String(contentsOfFile: output, encoding: .utf8)
        #expect(html.contains("<title>single_face.mp4</title>") && !html.contains(DevelopmentClips.directory.path))
        let body = try body(of: html)
        #expect(try body.nodes(forXPath: "//ul[@class='faces']//img[@alt='Face 1 at its best smile']").count == 1)
        #expect(try body.nodes(forXPath: "//ol[@class='film']/li").count >= 2)
        #expect(try body.nodes(forXPath: "//div[@class='map']/img").count == 1)
    }
}
