import ArgumentParser
import FaceMessages
import FaceMetadata
import FacetKit
import Foundation
import Frames
import MQTT
import OverlayRendering

struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a page about a stretch of time: presence, smile, eyes, pose.",
        discussion: """
            From what `facetd --print` wrote; from a clip, in which it finds the faces itself; or, without a file, from a \
            daemon until Ctrl-C or for --seconds. The page is one HTML file that needs no other file, no script and no \
            network. With a clip it holds small pictures of the faces.

            Examples:
              facet report clip.jsonl -o report.html
              facet report clip.jsonl --over clip.mp4 -o report.html
              facet report clip.mp4 -o report.html
              facet report --topic porch/faces --seconds 3600 -o hour.html
            """
    )

    @Argument(help: "Lines of `facetd --print` (.jsonl, or - for standard input), or a clip.", completion: .file())
    var input: String?

    @Option(name: .shortAndLong, help: "The page to write, .html.", completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The clip that the lines are about, for pictures.", valueName: "clip"))
    var over: String?

    @Option(help: "How long a daemon is followed; without it until Ctrl-C.", transform: ClipOptions.seconds)
    var seconds: Double?

    @OptionGroup var live: SourceOptions

    func validate() throws {
        guard input != nil else {
            if over != nil { throw ValidationError("--over belongs to a file of messages: name that too") }
            return
        }
        if seconds != nil || live.source != nil || live.broker.camera != nil {
            throw ValidationError("--seconds, --source and --camera are for a live report; leave them out, or the file")
        }
    }

    func run() async throws {
        try OutputPath.check(output, endings: ["html", "htm"], what: "a page")
        let page: ReportPage
        if let input {
            try OutputPath.checkIsNot(output, input)
            page = OutputPath.isClip(input) ? try await report(onClip: input) : try report(onMessages: input)
        } else {
            page = ReportPage(report: try await liveReport())
        }
        try OutputPath.write(page.html, to: output)
        let faces = page.report.presences.count
        let length = ReportChart.clock(page.report.end)
        StandardOutput.note("wrote \(output): \(length), \(faces) \(faces == 1 ? "face" : "faces")")
    }

    // MARK: - From files

    private func report(onMessages path: String) throws -> ReportPage {
        let track = try ClipOptions.track(path, over: over)
        var report = FaceReport()
        for entry in track.entries { report.take(entry.message, at: entry.mediaTime) }
        report.finish()
        return try page(report, picturesFrom: over)
    }

    private func report(onClip path: String) async throws -> ReportPage {
        let interruption = Interruption()
        defer { interruption.cancel() }
        var report = FaceReport()
        var updates = UpdateMessages(camera: UpdateMessages.fileCamera)
        try await FaceSession.analyse(path, until: interruption) { update in
            for message in updates.messages(of: update) { report.take(message, at: update.stamp?.mediaTime ?? 0) }
            return true
        }
        report.finish()
        return try page(report, picturesFrom: path)
    }

    private func page(_ report: FaceReport, picturesFrom clip: String?) throws -> ReportPage {
        guard let clip else { return ReportPage(report: report) }
        var thumbnails = try ReportThumbnails(of: report)
        let frames = try ClipFrames(clip)
        while !thumbnails.isComplete, let frame = try frames.next() { try thumbnails.take(frame) }
        return ReportPage(report: report, thumbnails: thumbnails.thumbnails)
    }

    private func liveReport() async throws -> FaceReport {
        let subscriber = try await live.subscriber(command: "report", topics: Topic.followed)
        var report = FaceReport()
        let length = seconds.map { "\(ReportChart.clock($0)), or " } ?? ""
        StandardOutput.note("following \(subscriber.base) at \(subscriber.address) for \(length)until Ctrl-C")
        var time = 0.0
        try await subscriber.follow(every: .milliseconds(200)) { input in
            time = min(input.seconds, seconds ?? .infinity)
            guard time == input.seconds else { return false }
            if case .occurrence(let occurrence) = input.content { report.take(occurrence, at: time) }
            return true
        }
        report.finish(at: time)
        guard report.camera != nil else {
            throw subscriber.noCamera
        }
        return report
    }
}
