import Foundation

/// Programs that may be installed on this machine.
package enum InstalledProgram {
    /// Whether a program is found by its name, in the directories where shells look or Debian has servers.
    package static func exists(_ name: String, path: String? = nil) -> Bool {
        let path = path ?? ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path + ":/usr/sbin").split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// The command that starts the broker of this machine, as a sentence for people.
    package static var brokerRemedy: String {
        exists("mosquitto") ? "start it: sudo systemctl start mosquitto" : "install one: sudo apt install mosquitto"
    }
}
