import Companion
import FaceTracking
import Foundation
import Testing

@testable import HTTPServing
@testable import LivePage

@Suite("What counts as a smile, found on the page")
struct CalibrationPageTests {
    /// What a page sees of a person, 20 times a second: no face for a second, then a level for each step.
    private func samples(_ level: (SmileCalibration.Part) -> Double) -> [[Double]] {
        var samples = stride(from: 0, to: 1, by: 0.05).map { [$0, 0] }
        for step in SmileCalibration.steps {
            let start = Double(samples.count) / 20
            samples += stride(from: 0, to: step.seconds, by: 0.05).map { [start + $0, 1, level(step.part), 0.1] }
        }
        return samples + [[Double(samples.count) / 20, 1, 0, 0]]
    }

    private func answer(_ samples: [[Double]]) throws -> (status: Int, words: String) {
        let response = CalibrationPage.answer(Array(try JSONEncoder().encode(samples)))
        guard case .bytes(let bytes) = response.body else { return (response.status, "") }
        return (response.status, String(decoding: bytes, as: UTF8.self))
    }

    private func smilesWeakly(_ part: SmileCalibration.Part) -> Double { if case .smile = part { 0.5 } else { 0.1 } }

    @Test("finds the settings of a person who smiles weakly once all was asked, and until then says nothing")
    func settings() throws {
        let all = samples(smilesWeakly)
        let (status, words) = try answer(all)
        #expect(status == 200)
        struct Found: Decodable { var words, settings: String }
        let found = try JSONDecoder().decode(Found.self, from: Data(words.utf8))
        #expect(found.words.hasPrefix("this reports 3 of your 3 smiles, and 0 smiles"))
        #expect(found.settings == "smile:\n  level: 0.4\n  hold: 0ms\n")
        for count in [0, 1, 30, all.count / 2, all.count - 1] {
            #expect(try answer(Array(all.prefix(count))) == (204, ""), "\(count) samples")
        }
    }

    @Test("says what was wrong as soon as it is known")
    func wrongUse() throws {
        let two = try answer(samples(smilesWeakly).prefix(60) + (0..<60).map { [3 + Double($0) / 20, 2] })
        #expect(two.status == 200 && two.words.contains("failure") && two.words.contains("alone"))
        let gone = try answer(samples(smilesWeakly).prefix(60) + (0..<60).map { [3 + Double($0) / 20, 0] })
        #expect(gone.status == 200 && gone.words.contains("stay near"))
        let nobody = try answer((0..<500).map { [Double($0) / 20, 0] })
        #expect(
            nobody.status == 200 && nobody.words.contains(":\"no face was seen at the camera: sit before the camera")
        )
        let still = try answer(samples { _ in 0.1 })
        #expect(still.status == 200 && still.words.contains("no smile was seen"))
    }

    @Test(
        "refuses what is no list of samples",
        arguments: [
            "", "{}", "[1]", "[[]]", "[[1]]", "[[0,1,0.5]]", "[[0,2,0.5,0.5]]", "[[0,1,1.5,0]]", "[[-1,0]]",
            "[[1e300,0]]",
            "[[0,1e300]]", "[[0,-1]]", "[[0,1,0.5,0.5,0]]", "[[0,null]]", "[[\"0\",0]]", "[[1,0],[1,0]]",
            "[[2,0],[1,0]]",
        ]
    )
    func refused(body: String) {
        #expect(CalibrationPage.answer(Array(body.utf8)).status == 400)
    }

    @Test("takes what is seen in a minute, and no more requests than people make")
    func limits() {
        func body(_ count: Int) -> [UInt8] {
            Array("[\((0..<count).map { "[\($0).0e-3,0]" }.joined(separator: ","))]".utf8)
        }
        #expect(CalibrationPage.answer(body(1200)).status == 204)
        #expect(CalibrationPage.answer(body(1201)).status == 400)
        let page = PageServer(
            access: PageGuard(ServeTests.options()),
            viewers: Viewers(),
            overlays: ["box"],
            wish: ViewerWish(overlay: "box", isMirrored: false)
        )
        let headers = ["host": "localhost"]
        let request = HTTPRequest(method: "POST", path: "/calibrate", headers: headers, body: body(1))
        let statuses = (0..<40).map { _ in page.answer(request).status }
        #expect(statuses[0] == 204 && statuses[39] == 429)
    }
}
