import FoundationEssentials

/// A writer or reader of messages, which writes or reads the fields of a value one after the other.
protocol WireFields {
    associatedtype Failure: Error

    /// Writes or reads a field that is absent when its value is nil.
    mutating func optional<Value>(_ name: String, _ value: inout Value?, _ format: WireFormat<Value>) throws(Failure)

    /// Throws an error in a reader, because a required field has no value. Does nothing in a writer.
    func missing(_ name: String) throws(Failure)
}

/// A value in messages. Its list of fields, in the order in which they are sent, serves both writers and readers.
protocol WireValue: Sendable {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure)
}

extension WireFields {
    /// Writes or reads a required field.
    mutating func field<Value>(_ name: String, _ value: inout Value, _ format: WireFormat<Value>) throws(Failure) {
        var found: Value? = value
        try optional(name, &found, format)
        if let found { value = found } else { try missing(name) }
    }

    /// Writes or reads an optional field. If it is missing, `absent` is read. It is written only if `isWritten`.
    mutating func field<Value>(
        _ name: String,
        _ value: inout Value,
        _ format: WireFormat<Value>,
        or absent: Value,
        isWritten: Bool = true
    ) throws(Failure) {
        var found = isWritten ? value : nil
        try optional(name, &found, format)
        value = found ?? absent
    }
}

extension JSONWriter: WireFields {
    mutating func optional<Value>(_ name: String, _ value: inout Value?, _ format: WireFormat<Value>) {
        if let value { format.write(&self, name, value) }
    }

    func missing(_ name: String) {}

    /// Returns the JSON payload of a message, which begins with the version of the message format.
    static func payload(reserving capacity: Int = 512, _ value: some WireValue) -> [UInt8] {
        object(reserving: capacity) { json in
            json.field("schema", schemaVersion)
            json.add(value)
        }
    }

    /// Writes a list of faces in the same form as in metadata.
    package mutating func field(_ name: String, _ faces: [FaceObject]) {
        array(name, faces) { json, face in json.add(face) }
    }

    /// Writes the fields that only this kind of event has.
    package mutating func fields(of kind: FaceEvent.Kind) { add(kind) }

    fileprivate mutating func add(_ value: some WireValue) {
        var value = value
        value.fields(&self)
    }
}

/// Reads a value from JSON. It starts with the value `blank`, given as decoding configuration, and sets its fields.
struct JSONReader<Value: WireValue>: DecodableWithConfiguration, WireFields {
    private(set) var value: Value
    private let container: KeyedDecodingContainer<WireKey>

    init(from decoder: any Decoder, configuration blank: Value) throws {
        container = try decoder.container(keyedBy: WireKey.self)
        value = blank
        var value = blank
        try value.fields(&self)
        self.value = value
    }

    mutating func optional<Field>(_ name: String, _ value: inout Field?, _ format: WireFormat<Field>) throws {
        let key = WireKey(name)
        do {
            value = try format.read(container, key)
        } catch let refusal as WireRefusal {
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: refusal.reason)
        }
    }

    func missing(_ name: String) throws {
        let key = WireKey(name)
        let reason = "a value that this program does not know"
        let context = DecodingError.Context(codingPath: [key], debugDescription: reason)
        if container.contains(key) { throw DecodingError.dataCorrupted(context) }
        throw DecodingError.keyNotFound(key, context)
    }
}

struct WireKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

// MARK: - Formats

/// The conversion of a value to JSON and back, with a check of the values that are read.
struct WireFormat<Value>: Sendable {
    typealias Container = KeyedDecodingContainer<WireKey>
    typealias Write = @Sendable (inout JSONWriter, String, Value) -> Void

    let write: Write
    /// Reads a field; nil if it is absent or its value is unknown. Throws `WireRefusal` or `DecodingError`.
    let read: @Sendable (Container, WireKey) throws -> Value?
}

extension WireFormat {
    /// Makes a format from a function that writes a field, and one that converts a JSON value that was read.
    private init<Raw: Decodable & SendableMetatype>(
        _ write: @escaping Write,
        from read: @escaping @Sendable (Raw) throws -> Value?
    ) {
        self.init(write: write) { try $0.decodeIfPresent(Raw.self, forKey: $1).flatMap(read) }
    }

    /// Makes a format from a function that converts a value to a JSON value, and one that converts it back.
    private init<Raw: JSONValue>(
        as raw: @escaping @Sendable (Value) -> Raw,
        from read: @escaping @Sendable (Raw) throws -> Value?
    ) {
        self.init({ json, name, value in json.field(name, raw(value)) }, from: read)
    }
}

private struct WireRefusal: Error { let reason: String }

extension WireFormat<Double> {
    /// The format of a number with `decimals` places. JSON contains the value times `scale`, which is in `range`.
    static func number(_ range: ClosedRange<Double>, decimals: Int, scale: Double = 1) -> Self {
        Self { json, name, value in
            json.field(name, value * scale, decimals: decimals)
        } from: { (raw: Double) in
            try raw.checked(range) / scale
        }
    }

    static let share = number(0...1, decimals: 2)
    /// The format of a coordinate as a fraction of the picture's width or height, precise to a tenth of a pixel at
    /// 1080p. The schema's range is −1…2. Readers accept more, in case a later version needs it.
    static let coordinate = number(-8...8, decimals: 4)
    static let length = number(0...8, decimals: 4)
    /// The format of a time, rate or other amount. The limit is never reached: 1e12 seconds are more than 30,000 years.
    static func amount(decimals: Int) -> Self { number(0...1e12, decimals: decimals) }
    static let seconds = amount(decimals: 3)
    static func milliseconds(decimals: Int) -> Self { number(0...1e12, decimals: decimals, scale: 1000) }

