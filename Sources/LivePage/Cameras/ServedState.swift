/// The state of the broker and the cameras, as pages and programs get it.
struct ServedState: Sendable {
    let address: String
    /// The broker's URL as the user wrote it; nil for the broker that commands take anyway, and without a broker.
    var url: String?
    /// Whether this program itself analyses the only camera (`--source`), without a broker.
    var isLocal = false
    var connection: ConnectionState = .connecting
    /// When the connection to the broker was lost, or the service started without one; nil while connected.
    var lost: Timestamp? = .wallClock()
    /// The cameras by topic base, the prefix of a camera's topics.
    var cameras = ByteDictionary<ServedCamera>()
    /// The topic bases of cameras that are not shown, because the maximum number of cameras is reached.
    var further: Set<String> = []
    /// The number of malformed messages received.
    var refused = 0
    private var inOrder: [ServedCamera] { cameras.values.sorted { $0.base < $1.base } }
    var json: [UInt8] { JSONWriter.object { write(&$0, showsFaces: true) } }

    var metrics: String {
        let cameras = inOrder.map { ($0.base, $0.model.state) }
        return MetricsPage.text(cameras, isConnected: connection.isConnected, refused: refused + further.count)
    }

    /// The topic bases of the cameras that send pictures; only those with the name or base `camera` if it is given.
    func pictured(_ camera: String?) -> [String] {
        cameras.values.filter { served in
            served.picturedName.map { camera == nil || [$0, served.base].contains(camera) } ?? false
        }.map(\.base)
    }

    /// Writes the state of the broker and of all cameras; with `showsFaces` also each camera's faces.
    func write(_ json: inout JSONWriter, showsFaces: Bool = false) {
        json.field("version", facetBuild)
        // The server's clock, by which pages compute the age of things.
        json.field("time", Timestamp.wallClock().iso8601)
        json.object("broker") { json in
            json.field("address", address)
            json.field("url", url)
            json.field("isLocal", isLocal)
            json.field("connected", connection.isConnected)
            json.field("reason", connection.trouble?.printable)
            json.field("since", lost?.iso8601)
        }
        json.array("cameras", inOrder) { json, camera in camera.write(&json, showsFaces: showsFaces) }
    }
}
