import CZlib
import Foundation

/// Pixels by the kitty graphics protocol, compressed: raw ones are megabytes a picture.
enum KittyPicture {
    /// Bytes of data in one sequence, as the protocol allows.
    private static let chunk = 4096

    /// The sequences that show a picture of that many cells where the cursor is.
    ///
    /// - Parameters:
    ///   - source: rows of B, G, R and a byte that is not used.
    ///   - width: pixels in a row.
    ///   - height: rows.
    ///   - bytesPerRow: bytes from a row to the next.
    ///   - size: the cells to fill.
    /// - Returns: bytes to write to the terminal.
    /// - Throws: `TerminalError.noPicture` if there is no memory.
    static func sequences(
        _ source: UnsafeRawPointer,
        width: Int,
        height: Int,
        bytesPerRow: Int,
        size: TerminalSize
    ) throws(TerminalError) -> [UInt8] {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * width * height)
        for row in 0..<height {
            let line = UnsafeRawBufferPointer(start: source + row * bytesPerRow, count: 4 * width)
            for pixel in stride(from: 0, to: line.count, by: 4) {
                pixels.append(line[pixel + 2])
                pixels.append(line[pixel + 1])
                pixels.append(line[pixel])
            }
        }
        guard let compressed = compressed(pixels) else { throw .noPicture }
        var data = compressed.base64EncodedData()[...]
        var control = "a=T,q=2,f=24,o=z,s=\(width),v=\(height),c=\(size.columns),r=\(size.rows),C=1,"
        var bytes: [UInt8] = []
        repeat {
            let part = data.prefix(chunk)
            data = data.dropFirst(chunk)
            bytes += Array("\u{1B}_G\(control)m=\(data.isEmpty ? 0 : 1);".utf8) + part + Array("\u{1B}\\".utf8)
            control = ""
        } while !data.isEmpty
        return bytes
    }

    private static func compressed(_ pixels: [UInt8]) -> Data? {
        var count = compressBound(uLong(pixels.count))
        var data = Data(count: Int(count))
        let code = data.withUnsafeMutableBytes { buffer in
            compress2(buffer.bindMemory(to: UInt8.self).baseAddress, &count, pixels, uLong(pixels.count), Z_BEST_SPEED)
        }
        return code == Z_OK ? data.prefix(Int(count)) : nil
    }
}
