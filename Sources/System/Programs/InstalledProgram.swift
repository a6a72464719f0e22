import Foundation

/// Information about programs that may be installed on this machine.
package enum InstalledProgram {
    /// Whether a program of this name is in one of the directories of PATH, or in /usr/sbin, where Debian has servers.
    package static func exists(_ name: String, path: String? = nil) -> Bool {
        let path = path ?? ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path + ":/usr/sbin").split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// Advice to people on how to start or install a broker on this machine.
    package static var brokerRemedy: String {
        exists("mosquitto") ? "start it: sudo systemctl start mosquitto" : "install one: sudo apt install mosquitto"
    }
}
