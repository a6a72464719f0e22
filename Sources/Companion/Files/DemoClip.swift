/// The clip that the demo shows, with which the machine's speed is measured too.
package enum DemoClip {
    /// The path of the clip. If it is not installed, it is made on first use. If that is not possible, throws an error
    /// that suggests to name another clip with `option`.
    package static func path(or option: String = "--source") throws -> String {
        let path = RunningProgram.data + "/demo.mp4"
        let maker = RunningProgram.directory + "/demo-clip"
        let files = FileManager.default
        if !files.fileExists(atPath: path), files.isExecutableFile(atPath: maker) {
            Console.note("making the demo's clip, once")
            try files.createDirectory(atPath: RunningProgram.data, withIntermediateDirectories: true)
            try Process.run(URL(filePath: maker), arguments: ["--short", path]).waitUntilExit()
        }
        guard files.fileExists(atPath: path) else {
            throw CommandFailure("there is no clip at \(path), where the packages have it; name another with \(option)")
        }
        return path
    }
}
