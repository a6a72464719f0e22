import CCairo

/// A PNG to paste onto faces. It has copies, each half as large as the one before: a large one would flicker if shrunk.
package final class PastedPicture {
    /// The maximum size of a PNG file in bytes. `maximumSide` is the maximum width and height in pixels.
    static let maximumBytes = 4 << 20
    static let maximumSide = 2048

    package struct Refusal: Error { package var reason: String }

    package let size: FrameSize
    private var copies: [Surface]

    convenience init(path: String) throws(Refusal) {
        let png = try failing(as: { Refusal(reason: $0.reason) }) { () throws(FileError) in
            try SmallFile.bytes(at: path, limit: Self.maximumBytes)
        }
        try self.init(png: png)
    }

    package init(png: [UInt8]) throws(Refusal) {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard png.starts(with: signature) else { throw Refusal(reason: "it is not a PNG") }
        let damage = Refusal(reason: "it is a damaged PNG")
        guard png.count >= 33, png[12..<16].elementsEqual("IHDR".utf8) else { throw damage }
        func number(_ range: Range<Int>) -> Int { png[range].reduce(0) { $0 << 8 | Int($1) } }
        // The size is checked before the decoder allocates memory: a few bytes can mean gigabytes of pixels.
        size = FrameSize(width: number(16..<20), height: number(20..<24))
        guard size.width <= Self.maximumSide, size.height <= Self.maximumSide else {
            throw Refusal(reason: "it is \(size); \(Self.maximumSide) pixels a side are allowed")
        }
        guard size.width > 0, size.height > 0, let decoded = Self.decode(png, size) else { throw damage }
        var last = try Self.copy(of: decoded, size, scale: 1)
        copies = [last]
        while max(last.size.width, last.size.height) >= 64 {
            let half = FrameSize(width: (last.size.width + 1) / 2, height: (last.size.height + 1) / 2)
            last = try Self.copy(of: last, half, scale: 0.5)
            copies.append(last)
        }
    }

    /// Returns the smallest copy that is at least `width` pixels wide; the largest copy if all are narrower.
    func copy(width: Double) -> Surface { copies.last { Double($0.size.width) >= width } ?? copies[0] }

    private static func decode(_ png: [UInt8], _ size: FrameSize) -> Surface? {
        var rest = png[...]
        let surface: OpaquePointer = withUnsafeMutablePointer(to: &rest) { rest in
            cairo_image_surface_create_from_png_stream(
                { rest, target, count in
                    guard let rest = rest?.assumingMemoryBound(to: ArraySlice<UInt8>.self), let target,
                        rest.pointee.count >= count
                    else { return CAIRO_STATUS_READ_ERROR }
                    let bytes = rest.pointee.prefix(Int(count))
                    UnsafeMutableRawBufferPointer(start: target, count: bytes.count).copyBytes(from: bytes)
                    rest.pointee.removeFirst(Int(count))
                    return CAIRO_STATUS_SUCCESS
                },
                rest
            )
        }
        return try? Surface(owning: surface, size)
    }

    /// Copies a picture in another size, always with an alpha channel.
    private static func copy(of source: Surface, _ size: FrameSize, scale: Double) throws(Refusal) -> Surface {
        let part = SurfaceRect(origin: .zero, size: size.points / scale)
        guard let copy = try? source.resampled(from: part, size, CAIRO_FILTER_BILINEAR, CAIRO_FORMAT_ARGB32) else {
            throw Refusal(reason: "there is no memory for it")
        }
        return copy
    }
}
