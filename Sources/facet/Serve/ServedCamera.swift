import FaceMessages
import FaceMetadata
import FaceTracking
import Foundation
import Frames
import MQTT
import OverlayRendering

/// One camera as pages see it: its faces and pictures, and the messages made of them.
struct ServedCamera {
    /// The size that is assumed for a picture where nothing states it.
    private static let usualPicture = FrameSize(width: 640, height: 480)

    /// Redraws a second of a scene without pictures.
    private static let sceneRate = 25.0
    let base: String
    private(set) var model = LiveModel()

    /// The name that its messages stated last, which a restart of the broker does not change.
    private var name: String?

    private var shown: CheckedPictures.Entry?
    /// The newest picture, if pictures are searched for faces and it was not.
    private var unchecked: PreviewPicture?
    private var checked = CheckedPictures()
    private var isDirty = true
    private var hasRefused = false
    private var lastDraw = -1.0
    private var pictures = RecentMoments()

    init(base: String) {
        self.base = base
    }

    /// Takes what happened on the connection.
    ///
    /// - Returns: the event that it was, whether the camera's condition or its faces may have changed, and whether it was
    ///   of the contract.
    mutating func take(
        _ occurrence: Subscriber.Occurrence,
        at seconds: Double
    ) -> (event: EventMessage?, state: Bool, isValid: Bool) {
        let faces = model.scene.faces.count
        let change = model.take(occurrence, at: seconds)
        name = model.state.name ?? name
        switch change {
        case nil: return (nil, false, false)
        case .picture:
            (unchecked, hasRefused) = (model.picture, false)
            return (nil, false, true)
        case .event(let event):
            isDirty = isDirty || shown == nil
            return (event, true, true)
        case .other:
            var isOver = !model.state.mayShowFaces
            if case .connection(let state) = occurrence, state.isInterrupted { isOver = true }
            if isOver {
                (shown, unchecked) = (nil, nil)
                checked.removeAll()
            }
            isDirty = isDirty || shown == nil
            if case .message(let message) = occurrence, message.topic == .metadata {
                return (nil, model.scene.faces.count != faces, true)
            }
            return (nil, true, true)
        }
    }

    var isOnline: Bool { model.state.status?.state == .online }

    /// Whether nothing came of it since the connection was made.
    var isSilent: Bool { model.state == CameraState() }

    /// Preview pictures a second; nil if none came lately.
    var pictureRate: Double? { pictures.rate(at: .now) }

    /// Notes that a picture was too large to be taken.
    mutating func refusePicture() { hasRefused = true }

    /// Draws what there is now even if nothing is new, for a page that has just come.
    mutating func redraw() {
        isDirty = true
    }

    /// Takes the newest picture that can be drawn at a time in seconds.
    ///
    /// - Returns: whether there is something new to show.
    mutating func advance(to seconds: Double, _ cover: PictureCover, isWatched: Bool) -> Bool {
        model.advance(to: seconds)
        if cover.isChecking, lacksMetadata, shown != nil { (shown, isDirty) = (nil, true) }
        if let next = nextPicture(at: seconds, cover, isWatched: isWatched) {
            shown = next
            pictures.add(.now)
            isDirty = true
        }
        let isFading = shown == nil && model.scene.isFading
        guard isDirty || isFading, shown != nil || seconds - lastDraw >= 1 / Self.sceneRate else { return false }
        lastDraw = seconds
        // What fades is drawn once more when it is gone.
        isDirty = isFading
        return true
    }

    private mutating func nextPicture(
        at seconds: Double,
        _ cover: PictureCover,
        isWatched: Bool
    ) -> CheckedPictures.Entry? {
        // A picture from before the camera was switched off may still wait for its turn.
        let next = model.nextPicture(at: seconds)
        guard model.state.mayShowFaces else { return nil }
        guard cover.isChecking else {
            guard let next, let size = cover.size(of: next) else { return nil }
            return CheckedPictures.Entry(picture: next, size: size, faces: [])
        }
        if isWatched, lacksMetadata { return nil }
        if isWatched, let picture = unchecked, let size = cover.size(of: picture),
            let faces = cover.faces(in: picture)
        {
            checked.add(CheckedPictures.Entry(picture: picture, size: size, faces: faces))
        }
        unchecked = nil
        return checked.takeDue(at: seconds)
    }

    /// Whether pictures come whose faces cannot be known.
    private var lacksMetadata: Bool { model.state.stamp == nil }

