import MediaFiles

// What needs no session: the machine's cameras, and single pictures.
extension FaceSession {
    /// A camera of this machine, in a list to choose from.
    public struct Camera: Hashable, Sendable {
        /// The camera's product name.
        public var name: String
        /// The camera's name in settings and for `Source.init(_:pace:)`: `/dev/video0`, `libcamera:…`, `pipewire:…`.
        public var address: String
        /// The camera's formats and controls as V4L2 lists them; nil for a camera that libcamera or PipeWire offers.
        public var details: CameraInventory.Camera?
        /// The camera as the source of a session.
        public var source: Source { Source(address) }
    }

    /// Lists the cameras of this machine, including those in use, without blocking the task's thread. First come V4L2's
    /// cameras, then those that libcamera and PipeWire offer if GStreamer is installed. A camera may be in both parts.
    /// `CameraInventory` says why other video nodes are not cameras.
    /// - Throws: `FaceSessionError.thread` if the system has no thread left.
    public static func cameras() async throws(FaceSessionError) -> [Camera] {
        try await onThread(named: "cameras", orThrow: FaceSessionError.thread) { () throws(FaceSessionError) in
            CameraInventory.list().cameras.map { Camera(name: $0.card, address: $0.node, details: $0) }
                + PipelineDescription.cameras().map { Camera(name: $0.name, address: $0.device) }
        }
    }

    /// Finds the faces in one picture, by analysing it several times like a short clip.
    ///
    /// Values that take time to measure, such as a smile compared with the face at rest, are estimates. Loads the
    /// models, unless a session of this process has loaded them. Blocks for up to some tenths of a second.
    /// - Parameters:
    ///   - frame: The picture; a JPEG is decoded.
    ///   - detection: The options for finding faces.
    /// - Returns: The faces, with identities from 1.
    /// - Throws: `FaceSessionError` if the models cannot be used or the picture cannot be decoded.
    public static func faces(
        in frame: Frame,
        detection: FaceAnalyzer.Options = FaceAnalyzer.Options()
    ) throws(FaceSessionError) -> [FaceObject] {
        var options = Options()
        options.detection = detection
        let processor = FrameProcessor(options, firstFaceID: FaceID(rawValue: 1), meter: SessionMeter())
        try processor.load(options)
        var frame = frame
        do {
            let decoder = try JPEGDecoder()
            decoder.maximumPixels = JPEGDecoder.defaultMaximumPixels
            if frame.format == .jpeg { frame = try decoder.decode(frame) }
        } catch {
            throw .source(SourceFailure(reason: .undecodable, description: error.description))
        }
        var faces: [FaceObject] = []
        // A quarter of a second at 30 frames/s: more than twice the time after which a face enters.
        for number in 0..<8 {
            frame.stamp = FrameStamp(frame: number, time: frame.stamp.time, mediaTime: Double(number) / 30)
            try processor.advance(to: frame) { faces = $0.faces }
        }
        return faces
    }

    /// Finds the faces in one picture, without blocking the task's thread.
    /// - Throws: `FaceSessionError` if the models cannot be used or the picture cannot be decoded.
    public static func faces(
        in frame: Frame,
        detection: FaceAnalyzer.Options = FaceAnalyzer.Options()
    ) async throws(FaceSessionError) -> [FaceObject] {
        try await onThread(named: "session", orThrow: FaceSessionError.thread) { () throws(FaceSessionError) in
            try faces(in: frame, detection: detection)
        }
    }

    /// Finds the faces in a picture file, or in the first picture of a clip, without blocking the task's thread.
    /// - Throws: `FaceSessionError` if the models or the file cannot be used.
    public static func faces(
        inPictureAt path: String,
        detection: FaceAnalyzer.Options = FaceAnalyzer.Options()
    ) async throws(FaceSessionError) -> [FaceObject] {
        try await onThread(named: "session", orThrow: FaceSessionError.thread) { () throws(FaceSessionError) in
            let picture: Frame
            do throws(SourceFailure) { picture = try PictureFile.load(path) } catch { throw .source(error) }
            return try faces(in: picture, detection: detection)
        }
    }
}
