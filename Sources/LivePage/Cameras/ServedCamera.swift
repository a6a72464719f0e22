/// One camera as pages show it: its faces and its newest picture. Makes the messages to pages from them.
struct ServedCamera {
    /// The maximum number of redraws per second while there are no pictures.
    private static let sceneRate = 25.0
    let base: String
    private(set) var model = LiveModel()
    /// The camera's name in its latest messages; kept when the connection to the broker is lost.
    private var name: String?
    private var shown: PreviewPicture?
    private var isDirty = true
    private var hasRefused = false
    private var lastDraw = -1.0

    init(base: String) { self.base = base }

    /// Updates state and pictures by a message or a change of the connection. Returns which of them changed.
    mutating func take(_ occurrence: Subscriber.Occurrence, at seconds: Double) -> CameraState.Change {
        let change = model.take(occurrence, at: seconds)
        name = model.state.name ?? name
        if change.contains(.picture) { hasRefused = false }
        if !change.subtracting(.picture).isEmpty { isDirty = isDirty || shown == nil }
        return change
    }

    /// The camera's name, or else its topic base, if it sends pictures; nil otherwise.
    var picturedName: String? { model.picture == nil ? nil : name ?? base }
    var isOnline: Bool { model.state.status?.state == .online }
    /// Whether nothing is known of the camera: no message has come since the connection was last lost.
    var isSilent: Bool { model.state == CameraState() }
    mutating func refusePicture() { hasRefused = true }
    /// Makes the next `advance` redraw even if nothing is new, for a page that was just opened.
    mutating func redraw() { isDirty = true }

    /// Switches to the newest picture that can be shown at the time `seconds`. Returns whether pages need a redraw.
    mutating func advance(to seconds: Double, _ cover: PictureCover, isWatched: Bool) -> Bool {
        model.hidesFaces = cover.isChecking
        model.advance(to: seconds)
        // While no page is open, pictures are not searched for faces. The next page must not get one from that time.
        if model.picture == nil || (cover.isChecking && (lacksMetadata || !isWatched)) {
            isDirty = isDirty || shown != nil
            shown = nil
            model.forgetWaiting()
        }
        if cover.isChecking { model.search(with: cover.faces) }
        if let next = model.nextPicture(at: seconds), cover.size(of: next) != nil {
            shown = next
            isDirty = true
        }
        let isFading = shown == nil && model.scene.isFading
        guard isDirty || isFading, shown != nil || seconds - lastDraw >= 1 / Self.sceneRate else { return false }
        lastDraw = seconds
        // One more redraw removes what has faded.
        isDirty = isFading
        return true
    }

    /// Whether no metadata with the positions of faces has come.
    private var lacksMetadata: Bool { model.state.stamp == nil }

    /// The message to a page: the picture, the faces and the overlay as in `wish`, or only a JPEG if `wish.isPicture`
    /// is true. An overlay that hides faces is drawn into the picture, so that pages never get the original.
    func message(_ wish: ViewerWish, overlays: Overlays, at seconds: Double, cover: PictureCover) throws -> [UInt8] {
        let overlay = overlays[wish.overlay]
        let size = shown.flatMap(cover.size) ?? model.pictureSize ?? .usual
        var scene = shown.map(model.scene) ?? model.scene
        scene.showsLevels = wish.showsLevels
        let hides = overlay.hidesFaces
        let jpeg = (wish.isTransparent ? nil : shown).map { shown in
            hides ? (try? cover.jpeg(shown, scene, overlay: overlay, at: seconds)) ?? [] : cover.jpeg(of: shown)
        }
        if wish.isPicture { return jpeg ?? [] }
        let svg = try Canvas.svg(size: size) { canvas in
            let isMirrored = wish.isMirrored
            guard let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: size, isMirrored: isMirrored)
            else { return }
            if shown == nil, !wish.isTransparent { canvas.drawHeads(scene, geometry) }
            if !hides { canvas.draw(scene, geometry, overlay: overlay, at: seconds) }
        }
        let header = JSONWriter.object { json in
            json.field("type", "frame")
            json.field("camera", base)
            json.field("width", size.width)
            json.field("height", size.height)
            json.field("overlay", wish.overlay)
            json.field("mirrored", wish.isMirrored)
            json.field("frame", shown?.frame ?? scene.stamp?.frame)
            json.field("picture", jpeg.map { !$0.isEmpty } ?? false)
            json.field("faces", scene.faces)
            // How well each face's smile would look in a photo, in thousandths.
            json.object("qualities") { json in
                for face in scene.faces { json.field("\(face.faceID.rawValue)", Int(1000 * face.smileQuality)) }
            }
        }
        return Viewer.message(header, svg: svg, jpeg: jpeg ?? [])
    }

    /// Writes the camera's state as JSON fields; with `showsFaces` also its faces.
    func write(_ json: inout JSONWriter, showsFaces: Bool) {
        let state = model.state
        let status = state.status
        var attention = status?.attention?.map(\.rawValue) ?? []
        if model.hidesFaces, lacksMetadata, model.picture != nil { attention.append("no_metadata") }
        if hasRefused { attention.append("picture_too_large") }
        json.field("base", base)
        json.field("name", name ?? base)
        json.field("state", status?.state.rawValue)
        json.field("camera", status?.cameraState?.rawValue)
        json.field("reason", status?.reason)
        json.field("detail", status?.detail)
        // The time since which the daemon has been in this state, if the daemon says so.
        json.field("since", status?.time?.iso8601)
        json.field("attention", attention)
        json.field("preview", status?.publish?.contains(.previewJPEG))
        json.field("smileStart", state.smileLevel, decimals: 3)
        json.field("detecting", state.isDetecting)
        json.field("faces", state.faceCount)
        json.field("held", state.heldCount > 0 ? state.heldCount : nil)
        guard showsFaces else { return }
        json.field("frame", state.stamp?.frame)
        json.field("present", state.faces)
        json.array("zones", state.zones) { json, zone in
            json.field("name", zone.name)
            json.field("faces", zone.faces)
        }
    }
}
