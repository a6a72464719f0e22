import Foundation
import HTTPServing

/// The page's command: detection of a camera that is on the page, on or off.
final class DetectSwitch: Sendable {
    private struct Command: Decodable {
        var camera: String
        var on: Bool
    }

    private let viewers: Viewers
    private let perform: @Sendable (_ base: String, _ isOn: Bool) -> Void
    /// More than people switch, and less than a broker or a camera minds.
    private let limit = RequestLimit(capacity: 10, rate: 2)

    init(_ viewers: Viewers, _ perform: @escaping @Sendable (_ base: String, _ isOn: Bool) -> Void) {
        self.viewers = viewers
        self.perform = perform
    }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        guard let command = try? JSONDecoder().decode(Command.self, from: Data(request.body)) else {
            return .text(400, "This must be {\"camera\": BASE, \"on\": true or false}.\n")
        }
        guard viewers.state?.cameras[command.camera] != nil else {
            return .text(404, "No such camera is on the page.\n")
        }
        guard limit.spend() else {
            return .text(429, "Detection was switched too often. Try again in a few seconds.\n")
        }
        perform(command.camera, command.on)
        return HTTPResponse(204)
    }
}
