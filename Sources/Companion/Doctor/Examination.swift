import Foundation
import TerminalPictures

/// What works and what does not: of this machine, the broker and the daemons, and the terminal.
package enum Examination {
    package static func findings(_ broker: BrokerAccess, ofMachine: Bool) async -> [Finding] {
        let (isStreaming, found) = await BrokerExamination.findings(broker)
        guard ofMachine else { return found }
        // A daemon that streams has its camera, or a clip or a stream in its place.
        return MachineExamination(isStreaming: isStreaming).findings() + found + [terminal()]
    }

    private static func terminal() -> Finding {
        do throws(TerminalError) {
            let picture = try TerminalPicture(environment: ProcessInfo.processInfo.environment)
            return .works("terminal", "facet view shows pictures as \(picture.format.rawValue)")
        } catch {
            return .remark("terminal", error.description)
        }
    }
}
