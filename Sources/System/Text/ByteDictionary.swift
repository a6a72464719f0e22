/// A dictionary whose keys are compared byte by byte, like MQTT topics. `String` compares by canonical equivalence.
package struct ByteDictionary<Value>: Sequence {
    package typealias Element = (key: String, value: Value)
    private var elements: [[UInt8]: Element] = [:]

    package init() {}

    /// Makes a dictionary. If a key occurs repeatedly, its first value is kept.
    package init(_ elements: some Sequence<Element>) {
        for (key, value) in elements where self[key] == nil { self[key] = value }
    }

    package var count: Int { elements.count }
    package var isEmpty: Bool { elements.isEmpty }
    package var keys: [String] { elements.values.map { $0.key } }
    package var values: [Value] { elements.values.map { $0.value } }

    package subscript(key: String) -> Value? {
        get { elements[Array(key.utf8)]?.value }
        set { elements[Array(key.utf8)] = newValue.map { (key, $0) } }
    }

    package subscript(key: String, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        set { self[key] = newValue }
    }

    package mutating func removeValue(forKey key: String) -> Value? {
        elements.removeValue(forKey: Array(key.utf8))?.value
    }

    package func makeIterator() -> Dictionary<[UInt8], Element>.Values.Iterator { elements.values.makeIterator() }
}

extension ByteDictionary: Sendable where Value: Sendable {}
