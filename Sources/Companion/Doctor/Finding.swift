import FaceMessages

/// One finding of `facet doctor`.
package struct Finding: Encodable {
    package enum Verdict: String, Encodable {
        case works
        /// It works, but something is worth knowing.
        case remark
        case fails
    }

    package var subject: String

    /// What the topics of the camera begin with that it is about, where several were looked at.
    package var camera: String?
    package var verdict: Verdict
    package var detail: String
    package var remedy: String?

    package static func works(_ subject: String, _ detail: String) -> Finding {
        Finding(subject: subject, verdict: .works, detail: detail)
    }

    package static func remark(_ subject: String, _ detail: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .remark, detail: detail, remedy: remedy)
    }

    package static func fails(_ subject: String, _ detail: String, remedy: String? = nil) -> Finding {
        Finding(subject: subject, verdict: .fails, detail: detail, remedy: remedy)
    }

    package var label: String { (camera.map { $0.printable + " " } ?? "") + subject }
}
