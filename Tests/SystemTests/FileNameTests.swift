import FacetTestSupport
import Foundation
import Testing

@testable import System

@Suite("Names of files")
struct FileNameTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "each sequence of bytes is a name that comes back as it was",
        arguments: [
            Array("plain".utf8), Array("küche".utf8), [0x63, 0x61, 0x66, 0xE9], [0xFF, 0x80, 0xC3],
            [0xE9, 0x2E, 0x6D, 0x70, 0x34],
            [0xF4, 0x8F, 0xBB, 0xA9], [0xED, 0xA0, 0x80],
        ]
    )
    func bytes(_ name: [UInt8]) {
        #expect(String(fileName: name).fileName.dropLast().map { UInt8(bitPattern: $0) } == name)
    }

    @Test("a name that is no UTF-8 is read, written, listed and shown")
    func latin() throws {
        let name = String(fileName: Array("caf".utf8) + [0xE9] + Array(".txt".utf8))
        let path = directory.path + "/" + name
        try Array("drink".utf8).withUnsafeBytes { try PendingFile.write($0, to: path) }
        #expect(try SmallFile.text(at: path) == "drink")
        #expect(names(in: directory.path) == [name])
        #expect(fileExists(path) && !fileExists(directory.path + "/caf\u{FFFD}.txt"))
        #expect(name.withoutSecrets == "caf\\xE9.txt")
    }

    @Test("a name of all the bytes that a file system allows can be written", arguments: ["n", "猫", "\u{1F6AA}"])
    func long(letter: String) throws {
        let name = String(repeating: letter, count: 255 / letter.utf8.count)
        try [UInt8(65)].withUnsafeBytes { try PendingFile.write($0, to: directory.path + "/" + name) }
        #expect(names(in: directory.path) == [name])
    }

    @Test(
        "a file's address is its path, however it is written",
        arguments: [
            ("file:///a/my%20clip%20100%25.mp4", "/a/my clip 100%.mp4"), ("file://localhost/a%20b", "/a b"),
            ("file:/a%20b", "/a b"),
            ("FILE:///a/k%C3%BCche", "/a/küche"), ("file:///x%23y%3Fz", "/x#y?z"), ("file:///a%2520b", "/a%20b"),
            ("file:///100%.mp4", "/100%.mp4"), ("file:///a#b?c", "/a#b?c"),
        ]
    )
    func addresses(address: String, path: String) {
        #expect(address.pathOfFileAddress == path)
        #expect(["-o", address, "--source=\(address)"].withPlainPaths == ["-o", path, "--source=\(path)"])
    }

    @Test(
        "what is no address of a file here stays as it is",
        arguments: ["/a%20b", "file", "file:a", "file://nas/a", "x-file:///a"]
    )
    func others(text: String) {
        #expect(text.pathOfFileAddress == nil && [text].withPlainPaths == [text])
    }

    @Test("an address may name bytes that are no UTF-8")
    func bytesOfAddress() {
        #expect(
            "file:///caf%E9".pathOfFileAddress?.fileName.map { UInt8(bitPattern: $0) } == Array("/caf".utf8) + [
                0xE9, 0,
            ]
        )
    }

    @Test(
        "a text takes as many cells as a terminal draws",
        arguments: [
            ("door", 4), ("玄関カメラ", 10), ("Ku\u{308}che", 5), ("Küche", 5), ("\u{645}\u{6CC}\u{200C}\u{62E}", 3),
            ("…–│", 3),
            ("\u{1F6AA}\u{1F3FD}\u{200D}\u{2640}\u{FE0F}廊下", 7), ("", 0),
        ]
    )
    func cells(text: String, cells: Int) {
        #expect(text.cells == cells)
        #expect(text.prefix(cells: cells) == text && text.prefix(cells: cells / 2).cells <= cells / 2)
    }

    @Test("texts that look alike are different keys")
    func keys() {
        var values = ByteDictionary([(key: "Küche", value: 1), (key: "Ku\u{308}che", value: 2)])
        #expect(values.count == 2 && values["Küche"] == 1 && values["Ku\u{308}che"] == 2)
        values["Küche"] = nil
        #expect(values.keys == ["Ku\u{308}che"])
    }
}
