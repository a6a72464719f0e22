import FaceMessages
import FaceMetadata
import FacetTestSupport
import Testing

@Suite("CloudEvents attributes")
struct CloudEventAttributesTests {
    @Test("say of an event what its payload says")
    func event() {
        let message = Samples.event(.eyesClosed(eyes: .both, duration: 0.7))
        let properties = message.userProperties.map { "\($0.name)=\($0.value)" }
        #expect(
            properties == [
                "specversion=1.0", "id=01JD6Z3KA1B2C3D4E5F6G7H8J9", "source=/facet/front",
                "type=facet.face.eyes_closed", "time=2026-11-21T04:12:33.120456Z",
            ]
        )
    }

    @Test(
        "make a URI of any camera's name",
        arguments: [
            ("porch-2.a_b~", "/facet/porch-2.a_b~"), ("front door", "/facet/front%20door"), ("a/b", "/facet/a%2Fb"),
            ("Tür", "/facet/T%C3%BCr"), ("100%", "/facet/100%25"), ("\u{0}", "/facet/%00"),
        ]
    )
    func source(camera: String, source: String) {
        let attributes = CloudEventAttributes(id: "A", camera: camera, topic: .smile, time: Samples.time)
        #expect(attributes.source == source)
    }

    @Test("belong to events only; a picture says its frame instead")
    func others() {
        #expect(Samples.encoder.status(Samples.status).userProperties.isEmpty)
        #expect(Samples.encoder.metadata([Samples.face], at: Samples.stamp).userProperties.isEmpty)
        let picture = Samples.encoder.preview([0xFF, 0xD8], of: Samples.stamp)
        #expect(picture.userProperties.map(\.name) == ["frame", "time", "mediaTime"])
        #expect(picture.userProperties.map(\.value) == ["1834", "2026-11-21T04:12:33.120456Z", "61.133"])
    }

    @Test(
        "angles stay in (−180, 180] when rounded",
        arguments: [(-179.96, "180.0"), (-179.94, "-179.9"), (180, "180.0")]
    )
    func angles(roll: Double, text: String) {
        var face = Samples.face
        face.pose = HeadPose(roll: roll, yaw: 0, pitch: 0)
        let payload = Samples.encoder.metadata([face], at: Samples.stamp).payload
        #expect(String(decoding: payload, as: UTF8.self).contains("\"roll\":\(text),"))
    }
}
