import CGStreamer
import System

/// A GStreamer pipeline that delivers pictures to Facet through an `appsink`. Only one thread may use it.
final class GStreamerPipeline {
    struct Picture {
        /// The frame, without timestamp and orientation; nil if its size or its planes are unusable. Frames of a
        /// pipeline that is not live use the pipeline's memory until their last copy is released.
        var frame: Frame?
        /// The description of the stream, with GStreamer's name of the pixel format.
        var stream: StreamDescription
        /// The picture's running time in the pipeline, in seconds; nil if unknown.
        var time: Double?
        /// The time since a live picture was captured, by the pipeline's clock; zero if unknown or implausible (≥ 1 s).
        var age: Duration
    }

    /// The accepted pixel formats, with GStreamer's names, by preference. Gray is last, as the models expect colours.
    private static let formats: [(name: String, format: PixelFormat)] = [
        ("NV12", .nv12), ("I420", .planarYUV(chromaShiftX: 1, chromaShiftY: 1)), ("YUY2", .yuyv), ("RGB", .rgb24),
        ("BGR", .bgr24), ("GRAY8", .gray),
    ]

    /// The last part of each pipeline: a conversion to an accepted format if needed, and the `appsink`. This hands out
    /// each picture at once, since waiting for its presentation time would look like a stalled source.
    private static let sink: String = {
        let names = formats.map(\.name).joined(separator: ",")
        return "videoconvert ! appsink name=facet sync=false max-buffers=2 caps=\"video/x-raw,format={\(names)}\""
    }()

    private(set) var hasStarted = false
    /// Whether the pipeline delivers pictures in real time; false until it has started.
    private(set) var isLive = false
    private let name: String
    private let pipeline: OpaquePointer
    private var copies = PixelMemoryPool()

    /// Makes a pipeline, without opening any device, file or connection.
    /// - Throws: `SourceFailure` if GStreamer or one of its elements is not installed, or the description has an error.
    init(_ description: PipelineDescription) throws(SourceFailure) {
        if let reason = Self.unavailable {
            throw .unusable(description, "GStreamer is missing (\(reason)): `\(description.installation)`")
        }
        var error: UnsafeMutablePointer<CChar>?
        var missing: UnsafeMutablePointer<CChar>?
        defer {
            FacetPipelineFreeText(error)
            FacetPipelineFreeText(missing)
        }
        guard let made = FacetPipelineMake("\(description.text.revealed()) ! \(Self.sink)", &error, &missing) else {
            if let missing { throw .missing(String(cString: missing), in: description) }
            let reason = error.map { String(cString: $0) } ?? "no reason is known"
            throw .unusable(description, "\(reason); try it with `gst-launch-1.0 … ! videoconvert ! autovideosink`")
        }
        name = description.name
        pipeline = made
    }

    deinit { FacetPipelineStop(pipeline) }

    /// Parses a list of cameras, one per line: GStreamer element, identifier and display name, separated by tabs.
    static func cameras(in list: String) -> [(device: String, name: String)] {
        let kinds = ["libcamerasrc": "libcamera", "pipewiresrc": "pipewire"]
        return list.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            // Skipped, because the camera's name contains a line break.
            guard parts.count == 3 else { return nil }
            return kinds[parts[0]].map { ("\($0):\(parts[1])", parts[2]) }
        }
    }

    /// The reason why GStreamer cannot be used; nil if it can.
    static let unavailable: String? = FacetPipelineLoad().map { String(cString: $0) }

    /// Starts the pipeline or, once it has started, waits for the next picture. Blocks for at most `nanoseconds`.
    /// - Returns: What the pipeline is at, and the picture; nil if there is none, or it is in no accepted format.
    func next(nanoseconds: Int64) -> (state: FacetPipelineState, picture: Picture?) {
        guard hasStarted else {
            let state = FacetPipelineStart(pipeline, nanoseconds)
            isLive = state == .live
            hasStarted = isLive || state == .ready
            return (state, nil)
        }
        var frame = FacetPipelineFrame()
        let state = FacetPipelineTake(pipeline, &frame, nanoseconds)
        return (state, picture(frame))
    }

    var failure: (text: String, reason: SourceFailure.Reason)? {
        var code: Int32 = 0
        guard let text = FacetPipelineError(pipeline, &code).map({ String(cString: $0) }) else { return nil }
        let reasons: [Int: SourceFailure.Reason] = [
            FacetPipelineNotFound: .notFound, FacetPipelineBusy: .busy, FacetPipelineNotAuthorized: .permissionDenied,
        ]
        return (text, reasons[Int(code)] ?? .driverError)
    }

    private func picture(_ frame: FacetPipelineFrame) -> Picture? {
        guard let held = frame.held, let data = frame.data else { return nil }
        let lease = PictureLease(held)
        defer { withExtendedLifetime(lease) {} }
        let formatName = cString(frame.format)
        guard let format = Self.formats.first(where: { $0.name == formatName })?.format else { return nil }
        var base = UnsafeRawPointer(data)
        var owner: any AnyObject & Sendable = lease
        if isLive {
            // Cameras have few buffers, and libcamera 0.0.3 crashes if one is returned after the camera was closed.
            let memory = copies.lend(byteCount: frame.size)
            memory.base.copyMemory(from: data, byteCount: frame.size)
            base = UnsafeRawPointer(memory.base)
            owner = memory
        }
        let size = FrameSize(width: Int(frame.width), height: Int(frame.height))
        let offsets = frame.offsets
        let strides = frame.strides
        let all = [(offsets.0, strides.0), (offsets.1, strides.1), (offsets.2, strides.2)]
        let planes = all.prefix((try? format.rows(in: size).count) ?? 0).map { offset, stride in
            let count = max(0, frame.size - offset)
            return (UnsafeRawBufferPointer(start: base + min(offset, frame.size), count: count), Int(stride))
        }
        var made = try? Frame(planes: planes, keptBy: owner, size: size, format: format, stamp: .unset)
        made?.encoding = YUVEncoding(matrix: frame.bt709 ? .bt709 : .bt601, isFullRange: frame.fullRange)
        let rate = frame.rate > 0 ? frame.rate : nil
        let stream = StreamDescription(name: name, size: size, format: formatName, rate: rate, isLive: isLive)
        let age = 0..<1_000_000_000 ~= frame.age ? Duration.nanoseconds(frame.age) : .zero
        return Picture(frame: made, stream: stream, time: frame.time < 0 ? nil : Double(frame.time) / 1e9, age: age)
    }
}

/// Gives a picture back to its pipeline when the last copy of its frame is gone.
///
/// `@unchecked Sendable` because only `deinit` uses the pointer, and GStreamer takes pictures back on any thread.
final class PictureLease: @unchecked Sendable {
    private let held: UnsafeMutableRawPointer

    init(_ held: UnsafeMutableRawPointer) { self.held = held }

    deinit { FacetPipelineRelease(held) }
}
