/// A broker and a daemon that the demo starts for itself.
struct DemoStage {
    let address: String
    private let files = FileManager.default.temporaryDirectory.appending(path: "facet-demo-\(UUID().uuidString)").path
    private var shell: pid_t = 0

    /// Starts the broker and the daemon; nil if one of them is not installed or does not start.
    init?(source: String) async throws {
        let port = try HTTPServer(HTTPServer.Options(host: "127.0.0.1", port: 0)) { _ in HTTPResponse(404) }.port
        address = "mqtt://127.0.0.1:\(port)"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        let own = [
            "DEMO_FILES": files, "DEMO_PORT": "\(port)", "DEMO_DAEMON": RunningProgram.directory + "/facetd",
            "DEMO_SOURCE": source, "DEMO_PROGRAM": "\(getpid())",
        ]
        let script = String(decoding: PackageResources.stage_sh, as: UTF8.self)
        let environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        let command = ShellCommand(text: script, environment: environment)
        guard command.start(&shell) == 0 else {
            try? FileManager.default.removeItem(atPath: files)
            return nil
        }
        while !FileManager.default.fileExists(atPath: files + "/ready") {
            guard waitpid(shell, nil, WNOHANG) == 0 else { return nil }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Ends the broker and the daemon. Returns whether the daemon was still running.
    @discardableResult
    func end() -> Bool {
        kill(shell, SIGTERM)
        return ShellCommand.wait(for: shell) == .exited(0)
    }
}
