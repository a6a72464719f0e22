import Frames

/// Finds the node of a camera, and opens it.
struct DeviceFinder {
    let selector: DeviceSelector
    let calls: any V4L2Calls

    /// An open node that is a camera.
    struct Found {
        let device: V4L2Device
        let identity: V4L2Device.Identity
    }

    /// Opens the selected camera; `lastSeen`, which was in use before, is preferred under whatever number it has now.
    ///
    /// A link is followed wherever it leads and waited for while it is not there: udev makes it for the very camera that
    /// was meant, and what looks the same may be another sensor, or another camera of the same make.
    func open(lastSeen: V4L2Device.Identity?) throws(V4L2Error) -> Found {
        switch selector {
        case .automatic: try openFirst(lastSeen)
        case .path: try openNamed(selector.isNode ? lastSeen : nil)
        }
    }

    private func openFirst(_ lastSeen: V4L2Device.Identity?) throws(V4L2Error) -> Found {
        if let lastSeen, let same = search(lastSeen) { return same }
        var failure: V4L2Error?
        for path in calls.nodes() {
            do throws(V4L2Error) {
                let found = try openCamera(path)
                if !found.identity.isSetUpElsewhere { return found }
            } catch {
                // Only what a person can help with is worth telling; metadata nodes are the rule.
                if case .permissionDenied = error { failure = failure ?? error }
                if case .busy = error { failure = failure ?? error }
            }
        }
        throw failure ?? .notFound(selector: selector.description)
    }

    private func openNamed(_ lastSeen: V4L2Device.Identity?) throws(V4L2Error) -> Found {
        guard let path = selector.paths.first(where: { calls.node(at: $0) != nil }) else {
            if let lastSeen, let same = search(lastSeen) { return same }
            throw .notFound(selector: selector.description)
        }
        let found = try openCamera(path)
        // The number may belong to another camera by now.
        if let lastSeen, !found.identity.isSameCamera(as: lastSeen), let same = search(lastSeen) { return same }
        return found
    }

    private func search(_ wanted: V4L2Device.Identity) -> Found? {
        for path in calls.nodes() {
            if let found = try? openCamera(path), found.identity.isSameCamera(as: wanted) { return found }
        }
        return nil
    }

    private func openCamera(_ path: String) throws(V4L2Error) -> Found {
        let device = try V4L2Device(path: path, calls: calls)
        let identity = try device.identity()
        if let why = identity.whyNotACamera { throw .notACamera(device: path, why: why) }
        return Found(device: device, identity: identity)
    }
}
