import ArgumentParser
import FaceMessages
import FaceMetadata
import FacetTestSupport
import Foundation
import FoundationXML
import OverlayRendering
import Testing

@testable import facet

@Suite("facet report", .timeLimit(.minutes(5)))
struct ReportTests {
    private func metadata(_ faces: [FaceObject], frame: Int) -> DecodedMessage {
        .metadata(
            MetadataMessage(origin: MessageOrigin(camera: "front", boot: "RUN1"), stamp: stamp(frame), faces: faces)
        )
    }

    private func face(_ id: Int, smiles: Bool, closed: Bool = false) -> FaceObject {
        var face = facetTests.face(id)
        (face.smiling, face.smile) = (smiles, smiles ? 0.9 : 0.1)
        (face.leftEyeClosed, face.rightEyeClosed) = (closed, closed)
        return face
    }

    /// Face 1 from 1 s to 4 s, smiling from 2 s to 3 s; face 2 from 3 s to the end at 6 s, with a blink at 5 s.
    private func report() -> FaceReport {
        var report = FaceReport(source: "clip.mp4: h264 640x480 at 30.0 frames/s")
        report.take(metadata([], frame: 0), at: 0)
        report.take(metadata([face(1, smiles: false)], frame: 30), at: 1)
        report.take(metadata([face(1, smiles: true)], frame: 60), at: 2)
        report.take(.event(event(.smile, frame: 60)), at: 2)
        report.take(metadata([face(1, smiles: false), face(2, smiles: false)], frame: 90), at: 3)
        report.take(metadata([face(2, smiles: false, closed: true)], frame: 120), at: 4)
        var blink = event(.blink(eyes: .both, duration: 0.15), frame: 150)
        blink.event.face.faceID = FaceID(rawValue: 2)
        report.take(.event(blink), at: 5)
        report.take(metadata([face(2, smiles: false)], frame: 150), at: 5)
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
        #expect(report.presences[0].median { $0.pose?.yaw } == 8.1)
    }

    @Test("faces end when nothing is being looked at any more")
    func lost() {
        var report = FaceReport()
        report.take(metadata([face(1, smiles: false)], frame: 0), at: 0)
        let status = DaemonStatus(state: .online, cameraState: .lost)
        let origin = MessageOrigin(camera: "front", boot: "RUN1")
        report.take(.status(StatusMessage(origin: origin, status: status)), at: 2)
        report.take(metadata([], frame: 60), at: 3)
        report.finish()
        #expect(report.presences.map(\.end) == [2])
    }

    @Test("the page is well-formed, shows what it says, and needs nothing else")
    func page() throws {
        var report = report()
        report.take(
            .metadata(
                MetadataMessage(origin: MessageOrigin(camera: "<i>&\"", boot: "R"), stamp: stamp(180), faces: [])
            ),
            at: 7
        )
        let html = ReportPage(report: report).html
        for text in ["Faces in clip.mp4", "blink, both, 0.15 s", "Where the faces were", "Face 2", "71 % of the time"] {
            #expect(html.contains(text), "\(text)")
        }
        for text in ["<script", "http:", "https:", "src=\"/", "@import", "url("] {
            #expect(!html.contains(text), "\(text)")
        }
        // Everything between the head's elements that stay open and the end is well-formed.
        let body = try #require(html.firstRange(of: "<body>").map { html[$0.lowerBound...] })
        let document = String(body.replacing("</html>", with: ""))
        let parser = XMLParser(data: Data(document.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
    }

    @Test("nobody and numbers that are none make a page too")
    func nothing() {
        #expect(ReportPage(report: FaceReport()).html.contains("There was no face."))
        var report = FaceReport()
        var odd = facetTests.face()
        odd.smile = .nan
        odd.pose = HeadPose(roll: .infinity, yaw: 1e300, pitch: -1e300)
        odd.bounds = NormalizedRect(x: 1e300, y: .nan, width: 1, height: 1)
        report.take(metadata([odd], frame: 0), at: 0)
        report.finish(at: 1e9)
        #expect(ReportPage(report: report).html.contains("Face 1"))
    }

    @Test("a long series is thinned and keeps its extremes")
    func thinned() {
        var report = FaceReport()
        for frame in 0..<20_000 {
            var face = face(1, smiles: false)
            face.smile = frame == 777 ? 1 : 0
            report.take(metadata([face], frame: frame), at: Double(frame) / 30)
        }
        report.finish()
        let line = ReportChart(end: report.end).line(report.presences[0], in: 0...1, height: 56) { $0.smile }
        #expect(line.count { $0 == "L" } < 4 * 900)
        #expect(line.contains(" 1L"))
    }

    @Test(
        "a report on a clip has pictures of its faces",
        .enabled(if: DevelopmentClips.areHere, "needs the development clips")
    )
    func clip() async throws {
        let directory = try TemporaryDirectory()
        let output = directory.file("report.html")
        var command = try #require(
            try Facet.parseAsRoot(["report", DevelopmentClips.path("pyfeat/single_face.mp4"), "-o", output])
                as? any AsyncParsableCommand
        )
        try await command.run()
        let html = try String(contentsOfFile: output, encoding: .utf8)
        #expect(html.contains("src=\"data:image/jpeg;base64,/9j/"))
        #expect(html.contains("single_face.mp4"))
    }
}
