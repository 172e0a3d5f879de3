import Domain
import Foundation
import Testing

@Suite struct WatchedStateTests {
    let deadline = Date(timeIntervalSince1970: 1_700_000_000)

    func watch(_ status: UserStatus, deadline: Date?) -> ContactData.WatchedState {
        ContactData.WatchedState(
            emergencyNote: "", lastCheckInTime: nil, nextCheckInTime: deadline,
            checkInIntervalSeconds: 86_400, status: status
        )
    }

    @Test func missedDeadlineShowsNonResponsive() {
        #expect(
            watch(.active, deadline: deadline).status(at: deadline.addingTimeInterval(-0.001))
                == .active)
        #expect(watch(.active, deadline: deadline).status(at: deadline) == .nonResponsive)
    }

    @Test func withoutDeadlineTheStatusStaysActive() {
        #expect(watch(.active, deadline: nil).status(at: deadline) == .active)
    }

    @Test(arguments: [UserStatus.nonResponsive, .alertActive]) func serverStatusIsKept(
        status: UserStatus
    ) {
        #expect(
            watch(status, deadline: deadline.addingTimeInterval(60)).status(at: deadline) == status)
        #expect(
            watch(status, deadline: deadline.addingTimeInterval(-60)).status(at: deadline) == status
        )
    }

    @Test func aNumberHasItsLink() throws {
        #expect(try PhoneNumber("+4915112345678").callURL?.absoluteString == "tel:+4915112345678")
    }
}
