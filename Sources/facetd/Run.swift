import ArgumentParser
import DaemonCore
import Foundation
import Logging

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the daemon (the default).",
        discussion: """
            Settings come from the command line, then the environment (camera.size is FACET_CAMERA_SIZE), then the \
            file. Every key is documented in config/facetd.yaml; --set reaches those that have no option.
            The password for the broker comes from mqtt.passwordFile or FACET_MQTT_PASSWORD, never from the command line.
            """
    )

    @OptionGroup var options: SettingsOptions

    @Flag(name: .customLong("print"), help: "Write every message to standard output as one line of JSON.")
    var prints = false

    @Flag(name: .customLong("no-mqtt"), help: "Use no broker.")
    var usesNoBroker = false

    func run() async throws {
        // A reader of --print that goes away shows as a failed write, which ends the daemon in good order.
        signal(SIGPIPE, SIG_IGN)
        let daemon: Daemon
        do {
            let settings = try options.load()
            let level = Logger.Level(rawValue: settings.log.level.rawValue) ?? .info
            LoggingSystem.bootstrap { _ in
                ConsoleLogHandler(level: level, environment: ProcessInfo.processInfo.environment)
            }
            var daemonOptions = Daemon.Options()
            daemonOptions.prints = prints
            daemonOptions.usesBroker = !usesNoBroker
            daemonOptions.environment = ProcessInfo.processInfo.environment
            daemonOptions.reload = { [options] in try options.load() }
            daemon = try Daemon(settings: settings, options: daemonOptions, logger: Logger(label: "facetd"))
        } catch let error as ValidationError {
            throw error
        } catch {
            throw Failure(error)
        }
        do {
            try await daemon.run()
        } catch {
            throw Failure(error)
        }
    }
}

/// An error on its way out of the program: one paragraph on standard error, exit status 1.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = String(describing: error)
    }
}
