import Foundation

/// Programs that may be installed on this machine.
package enum InstalledProgram {
    /// Whether a program is found by its name, where shells look or where Debian has servers.
    package static func exists(_ name: String, path: String? = nil) -> Bool {
        let path = path ?? ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path + ":/usr/sbin").split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    /// How the broker of this machine is made to run.
    package static var brokerRemedy: String {
        exists("mosquitto") ? "start it: sudo systemctl start mosquitto" : "install one: sudo apt install mosquitto"
    }
}
