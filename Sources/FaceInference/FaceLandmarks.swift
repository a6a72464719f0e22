/// One landmark: pixels of the upright picture, pixel centres at integers; z is in the same unit, smaller is nearer,
/// relative to the head's centre.
public struct FaceLandmark: Hashable, Sendable {
    /// Pixels from the left.
    public var x: Float

    /// Pixels from the top.
    public var y: Float

    /// Depth.
    public var z: Float

    /// Makes a landmark from its coordinates.
    public init(x: Float, y: Float, z: Float) {
        self.x = x
        self.y = y
        self.z = z
    }
}

/// The 478 points of one face; indices as in the MediaPipe face mesh.
///
/// Its memory belongs to the analyzer and holds the newest frame's points; copy what is to be kept.
package final class FaceLandmarks {
    /// How many points there are: 468 of the mesh, then five for each iris.
    package static let count = FaceMeshIndices.count

    /// Three numbers a point.
    let numbers: UnsafeMutableBufferPointer<Float>

    init() {
        numbers = .allocate(capacity: 3 * Self.count)
        numbers.initialize(repeating: 0)
    }

    deinit { numbers.deallocate() }

    /// The point with an index in 0..<478.
    package subscript(index: Int) -> FaceLandmark {
        precondition(0..<Self.count ~= index, "a face has 478 landmarks")
        let base = 3 * index
        return FaceLandmark(x: numbers[base], y: numbers[base + 1], z: numbers[base + 2])
    }

    /// Takes over the points of another face.
    func copy(_ other: FaceLandmarks) {
        for index in numbers.indices { numbers[index] = other.numbers[index] }
    }

    /// A copy of all points.
    package var all: [FaceLandmark] { (0..<Self.count).map { self[$0] } }
}
