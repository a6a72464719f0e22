import FaceMetadata
import System
import Testing

@testable import Frames

@Suite("Delivery of pictures at their time", .serialized)
struct PictureDeliveryTests {
    private static let stream = StreamDescription(
        name: "clip",
        size: FrameSize(width: 16, height: 16),
        format: "gray",
        rate: 25
    )

    /// - Returns: How old each picture was when it was put into the mailbox, and the time in its stamp.
    private func delivered(_ pictures: [(mediaTime: Double, age: Duration)]) -> [(age: Duration, time: Timestamp)] {
        let mailbox = FrameMailbox(policy: .every(capacity: pictures.count))
        var delivery = PictureDelivery(into: mailbox, until: StopSignal(false), longestGap: .seconds(1))
        delivery.begin(.paced, rate: 25, isConnection: false)
        let frame = SyntheticPicture(Self.stream.size, .gray, .video).frame
        for picture in pictures {
            let isTaken = delivery.deliver(frame, of: Self.stream, at: picture.mediaTime, age: picture.age)
            #expect(isTaken)
        }
        return pictures.compactMap { _ in
            while let event = mailbox.next() {
                if case .frame(let frame) = event { return (.now - frame.captured, frame.stamp.time) }
            }
            return nil
        }
    }

    @Test("a source that fell behind by two seconds goes on from there: its pictures do not count as old")
    func fellBehind() {
        // The first picture says that the clip began 2 s ago: the second, of 0.04 s, comes 1.96 s late.
        let taken = delivered([(0, .seconds(2)), (0.04, .zero), (0.08, .zero)])
        #expect(taken.count == 3)
        #expect(taken[1].age < .seconds(1) && taken[2].age < .seconds(1), "\(taken)")
        let step = taken[1].time.nanoseconds - taken[0].time.nanoseconds
        #expect(step >= 1_960_000_000, "\(step) ns")
        #expect(taken[2].time.nanoseconds - taken[1].time.nanoseconds == 40_000_000)
    }

    @Test("a source that is a little late keeps to its plan")
    func littleLate() {
        let taken = delivered([(0, .milliseconds(300)), (0.04, .zero)])
        #expect(taken.count == 2)
        #expect(
            taken[1].age >= .milliseconds(260) && taken[1].time.nanoseconds - taken[0].time.nanoseconds == 40_000_000
        )
    }
}
