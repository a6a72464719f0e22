// Frames over memory of the program that uses Facet.

extension Frame {
    /// Makes a frame over memory of the calling program, without copying it.
    /// - Parameters:
    ///   - planes: For each plane, its memory from the lowest address on, and the number of bytes from a row to the row
    ///     below, negative if the bottom row comes first. A JPEG has one plane, whose bytes per row are ignored.
    ///   - lease: An object that is released with the frame's last copy. Until then, the memory must not be written to.
    ///   - size: The size as stored, before `orientation` is applied.
    ///   - format: The layout of the pixels in memory.
    ///   - encoding: The colour matrix and range of YUV samples.
    ///   - orientation: The turn that makes the picture upright.
    ///   - stamp: The frame's number, its wall-clock time, and the seconds since the first frame, which must increase.
    /// - Throws: `FrameError` if the planes do not fit the format and the size.
    public init(
        planes: [(bytes: UnsafeRawBufferPointer, bytesPerRow: Int)],
        keptBy lease: any AnyObject & Sendable,
        size: FrameSize,
        format: PixelFormat,
        encoding: YUVEncoding = .video,
        orientation: Orientation = .up,
        stamp: FrameStamp
    ) throws(FrameError) {
        let needed = try format.rows(in: size)
        guard planes.count == needed.count else {
            throw .wrongPlanes(format, expected: needed.count, given: planes.count)
        }
        guard 0...FrameStamp.longestMediaTime ~= stamp.mediaTime else { throw .unusableTime }
        var made: [Plane] = []
        for (index, (plane, needed)) in zip(planes, needed).enumerated() {
            // For a JPEG, `bytesPerRow` is its length.
            let bytesPerRow = format == .jpeg ? plane.bytes.count : plane.bytesPerRow
            let isPossible = format == .jpeg || Int32(exactly: bytesPerRow).map { $0 > .min } ?? false
            guard isPossible, bytesPerRow.magnitude >= needed.bytes else {
                throw .overlappingRows(plane: index, bytesPerRow: bytesPerRow, needed: needed.bytes)
            }
            let above = Int(bytesPerRow.magnitude) * (needed.count - 1)
            guard above <= plane.bytes.count - needed.bytes, let lowest = plane.bytes.baseAddress else {
                throw .tooShort(plane: index, bytes: plane.bytes.count, needed: above + needed.bytes)
            }
            made.append(Plane(base: bytesPerRow < 0 ? lowest + above : lowest, bytesPerRow: bytesPerRow))
        }
        if made.count == 3, made[1].bytesPerRow != made[2].bytesPerRow {
            throw .differentChromaRows(u: made[1].bytesPerRow, v: made[2].bytesPerRow)
        }
        self.init(stamp: stamp, size: size, format: format, encoding: encoding, planes: Planes(made), lease: lease)
        self.orientation = orientation
    }

    /// Makes a frame with a copy of bytes in which planes and rows follow each other without gaps.
    /// - Throws: `FrameError` if the bytes do not fit the format and the size.
    public init(
        copying bytes: [UInt8],
        size: FrameSize,
        format: PixelFormat,
        encoding: YUVEncoding = .video,
        orientation: Orientation = .up,
        stamp: FrameStamp
    ) throws(FrameError) {
        let memory = PixelMemory(byteCount: bytes.count)
        let copy = UnsafeMutableRawBufferPointer(start: memory.base, count: bytes.count)
        copy.copyBytes(from: bytes)
        var planes: [(bytes: UnsafeRawBufferPointer, bytesPerRow: Int)] = []
        var rest = copy[...]
        for rows in try format.rows(in: size) {
            let plane = format == .jpeg ? rest : rest.prefix(rows.bytes * rows.count)
            planes.append((UnsafeRawBufferPointer(rebasing: plane), rows.bytes))
            rest = rest.dropFirst(plane.count)
        }
        try self.init(planes: planes, keptBy: memory, size: size, format: format, encoding: encoding, stamp: stamp)
        self.orientation = orientation
    }

    /// Makes a frame of a JPEG, whose size is read from its header.
    /// - Throws: `FrameError.undecodable` if the bytes do not begin with a JPEG header.
    public init(jpeg bytes: [UInt8], orientation: Orientation = .up, stamp: FrameStamp) throws(FrameError) {
        let size = try Self.decoding { () throws(JPEGError) in
            try bytes.span.withUnsafeBytes { bytes throws(JPEGError) in try JPEGDecoder().size(of: bytes) }
        }
        try self.init(copying: bytes, size: size, format: .jpeg, orientation: orientation, stamp: stamp)
    }

    /// The number of planes of the frame.
    public var planeCount: Int { planes.all.count }

