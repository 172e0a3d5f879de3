import Foundation
import Testing

@testable import WebPush

@Suite struct PushAnswerTests {
    private func answer(_ status: Int, retryAfter: String? = nil) -> PushAnswer {
        PushAnswer(
            status: status, headers: retryAfter.map { ["retry-after": $0] } ?? [:], now: start)
    }

    @Test(arguments: [
        (200, PushAnswer.accepted), (201, .accepted), (202, .accepted), (299, .accepted),
        (199, .refused(.status(199))), (300, .refused(.status(300))),
        (307, .refused(.status(307))),
        (404, .gone), (410, .gone), (413, .tooLarge), (400, .refused(.request)),
        (401, .refused(.token)), (403, .refused(.key)), (402, .refused(.status(402))),
        (405, .refused(.status(405))), (409, .refused(.status(409))),
        (411, .refused(.status(411))), (408, .later(after: .zero)), (425, .later(after: .zero)),
        (429, .later(after: .zero)), (428, .refused(.status(428))),
        (499, .refused(.status(499))), (500, .later(after: .zero)), (503, .later(after: .zero)),
        (599, .later(after: .zero)), (999, .later(after: .zero)), (0, .refused(.status(0))),
        (-1, .refused(.status(-1))),
    ])
    func aStatusHasOneMeaning(status: Int, meaning: PushAnswer) {
        #expect(answer(status) == meaning)
    }

    @Test(arguments: [
        ("0", 0), ("1", 1), ("86400", 86_400), ("86401", 86_400), ("007", 7),
        ("99999999999999999999999", 86_400), ("9223372036854775807", 86_400), ("-5", 0), ("+5", 0),
        ("1.5", 0), ("5 ", 5), ("", 0),
        ("soon", 0), ("5, 10", 0), ("٥", 0), (String(repeating: "9", count: 65), 0),
    ])
    func aPauseInSecondsIsAtMostADay(value: String, seconds: Int) {
        #expect(answer(429, retryAfter: value) == .later(after: .seconds(seconds)))
        #expect(answer(503, retryAfter: value) == .later(after: .seconds(seconds)))
    }

    @Test func aPauseIsOnlyHeardWithAnAnswerThatAsksForOne() {
        #expect(answer(201, retryAfter: "60") == .accepted)
        #expect(answer(410, retryAfter: "60") == .gone)
        #expect(answer(400, retryAfter: "60") == .refused(.request))
    }

    // `start` is Fri, 15 Jan 2027 08:00:00 GMT. `HTTPDateTests` has the forms of dates.
    @Test(arguments: [
        ("Fri, 15 Jan 2027 08:02:00 GMT", 120), ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
        ("15 Jan 2027 08:02:00 GMT", 0),
    ])
    func aPauseCanEndAtATime(value: String, seconds: Int) {
        #expect(answer(429, retryAfter: value) == .later(after: .seconds(seconds)))
    }
}
