/// Finds and opens the selected camera.
struct DeviceFinder {
    let selector: DeviceSelector
    let calls: any V4L2Calls

    /// Opens the selected camera and calls `start` with it. The automatic choice first tries `lastSeen`, the camera
    /// used before, and skips cameras that other programs use. If a plain node such as `/dev/video0` is selected,
    /// `lastSeen` is opened even if its number has changed; only if it is not found, the node is opened. If a link such
    /// as those in `/dev/v4l/by-id` is selected, only the camera to which the link leads is opened.
    func open<Started>(
        lastSeen: V4L2Device.Identity?,
        _ start: (V4L2Device) throws(V4L2Error) -> Started
    ) throws(V4L2Error) -> Started {
        guard selector == .automatic else { return try start(openNamed(selector.isNode ? lastSeen : nil)) }
        var failure, setUpElsewhere, broken: V4L2Error?
        let same = lastSeen.flatMap(search)?.path
        for path in [same].compactMap(\.self) + calls.nodes().filter({ $0 != same }) {
            do throws(V4L2Error) {
                let found = try V4L2Device(path: path, calls: calls)
                if path != same, found.identity.isSetUpElsewhere { throw .setUpElsewhere(device: path) }
                return try start(found)
            } catch {
                switch error {
                case .permissionDenied, .busy: failure = failure ?? error
                case .setUpElsewhere: setUpElsewhere = setUpElsewhere ?? error
                // These failures are common, and a person cannot remove their causes.
                case .notACamera, .notFound, .unplugged: break
                case .failed(let operation, _, _) where operation != .startStreaming: broken = broken ?? error
                default: throw error
                }
            }
        }
        throw failure ?? setUpElsewhere ?? broken ?? .notFound(selector: selector.description)
    }

    private func openNamed(_ lastSeen: V4L2Device.Identity?) throws(V4L2Error) -> V4L2Device {
        guard let path = selector.paths.first(where: { calls.node(at: $0) != nil }) else {
            if let lastSeen, let same = search(lastSeen) { return same }
            throw .notFound(selector: selector.description)
        }
        let found = try V4L2Device(path: path, calls: calls)
        // The number may belong to another camera by now.
        if let lastSeen, !found.identity.isSameCamera(as: lastSeen), let same = search(lastSeen) { return same }
        return found
    }

    private func search(_ wanted: V4L2Device.Identity) -> V4L2Device? {
        calls.nodes().lazy.compactMap { try? V4L2Device(path: $0, calls: calls) }
            .first { $0.identity.isSameCamera(as: wanted) }
    }
}
