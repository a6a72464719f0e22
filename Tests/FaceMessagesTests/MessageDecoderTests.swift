import FaceMessages
import FaceMetadata
import FacetTestSupport
import Testing

@Suite("Message decoder")
struct MessageDecoderTests {
    private let decoder = MessageDecoder()

    @Test("reads metadata as it was, but for rounding")
    func metadata() throws {
        let message = Samples.encoder.metadata([Samples.face, Samples.bareFace], at: Samples.stamp)
        guard case .metadata(let decoded) = try decoder.decode(message.payload, on: .metadata) else {
            Issue.record("not metadata")
            return
        }
        var face = Samples.face
        face.visit = nil
        face.bounds = NormalizedRect(x: 0.412, y: 0.221, width: 0.1813, height: 0.302)
        face.pose = HeadPose(roll: -3.2, yaw: 8.1, pitch: -2)
        face.confidence = 0.97
        (face.gaze, face.distance) = (Gaze(yaw: -1.5, pitch: 4), 0.63)
        (face.rightEyeOpen, face.blinksPerMinute, face.eyesClosedShare) = (0.97, 14, 0.03)
        #expect(decoded.faces == [face, Samples.bareFace])
        #expect(decoded.origin == Samples.origin)
        #expect(decoded.stamp.frame == 1834)
        #expect(decoded.stamp.mediaTime == 61.133)
        #expect(decoded.stamp.time == Timestamp(nanoseconds: 1_795_234_353_120_456_000))
    }

    @Test(
        "reads every kind of event",
        arguments: [
            .enter, .smile, .smileEnd(duration: 2.5, peak: 0.91), .blink(eyes: .both, duration: 0.133),
            .look, .lookAway(duration: 3.5), .sign(.nod), .mouthOpen, .eyesOpen(eyes: .left, duration: 2.5),
            .eyesClosed(eyes: .right, duration: 0.5),
            .leave(dwell: 1.5, lastSeen: Timestamp(nanoseconds: 1_000_000_000), reason: .restart),
        ] as [FaceEvent.Kind]
    )
    func event(kind: FaceEvent.Kind) throws {
        let message = Samples.event(kind)
        guard case .event(let decoded) = try decoder.decode(message.payload, on: message.topic) else {
            Issue.record("not an event")
            return
        }
        #expect(decoded.event.kind == kind)
        #expect(decoded.event.face.faceID == Samples.face.faceID)
        #expect(decoded.seq == 42)
        #expect(decoded.id == message.cloudEvent?.id)
        #expect(decoded.latency == 0.0314)
    }

