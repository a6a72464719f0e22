import Foundation
import System
import Testing

@testable import FaceInference

@Suite("Checks before models and library are opened")
final class PinnedFileTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "facet-\(UUID().uuidString)")
    private let installed: URL

    init() throws {
        installed = URL(filePath: try ModelDirectory.find())
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: installed.path) {
            try FileManager.default.createSymbolicLink(
                at: directory.appending(path: name),
                withDestinationURL: installed.appending(path: name)
            )
        }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private static let files = [
        "libLiteRt.so", "yunet.tflite", "face_landmark_with_attention.tflite",
    ]

    /// Replaces one of the files by a changed copy, nil to remove it, and gives the error of opening.
    private func error(changing name: String, _ change: (Data) -> Data?) throws -> InferenceError {
        let file = directory.appending(path: name)
        let data = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        if let changed = change(data) { try changed.write(to: file) }
        var options = FaceAnalyzer.Options()
        options.modelDirectory = directory.path
        return try #require(throws: InferenceError.self) { try FaceAnalyzer(options) }
    }

    @Test("a missing file is named, with the remedy", arguments: files)
    func missing(name: String) throws {
        let error = try error(changing: name) { _ in nil }
        #expect(error == .missingFile(path: directory.path + "/" + name))
        #expect(error.description.contains(name) && error.description.contains("deploy/setup"))
    }

    @Test("a cut-off file is refused with both sizes", arguments: files)
    func truncated(name: String) throws {
        let error = try error(changing: name) { $0.prefix(100_000) }
        guard case .wrongSize(let path, let expected, 100_000) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(path.hasSuffix(name) && expected > 100_000)
        #expect(error.description.contains("100000") && error.description.contains("deploy/setup"))
    }

    @Test("a file with one other byte is refused with both digests", arguments: files)
    func damaged(name: String) throws {
        let error = try error(changing: name) { data in
            var data = data
            data[data.startIndex + data.count / 2] ^= 1
            return data
        }
        guard case .wrongDigest(let path, let expected, let actual) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(path.hasSuffix(name) && expected.count == 64 && actual.count == 64 && actual != expected)
        #expect(error.description.contains(actual) && error.description.contains("deploy/setup"))
    }

    @Test("a directory in a file's place is an error, not a crash")
    func directoryInstead() throws {
        let file = directory.appending(path: Self.files[2])
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        var options = FaceAnalyzer.Options()
        options.modelDirectory = directory.path
        #expect(throws: InferenceError.self) { try FaceAnalyzer(options) }
    }

    @Test(
        "computes SHA-256 as FIPS 180-4 has it",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ]
    )
    func digest(text: String, digest: String) throws {
        let hash = try #require(SHA256())
        Array(text.utf8).withUnsafeBytes { hash.add($0) }
        #expect(hash.finish() == digest)
    }

    @Test(
        "looks into each directory once, that beside the program first",
        arguments: [
            ("/opt/facet/bin/facetd", ["/opt/facet/lib/facet", "/usr/lib/facet", "/usr/local/lib/facet"]),
            ("/usr/bin/facetd", ["/usr/lib/facet", "/usr/local/lib/facet"]),
            ("/usr/local/bin/facetd", ["/usr/local/lib/facet", "/usr/lib/facet"]),
        ]
    )
    func directories(program: String, directories: [String]) {
        #expect(ModelDirectory.directories(for: program) == directories)
    }
}
