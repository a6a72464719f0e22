/// Where the messages for pages are put together.
enum ServedMessage {
    /// A JSON header, an SVG document and a JPEG after their lengths, each as four bytes, the highest first; any may be empty.
    static func encode(_ json: [UInt8], svg: [UInt8] = [], jpeg: [UInt8] = []) -> [UInt8] {
        let parts = [json, svg, jpeg]
        let lengths = parts.flatMap { part in withUnsafeBytes(of: UInt32(part.count).bigEndian) { Array($0) } }
        return parts.reduce(into: lengths) { $0 += $1 }
    }
}
