import ArgumentParser
import FaceMessages
import FacetKit
import Foundation
import OverlayRendering

struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a page about a clip or a stretch of time: faces, best smiles, events.",
        discussion: """
            From what `facetd --print` wrote; from a clip, in which it finds the faces itself; or, without a file, from a \
            daemon until Ctrl-C or for --seconds. The page is one HTML file that needs no other file and no network. With a \
            clip it holds pictures of the faces: of each its best smile, and of the events. It names the clip, but not where \
            it lies. report.html#t=12.5 shows the moment 12.5 s from the beginning.

            Examples:
              facet report clip.jsonl -o report.html
              facet report clip.jsonl --over clip.mp4 -o report.html
              facet report clip.mp4 -o report.html
              facet report clip.mp4 --json
              facet report --topic porch/faces --seconds 3600 -o hour.html
            """
    )

    @Argument(help: "Lines of `facetd --print` (.jsonl, or - for standard input), or a clip.", completion: .file())
    var input: String?

    @Option(name: .shortAndLong, help: "The page to write, .html.", completion: .file())
    var output: String?

    @Flag(help: "Print the figures as JSON; the page is only written with --output then.")
    var json = false

    @Option(help: .init("The clip that the lines are about, for pictures.", valueName: "clip"))
    var over: String?

    @Option(help: "How long a daemon is followed; without it until Ctrl-C.", transform: ClipOptions.seconds)
    var seconds: Double?

    @OptionGroup var live: SourceOptions

    func validate() throws {
        guard output != nil || json else {
            throw ValidationError("name the page to write: -o report.html, or add --json")
        }
        guard input != nil else {
            if over != nil { throw ValidationError("--over belongs to a file of messages: name that too") }
            return
        }
        if seconds != nil || live.source != nil || live.broker.camera != nil {
            throw ValidationError("--seconds, --source and --camera are for a live report; leave them out, or the file")
        }
    }

    func run() async throws {
        if let output {
            try OutputPath.check(output, endings: ["html", "htm"], what: "a page")
            if let input { try OutputPath.checkIsNot(output, input) }
        }
        let isClip = input.map(Self.isClip) ?? false
        var report = FaceReport()
        if let input {
            if isClip { try await report.take(clip: input) } else { try report.take(messages: input, over: over) }
        } else {
            try await follow(&report)
        }
        if let output {
            let pictures = try (isClip ? input : over).map { try ReportPictures(of: report, from: $0) }
            try OutputPath.write(ReportPage(report: report, pictures: pictures).html, to: output)
            let length = ReportChart.clock(report.end)
            StandardOutput.note("wrote \(output): \(length), \(report.presences.count.counted("face"))")
        }
        if json { try StandardOutput.print(prettyPrinted: report.json) }
    }

    /// Whether an input is a clip: by its name, else by its first byte, as messages are JSON. A pipe has messages.
    private static func isClip(_ input: String) -> Bool {
        var status = stat()
        guard !OutputPath.isClip(input), !URL(filePath: input).pathExtension.hasPrefix("json"),
            stat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let first = try? FileHandle(forReadingFrom: URL(filePath: input)).read(upToCount: 1)?.first
        else { return OutputPath.isClip(input) }
        return !"{ \n\r\t".utf8.contains(first)
    }

    private func follow(_ report: inout FaceReport) async throws {
        let subscriber = try await live.subscriber(command: "report", topics: Topic.followed)
        report.began = Date()
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
        guard let camera = report.camera else { throw subscriber.noCamera }
        report.title = FaceReport.name(of: camera)
    }
}

extension FaceReport {
    fileprivate mutating func take(clip path: String) async throws {
        var updates = UpdateMessages(camera: UpdateMessages.fileCamera)
        try await FaceSession.analyse(path) { update in
            for message in updates.messages(of: update) { take(message, at: update.stamp?.mediaTime ?? 0) }
            return true
        }
        finish()
        title = Self.name(of: path)
    }

    fileprivate mutating func take(messages path: String, over clip: String?) throws {
        let track = try ClipOptions.track(path, over: clip)
        for entry in track.entries { take(entry.message, at: entry.mediaTime) }
        finish()
        title = Self.name(of: clip ?? file ?? track.camera)
    }
}