    /// The message with what there is to show: picture, faces, and the overlay in a look.
    ///
    /// A look that hides faces is drawn into the picture: the page gets no other.
    func message(
        _ wish: ViewerWish,
        looks: Looks,
        at seconds: Double,
        cover: PictureCover
    ) throws -> [UInt8] {
        let (look, isMirrored) = (looks[wish.look], wish.isMirrored)
        let size = shown?.size ?? model.pictureSize ?? Self.usualPicture
        let scene = shown.map { model.scene(of: $0.picture) } ?? model.scene
        let hides = look.hidesFaces
        let jpeg = (wish.isOverlay ? nil : shown).map { shown in
            hides
                ? cover.jpeg(shown.picture, scene, further: shown.faces, look: look, at: seconds) ?? []
                : shown.picture.jpeg
        }
        let svg = try Canvas.svg(size: size) { canvas in
            guard
                let geometry = PreviewLayerGeometry(size: canvas.size, pictureSize: size, isMirrored: isMirrored)
            else { return }
            if shown == nil, !wish.isOverlay { canvas.drawHeads(scene, geometry) }
            if !hides { canvas.draw(scene, geometry, look: look, at: seconds) }
        }
        let header = FrameHeader(
            camera: base,
            width: size.width,
            height: size.height,
            look: wish.look,
            mirrored: isMirrored,
            frame: shown?.picture.frame ?? scene.stamp?.frame,
            picture: jpeg.map { !$0.isEmpty } ?? false,
            faces: scene.faces.map(FaceRow.init)
        )
        return ServedMessage.encode(header, svg: svg, jpeg: jpeg ?? [])
    }

    /// Says in what condition the camera is.
    ///
    /// - Parameter isChecking: whether all pages get a look that hides faces.
    /// - Returns: its row in the state.
    func row(isChecking: Bool) -> CameraRow {
        let status = model.state.status
        var attention = status?.attention?.map(\.rawValue) ?? []
        if isChecking, lacksMetadata, model.picture != nil { attention.append("no_metadata") }
        if hasRefused { attention.append("picture_too_large") }
        return CameraRow(
            base: base,
            name: name ?? base,
            state: status?.state.rawValue,
            camera: status?.cameraState?.rawValue,
            reason: status?.reason,
            detail: status?.detail,
            since: status?.time?.iso8601,
            attention: attention,
            detecting: model.state.isDetecting,
            faces: model.state.faceCount,
            rate: pictureRate.map { ($0 * 10).rounded() / 10 }
        )
    }
}

/// Where the messages for pages are put together.
enum ServedMessage {
    /// A message of a JSON header, an SVG document and a JPEG, which may be empty.
    ///
    /// The lengths of the three parts come first, each as four bytes with the highest first.
    static func encode(_ header: some Encodable, svg: [UInt8] = [], jpeg: [UInt8] = []) -> [UInt8] {
        let json = (try? JSONEncoder().encode(header)) ?? Data("{}".utf8)
        var message: [UInt8] = []
        message.reserveCapacity(12 + json.count + svg.count + jpeg.count)
        for count in [json.count, svg.count, jpeg.count] {
            withUnsafeBytes(of: UInt32(count).bigEndian) { message.append(contentsOf: $0) }
        }
        message.append(contentsOf: json)
        message.append(contentsOf: svg)
        message.append(contentsOf: jpeg)
        return message
    }
}

struct FrameHeader: Encodable {
    var type = "frame"
    var camera: String
    var width: Int
    var height: Int
    var look: String
    var mirrored: Bool
    var frame: Int?
    var picture: Bool
    var faces: [FaceRow]
}

/// A face's values for the page's traces; what is unknown is left out.
struct FaceRow: Encodable {
    var id: Int
    /// Left, top, width and height as shares of the picture, which is not mirrored.
    var box: [Double]
    var smile: Double?
    var smiling: Bool?
    var leftClosed: Bool?
    var rightClosed: Bool?
    var looking: Bool?
    var yaw: Double?
    var pitch: Double?
    var roll: Double?

    init(_ face: FaceObject) {
        func rounded(_ value: Double?) -> Double? {
            value.flatMap { $0.isFinite ? ($0 * 100).rounded() / 100 : nil }
        }
        id = face.faceID.rawValue
        box = [face.bounds.x, face.bounds.y, face.bounds.width, face.bounds.height].map { ($0 * 1000).rounded() / 1000 }
        smile = rounded(face.smile)
        smiling = face.smiling
        leftClosed = face.leftEyeClosed
        rightClosed = face.rightEyeClosed
        looking = face.looking
        yaw = rounded(face.pose?.yaw)
        pitch = rounded(face.pose?.pitch)
        roll = rounded(face.pose?.roll)
    }
}

struct StateHeader: Encodable {
    var type = "state"
    var version = facetVersion
    /// The server's clock, from which pages compute how long ago something was.
    var time = Timestamp.wallClock().iso8601
    /// The level at which a smile begins.
    var smileStart = SmileDetector.startLevel
    var broker: BrokerRow
    var control: Bool
    var login: Bool
    var looks: [String]
    /// How many cameras are not shown, because there are too many.
    var further: Int
    var cameras: [CameraRow]
    var events: [EventRow]
}

struct BrokerRow: Encodable, Equatable {
    var address: String
    var connected: Bool
    var reason: String?
    /// Since when there is no connection.
    var since: String?
}

struct CameraRow: Encodable, Equatable {
    var base: String
    var name: String
    var state: String?
    var camera: String?
    var reason: String?
    var detail: String?
    /// When it became so, if its daemon says that.
    var since: String?
    var attention: [String]
    var detecting: Bool?
    var faces: Int?
    var rate: Double?
}

struct EventRow: Encodable, Equatable {
    var number: Int
    var camera: String
    var name: String
    var kind: String
    var face: Int
    var time: String
    var text: String
}
