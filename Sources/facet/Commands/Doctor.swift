import ArgumentParser
import Companion
import Foundation

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what works, what does not, and the command that fixes it.",
        discussion: """
            Looks at this machine (cameras, models, outbox, clock), then at the broker and the daemons that should be \
            online there. With the preview on and a face in the picture it also says whether the camera hangs upside \
            down. Exit status 0 if all works (✓, or ! with a remark), 1 if something does not (✗).

            Examples:
              facet doctor
              facet doctor --mqtt mqtts://me@broker.example --no-machine
            """
    )

    @Flag(inversion: .prefixedNo, help: "Look at this machine too, not only at the broker.")
    var machine = true

    @Flag(help: "Write it as JSON.")
    var json = false

    @OptionGroup var broker: BrokerOptions

    func run() async throws {
        let findings = await Finding.all(try broker.access(), ofMachine: machine)
        if json {
            try StandardOutput.print(prettyPrinted: JSONEncoder().encode(findings))
        } else {
            let table = FindingTable(hasColors: StandardOutput.hasColors)
            for line in table.lines(findings) { StandardOutput.print(line: line) }
        }
        if findings.contains(where: { $0.verdict == .fails }) { throw ExitCode.failure }
    }
}