    /// Calls `body` with the stored bytes of a plane.
    /// - Parameters:
    ///   - index: The plane's index, in 0..<`planeCount`.
    ///   - body: Gets the plane's bytes from the lowest address on, and the bytes from a row to the row below, negative
    ///     if the bottom row comes first. For a JPEG, it gets all bytes and their number.
    /// - Returns: What `body` returns; nil if there is no such plane.
    /// - Throws: What `body` throws.
    public func withPlane<Result, Failure: Error>(
        _ index: Int,
        _ body: (RawSpan, _ bytesPerRow: Int) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let all = planes.all
        guard all.indices.contains(index), let rows = try? format.rows(in: size)[index] else { return nil }
        let plane = all[index]
        defer { withExtendedLifetime(lease) {} }
        if format == .jpeg {
            let length = plane.bytesPerRow
            return try body(UnsafeRawBufferPointer(start: plane.base, count: length).bytes, length)
        }
        let above = (rows.count - 1) * Int(plane.bytesPerRow.magnitude)
        let lowest = plane.bytesPerRow < 0 ? plane.base - above : plane.base
        return try body(UnsafeRawBufferPointer(start: lowest, count: above + rows.bytes).bytes, plane.bytesPerRow)
    }

    /// Returns the upright picture as bytes of red, green and blue, row after row from the top left, without gaps.
    /// - Parameter maximumWidth: The width in pixels to which a wider picture is scaled down; nil for no limit.
    /// - Returns: The bytes, and the size of the picture in pixels.
    /// - Throws: `FrameError` if the frame is a damaged JPEG.
    public func rgb(maximumWidth: Int? = nil) throws(FrameError) -> (bytes: [UInt8], size: FrameSize) {
        let frame = try Self.decoding { () throws(JPEGError) in
            format == .jpeg ? try JPEGDecoder().decode(self) : self
        }
        let target = frame.uprightSize.limited(toWidth: maximumWidth)
        var pool = PixelMemoryPool()
        guard let drawn = frame.drawnUpright(of: target, in: &pool) else {
            throw .wrongPlanes(format, expected: 0, given: planeCount)
        }
        defer { withExtendedLifetime(drawn) {} }
        let count = 3 * target.width * target.height
        return ([UInt8](UnsafeRawBufferPointer(start: drawn.planes.first.base, count: count)), target)
    }

    /// Returns the upright picture as a JPEG, to be saved or sent.
    /// - Parameters:
    ///   - quality: The JPEG quality, 1 to 100. Other values are clamped.
    ///   - maximumWidth: The width, in pixels, to which a wider picture is scaled down; values below 16 count as 16.
    /// - Returns: The bytes of the JPEG file.
    /// - Throws: `FrameError` if the frame is a damaged JPEG, or larger than a JPEG can be.
    public func jpeg(quality: Int = 90, maximumWidth: Int? = nil) throws(FrameError) -> [UInt8] {
        let quality = min(max(quality, 1), 100)
        let width = maximumWidth.map { max($0, 16) }
        return try Self.decoding { () throws(JPEGError) in
            try JPEGEncoder(quality: quality, maximumWidth: width, halvesChroma: false).encode(self)
        }
    }

    private static func decoding<Value>(_ body: () throws(JPEGError) -> Value) throws(FrameError) -> Value {
        try failing(as: { FrameError.undecodable($0.description) }, body)
    }
}

extension PixelFormat {
    /// Returns the minimum bytes per row and the number of rows of each plane. Both are 1 for a JPEG of any length.
    package func rows(in size: FrameSize) throws(FrameError) -> [(bytes: Int, count: Int)] {
        let (width, height) = (size.width, size.height)
        guard 1...32_767 ~= width, 1...32_767 ~= height else { throw .unusableSize(size) }
        switch self {
        case .gray: return [(width, height)]
        case .planarYUV(let shiftX, let shiftY):
            guard 0...4 ~= shiftX, 0...4 ~= shiftY else { throw .unusableFormat(self) }
            let chroma = (bytes: (width - 1) >> shiftX + 1, count: (height - 1) >> shiftY + 1)
            return [(width, height), chroma, chroma]
        case .nv12: return [(width, height), ((width + 1) / 2 * 2, (height + 1) / 2)]
        case .yuyv: return [((width + 1) / 2 * 4, height)]
        case .packedRGB(let bytesPerPixel, let red, let green, let blue):
            guard 3...16 ~= bytesPerPixel, [red, green, blue].allSatisfy({ 0..<bytesPerPixel ~= $0 }) else {
                throw .unusableFormat(self)
            }
            return [(width * bytesPerPixel, height)]
        case .jpeg: return [(1, 1)]
        }
    }
}
