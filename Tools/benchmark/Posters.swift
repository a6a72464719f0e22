import ArgumentParser
import FaceInference
import FaceMetadata
import FacetKit
import FacetTestSupport
import Foundation
import Frames

extension Benchmark {
    /// Which faces that are only pictures are found to be, and which people are taken for pictures.
    struct Posters: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Hang portraits into a made-up room as posters, and count which become still, when and for how long.",
            discussion: """
                Six at a time, 8 to 16 % of the picture wide, with noise, flicker, exposure that jumps every five seconds \
                and a camera that sways in a hand (see RoomScene). With --breathing they are sleepers, whose size goes to \
                and fro. With --clips the faces of clips are counted instead, which should never be still.
                """
        )

        @Option(help: "A folder of portraits; those that come first in the order of their names are taken.")
        var portraits: String?

        @Option(parsing: .upToNextOption, help: "Clips of living people, of any length.")
        var clips: [String] = []

        @Option(help: "How many portraits.")
        var count = 151

        @Option(help: "The first portrait, in the order of their names.")
        var from = 0

        @Option(help: "How many seconds of video.")
        var seconds = 50.0

        @Option(help: "Frames per second.")
        var rate = 15.0

        @Option(help: "The noise's standard deviation in grey levels.")
        var noise = 4.0

        @Option(help: "How much the mains make the light flicker, as a share of it.")
        var flicker = 0.03

        @Option(help: "The share by which the exposure jumps every five seconds.")
        var jump = 0.2

        @Option(help: "How far the camera sways, as a share of the frame's width.")
        var sway = 0.01

        @Option(help: "By how much the faces grow and shrink with each breath, as a share of their size.")
        var breathing = 0.0

        @Option(help: "After how many seconds without a movement a face is still.")
        var stillAfter = 30.0

        func validate() throws {
            guard portraits != nil || !clips.isEmpty else { throw ValidationError("give --portraits or --clips") }
        }

        func run() throws {
            var total = Faces()
            for clip in clips {
                let faces = try watch(.file(clip, pace: .asap))
                print("\(clip): \(faces)")
                total.add(faces)
            }
            if let portraits {
                let portraits = try Portrait.load(portraits, count: count)
                for start in stride(from: from, to: count, by: 6) {
                    let scene = scene(Array(portraits[start..<min(start + 6, count)]), first: start)
                    let faces = try watch(.custom(CutSource(Int(seconds * rate)) { scene.frame($0) }))
                    FileHandle.standardOutput.write(Data("from \(start): \(faces)\n".utf8))
                    total.add(faces)
                    for face in 0..<faces.entered {
                        let isStill = face < faces.stillAt.count
                        ClipCount("pictures that are still", in: "\(start + face)", of: 1, right: isStill ? 1 : 0)
                            .print()
                    }
                }
            }
            print(total)
            let times = total.stillAt.sorted()
            guard let latest = times.last else { return }
            print("still after \(times[times.count / 2]) s in the median, \(latest) s at most")
        }

        /// What became of faces.
        private struct Faces: CustomStringConvertible {
            var entered = 0
            /// How many seconds after its enter each face was still for the first time.
            var stillAt: [Double] = []
            /// How often faces moved that were still.
            var movedAgain = 0
            var events: [String: Int] = [:]

            var description: String {
                "\(entered) faces, \(stillAt.count) still; alive again \(movedAgain) times; \(events)"
            }

            mutating func add(_ others: Faces) {
                entered += others.entered
                stillAt += others.stillAt
                movedAgain += others.movedAgain
                events.merge(others.events) { $0 + $1 }
            }
        }

        private func watch(_ source: FaceSession.Source) throws -> Faces {
            var options = FaceSession.Options()
            options.tracking.stillAfter = stillAfter
            var faces = Faces()
            var entered: [FaceID: Double] = [:]
            var still: Set<FaceID> = []
            var everStill: Set<FaceID> = []
            try FaceSession(source: source, options: options).run { update in
                guard let time = update.stamp?.mediaTime else { return }
                for event in update.events {
                    let name = "\(event.kind)".split(separator: "(").first.map(String.init) ?? ""
                    faces.events[name, default: 0] += 1
                    if event.kind == .enter { entered[event.face.faceID] = time }
                }
                for face in update.faces {
                    if face.still, everStill.insert(face.faceID).inserted {
                        faces.stillAt.append(time - (entered[face.faceID] ?? 0))
                    }
                    if face.still {
                        still.insert(face.faceID)
                    } else if still.remove(face.faceID) != nil {
                        faces.movedAgain += 1
                    }
                }
            }
            faces.entered = entered.count
            return faces
        }

        private func scene(_ portraits: [Portrait], first: Int) -> RoomScene {
            var options = RoomScene.Options()
            options.rate = rate
            options.noise = noise
            options.flicker = flicker
            options.exposureJump = jump
            options.sway = sway
            return RoomScene(
                options,
                sitters: portraits.enumerated().map { index, portrait in
                    var sitter = portrait.sitter(
                        width: 51 + Double((first + index) * 37 % 52),
                        at: (x: 107 + 213 * (index % 3), y: 120 + 240 * (index / 3)),
                        visible: 0..<1e9
                    )
                    sitter.breathing = breathing
                    return sitter
                }
            )
        }
    }
}
