import Foundation
import Testing

@testable import Domain

/// A manual alert takes precedence, then a missed deadline.
@Suite struct UserStatusTests {
    @Test(
        arguments: [
            (noon.aMillisecondBefore, UserStatus.active), (noon, .nonResponsive),
            (noon.aMillisecondAfter, .nonResponsive),
        ])
    func theDeadlineDecides(now: Date, status: UserStatus) {
        #expect(UserStatus(hasOpenManualAlert: false, deadline: noon, at: now) == status)
    }

    @Test(arguments: [nil, noon.aMillisecondBefore, noon, noon.aMillisecondAfter])
    func aManualAlertComesFirst(deadline: Date?) {
        #expect(UserStatus(hasOpenManualAlert: true, deadline: deadline, at: noon) == .alertActive)
    }

    @Test func userIsActiveBeforeTheFirstCheckIn() {
        #expect(UserStatus(hasOpenManualAlert: false, deadline: nil, at: noon) == .active)
    }
}
