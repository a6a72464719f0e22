/// Examines what the daemon needs on this machine.
struct MachineExamination {
    /// Whether a daemon is known to stream. A busy camera is then no fault: the daemon uses it.
    var isStreaming = false

    func findings() -> [Finding] {
        let cameras = cameras(CameraInventory.list(), PipelineDescription.cameras()).map { finding -> Finding in
            guard isStreaming, finding.verdict == .fails else { return finding }
            return .remark(finding.subject, "\(finding.detail), but the daemon streams")
        }
        return cameras + DecoderExamination().findings() + [models(), stateDirectory(), clock()]
    }

    // MARK: - Camera

    /// One finding per camera, or one that says why there is none.
    private func cameras(_ inventory: CameraInventory, _ shared: [(device: String, name: String)]) -> [Finding] {
        var found = inventory.cameras.filter { !$0.needsLibcamera }.map { camera -> Finding in
            let native = camera.formats.filter { !$0.isEmulated }.map { "\($0.fourCC)" }
            let name = "\(camera.node) \(camera.card)"
            return native.isEmpty
                ? .remark("camera", "\(name): only formats that must be converted")
                : .works("camera", "\(name): \(native.joined(separator: ", "))")
        }
        found += shared.map { .works("camera", "\($0.device) \($0.name)") }
        let hasRibbon = shared.contains { $0.device.hasPrefix("libcamera") }
        if let ribbon = inventory.cameras.first(where: \.needsLibcamera), !hasRibbon {
            found.append(Self.ribbon(ribbon))
        }
        found += inventory.others.filter(\.isDenied).map {
            .fails("camera", "\($0.node): \($0.why)", remedy: "sudo usermod -aG video $USER, then log in again")
        }
        guard found.isEmpty else { return found }
        let libcamera = PipelineDescription.libcamera()
        let remedy = "plug one in (facet devices lists them), or let the daemon watch a clip: facetd --source CLIP"
        let further = libcamera.isInstalled ? "" : "; for a ribbon camera: \(libcamera.installation)"
        return [.fails("camera", "there is no camera on this machine", remedy: remedy + further)]
    }

    /// A finding on why libcamera lists no camera on a ribbon cable: missing software, or no access to device files.
    private static func ribbon(_ camera: CameraInventory.Camera) -> Finding {
        let nodes =
            names(in: "/dev").filter { $0.hasPrefix("media") }.map { "/dev/\($0)" }
            + names(in: "/dev/dma_heap").filter { !$0.hasPrefix(".") }.map { "/dev/dma_heap/\($0)" }
        let denied = nodes.sorted().filter { access($0, R_OK | W_OK) != 0 }.joined(separator: ", ")
        let what = "\(camera.node) \(camera.card): only libcamera can set up a ribbon camera"
        guard denied.isEmpty else {
            let remedy =
                "sudo usermod -aG video $USER, then log in again; for /dev/dma_heap the rule in docs/raspberry-pi.md"
            return .fails("camera", "\(what), and \(denied) may not be opened", remedy: remedy)
        }
        let remedy = "\(PipelineDescription.libcamera().installation) libcamera-tools; cam --list says more"
        return .fails("camera", "\(what), and it lists none", remedy: remedy)
    }

    // MARK: - Models, files and clock

    /// A finding on whether LiteRT's library and the models are intact and can be opened.
    private func models() -> Finding {
        do throws(InferenceError) {
            let directory = try ModelDirectory.find(nil)
            _ = try FaceAnalyzer()
            return .works("models", "LiteRT and the face models in \(directory) are whole and can be opened")
        } catch {
            return .fails("models", error.description, remedy: InferenceError.installation)
        }
    }

    /// A finding on whether the outbox, the directory for events not yet delivered, can be written. Only a remark,
    /// since the daemon may run as another user.
    private func stateDirectory() -> Finding {
        let wanted = OutboxLocation.directory(environment: ProcessInfo.processInfo.environment)
        var directory = wanted
        while !FileManager.default.fileExists(atPath: directory), directory != "/" {
            directory = URL(filePath: directory).deletingLastPathComponent().path
        }
        guard !FileManager.default.isWritableFile(atPath: directory) else {
            return .works("outbox", "events can be kept in \(wanted)")
        }
        let problem = "you may not write to \(directory), where events would be kept"
        return .remark("outbox", problem, remedy: "set outbox.path, or run the daemon as a user who may")
    }

    /// A finding on whether the clock is synchronised. Subscribers judge the age of events by it.
    private func clock() -> Finding {
        let date = ISO8601DateFormatter().string(from: Date())
        let remedy = "sudo timedatectl set-ntp true"
        guard Date().timeIntervalSince1970 > 1_700_000_000 else {
            return .fails("clock", "it says \(date)", remedy: remedy)
        }
        guard isClockAdrift() else { return .works("clock", "\(date), synchronised") }
        let problem = "\(date), not synchronised: events may look too old or too new to subscribers"
        return .remark("clock", problem, remedy: remedy)
    }
}
