import ArgumentParser
import DaemonCore
import FaceMessages
import FaceSession
import Foundation

@main
enum Main {
    static func main() async {
        ProcessEnvironment.openStandardDescriptors()
        do {
            // Before anything needs a thread: Dispatch waits for memory for one for ever.
            try ProcessEnvironment.checkLimits()
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("Error: \(error)\n".utf8))
            exit(1)
        }
        await Facetd.main()
    }
}

struct Facetd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "facetd",
        abstract: "Turns a camera into face metadata, published over MQTT.",
        discussion: """
            Watches a camera, a clip or a stream, follows the faces in it, and publishes what changed: metadata on \
            faces/metadata, and enter, leave, smile, blink and eyes_closed as events. No picture leaves the \
            process unless preview.enabled says so.

            EXAMPLES
              facetd                                          the first camera, the broker on this machine
              facetd --source clip.mp4 --pace asap --no-mqtt --print
              facetd --config /etc/facetd.yaml --mqtt mqtts://lamp@broker.example

            `facetd run --help` lists the options: --config, --source, --mqtt, --topic, --pace, --print and more.
            """,
        version: facetVersion,
        subcommands: [Run.self, CheckConfig.self],
        defaultSubcommand: Run.self
    )
}
