import FaceInference
import Foundation
import Frames
import MQTT
import System
import V4L2Capture

/// Looks at what the daemon needs of this machine.
struct MachineExamination {
    /// The directory of the models and the LiteRT library; nil searches for it as the daemon does.
    var modelDirectory: String?

    /// Whether a daemon is known to stream: then a camera that cannot be used from here is no fault.
    var isStreaming = false

    func findings() -> [Finding] {
        cameras(CameraInventory.list()).map(excused) + [models(), stateDirectory(), clock()]
    }

    private func excused(_ finding: Finding) -> Finding {
        guard isStreaming, finding.verdict == .fails else { return finding }
        return .remark(finding.subject, "\(finding.detail), but the daemon streams")
    }

    // MARK: - Camera

    /// One finding per camera, or why there is none.
    func cameras(_ inventory: CameraInventory) -> [Finding] {
        let found = inventory.cameras.map(Self.camera)
        let refused = inventory.others.filter(\.isDenied).map {
            Finding.fails("camera", "\($0.node): \($0.why)", remedy: "sudo usermod -aG video $USER, then log in again")
        }
        guard found.isEmpty, refused.isEmpty else { return found + refused }
        return [
            .fails(
                "camera",
                "there is no camera on this machine",
                remedy: "plug one in (facet devices lists them), or let the daemon watch a clip: facetd --source CLIP"
            )
        ]
    }

    private static func camera(_ camera: CameraInventory.Camera) -> Finding {
        let native = camera.formats.filter { !$0.isEmulated }
        let names = native.map { "\($0.fourCC)" }.joined(separator: ", ")
        guard !native.isEmpty else {
            return .remark("camera", "\(camera.node) \(camera.card): only formats that must be converted")
        }
        return .works("camera", "\(camera.node) \(camera.card): \(names)")
    }

    // MARK: - Models

    /// Whether the models and the library are whole and can be opened.
    func models() -> Finding {
        var options = FaceAnalyzer.Options()
        options.modelDirectory = modelDirectory
        do throws(InferenceError) {
            let directory = try ModelDirectory.find(modelDirectory)
            _ = try FaceAnalyzer(options)
            return .works("models", "LiteRT and the face models in \(directory) are whole and can be opened")
        } catch {
            return .fails("models", error.description, remedy: "deploy/setup")
        }
    }

    // MARK: - Files and clock

    /// Whether the outbox has a place. The daemon may run as another user, so this is only a remark.
    func stateDirectory(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Finding {
        var directory = OutboxLocation.directory(environment: environment)
        let wanted = directory
        while !FileManager.default.fileExists(atPath: directory), directory != "/" {
            directory = URL(filePath: directory).deletingLastPathComponent().path
        }
        guard FileManager.default.isWritableFile(atPath: directory) else {
            return .remark(
                "outbox",
                "you may not write to \(directory), where events would be kept",
                remedy: "set outbox.path, or run the daemon as a user who may"
            )
        }
        return .works("outbox", "events can be kept in \(wanted)")
    }

    /// Whether the clock can be trusted: subscribers judge an event's age by it.
    func clock() -> Finding {
        let date = ISO8601DateFormatter().string(from: Date())
        guard Date().timeIntervalSince1970 > 1_700_000_000 else {
            return .fails("clock", "it says \(date)", remedy: "sudo timedatectl set-ntp true")
        }
        guard !SystemClock.isAdrift else {
            return .remark(
                "clock",
                "\(date), not synchronised: events may look too old or too new to subscribers",
                remedy: "sudo timedatectl set-ntp true"
            )
        }
        return .works("clock", "\(date), synchronised")
    }
}
