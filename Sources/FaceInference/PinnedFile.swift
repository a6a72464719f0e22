import CCrypto
import Glibc

/// A file that this program was made for, known by its length and its SHA-256.
///
/// LiteRT crashes on a truncated model, and a library is code that runs with all our rights, so neither is opened
/// before it was compared. The digest comes from OpenSSL's libcrypto, which libmosquitto brings into the process
/// anyway; it uses the processor's own SHA instructions.
struct PinnedFile: Hashable, Sendable {
    let name: String
    let size: Int
    /// Lowercase hexadecimal.
    let digest: String

    /// Reads the whole file and returns its bytes if they are the pinned ones.
    func load(from directory: String) throws(InferenceError) -> AlignedMemory {
        let path = directory + "/" + name
        let file = try open(path)
        defer { close(file) }
        let bytes = AlignedMemory(count: size)
        var done = 0
        while done < size {
            let count = read(file, bytes.base + done, size - done)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadableFile(path: path, reason: Self.reason(errno)) }
            guard count > 0 else { throw .wrongSize(path: path, expected: size, actual: done) }
            done += count
        }
        try compare(UnsafeRawBufferPointer(start: bytes.base, count: size), path)
        return bytes
    }

    /// Compares a file that somebody else will open, without taking memory for it.
    func check(in directory: String) throws(InferenceError) {
        let path = directory + "/" + name
        let file = try open(path)
        defer { close(file) }
        guard let bytes = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), bytes != MAP_FAILED else {
            throw .unreadableFile(path: path, reason: Self.reason(errno))
        }
        defer { munmap(bytes, size) }
        try compare(UnsafeRawBufferPointer(start: bytes, count: size), path)
    }

    /// Opens the file if it has the pinned length.
    private func open(_ path: String) throws(InferenceError) -> Int32 {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw errno == ENOENT ? .missingFile(path: path) : .unreadableFile(path: path, reason: Self.reason(errno))
        }
        var status = stat()
        let result = fstat(file, &status)
        guard result == 0, Int(status.st_size) == size else {
            let reason = Self.reason(errno)
            close(file)
            throw result != 0
                ? .unreadableFile(path: path, reason: reason)
                : .wrongSize(path: path, expected: size, actual: Int(status.st_size))
        }
        return file
    }

    private func compare(_ bytes: UnsafeRawBufferPointer, _ path: String) throws(InferenceError) {
        let actual = Self.sha256(bytes)
        guard actual == digest else { throw .wrongDigest(path: path, expected: digest, actual: actual) }
    }

    /// At exit libcrypto would free everything at once, also what it keeps for threads that are just ending: that
    /// corrupts the heap.
    private static let keepsLibraryAtExit = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// The SHA-256 in lowercase hexadecimal; empty if libcrypto fails, which equals no pinned digest.
    static func sha256(_ bytes: UnsafeRawBufferPointer) -> String {
        guard keepsLibraryAtExit else { return "" }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else { return "" }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func reason(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}

extension PinnedFile {
    /// `face_detection_short_range` of the mediapipe 0.10.21 wheel.
    static let shortRangeDetector = PinnedFile(
        name: "face_detection_short_range.tflite",
        size: 229_714,
        digest: "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8"
    )

    /// `face_detection_full_range_sparse` of the mediapipe 0.10.21 wheel.
    static let fullRangeDetector = PinnedFile(
        name: "face_detection_full_range_sparse.tflite",
        size: 676_746,
        digest: "2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1"
    )

    /// `face_landmark_with_attention` of the mediapipe 0.10.21 wheel.
    static let landmarkModel = PinnedFile(
        name: "face_landmark_with_attention.tflite",
        size: 2_495_106,
        digest: "e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4"
    )

    /// LiteRT of the ai-edge-litert 2.3.0 wheel for this kind of processor.
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
