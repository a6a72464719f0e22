/// Something that happened to a face, reported once.
public struct FaceEvent: Hashable, Sendable {
    /// The longest closure of the eyes, in seconds, that is a blink.
    package static let longestBlink = 0.5

    /// What happened.
    public var kind: Kind
    /// The face as it was when the event was settled; for a leave, as it was last seen.
    public var face: FaceObject
    /// The frame that settled the event: for a blink the first one with open eyes again.
    public var stamp: FrameStamp

    /// Makes an event from what happened, to which face, and the frame that settled it.
    public init(kind: Kind, face: FaceObject, stamp: FrameStamp) {
        (self.kind, self.face, self.stamp) = (kind, face, stamp)
    }

    /// What can happen to a face.
    public enum Kind: Hashable, Sendable {
        /// A face came and stayed long enough not to be a flicker.
        case enter

        /// A face went: seconds from enter to when it was last seen, when that was, and why it counts as gone.
        case leave(dwell: Double, lastSeen: Timestamp, reason: LeaveReason)

        /// A smile began.
        case smile

        /// A smile ended: seconds since it began, and how much the face smiled at most, 0…1.
        case smileEnd(duration: Double, peak: Double)

        /// Eyes closed and opened again within the length of a blink: which ones, and for how many seconds.
        case blink(eyes: Eyes, duration: Double)

        /// Eyes have been closed for longer than a blink: which ones, and for how many seconds so far.
        case eyesClosed(eyes: Eyes, duration: Double)

        /// Eyes that `eyesClosed` reported are open again: which ones, and for how many seconds they were closed.
        case eyesOpen(eyes: Eyes, duration: Double)

        /// A mouth has been wide open for half a second, which it is not in speech.
        case mouthOpen

        /// A look at the camera, or in `LookSettings.direction`, has lasted for a moment.
        case look

        /// A look ended; `duration` is the seconds from its first moment to its last.
        case lookAway(duration: Double)

        /// The face came into this zone, and stayed for its `dwell`.
        case zoneEnter(zone: String)

        /// The face left this zone after `dwell` seconds.
        case zoneLeave(zone: String, dwell: Double)

        /// The person made a sign, with `FaceTracker.Options.readsSigns`.
        case sign(Sign)

        /// Which eyes were closed; nil for an event that is not about eyes.
        public var eyes: Eyes? {
            switch self {
            case .blink(let eyes, _), .eyesClosed(let eyes, _), .eyesOpen(let eyes, _): eyes
            default: nil
            }
        }

        /// Whether it is the end of something that an event of its own began.
        public var isEnd: Bool {
            switch self {
            case .smileEnd, .eyesOpen, .lookAway, .zoneLeave: true
            default: false
            }
        }

        /// The seconds that the blink, closure, smile or look lasted, or has lasted so far; nil for other events.
        public var duration: Double? {
            switch self {
            case .blink(_, let duration), .eyesClosed(_, let duration), .eyesOpen(_, let duration),
                .smileEnd(let duration, _), .lookAway(let duration):
                duration
            case .enter, .leave, .smile, .mouthOpen, .look, .zoneEnter, .zoneLeave, .sign: nil
            }
        }
    }

    /// Which eyes an event is about; left and right are the picture's.
    public enum Eyes: String, Hashable, Sendable, CaseIterable {
        /// Both eyes.
        case both
        /// Only the one at the picture's left: a wink.
        case left
        /// Only the one at the picture's right: a wink.
        case right
    }

    /// A sign that people make with eyes and head to switch something; left and right are the person's own.
    public enum Sign: String, Hashable, Sendable, CaseIterable {
        /// Both eyes were closed for 0.6 to 2 s.
        case longBlink = "long_blink"
        /// Both eyes blinked twice within a second.
        case doubleBlink = "double_blink"
        /// The left eye was closed for 0.25 to 2 s while the right one stayed open.
        case winkLeft = "wink_left"
        /// The right eye was closed for 0.25 to 2 s while the left one stayed open.
        case winkRight = "wink_right"
        /// The head moved up and down, three times in 1.5 s.
        case nod
        /// The head turned to and fro, three times in 1.5 s.
        case shake
    }

    /// The reason why a face counts as gone.
    public enum LeaveReason: String, Hashable, Sendable, CaseIterable {
        /// It was not seen for `tracking.patience`, and was not held or no longer is.
        case left
        /// The face seems to be only a picture of a face, with `FaceTracker.Options.ignoresStill`.
        case still
        /// The camera was unplugged, failed or stalled.
        case cameraLost = "camera_lost"
        /// Detection was switched off.
        case disabled
        /// The daemon ended, or its clip did.
        case shutdown
        /// The daemon had died with the face present, and reported it when it was back; or another source was set.
        case restart
    }
}
