import Foundation
import System
import Testing

@testable import FaceInference

@Suite("The end of a process that has checked files", .serialized)
struct PinnedFileExitTests {
    @Test("leaves libcrypto to the threads that still use it")
    func libcryptoAtExit() async {
        await #expect(processExitsWith: .success) {
            // Called after what libcrypto would have registered later: by then it would have freed everything.
            atexit { _exit(PinnedFileExitTests.isDigestRight ? EXIT_SUCCESS : EXIT_FAILURE) }
            exit(PinnedFileExitTests.isDigestRight ? EXIT_FAILURE : 2)
        }
    }

    /// Whether libcrypto computes the digest of nothing, as FIPS 180-4 has it.
    private static var isDigestRight: Bool {
        SHA256()?.finish()
            == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    }
}
