import FaceMetadata
import Foundation
import Frames
import V4L2Capture

/// Takes events out of the mailbox as the pipeline would, and reports them.
struct Consumer {
    let source: CameraSource
    let mailbox: FrameMailbox
    let probe: CameraProbe

    private let decoder: JPEGDecoder?
    private var taken = 0
    private var undecodable = 0
    private var awaitsFirst = false
    private var lastFrame = -1
    private var lastMediaTime = -1.0
    private var disorder = 0
    private var longestLatency = 0.0
    private var cpuAtThirty = 0.0
    private var cpuPerFrame = 0.0

    init(source: CameraSource, mailbox: FrameMailbox, probe: CameraProbe) {
        self.source = source
        self.mailbox = mailbox
        self.probe = probe
        decoder = probe.decode ? try? JPEGDecoder() : nil
    }

    /// Runs until the source ends; false if it failed.
    mutating func run() throws -> Bool {
        while let event = mailbox.next() {
            switch event {
            case .streaming(let stream):
                awaitsFirst = true
                Report.line([
                    "event": "streaming", "device": stream.name, "size": stream.size.description,
                    "format": stream.format, "rate": stream.rate ?? 0,
                ])
            case .frame(let frame): take(frame)
            case .lost(let failure):
                Report.line(["event": "lost", "reason": failure.reason.rawValue, "text": failure.description])
                reportCounts("counts")
            case .ended(let end):
                reportCounts("summary")
                return report(end)
            }
        }
        return true
    }

    private mutating func take(_ frame: Frame) {
        if awaitsFirst {
            awaitsFirst = false
            Report.line(["event": "frame", "frame": frame.stamp.frame, "mediaTime": frame.stamp.mediaTime])
        }
        if frame.stamp.frame <= lastFrame || frame.stamp.mediaTime <= lastMediaTime { disorder += 1 }
        lastFrame = frame.stamp.frame
        lastMediaTime = frame.stamp.mediaTime
        longestLatency = max(longestLatency, (.now - frame.captured) / .milliseconds(1))
        if let decoder, case .jpeg = frame.format, (try? decoder.decode(frame)) == nil { undecodable += 1 }
        if probe.slow > 0 { usleep(UInt32(probe.slow) * 1000) }
        taken += 1
        if taken == 30 { cpuAtThirty = Process.cpuSeconds }
        if taken % 30 == 0, !probe.quiet { reportCounts("counts") }
        if taken == probe.frames {
            cpuPerFrame = (Process.cpuSeconds - cpuAtThirty) / Double(max(1, taken - 30))
            source.stop()
        }
    }

    private func report(_ end: SourceEvent.End) -> Bool {
        switch end {
        case .failed(let failure):
            Report.line(["event": "ended", "reason": failure.reason.rawValue, "text": failure.description])
            return false
        case .finished, .stopped:
            Report.line(["event": "ended", "reason": "stopped"])
            return true
        }
    }

    private func reportCounts(_ event: String) {
        let counts = mailbox.counts
        Report.line([
            "event": event, "captured": counts.captured, "taken": counts.taken,
            "late": counts.dropped[.late] ?? 0, "corrupt": counts.dropped[.corrupt] ?? 0,
            "gap": counts.dropped[.sequenceGap] ?? 0, "unlit": counts.dropped[.unlit] ?? 0, "undecodable": undecodable,
            "disorder": disorder,
            "lastFrame": lastFrame, "mediaTime": lastMediaTime, "latencyMs": longestLatency,
            "cpu": Process.cpuSeconds, "cpuPerFrame": cpuPerFrame, "fds": Process.descriptors,
            "maps": Process.videoMappings,
        ])
    }
}

/// Writes JSON lines with the seconds since boot.
enum Report {
    static func line(_ values: [String: Any]) {
        var values = values
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        values["t"] = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: values, options: options) else { return }
        // At once, not through a buffer: the tests wait for the lines.
        FileHandle.standardOutput.write(data + [0x0A])
    }
}

/// What this process holds and has used.
enum Process {
    /// User and system time together, in seconds.
    static var cpuSeconds: Double {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
    }

    /// Open file descriptors, the one that looks at them left out.
    static var descriptors: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count - 1
    }

    /// Mappings of video devices.
    static var videoMappings: Int {
        // Not by path: /proc claims that its files are empty, and then only the first page is read.
        guard let data = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd() else { return -1 }
        let maps = String(decoding: data, as: UTF8.self)
        return maps.split(separator: "\n").filter { $0.contains("/dev/video") }.count
    }
}
