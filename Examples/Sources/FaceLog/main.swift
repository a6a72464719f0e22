// Says what happens before all cameras of a broker, in words: mosquitto_sub -v -t '#' | FaceLog
//
// It needs no camera and no models: only the messages. Any MQTT client can hand them over.
import FaceMessages

let decoder = MessageDecoder()
while let line = readLine() {
    let parts = line.split(separator: " ", maxSplits: 1)
    // A topic of other programs, or an empty payload, which removes a retained message.
    guard parts.count == 2, let topic = Topic(name: String(parts[0])) else { continue }
    let camera = topic.base(of: String(parts[0]))
    do {
        switch try decoder.decode(parts[1].utf8, on: topic) {
        case .event(let message): print("\(camera): face \(message.event.face.faceID.rawValue): \(message.event.kind)")
        case .metadata(let message):
            let places = message.faces.map { "\($0.faceID.rawValue) at \($0.bounds.center.x), \($0.bounds.center.y)" }
            print("\(camera): \(places.isEmpty ? "no face" : places.joined(separator: "; "))")
        case .status(let status, _): print("\(camera): \(status.state.rawValue)")
        default: break
        }
    } catch {
        print("\(camera): \(error)")
    }
}
