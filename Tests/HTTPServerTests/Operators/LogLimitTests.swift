import Logging
import Synchronization
import Testing

@testable import HTTPServer

@Suite struct LogLimitTests {
    private final class Time: Sendable {
        let now = Mutex(ContinuousClock.now)
        func wait(_ duration: Duration) { now.withLock { $0 += duration } }
    }

    private let time = Time()
    private let limit: LogLimit

    init() { limit = LogLimit { [time] in time.now.withLock { $0 } } }

    @Test func admitsOneLineAMinutePerKind() {
        #expect(limit.admit("full") == 0)
        time.wait(.milliseconds(59_999))
        for _ in 0..<3 { #expect(limit.admit("full") == nil) }
        time.wait(.milliseconds(1))
        #expect(limit.admit("full") == 3)
        #expect(limit.admit("full") == nil)
    }

    @Test func admittedLineSaysHowManyWereOmitted() {
        let metadata: Logger.Metadata = ["reason": "full"]
        let withMore: Logger.Metadata = ["reason": "full", "more": "2"]
        #expect(limit.admit("full", with: metadata) == metadata)
        for _ in 0..<2 { #expect(limit.admit("full", with: metadata) == nil) }
        time.wait(.seconds(60))
        #expect(limit.admit("full", with: metadata) == withMore)
        time.wait(.seconds(60))
        #expect(limit.admit("full", with: metadata) == metadata)
    }

    @Test func kindsAreLimitedSeparately() {
        #expect(limit.admit("full") == 0)
        #expect(limit.admit("damaged") == 0)
    }

    @Test func kindsAboveTheMaximumShareOneLimit() {
        for number in 0..<100 { #expect(limit.admit("\(number)") == 0) }
        #expect(limit.admit("another") == 0)
        #expect(limit.admit("one more") == nil)
        time.wait(.seconds(60))
        #expect(limit.admit("another") == 0)
    }
}