    @Test("reads what a face did from its leave, and from no other event")
    func visit() throws {
        for kind in [FaceEvent.Kind.smile, .leave(dwell: 1, lastSeen: Samples.time, reason: .left)] {
            let message = Samples.event(kind)
            guard case .event(let decoded) = try decoder.decode(message.payload, on: message.topic) else { return }
            var visit = Samples.visit
            (visit.smilingSeconds, visit.nearestDistance, visit.judgedShare) = (2.433, 0.63, 0.97)
            #expect(decoded.event.face.visit == (kind == .smile ? nil : visit))
        }
        // As version 0.2 wrote it.
        let old = Samples.event(.leave(dwell: 1, lastSeen: Samples.time, reason: .left)).payload
        let text = String(decoding: old, as: UTF8.self).replacing(#""visit":"#, with: #""other":"#)
        guard case .event(let decoded) = try decoder.decode(text.utf8, on: .leave) else { return }
        #expect(decoded.event.face.visit == nil)
    }

    @Test("reads what was seen today")
    func today() throws {
        guard
            case .today(let totals, let origin) = try decoder.decode(
                Samples.encoder.today(Samples.today).payload,
                on: .today
            )
        else { return }
        #expect(origin == Samples.origin)
        #expect((totals.visits, totals.looks, totals.smiles) == (14, 28, 14))
        #expect((totals.lookingSeconds, totals.mostFaces) == (86.8, 3))
        #expect(totals.hours.map(\.hour) == [4, 5, 6])
        #expect(totals.hours.map(\.visits) == [5, 6, 3])
        // As version 0.3 wrote it.
        let old = String(decoding: Samples.encoder.today(Samples.today).payload, as: UTF8.self)
        guard
            case .today(let before, _) = try decoder.decode(
                old.replacing(#""hours":"#, with: #""other":"#).utf8,
                on: .today
            )
        else { return }
        #expect((before.visits, before.hours) == (14, []))
    }

    @Test("refuses what was seen today with an hour twice: it would be added up twice")
    func hourTwice() {
        let text = String(decoding: Samples.encoder.today(Samples.today).payload, as: UTF8.self)
        let twice = text.replacing(#""hour":5"#, with: #""hour":4"#)
        let error = #expect(throws: MessageDecodingError.self) { try decoder.decode(twice.utf8, on: .today) }
        #expect(error?.description.contains("twice") == true, "\(String(describing: error))")
    }

    @Test("reads the status and the last will")
    func status() throws {
        for status in [Samples.status, Samples.streaming] {
            var expected = status
            expected.time = Timestamp(nanoseconds: 1_795_234_353_120_456_000)
            #expect(
                try decoder.decode(Samples.encoder.status(status).payload, on: .status)
                    == .status(expected, from: Samples.origin)
            )
        }
        let will = Samples.encoder.status(DaemonStatus(state: .offline))
        #expect(
            try decoder.decode(will.payload, on: .status)
                == .status(DaemonStatus(state: .offline), from: Samples.origin)
        )
    }

    @Test("reads bare values")
    func bareValues() throws {
        #expect(try decoder.decode("3".utf8, on: .count) == .count(3))
        #expect(try decoder.decode("OFF".utf8, on: .detectState) == .detectState(false))
    }

    @Test("reads what is to count as a smile, and refuses nothing and what is out of range")
    func smileCommand() throws {
        #expect(try decoder.decode(#"{"hold": 0.5}"#.utf8, on: .smileSet) == .smileSet(SmileChange(hold: 0.5)))
        let command = SmileChange(level: 0.55, hold: 0)
        let sent = DaemonMessage.smileSet(command)
        #expect(try decoder.decode(sent.encoded.payload, on: .smileSet) == sent)
        for payload in ["{}", #"{"level": 5}"#, #"{"hold": "long"}"#, #"{"level": null}"#] {
            #expect(throws: MessageDecodingError.self) { try decoder.decode(payload.utf8, on: .smileSet) }
        }
    }

    @Test("reads which zone is to be on or off, and refuses one without its name or its state")
    func zoneCommand() throws {
        let sent = DaemonMessage.zoneSet(ZoneSwitch(zone: "desk", isOn: false))
        #expect(try decoder.decode(#"{"zone": "desk", "on": false}"#.utf8, on: .zoneSet) == sent)
        #expect(try decoder.decode(sent.encoded.payload, on: .zoneSet) == sent)
        for payload in ["{}", #"{"zone": "desk"}"#, #"{"on": true}"#, #"{"zone": "desk", "on": "OFF"}"#] {
            #expect(throws: MessageDecodingError.self) { try decoder.decode(payload.utf8, on: .zoneSet) }
        }
    }

    @Test("reads what is to switch detection as a command, which changes no state")
    func detectCommand() throws {
        var state = CameraState()
        for (text, isOn) in [("ON", true), ("OFF", false)] {
            let command = try decoder.decode(text.utf8, on: .detectSet)
            #expect(command.topic == .detectSet && String(decoding: command.encoded.payload, as: UTF8.self) == text)
            #expect(state.take(command).isEmpty && state.isDetecting == nil)
            #expect(try decoder.decode(text.utf8, on: .detectState) == .detectState(isOn))
        }
    }

    @Test("refuses what is not a message", arguments: ["", "{", "null", "[]", #"{"schema":1}"#, "\u{1}"])
    func malformed(payload: String) {
        #expect(throws: MessageDecodingError.self) { try decoder.decode(payload.utf8, on: .metadata) }
        #expect(throws: MessageDecodingError.self) { try decoder.decode(payload.utf8, on: .leave) }
        #expect(throws: MessageDecodingError.self) { try decoder.decode(payload.utf8, on: .status) }
        #expect(throws: MessageDecodingError.self) { try decoder.decode(payload.utf8, on: .detectSet) }
    }

    @Test("reads statistics as they were")
    func stats() throws {
        let payload = Samples.encoder.stats(Samples.stats).payload
        guard case .stats(let stats, let origin) = try decoder.decode(payload, on: .stats) else {
            Issue.record("not statistics")
            return
        }
        #expect(origin == Samples.origin && stats.captured == 2100)
        #expect(Samples.encoder.stats(stats).payload == payload)
        for payload in ["", "hello", "3", "[]", "{}", #"{"schema":1"#, #"{"schema":1} {}"#] {
            #expect(throws: MessageDecodingError.self) { try decoder.decode(payload.utf8, on: .stats) }
        }
        #expect(throws: MessageDecodingError.unknownSchema(2)) {
            try decoder.decode(#"{"schema":2}"#.utf8, on: .stats)
        }
    }

    @Test(
        "refuses a number that is out of its range, and says which",
        arguments: [
            (.count, #"2"#, "9223372036854775807"), (.count, "2", "-5"), (.count, "2", "101"),
            (.metadata, #""faceID":7"#, #""faceID":0"#), (.metadata, #""faceID":7"#, #""faceID":-9223372036854775808"#),
            (.metadata, #""frame":1834"#, #""frame":9223372036854775807"#),
            (.metadata, #""trackedFrames":57"#, #""trackedFrames":-1"#),
            (.metadata, #""width":0.1813"#, #""width":1e308"#), (.metadata, #""width":0.1813"#, #""width":-0.1"#),
            (.metadata, #""smile":0.91"#, #""smile":1.5"#), (.metadata, #""roll":-3.2"#, #""roll":1e300"#),
            (.metadata, #""mediaTime":61.133"#, #""mediaTime":-1"#),
            (.leave, #""seq":42"#, #""seq":-42"#), (.leave, #""dwell":12.5"#, #""dwell":1e300"#),
            (.status, #""width":480"#, #""width":0"#), (.status, #""width":480"#, #""width":9223372036854775807"#),
            (.stats, #""captured":2100"#, #""captured":-1"#), (.stats, #""late":2"#, #""late":9223372036854775807"#),
            (.stats, #""rss":61865984"#, #""rss":9007199254740994"#),
        ] as [(Topic, String, String)]
    )
    func outOfRange(topic: Topic, valid: String, invalid: String) throws {
        let name = topic == .status ? "status-streaming" : topic.rawValue
        let golden = try #require(Samples.golden.first { $0.name == name })
        let payload = String(decoding: golden.message.payload, as: UTF8.self)
        #expect(payload.contains(valid), "\(payload)")
        _ = try decoder.decode(payload.utf8, on: topic)
        let number = invalid.split(separator: ":").last ?? ""
        let error = #expect(throws: MessageDecodingError.self) {
            try decoder.decode(payload.replacing(valid, with: invalid).utf8, on: topic)
        }
        #expect(error?.description.contains(number.prefix(2)) == true, "\(String(describing: error))")
    }

    @Test("says which field is missing")
    func missingField() {
        let payload = #"{"schema":1,"camera":"a","boot":"b","frame":0,"time":"2026-11-21T00:00:00Z","mediaTime":0}"#
        #expect(throws: MessageDecodingError.malformed(topic: .metadata, reason: "the field faces is missing")) {
            try decoder.decode(payload.utf8, on: .metadata)
        }
    }

    @Test("names a version that it does not know")
    func unknownSchema() {
        #expect(throws: MessageDecodingError.unknownSchema(2)) {
            try decoder.decode(#"{"schema":2}"#.utf8, on: .status)
        }
    }

    @Test("takes over no more of a text or a list than its limit, whatever one character consists of")
    func limits() throws {
        let marks = "e" + String(repeating: "\u{301}", count: 100_000)
        let status = #"{"schema":1,"camera":"\#(marks)","boot":"b","state":"online","detail":"\#(marks)"}"#
        guard case .status(let read, let origin) = try decoder.decode(status.utf8, on: .status) else {
            Issue.record("not a status")
            return
        }
        #expect((250...256).contains(origin.camera.utf8.count))
        #expect((1020...1024).contains(read.detail?.utf8.count ?? 0))

        let crowd = (1...20_000).map { id in
            var face = Samples.bareFace
            face.faceID = FaceID(rawValue: id)
            return face
        }
        #expect(try facesRead(crowd).count == 100)
    }

    @Test("reads a face that is told twice once")
    func duplicate() throws {
        #expect(try facesRead([Samples.face, Samples.bareFace, Samples.bareFace]).map(\.faceID.rawValue) == [7, 8])
    }

    private func facesRead(_ faces: [FaceObject]) throws -> [FaceObject] {
        let message = Samples.encoder.metadata(faces, at: Samples.stamp)
        guard case .metadata(let metadata) = try decoder.decode(message.payload, on: .metadata) else { return [] }
        return metadata.faces
    }
}
