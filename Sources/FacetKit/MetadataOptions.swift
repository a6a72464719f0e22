package import FaceTracking

/// Which values of faces are published, and what counts as a change of them.
package struct MetadataOptions: Hashable, Sendable {
    package var fields: Set<FaceObject.OptionalField> = [.looking, .zones, .still]
    package var changes = ChangeGate.Options()

    package init() {}

    /// Each change, however small, at any rate of frames.
    package static var everyChange: MetadataOptions {
        var all = MetadataOptions()
        all.fields = Set(FaceObject.OptionalField.allCases)
        all.changes.maximumRate = 240
        all.changes.position = 0
        all.changes.angle = 0
        return all
    }
}
