import Testing

@testable import FaceInference

@Suite("Custom operators of the landmark model")
struct CustomOperatorTests {
    private func model() throws -> AlignedMemory {
        try PinnedFile.landmarkModel.load(from: ModelDirectory.find())
    }

    private func bytes(_ memory: AlignedMemory) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.base, count: memory.count)
    }

    @Test("the version of each is changed from 2 to 1, and nothing else")
    func patches() throws {
        let original = try model()
        let patched = try model()
        CustomOperator.patchVersions(in: patched)
        let changed = zip(bytes(original), bytes(patched)).filter { $0 != $1 }
        #expect(changed.count == 3)
        #expect(changed.allSatisfy { $0 == (2, 1) })
    }
}
