import FacetTestSupport
import Foundation
import Testing

@testable import System

@Suite("System")
struct SystemTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a program is found where shells look, if it can be run")
    func installed() throws {
        let path = try directory.write("#!/bin/sh\n", to: "facet-test-broker")
        #expect(!InstalledProgram.exists("facet-test-broker", path: directory.path))
        #expect(chmod(path, 0o755) == 0)
        #expect(InstalledProgram.exists("facet-test-broker", path: "/nowhere:\(directory.path)"))
        #expect(InstalledProgram.exists("sh"))
    }

    @Test(
        "a name of any kind is one word of a shell's command line",
        arguments: [
            "", "my cam", "x; touch hit", "$(touch hit)", "it's\\", "a'\u{301}; touch hit '", "`touch hit`\n*~",
        ]
    )
    func shellWord(name: String) async throws {
        let text = "cd '\(directory.path)'; printf %s \(name.shellWord) >out"
        #expect(await ShellCommand(text: text, environment: [:]).run() == .exited(0))
        #expect(try SmallFile.bytes(at: directory.file("out")) == Array(name.utf8))
        #expect(access(directory.file("hit"), F_OK) != 0)
        #expect("site1/porch-2/faces".shellWord == "site1/porch-2/faces")
        #expect("-x y".shellValue(of: "--camera") == "--camera='-x y'" && "x".shellValue(of: "-t") == "-t x")
    }

    @Test("a pipe without a writer, a device, a directory and a missing file are errors that say so, at once")
    func refused() throws {
        let pipe = directory.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for (path, reason) in [
            (pipe, "it is a pipe or a device, not a regular file"),
            ("/dev/zero", "it is a pipe or a device, not a regular file"), (directory.path, "it is a directory"),
            ("/nowhere/file", "there is no such file"),
        ] {
            let error = #expect(throws: FileError.self) { try SmallFile.bytes(at: path) }
            #expect(error?.reason == reason)
        }
    }

    @Test(
        "a file of exactly the limit is read whole, one byte more is too large",
        arguments: [0, 1, 4096, 5000, 100_000]
    )
    func limit(size: Int) throws {
        let path = try directory.write(String(repeating: "x", count: size), to: "file")
        #expect(try SmallFile.bytes(at: path, limit: size).count == size)
        guard size > 0 else { return }
        let error = #expect(throws: FileError.self) { try SmallFile.bytes(at: path, limit: size - 1) }
        #expect(error?.reason.hasPrefix("it is larger than") == true)
    }

    @Test("what the kernel makes up has no size and is read all the same; of passwords, the first line counts")
    func lines() throws {
        #expect(try SmallFile.firstLine(of: "/proc/self/comm").isEmpty == false)
        #expect(try SmallFile.firstLine(of: directory.write("secret\r\nmore", to: "one")) == "secret")
        #expect(try SmallFile.firstLine(of: directory.write("", to: "none")) == "")
    }

    @Test(
        "no secret is left of what is shown",
        arguments: [
            ("cannot open rtsp://me:hunter2@cam/1", "cannot open rtsp://cam/1"),
            ("user-pw = hunter2 end", "user-pw=… end"), ("user-pw=\"hunter2 with blanks\" end", "user-pw=… end"),
            ("PASSWORD='hunter2 x' end", "PASSWORD=… end"), ("token: hunter2", "token=…"),
            ("extra-headers=\"Authorization: Basic hunter2\"", "extra-headers=…"),
            ("sent Authorization: Bearer hunter2 x", "sent Authorization=…"),
            ("exec:curl -u me:hunter2 http://cam", "exec:curl"),
            ("gstreamer:rtspsrc location=rtsp://cam user-id=me user-pw = hunter2 ! decodebin", "gstreamer:rtspsrc …"),
            ("gstreamer:videotestsrc", "gstreamer:videotestsrc"),
            ("rtsp://passage:554/token/1", "rtsp://passage:554/token/1"),
        ]
    )
    func secrets(text: String, shown: String) {
        #expect(text.shownSource == shown)
    }

    @Test("a link in the place of the temporary name is not followed, and nothing but the file is left")
    func pendingFile() throws {
        let path = directory.file("picture.png")
        let other = try directory.write("untouched", to: "other")
        // The name that 0.2 used, which anybody could foresee.
        let foreseeable = directory.file(".picture.png.\(getpid()).part")
        #expect(symlink(other, foreseeable) == 0)
        try Array("new".utf8).withUnsafeBytes { try PendingFile.write($0, to: path) }
        #expect(try SmallFile.text(at: path) == "new")
        #expect(try SmallFile.text(at: other) == "untouched")
        unlink(foreseeable)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["other", "picture.png"]
        )
    }

    @Test("what a program that was killed left of a file goes with the next one, and not what another one writes")
    func leftovers() throws {
        let path = directory.file("picture.png")
        let others = [".picture.png.b.1.facet-part", ".picture.png.no number.facet-part"]
        let foreign = ".picture.png.1.part"
        for name in [".picture.png.0abc.facet-part", foreign] + others { _ = try directory.write("left", to: name) }
        // Two programs that write the same file at once: each has its own until it is whole, and the last one stays.
        let first = try PendingFile(path)
        let second = try PendingFile(path)
        func entries() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path) }
        let pending = [first, second].map { URL(filePath: $0.temporaryPath).lastPathComponent }
        #expect(try Set(entries()) == Set(others + pending + [foreign]))
        try second.commit()
        try first.commit()
        #expect(try Set(entries()) == Set(others + [foreign, "picture.png"]))
    }

    @Test("a thread takes no signals but those of a crash")
    func signals() throws {
        let blocked = Monitor<(Bool, Bool)?>(nil)
        let thread = try JoinableThread(named: "test") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let found = (sigismember(&mask, SIGPIPE) == 1, sigismember(&mask, SIGSEGV) == 1)
            blocked.update { $0 = found }
        }
        let found = blocked.wait { $0 }
        thread.join()
        #expect(found == (true, false))
    }

    @Test("a monitor's wait ends with its time or with an update, whichever is first")
    func monitor() throws {
        let monitor = Monitor(false)
        #expect(monitor.wait(for: .milliseconds(1)) { $0 ? true : nil } == nil)
        #expect(monitor.wait(for: .seconds(-1)) { $0 ? true : nil } == nil)
        let thread = try JoinableThread(named: "test") { monitor.update { $0 = true } }
        #expect(monitor.wait(for: .seconds(Int64.max)) { $0 ? true : nil } == true)
        thread.join()
    }

    @Test("a waker is heard before and during the wait, and once")
    func waker() throws {
        let waker = try Waker()
        var isReadable: Bool {
            var state = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&state, 1, 0) == 1
        }
        waker.wake()
        waker.wake()
        #expect(isReadable)
        _ = waker.wait([], nanoseconds: .max)
        #expect(!isReadable)
        let thread = try JoinableThread(named: "test") { waker.wake() }
        _ = waker.wait([], nanoseconds: .max)
        thread.join()
        #expect(!isReadable)
    }
}

@Suite("Backoff")
struct BackoffTests {
    @Test("doubles from the shortest wait to the longest, and begins anew after a success")
    func growth() {
        var backoff = Backoff(0.25...1)
        #expect((0..<70).map { _ in backoff.next() } == [0.25, 0.5] + Array(repeating: 1, count: 68))
        backoff.reset()
        #expect(backoff.next() == 0.25)
    }

    @Test("a factor moves a wait, but not out of the limits")
    func factor() {
        var backoff = Backoff(0.5...30)
        let waits = (0..<40).map { backoff.next(times: $0.isMultiple(of: 2) ? 0.75 : 1.25) }
        #expect(waits.prefix(4) == [0.5, 1.25, 1.5, 5])
        #expect(waits.dropFirst(10).allSatisfy { $0 == 22.5 || $0 == 30 })
    }
}
