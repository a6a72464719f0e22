import Testing

@testable import FaceInference

@Suite("Patch of operator versions")
struct OperatorVersionPatchTests {
    private func model() throws -> AlignedMemory {
        try PinnedFile.landmarkModel.load(from: ModelDirectory.find())
    }

    private func bytes(_ memory: AlignedMemory, prefix: Int? = nil) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory.base, count: prefix ?? memory.count)
    }

    @Test("changes one byte for each of the three operators, from 2 to 1")
    func patches() throws {
        let (original, patched) = (try model(), try model())
        #expect(OperatorVersionPatch.apply(to: bytes(patched), operators: CustomOperators.names) == 3)
        let changed = zip(bytes(original), bytes(patched)).filter { $0 != $1 }
        #expect(changed.count == 3)
        #expect(changed.allSatisfy { $0 == (2, 1) })
    }

    @Test("leaves a model without these operators as it is")
    func untouched() throws {
        let memory = try PinnedFile.shortRangeDetector.load(from: ModelDirectory.find())
        let before = Array(bytes(memory))
        #expect(OperatorVersionPatch.apply(to: bytes(memory), operators: CustomOperators.names) == 0)
        #expect(Array(bytes(memory)) == before)
    }

    @Test("reads nothing beyond the end of a cut-off model")
    func truncated() throws {
        let memory = try model()
        for length in stride(from: 0, to: 2000, by: 7) {
            let cut = bytes(memory, prefix: length)
            let changed = OperatorVersionPatch.apply(to: cut, operators: CustomOperators.names)
            #expect(changed == nil || changed == 0)
        }
    }

    @Test("survives bytes that are no model", arguments: [0, 0x7f, 0x80, 0xff] as [UInt8])
    func garbage(byte: UInt8) {
        let memory = AlignedMemory(count: 4096)
        memory.base.initializeMemory(as: UInt8.self, repeating: byte, count: 4096)
        let changed = OperatorVersionPatch.apply(to: bytes(memory), operators: CustomOperators.names)
        #expect(changed == nil || changed == 0)
    }
}
