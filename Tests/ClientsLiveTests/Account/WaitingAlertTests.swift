import Domain
import Foundation
import Testing

@testable import ClientsLive

/// Tests how the screen shows alerts whose end is still queued.
@Suite struct WaitingAlertTests {
    private let me: UserID = id(1)
    private let end = noon.adding(.seconds(60))

    /// A dependent's open alert, the user's open alert, and an earlier one of the user.
    private func model() throws -> AccountModel {
        var model = AccountModel()
        model.profile = UserProfile(
            id: me, name: "Ada", phoneNumber: try PhoneNumber("+15550100001"), emergencyNote: "",
            profilePictureURL: nil, settings: .standard, lastCheckInTime: nil,
            nextCheckInTime: nil, status: .alertActive, createdAt: noon)
        model.alerts = [
            alert(3, of: id(2), endedAt: nil), alert(4, of: me, endedAt: nil),
            alert(5, of: me, endedAt: noon),
        ]
        return model
    }

    private func alert(_ number: UInt8, of user: UserID, endedAt end: Date?) -> AlertRecord {
        AlertRecord(
            id: "\(id(number) as AlertID)", startTime: noon, endTime: end, userId: "\(user)",
            isActive: end == nil, kind: .manual)
    }

    @Test func endOfUnknownAlertEndsOnlyMyOpenOne() throws {
        var model = try model()
        model.end("\(id(9) as AlertID)", at: end)
        #expect(model.alerts.map(\.endTime) == [nil, end, noon])
        #expect(model.alerts.map(\.isActive) == [true, false, false])
        #expect(model.profile?.status == .active)
    }

    @Test func endOfKnownAlertEndsOnlyThatOne() throws {
        var model = try model()
        model.end("\(id(4) as AlertID)", at: end)
        #expect(model.alerts.map(\.endTime) == [nil, end, noon])
    }

    @Test func secondEndKeepsTimeOfTheFirst() throws {
        var model = try model()
        model.end("\(id(5) as AlertID)", at: end)
        #expect(model.alerts.map(\.endTime) == [nil, nil, noon])
        #expect(model.profile?.status == .alertActive)
    }

    /// A new schedule has moved the deadline, but only a check-in ends the other alert.
    @Test(arguments: [(true, UserStatus.nonResponsive), (false, .active)])
    func endLeavesTheMissedCheckIn(isOpen: Bool, status: UserStatus) throws {
        var model = try model()
        model.profile?.nextCheckInTime = end.adding(.hours(1))
        var (mine, bens) = (
            alert(6, of: me, endedAt: isOpen ? nil : noon), alert(7, of: id(2), endedAt: nil)
        )
        (mine.kind, bens.kind) = (.missedCheckIn, .missedCheckIn)
        model.alerts += [mine, bens]
        model.end("\(id(4) as AlertID)", at: end)
        #expect(model.profile?.status == status)
    }
}
