import FoundationEssentials

/// Visits the fields of a value.
protocol WireFields {
    associatedtype Failure: Error

    /// Visits a field that is absent when its value is nil.
    mutating func optional<Value>(_ name: String, _ value: inout Value?, _ format: WireFormat<Value>) throws(Failure)

    /// Fails because a field that must be there has no value.
    func missing(_ name: String) throws(Failure)
}

/// A value of the contract: its fields, in their order on the wire.
///
/// The one list serves both ways: a writer puts down what the fields hold, a reader sets them.
protocol WireValue: Sendable {
    mutating func fields<Wire: WireFields>(_ wire: inout Wire) throws(Wire.Failure)
}

extension WireFields {
    /// Visits a field that every message has.
    mutating func field<Value>(_ name: String, _ value: inout Value, _ format: WireFormat<Value>) throws(Failure) {
        var found: Value? = value
        try optional(name, &found, format)
        if let found { value = found } else { try missing(name) }
    }

    /// Visits a field that may be missing, which means `absent`; it is left out unless `isWritten`.
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

    /// Writes a whole message.
    static func payload(reserving capacity: Int = 512, _ value: some WireValue) -> [UInt8] {
        object(reserving: capacity) { json in
            json.field("schema", schemaVersion)
            json.add(value)
        }
    }

    /// Visits the faces in the form that metadata has.
    package mutating func field(_ name: String, _ faces: [FaceObject]) {
        array(name, faces) { json, face in json.add(face) }
    }

    /// Visits the fields that belong to an event.
    package mutating func fields(of kind: FaceEvent.Kind) { add(kind) }

    fileprivate mutating func add(_ value: some WireValue) {
        var value = value
        value.fields(&self)
    }
}

/// Reads a value from JSON; its configuration is a value to start from, which says of which kind it is.
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

/// A field's name, as decoders take it.
struct WireKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

// MARK: - Formats

/// The form of a value on the wire, and the check of values that are read.
struct WireFormat<Value>: Sendable {
    typealias Container = KeyedDecodingContainer<WireKey>
    typealias Write = @Sendable (inout JSONWriter, String, Value) -> Void

    let write: Write
    /// Reads the value; nil if the field is absent or a newer version's. Throws `WireRefusal` or `DecodingError`.
    let read: @Sendable (Container, WireKey) throws -> Value?
}

extension WireFormat {
    /// Makes the format of a value that is read from a plain JSON value.
    private init<Raw: Decodable & SendableMetatype>(
        _ write: @escaping Write,
        from read: @escaping @Sendable (Raw) throws -> Value?
    ) {
        self.init(write: write) { try $0.decodeIfPresent(Raw.self, forKey: $1).flatMap(read) }
    }

    /// Makes the format of a value that has a form of its own in JSON.
    private init<Raw: JSONValue>(
        as raw: @escaping @Sendable (Value) -> Raw,
        from read: @escaping @Sendable (Raw) throws -> Value?
    ) {
        self.init({ json, name, value in json.field(name, raw(value)) }, from: read)
    }
}

/// The reason why a value is refused.
private struct WireRefusal: Error { let reason: String }

extension WireFormat<Double> {
    /// Format of a number with `decimals` places that is refused outside its range; `scale` is what 1 is on the wire.
    static func number(_ range: ClosedRange<Double>, decimals: Int, scale: Double = 1) -> Self {
        Self { json, name, value in
            json.field(name, value * scale, decimals: decimals)
        } from: { (raw: Double) in
            try raw.checked(range) / scale
        }
    }

    static let share = number(0...1, decimals: 2)
    /// The format of places and lengths as shares of the picture, to a tenth of a pixel at 1080p. The contract has
    /// −1…2; the rest is room for what later versions may find.
    static let coordinate = number(-8...8, decimals: 4)
    static let length = number(0...8, decimals: 4)
    /// The format of times, rates and shares without an upper bound in the contract; as seconds more than 30,000 years.
    static func amount(decimals: Int) -> Self { number(0...1e12, decimals: decimals) }
    static let seconds = amount(decimals: 3)
    static func milliseconds(decimals: Int) -> Self { number(0...1e12, decimals: decimals, scale: 1000) }

    /// The format of an angle in (−180, 180], to a tenth of a degree: what would be rounded to −180 is 180.
    static let degrees = Self { json, name, value in
        json.field(name, value <= -179.95 ? 180 : value, decimals: 1)
    } from: { (raw: Double) in
        try raw.checked(-180...180)
    }
}

extension WireFormat<Int> {
    /// The format of a whole number that is refused outside its range.
    static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(as: { $0 }, from: { (raw: Int) in try raw.checked(range) })
    }

    /// Format of counters and frame numbers. Readers of JSON in other languages keep whole numbers exactly up to 2⁵³.
    static let counter = integer(0...1 << 53)
    /// The format of identities, which begin with 1.
    static let identity = integer(1...1 << 53)
    /// The format of the pixels of a picture's side, limited so that a canvas can be made.
    static let pixels = integer(1...MessageLimits.pictureSide)
}

extension WireFormat<Bool> {
    static let flag = Self(as: { $0 }, from: { (raw: Bool) in raw })
    static let onOff = Self(as: { $0 ? "ON" : "OFF" }, from: { $0 == "ON" })
}

extension WireFormat<String> {
    /// The format of a text that is cut to `limit` bytes of UTF-8 when it is read.
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
    /// The format of one word out of fixed ones, to which newer versions may add.
    static var word: Self { Self(as: { $0.rawValue }, from: { (raw: String) in Value(rawValue: raw) }) }
}

extension WireFormat {
    /// The format of a list of words out of fixed ones; those that only a newer version knows are left out.
    static func words<Word: RawRepresentable<String> & Sendable>() -> Self where Value == [Word] {
        Self(as: { $0.map(\.rawValue) }) { (raw: [String]) in
            raw.prefix(MessageLimits.entries).compactMap(Word.init)
        }
    }

    /// The format of a list of objects, no two of which may have the same number, if they have one.
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
    /// The format of counters by name: at most as a daemon has, with names that are cut; equal names are one counter.
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
    /// The format of an object; the reader starts from `blank`.
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

/// The limits of what is read from a message, far above what a daemon sends.
package enum MessageLimits {
    /// The bytes of a name or an identifier in UTF-8.
    package static let nameBytes = 256
    /// The bytes of a sentence in UTF-8.
    package static let textBytes = 1024
    /// The number of faces in one message, and of entries of any other list.
    package static let entries = 100
    /// The pixels of a picture's longer side.
    package static let pictureSide = 8192
}

extension String {
    /// The beginning that fits into `bytes` bytes of UTF-8. Characters do not count: one of them may have any length.
    fileprivate func limited(to bytes: Int) -> String {
        guard let end = utf8.index(startIndex, offsetBy: bytes, limitedBy: endIndex) else { return self }
        // An end within a scalar is rounded down to its beginning.
        return String(unicodeScalars[..<end])
    }
}
