import Domain
import Foundation
import Testing

@Suite struct CheckInStatusTests {
    @Test(
        arguments: [
            (Duration.days(7), CheckInStatus.normal), (.hours(2) + .milliseconds(1), .normal),
            (.hours(2), .warning),
            (.minutes(30) + .milliseconds(1), .warning), (.minutes(30), .critical),
            (.milliseconds(1), .critical), (.zero, .critical),
            (.hours(-5), .critical),
        ])
    func statusOnBothSidesOfEachBoundary(left: Duration, status: CheckInStatus) {
        #expect(CheckInStatus(deadline: noon.adding(left), at: noon) == status)
    }

    @Test func withoutDeadlineTheStatusIsNormal() {
        #expect(CheckInStatus(deadline: nil, at: noon) == .normal)
    }

    @Test(
        arguments: [
            (Duration.minutes(5), Duration.minutes(1)),
            (.minutes(5) + .milliseconds(1), .milliseconds(1)),
            (.milliseconds(59_999), .milliseconds(59_999)),
            (.zero, .minutes(1)), (.milliseconds(-1), .milliseconds(59_999)),
            (.milliseconds(-59_999), .milliseconds(1)), (.minutes(-1), .minutes(1)),
        ])
    func theNextMinuteIsNeverNowAndNeverFar(left: Duration, wait: Duration) {
        #expect(CheckInRules.untilNextMinute(deadline: noon.adding(left), at: noon) == wait)
    }
}
