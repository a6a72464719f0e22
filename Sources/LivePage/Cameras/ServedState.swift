/// The state of the broker and the cameras, in the form that pages and programs get.
struct ServedState: Sendable {
    let address: String
    /// Whether the only camera is the session in this program.
    var isLocal = false
    var connection: ConnectionState = .connecting
    /// The time since when there is no connection; nil while there is one.
    var lost: Timestamp? = .wallClock()
    /// The cameras by their bases.
    var cameras = ByteDictionary<ServedCamera>()
    /// The bases of cameras for which there was no room.
    var further: Set<String> = []
    /// The number of messages that break the contract.
    var refused = 0
    private var inOrder: [ServedCamera] { cameras.values.sorted { $0.base < $1.base } }
    /// The whole state as JSON.
    var json: [UInt8] { JSONWriter.object { write(&$0, showsFaces: true) } }

    /// The figures of all cameras, for Prometheus.
    var metrics: String {
        let cameras = inOrder.map { ($0.base, $0.model.state) }
        return MetricsPage.text(cameras, isConnected: connection.isConnected, refused: refused + further.count)
    }

    /// The bases of the cameras that send pictures: of the one with this name or base, or of all.
    func pictured(_ camera: String?) -> [String] {
        cameras.values.filter { served in
            served.picturedName.map { camera == nil || [$0, served.base].contains(camera) } ?? false
        }.map(\.base)
    }

    /// Writes the broker, and all cameras, if wanted with the faces that each sees.
    func write(_ json: inout JSONWriter, showsFaces: Bool = false) {
        json.field("version", facetBuild)
        // The server's clock, from which pages compute how long ago something was.
        json.field("time", Timestamp.wallClock().iso8601)
        json.object("broker") { json in
            json.field("address", address)
            json.field("isLocal", isLocal)
            json.field("connected", connection.isConnected)
            json.field("reason", connection.trouble?.printable)
            json.field("since", lost?.iso8601)
        }
        json.array("cameras", inOrder) { json, camera in camera.write(&json, showsFaces: showsFaces) }
    }
}
