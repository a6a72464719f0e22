import Foundation
import System
import SystemPackage
import Testing

@testable import V4L2Capture

@Suite("The real calls", .serialized)
struct LibV4L2Tests {
    @Test("a mapping made private keeps its address and its bytes, and lets go of the file")
    func makesPrivate() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "facet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let length = 3 * 4096 + 100
        try Data((0..<length).map { UInt8($0 % 251) }).write(to: url)
        func mappings() throws -> Int {
            // Not by path: /proc claims that its files are empty, and then only the first page is read.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
            let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            return maps.split(separator: "\n").filter { $0.hasSuffix(url.path) }.count
        }

        let calls = LibV4L2()
        let descriptor = try calls.open(url.path)
        let base = try calls.map(descriptor, length: length, offset: 0)
        calls.close(descriptor)
        #expect(try mappings() == 1)
        try calls.makePrivate(base, length: length)
        #expect(try mappings() == 0)
        let bytes = UnsafeRawBufferPointer(start: base, count: length)
        #expect(bytes.enumerated().allSatisfy { $0.element == UInt8($0.offset % 251) })
        calls.unmap(base, length: length)
    }

    @Test("waiting ends when the stop signal is raised, from another thread, and stays ended")
    func stops() throws {
        let stop = try Waker()
        let calls = LibV4L2()
        let thread = Thread { stop.wake() }
        thread.start()
        // No camera: poll passes over negative descriptors. Without the signal this would take ten minutes.
        #expect(try calls.wait(-1, stop: stop.descriptor, milliseconds: 600_000) == .stopped)
        #expect(try calls.wait(-1, stop: stop.descriptor, milliseconds: 600_000) == .stopped)
    }

    @Test("waiting for a device that never comes ends with the time")
    func timesOut() throws {
        let stop = try Waker()
        #expect(try LibV4L2().wait(-1, stop: stop.descriptor, milliseconds: 1).isEmpty)
    }

    @Test("failures come back as what the kernel said")
    func reportsErrno() {
        #expect(throws: Errno.noSuchFileOrDirectory) { try LibV4L2().open("/dev/video-none") }
        #expect(LibV4L2().node(at: "/dev/video-none") == nil)
        #expect(LibV4L2().node(at: "/dev/null") == "/dev/null")
        #expect(LibV4L2().index(ofNode: "/dev/null") == nil)
    }

    @Test("libv4l2 is loaded when a camera's pictures must be converted, not before")
    func loadsWhenNeeded() async {
        await #expect(processExitsWith: .success) {
            let isLoaded = {
                let maps = FileHandle(forReadingAtPath: "/proc/self/maps").flatMap { try? $0.readToEnd() } ?? Data()
                return String(decoding: maps, as: UTF8.self).contains("libv4l2.so")
            }
            let calls = LibV4L2()
            let descriptor = try calls.open("/dev/null")
            let before = isLoaded()
            // It is no camera.
            #expect(throws: Errno.self) { try calls.convert(descriptor) }
            calls.close(descriptor)
            exit(!before && isLoaded() ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
