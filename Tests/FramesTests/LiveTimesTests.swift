import FaceMetadata
import System
import Testing

@testable import Frames

@Suite("Media times of live streams with wrong clocks")
struct LiveTimesTests {
    /// What is wrong with the times of a sender of 25 pictures a second.
    enum Fault: CaseIterable {
        case clean, far, past, set, back, small, smaller, minute, fast, faster, double, slow, half, still, missing

        func time(of number: Int) -> Double? {
            let time = Double(number) / 25
            let isSingle = number % 50 == 49
            return switch self {
            case .clean: time
            case .far: isSingle ? time + 37_600 : time
            case .past: isSingle ? time - 9800 : time
            case .set: number >= 100 ? time + 3600 : time
            case .back: number >= 100 ? time - 3600 : time
            case .small: isSingle ? time + 5 : time
            case .smaller: isSingle ? time + 0.6 : time
            case .minute: number >= 100 ? time + 60 : time
            case .fast: time * 10.5
            case .faster: time * 90
            case .double: time * 2
            case .slow: time / 10
            case .half: time / 2
            case .still: 7
            case .missing: nil
            }
        }
    }

    /// The media times of 8 s, which come with a jitter of some milliseconds.
    private func times(_ fault: Fault, rate: Double?) -> (times: [Double], mailbox: FrameMailbox) {
        let mailbox = FrameMailbox(policy: .newest)
        var delivery = PictureDelivery(into: mailbox, until: StopSignal(false), longestGap: .seconds(1))
        delivery.begin(.live(hasTimes: true), rate: rate, isConnection: true, longestDelay: 5)
        let times = (0..<200).map { number in
            let jitter = Double(number * 7 % 5) / 500
            return delivery.mediaTime(presentation: fault.time(of: number), arrival: Double(number) / 25 + jitter)
        }
        return (times, mailbox)
    }

    @Test("follow the arrival whatever the sender's clock does", arguments: Fault.allCases)
    func followArrival(_ fault: Fault) {
        for rate in [25, nil] as [Double?] where rate != nil || fault != .double && fault != .half {
            let (times, mailbox) = times(fault, rate: rate)
            #expect(abs(times[199] - 7.96) < 0.5, "\(fault) \(rate as Any): \(times[199])")
            // What is wrong at all times is found within a second.
            let steps = zip(times.dropFirst(30), times.dropFirst(29)).map { $0 - $1 }
            #expect(steps.allSatisfy { $0 > 0.01 && $0 < 0.1 }, "\(fault) \(rate as Any): \(steps)")
            #expect((mailbox.counts.retimed > 0) == (fault != .clean && fault != .missing), "\(fault) \(rate as Any)")
        }
    }

    @Test("a clock that goes right again is believed again, and pictures that are caught up with are no fault")
    func recovery() {
        var plan = PlayOut(longestDelay: 5, rate: nil)
        var time = 0.0
        var arrival = 0.0
        func run(_ pictures: Int, step: Double, every pause: Double) {
            for _ in 0..<pictures {
                time = time + step
                arrival = arrival + pause
                _ = plan.due(time, arrival: arrival)
            }
        }
        // What a segment holds comes as fast as the network brings it.
        run(150, step: 0.04, every: 0.002)
        run(50, step: 0.04, every: 0.04)
        #expect(plan.wrongFactor == nil)
        run(50, step: 0.4, every: 0.04)
        #expect(plan.wrongFactor.map { abs($0 - 10) < 1 } == true)
        run(50, step: 0.04, every: 0.04)
        #expect(plan.wrongFactor == nil)
    }

    @Test("what is wrong with a clock is told until it goes right again, or until the next connection")
    func detail() {
        let mailbox = FrameMailbox(policy: .newest)
        var delivery = PictureDelivery(into: mailbox, until: StopSignal(false), longestGap: .seconds(1))
        var time = 0.0
        var arrival = 0.0
        func begin() { delivery.begin(.live(hasTimes: true), rate: 25, isConnection: true, longestDelay: 5) }
        func detail(step: Double) -> String? {
            for _ in 0..<50 {
                time += step
                arrival += 0.04
                _ = delivery.mediaTime(presentation: time, arrival: arrival)
            }
            return delivery.timesDetail
        }
        begin()
        #expect(detail(step: 0.04) == nil)
        #expect(detail(step: 0.4)?.contains("too fast") == true)
        #expect(detail(step: 0.04) == nil)
        #expect(detail(step: 0.4)?.contains("too fast") == true)
        begin()
        #expect(delivery.timesDetail == nil)
    }

    @Test(
        "bursts are spread over the time until the next one, with no more delay than they need",
        arguments: [0.12, 0.4, 1, 4]
    )
    func bursts(length: Double) {
        var plan = PlayOut(longestDelay: 5, rate: 25)
        var late = 0
        var longest = 0.0
        for number in 0..<1000 {
            let time = Double(number) / 25
            let arrival = (time / length).rounded(.down) * length + length
            let due = plan.due(time, arrival: arrival)
            if due - time > length + 0.001 { late += 1 }
            longest = max(longest, due - arrival)
        }
        #expect(late == 0 && longest < length + 0.001)
    }

    @Test("a delay that is no longer needed is taken back")
    func takenBack() {
        var plan = PlayOut(longestDelay: 5, rate: 25)
        var delay = 0.0
        for number in 0..<2000 {
            let time = Double(number) / 25
            // The first seconds come late by 2 s.
            let arrival = time < 5 ? max(time, 2) : time
            delay = plan.due(time, arrival: arrival) - arrival
        }
        #expect(delay < 0.01)
    }
}
