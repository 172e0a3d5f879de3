import Domain
import Foundation
import Testing

@Suite struct ExpiryWarningTests {
    private let end = Date(timeIntervalSince1970: 1_790_000_000)

    private func isDue(_ left: Duration, warned: Duration? = nil) -> Bool {
        SignInRules.isExpiryWarningDue(
            expiresAt: end, warnedAt: warned.map { end.adding(.zero - $0) },
            at: end.adding(.zero - left))
    }

    @Test func twoWarningsBeforeTheEnd() {
        #expect(!isDue(.days(14) + .milliseconds(1)))
        #expect(isDue(.days(14)))
        #expect(!isDue(.days(10), warned: .days(14)))
        #expect(!isDue(.days(3) + .milliseconds(1), warned: .days(14)))
        #expect(isDue(.days(3), warned: .days(14)))
        #expect(!isDue(.days(1), warned: .days(3)))
        #expect(isDue(.days(1), warned: .days(3) + .milliseconds(1)))
        #expect(!isDue(.zero))
    }

    @Test func usedSessionIsWarnedAgain() {
        #expect(isDue(.days(14), warned: .days(90)))
    }

    @Test func daysAreRounded() {
        func days(_ left: Duration) -> Int {
            SignInRules.days(until: end, from: end.adding(.zero - left))
        }
        #expect(days(.days(14)) == 14)
        #expect(days(.days(14) - .minutes(10)) == 14)
        #expect(days(.hours(2)) == 1)
    }
}
