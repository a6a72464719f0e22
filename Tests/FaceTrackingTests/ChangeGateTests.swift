import FaceMetadata
import FaceTracking
import Testing

@Suite("Change gate")
struct ChangeGateTests {
    private let face = {
        var face = FaceObject(
            faceID: FaceID(rawValue: 1),
            bounds: NormalizedRect(x: 0.4, y: 0.3, width: 0.2, height: 0.3),
            pose: HeadPose(roll: 179.5, yaw: 0, pitch: 0),
            confidence: 0.9
        )
        (face.smiling, face.trackedFrames) = (false, 1)
        (face.gaze, face.distance) = (Gaze(yaw: 3, pitch: -2), 1)
        (face.leftEyeOpen, face.mouthOpen, face.talking) = (1, 0, false)
        (face.blinksPerMinute, face.eyesClosedShare) = (12, 0.02)
        return face
    }()

    private func changed(_ change: (inout FaceObject) -> Void) -> FaceObject {
        var face = face
        change(&face)
        return face
    }

    @Test("the first face, then nothing while it stays, then the empty set once")
    func stillScene() {
        var gate = ChangeGate()
        let first = [gate.admits([], at: 0), gate.admits([face], at: 0.1)]
        #expect(first == [false, true])
        for frame in 1...300 {
            let isAdmitted = gate.admits([changed { $0.trackedFrames = frame }], at: 0.1 + Double(frame) / 30)
            #expect(!isAdmitted)
        }
        let last = [gate.admits([], at: 20), gate.admits([], at: 21)]
        #expect(last == [true, false])
    }

    @Test("values inside their deadbands do not count, outside they do")
    func deadbands() {
        let small: [FaceObject] = [
            changed { $0.bounds.x += 0.009 }, changed { $0.bounds.width += 0.009 },
            changed { $0.pose = HeadPose(roll: -178.6, yaw: 1.9, pitch: -1.9) }, changed { $0.confidence = 0.5 },
            changed { $0.gaze = Gaze(yaw: 6, pitch: 1.9) }, changed { $0.distance = 1.09 },
            changed { $0.leftEyeOpen = 0.91 }, changed { $0.mouthOpen = 0.09 }, changed { $0.blinksPerMinute = 13.9 },
            changed { $0.eyesClosedShare = 0.06 },
        ]
        let large: [FaceObject] = [
            changed { $0.bounds.x += 0.011 }, changed { $0.bounds.height -= 0.011 },
            changed { $0.pose = HeadPose(roll: -178, yaw: 0, pitch: 0) },
            changed { $0.pose = HeadPose(roll: 179.5, yaw: 2.1, pitch: 0) }, changed { $0.smiling = true },
            changed { $0.smiling = nil }, changed { $0.isSeen = false }, changed { $0.leftEyeClosed = true },
            changed { $0.pose = nil }, changed { $0.looking = false }, changed { $0.still = true },
            changed { $0.gaze = Gaze(yaw: 7, pitch: 1.1) }, changed { $0.gaze = nil },
            changed { $0.distance = 0.89 }, changed { $0.distance = nil },
            changed { $0.leftEyeOpen = 0.89 }, changed { $0.rightEyeOpen = 1 }, changed { $0.mouthOpen = nil },
            changed { $0.talking = nil }, changed { $0.blinksPerMinute = 9.9 }, changed { $0.eyesClosedShare = 0.08 },
            changed { $0.faceID = FaceID(rawValue: 2) },
        ]
        for (faces, counts) in [(small, false), (large, true)] {
            for face in faces {
                var gate = ChangeGate()
                _ = gate.admits([self.face], at: 0)
                let isAdmitted = gate.admits([face], at: 1)
                #expect(isAdmitted == counts)
            }
        }
    }

    @Test("slow drift counts once it has left the deadband around what was published")
    func drift() {
        var gate = ChangeGate()
        let published = (0..<100).filter { frame in
            gate.admits([changed { $0.bounds.x += Double(frame) * 0.004 }], at: Double(frame) / 10)
        }
        #expect(published == Array(stride(from: 0, through: 99, by: 3)))
    }

    @Test("the rate cap delays the newest value, and lets coming, going and flags through")
    func rateCap() {
        var options = ChangeGate.Options()
        options.maximumRate = 10
        var gate = ChangeGate(options: options)
        let moved = changed { $0.bounds.x = 0.5 }
        let smiling = changed { $0.smiling = true }
        let steps: [(faces: [FaceObject], time: Double, isAdmitted: Bool)] = [
            ([face], 0, true), ([moved], 0.033, false), ([moved], 0.066, false), ([moved], 0.1, true),
            ([smiling], 0.11, true), ([], 0.12, true),
            // The camera was opened anew.
            ([face], 0, true), ([moved], 0.05, false),
        ]
        for step in steps {
            let isAdmitted = gate.admits(step.faces, at: step.time)
            #expect(isAdmitted == step.isAdmitted, "at \(step.time)")
        }
    }
}
