/// Sets the version of a model's custom operators to 1, in memory.
///
/// LiteRT 2.3.0 registers custom operators as version 1 whatever version they are registered with, while the landmark
/// model asks for version 2 of its three; without the patch it cannot be compiled.
///
/// The model is a flatbuffer (little-endian): a table begins with the distance back to its vtable, the vtable holds its
/// own size, the table's size and then, per field, the field's offset in the table or 0 if it is absent. Strings, vectors
/// and tables are reached by an unsigned distance stored where they are referred to.
struct OperatorVersionPatch {
    private let bytes: UnsafeMutableRawBufferPointer

    private struct OutOfBounds: Error {}

    /// Patches the operators with these names.
    ///
    /// - Returns: How many there are; nil if the bytes are no well-formed model.
    static func apply(to bytes: UnsafeMutableRawBufferPointer, operators: Set<String>) -> Int? {
        try? OperatorVersionPatch(bytes: bytes).patch(operators)
    }

    // Field numbers of the TFLite schema: Model.operator_codes, OperatorCode.custom_code, OperatorCode.version.
    private static let operatorCodes = 1
    private static let customCode = 1
    private static let version = 2

    private func patch(_ names: Set<String>) throws(OutOfBounds) -> Int {
        let model = try follow(0)
        guard let codes = try field(Self.operatorCodes, of: model) else { return 0 }
        let vector = try follow(codes)
        var patched = 0
        for index in 0..<Int(try number(at: vector, as: UInt32.self)) {
            let code = try follow(vector + 4 + 4 * index)
            guard let name = try field(Self.customCode, of: code), names.contains(try string(at: try follow(name))),
                let version = try field(Self.version, of: code)
            else { continue }
            try check(version, 4)
            bytes.storeBytes(of: Int32(1).littleEndian, toByteOffset: version, as: Int32.self)
            patched += 1
        }
        return patched
    }

    private func check(_ offset: Int, _ size: Int) throws(OutOfBounds) {
        guard offset >= 0, size >= 0, offset <= bytes.count - size else { throw OutOfBounds() }
    }

    private func number<Number: FixedWidthInteger>(at offset: Int, as: Number.Type) throws(OutOfBounds) -> Number {
        try check(offset, MemoryLayout<Number>.size)
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Where the distance stored at an offset leads.
    private func follow(_ offset: Int) throws(OutOfBounds) -> Int {
        offset + Int(try number(at: offset, as: UInt32.self))
    }

    /// Where a table has a field; nil if it has not.
    private func field(_ index: Int, of table: Int) throws(OutOfBounds) -> Int? {
        let vtable = table - Int(try number(at: table, as: Int32.self))
        let entry = 4 + 2 * index
        guard entry + 2 <= Int(try number(at: vtable, as: UInt16.self)) else { return nil }
        let offset = Int(try number(at: vtable + entry, as: UInt16.self))
        return offset == 0 ? nil : table + offset
    }

    private func string(at offset: Int) throws(OutOfBounds) -> String {
        let count = Int(try number(at: offset, as: UInt32.self))
        try check(offset + 4, count)
        return String(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)..<(offset + 4 + count)]),
            as: UTF8.self
        )
    }
}
