/// Something that happened to a face, reported once.
public struct FaceEvent: Hashable, Sendable {
    /// The longest closure of the eyes, in seconds, that counts as a blink.
    package static let longestBlink = 0.5

    /// What happened.
    public var kind: Kind
    /// The face as it was when the event was detected; for a `leave`, as it was last seen.
    public var face: FaceObject
    /// The frame in which the event happened: for a blink, the first one with open eyes again.
    public var stamp: FrameStamp

    /// Makes an event from its kind, the face that it happened to, and its frame.
    public init(kind: Kind, face: FaceObject, stamp: FrameStamp) {
        (self.kind, self.face, self.stamp) = (kind, face, stamp)
    }

    /// What can happen to a face.
    public enum Kind: Hashable, Sendable {
        /// A face appeared and has been seen for at least `FaceTracker.Options.enterDelay` seconds.
        case enter

        /// A face left. `lastSeen` is when the face was last seen or, if it was held, when its place last showed the
        /// person. `dwell` is the time from the face's enter to `lastSeen`, in seconds.
        case leave(dwell: Double, lastSeen: Timestamp, reason: LeaveReason)

        /// A smile began.
        case smile

        /// A smile ended. `duration` is the seconds since its `smile` event, `peak` its greatest strength, 0…1.
        case smileEnd(duration: Double, peak: Double)

        /// Eyes were closed for at most `longestBlink` and are open again. The seconds of `duration` count from
        /// half-closed lids to the first frame with open eyes, so they may be more by up to one frame.
        case blink(eyes: Eyes, duration: Double)

        /// Eyes have been closed for `duration` seconds so far, longer than in a blink.
        case eyesClosed(eyes: Eyes, duration: Double)

        /// Eyes that `eyesClosed` reported are open again, after `duration` seconds.
        case eyesOpen(eyes: Eyes, duration: Double)

        /// The mouth has been wide open for half a second, longer than in speech.
        case mouthOpen

        /// The face has looked at the camera, or in the direction of `LookSettings`, for `LookSettings.hold` seconds.
        case look

        /// A look ended; `duration` is its length in seconds.
        case lookAway(duration: Double)

        /// The face has been in the zone of this name for the zone's `dwell` seconds.
        case zoneEnter(zone: String)

        /// The face left the zone of this name, after `dwell` seconds in it.
        case zoneLeave(zone: String, dwell: Double)

        /// The person made a sign, such as a long blink. Signs are detected only with `FaceTracker.Options.readsSigns`.
        case sign(Sign)

        /// The eyes that were closed; nil for an event that is not about eyes.
        public var eyes: Eyes? {
            switch self {
            case .blink(let eyes, _), .eyesClosed(let eyes, _), .eyesOpen(let eyes, _): eyes
            default: nil
            }
        }

        /// Whether the event ends what an earlier one began: a smile, closed eyes, a look or a stay in a zone.
        public var isEnd: Bool {
            switch self {
            case .smileEnd, .eyesOpen, .lookAway, .zoneLeave: true
            default: false
            }
        }

        /// The seconds that the blink, eye closure, smile or look lasted, or has lasted so far; nil for other events.
        public var duration: Double? {
            switch self {
            case .blink(_, let duration), .eyesClosed(_, let duration), .eyesOpen(_, let duration),
                .smileEnd(let duration, _), .lookAway(let duration):
                duration
            case .enter, .leave, .smile, .mouthOpen, .look, .zoneEnter, .zoneLeave, .sign: nil
            }
        }
    }

    /// The eyes that an event is about; left and right are as seen in the picture.
    public enum Eyes: String, Hashable, Sendable, CaseIterable {
        /// Both eyes.
        case both
        /// Only the eye on the left in the picture, as in a wink.
        case left
        /// Only the eye on the right in the picture, as in a wink.
        case right
    }

    /// A deliberate gesture of the eyes or head, used as a command. Left and right are the person's own.
    public enum Sign: String, Hashable, Sendable, CaseIterable {
        /// Both eyes were closed for 0.6 to 2 s.
        case longBlink = "long_blink"
        /// Both eyes were closed twice, for at most 0.4 s each time, and were open for at most 0.3 s in between.
        case doubleBlink = "double_blink"
        /// The left eye was closed for 0.25 to 2 s while the right one stayed open.
        case winkLeft = "wink_left"
        /// The right eye was closed for 0.25 to 2 s while the left one stayed open.
        case winkRight = "wink_right"
        /// The head moved up and down: at least three movements within 1.5 s.
        case nod
        /// The head turned to and fro: at least three movements within 1.5 s.
        case shake
    }

    /// The reason why a face counts as gone.
    public enum LeaveReason: String, Hashable, Sendable, CaseIterable {
        /// The face was unseen for too long (see `FaceTracker.Options.patience` and `hold`), or the scene changed.
        case left
        /// The face seems to be only a picture of a face, and `FaceTracker.Options.ignoresStill` is set.
        case still
        /// The camera was unplugged, failed or stalled.
        case cameraLost = "camera_lost"
        /// Detection was switched off.
        case disabled
        /// The daemon, or the clip that it analysed, came to its end.
        case shutdown
        /// The source was changed, or the daemon died while the face was present and reports this after its restart.
        case restart
    }
}
