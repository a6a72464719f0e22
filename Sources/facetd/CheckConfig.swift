import ArgumentParser
import DaemonCore
import Foundation

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a settings file: all problems at once, exit status 1 if there are any."
    )

    @Argument(help: ArgumentHelp("The settings file.", valueName: "file"), completion: .file(extensions: ["yaml"]))
    var file: String

    func run() throws {
        do {
            _ = try Settings.load(path: file)
        } catch {
            throw Failure(error)
        }
        print("\(file): settings are valid")
    }
}
