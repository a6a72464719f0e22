/// Why a file does not hold the messages of a clip.
package enum MessageTrackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A line is not what `facetd --print` writes.
    case badLine(number: Int, reason: String)
    /// There is no metadata in it.
    case noMetadata
    /// It holds messages of several cameras.
    case severalCameras([String])
    /// It has times that the clip does not have.
    case longerThanClip(metadataEnd: Double, clipEnd: Double)

    /// What is wrong, and what to do about it.
    package var description: String {
        switch self {
        case .badLine(let number, let reason):
            "line \(number) is not a message as `facetd --print` writes them: \(reason)"
        case .noMetadata:
            "there is no metadata message in it; write one with `facetd --source CLIP --pace asap --no-mqtt --print`"
        case .severalCameras(let cameras):
            "it holds messages of several cameras (\(cameras.joined(separator: ", "))); one at a time can be drawn"
        case .longerThanClip(let metadataEnd, let clipEnd):
            "it reaches to \(Self.seconds(metadataEnd)) s but the clip ends at \(Self.seconds(clipEnd)) s: "
                + "it belongs to another clip"
        }
    }

    private static func seconds(_ value: Double) -> String { String((value * 100).rounded() / 100) }
}