    /// The format of an angle in (−180, 180] degrees with one decimal. An angle that rounds to −180 is written as 180.
    static let degrees = Self { json, name, value in
        json.field(name, value <= -179.95 ? 180 : value, decimals: 1)
    } from: { (raw: Double) in
        try raw.checked(-180...180)
    }
}

extension WireFormat<Int> {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(as: { $0 }, from: { (raw: Int) in try raw.checked(range) })
    }

    /// The format of counters and frame numbers. JSON readers in other languages keep whole numbers exact up to 2⁵³.
    static let counter = integer(0...1 << 53)
    static let identity = integer(1...1 << 53)
    /// The format of a picture's width or height in pixels, limited so that a drawing canvas can be made.
    static let pixels = integer(1...MessageLimits.pictureSide)
}

extension WireFormat<Bool> {
    static let flag = Self(as: { $0 }, from: { (raw: Bool) in raw })
    static let onOff = Self(as: { $0 ? "ON" : "OFF" }, from: { $0 == "ON" })
}

extension WireFormat<String> {
    /// The format of a text, which is cut to `limit` bytes of UTF-8 when it is read.
    private static func text(_ limit: Int) -> Self {
        Self(as: { $0 }, from: { (raw: String) in raw.limited(to: limit) })
    }

    static let name = text(MessageLimits.nameBytes)
    static let sentence = text(MessageLimits.textBytes)
}

extension WireFormat<[String]> {
    static let names = Self(as: { $0 }) { (raw: [String]) in
        raw.prefix(MessageLimits.entries).map { $0.limited(to: MessageLimits.nameBytes) }
    }
}

extension WireFormat<Timestamp> {
    static let time = Self(as: { $0.iso8601 }) { (raw: String) in
        if let time = Timestamp(iso8601: raw) { return time }
        throw WireRefusal(reason: "not an ISO 8601 time in UTC")
    }
}

extension WireFormat where Value: RawRepresentable<String> & Sendable {
    /// The format of a word out of a fixed set. A word that only a newer version knows is read as nil.
    static var word: Self { Self(as: { $0.rawValue }, from: { (raw: String) in Value(rawValue: raw) }) }
}

extension WireFormat {
    /// The format of a list of words out of a fixed set. A reader leaves out words that only a newer version knows.
    static func words<Word: RawRepresentable<String> & Sendable>() -> Self where Value == [Word] {
        Self(as: { $0.map(\.rawValue) }) { (raw: [String]) in
            raw.prefix(MessageLimits.entries).compactMap(Word.init)
        }
    }

    /// The format of a list of objects. If `number` is given, reading fails when two objects have the same number.
    static func list<Element: WireValue>(
        of blank: Element,
        numberedBy number: (@Sendable (Element) -> Int)? = nil
    ) -> Self where Value == [Element] {
        Self { json, name, value in
            json.array(name, value) { $0.add($1) }
        } read: { container, key in
            let list = try container.decodeIfPresent([JSONReader<Element>].self, forKey: key, configuration: blank)
            let values = list?.prefix(MessageLimits.entries).map(\.value)
            if let values, let number, Set(values.map(number)).count < values.count {
                throw WireRefusal(reason: "one number twice")
            }
            return values
        }
    }
}

extension WireFormat<[String: Int]> {
    /// The format of named counters. A reader keeps at most `MessageLimits.entries` of them, and cuts long names.
    static let counters = Self { json, name, value in
        json.object(name) { json in
            for (reason, count) in value.sorted(by: { $0.key < $1.key }) { json.field(reason, count) }
        }
    } from: { (raw: [String: Int]) in
        let kept = raw.sorted { $0.key < $1.key }.prefix(MessageLimits.entries)
        let counters = try kept.map { ($0.limited(to: MessageLimits.nameBytes), try $1.checked(0...1 << 53)) }
        return Value(counters) { first, _ in first }
    }
}

extension WireFormat where Value: WireValue {
    /// The format of an object, whose fields replace those of `blank` when it is read.
    static func object(_ blank: Value) -> Self {
        Self { json, name, value in
            json.object(name) { $0.add(value) }
        } read: { container, key in
            try container.decodeIfPresent(JSONReader<Value>.self, forKey: key, configuration: blank)?.value
        }
    }
}

extension Comparable {
    fileprivate func checked(_ range: ClosedRange<Self>) throws(WireRefusal) -> Self {
        if range.contains(self) { return self }
        throw WireRefusal(reason: "\(self) is not in \(range.lowerBound) to \(range.upperBound)")
    }
}

/// The limits to which messages are cut when they are read, far above what a daemon sends.
package enum MessageLimits {
    /// The maximum length of a name or an identifier, in bytes of UTF-8.
    package static let nameBytes = 256
    /// The maximum length of a sentence, in bytes of UTF-8.
    package static let textBytes = 1024
    /// The maximum number of faces in one message, and of entries in any other list.
    package static let entries = 100
    /// The maximum width and height of a picture, in pixels.
    package static let pictureSide = 8192
}

extension String {
    /// Returns the longest prefix of at most `bytes` bytes of UTF-8. A limit in characters would not limit the size.
    fileprivate func limited(to bytes: Int) -> String {
        guard let end = utf8.index(startIndex, offsetBy: bytes, limitedBy: endIndex) else { return self }
        // An end within a scalar is rounded down to the scalar's beginning.
        return String(unicodeScalars[..<end])
    }
}
