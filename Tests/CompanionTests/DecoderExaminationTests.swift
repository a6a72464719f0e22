import FacetTestSupport
import Foundation
import Testing

@testable import Companion

@Suite("Decoders in facet doctor")
struct DecoderExaminationTests {
    let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    @Test("says that the processor decodes where there is nothing else")
    func none() throws {
        let findings = DecoderExamination(directory: scratch.file("none")).findings()
        #expect(findings.count == 1 && findings[0].verdict == .works && findings[0].remedy == nil)
        #expect(findings[0].detail.hasPrefix("the processor decodes network cameras: no graphics card under "))
    }

    @Test("says why a device cannot be opened, and what to install")
    func broken() throws {
        let dri = scratch.file("dev/dri")
        try FileManager.default.createDirectory(atPath: dri, withIntermediateDirectories: true)
        _ = try scratch.write("", to: "dev/dri/renderD128")
        _ = try scratch.write("", to: "dev/dri/card0")
        try FileManager.default.createSymbolicLink(atPath: "\(dri)/renderD129", withDestinationPath: "gone")
        let findings = DecoderExamination(directory: scratch.file("dev")).findings()
        #expect(findings.count == 2 && findings.allSatisfy { $0.verdict == .remark && $0.subject == "decoder" })
        #expect(findings[0].detail.hasPrefix("VA-API on \(dri)/renderD128: "))
        #expect(findings[0].remedy?.contains("VA-API driver") == true)
        #expect(findings[1].detail == "VA-API on \(dri)/renderD129: No such file or directory")
        #expect(findings[1].remedy?.contains("usermod -aG render") == true)
    }
}
