struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what works, what does not, and the command that fixes it.",
        discussion: """
            Looks at this machine (cameras, models, outbox, clock), then at the broker and the daemons that should be \
            online there, and measures for three seconds how fast the machine analyses pictures. With the preview on and \
            a face in the picture it also says whether the camera hangs upside down. Exit status 0 if all works (✓, or ! \
            with a remark), 1 if something does not (✗).

            Examples:
              facet doctor
              facet doctor --mqtt mqtts://me@broker.example --no-machine
              facet doctor --report
            """
    )

    @Flag(inversion: .prefixedNo, help: "Look at this machine too, not only at the broker.")
    var machine = true

    @Flag(help: "Write it as JSON.")
    var json = false

    @Flag(help: "Print only what kind of machine this is and how fast: a block to send, without names and addresses.")
    var report = false

    @Option(
        help: "The clip to measure with, which shows one face from second two on, instead of the demo's.",
        completion: .file()
    )
    var clip: String?

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        if report {
            for line in MachineKind().report(try speed()) { Console.print(line: line) }
            return
        }
        var findings = await Finding.all(try broker.access(), ofMachine: machine)
        if machine {
            do { findings.append(try speed().finding) } catch {
                findings.append(.remark("speed", "not measured: \(CommandFailure(error).description)"))
            }
        }
        if json {
            try Console.print(prettyPrinted: JSONEncoder().encode(findings))
        } else {
            for line in findings.lines(hasColors: Console.hasColors) { Console.print(styled: line) }
        }
        if findings.contains(where: { $0.verdict == .fails }) { throw ExitCode.failure }
    }

    private func speed() throws -> MachineSpeed { try MachineSpeed(clip: clip ?? DemoClip.path(or: "--clip")) }
}
