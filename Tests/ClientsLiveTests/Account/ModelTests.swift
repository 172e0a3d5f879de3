import Domain
import Foundation
import Testing

@testable import ClientsLive

/// What Ada's device shows. Ben and Cem are her contacts, both in the same state.
@Suite struct ModelTests {
    private let ada: UserID = id(1)
    private let ben: UserID = id(2)
    private let cem: UserID = id(3)

    private func contact(_ user: UserID) throws -> ContactData {
        ContactData(
            id: user, name: "Contact", phoneNumber: nil, profilePictureURL: nil,
            roles: try ContactRoles(isResponder: true, isDependent: true), dateAdded: noon,
            hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "", lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(24)),
                checkInIntervalSeconds: 86_400, status: .active))
    }

    private func model() throws -> AccountModel {
        var model = AccountModel()
        model.profile = UserProfile(
            id: ada, name: "Ada", phoneNumber: try PhoneNumber("+15550100001"),
            emergencyNote: "Insulin", profilePictureURL: nil, settings: .standard,
            lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(24)), status: .active,
            createdAt: noon)
        model.contacts = [try contact(ben), try contact(cem)]
        return model
    }

    private func text(_ number: UInt8) -> String { "\(id(number) as AlertID)" }

    /// - Parameters:
    ///   - start: seconds after noon.
    ///   - end: seconds after noon; nil for an open alert.
    private func alert(
        _ number: UInt8, of user: UserID, _ kind: AlertKind = .manual, from start: Int = 0,
        until end: Int? = nil
    ) -> AlertRecord {
        AlertRecord(
            id: text(number), startTime: noon.adding(.seconds(start)),
            endTime: end.map { noon.adding(.seconds($0)) }, userId: "\(user)",
            isActive: end == nil, kind: kind)
    }

    private func ping(_ number: UInt8, from responder: UserID, to dependent: UserID) -> PingRecord {
        PingRecord(
            id: id(number), responderID: responder, dependentID: dependent, createdAt: noon,
            state: .pending, settledAt: nil)
    }

    private func item(_ number: UInt8, at second: Int, readAt: Date? = nil) -> NotificationItem {
        NotificationItem(
            id: id(number), type: .alert, title: "Title", body: "",
            createdAt: noon.adding(.seconds(second)), readAt: readAt)
    }

    private let later = noon.adding(.minutes(1))

    private func entry(_ position: Int64, _ action: QueuedAction) -> QueuedEntry {
        QueuedEntry(id: UUID(), position: position, action: action, createdAt: later)
    }

    // MARK: Lists

    @Test func listIsNewestFirstAndKeepsTheNewest() throws {
        var model = try model()
        for (number, second) in [(1, 0), (3, 2), (2, 1)] as [(UInt8, Int)] {
            model.apply(item(number, at: second), limit: 2)
        }
        #expect(model.notifications.map(\.id) == [id(3), id(2)])
        model.apply(item(2, at: 1, readAt: noon), limit: 2)
        #expect(model.notifications.map(\.readAt) == [nil, noon])
    }

    @Test func alertsThatEndedFirstAreDropped() throws {
        var model = try model()
        model.apply(alert(1, of: ada, from: 0, until: 10), limit: 2)
        model.apply(alert(2, of: ada, from: 1, until: 2), limit: 2)
        model.apply(alert(3, of: ben, from: 2, until: 3), limit: 2)
        model.apply(alert(4, of: ben, from: 3), limit: 2)
        #expect(model.alerts.map(\.id) == [text(4), text(3), text(1)])
    }

    @Test func alertChangesItsOwnersCardOnly() throws {
        var model = try model()
        model.apply(alert(4, of: ben, .missedCheckIn), limit: 10)
        #expect(model.contacts.map(\.watch?.status) == [.nonResponsive, .active])
        #expect(model.profile?.status == .active)
        model.apply(alert(5, of: ben), limit: 10)
        #expect(model.contacts.map(\.watch?.status) == [.alertActive, .active])
        model.apply(alert(5, of: ben, until: 9), limit: 10)
        #expect(model.contacts.map(\.watch?.status) == [.nonResponsive, .active])
        model.apply(alert(6, of: ada), limit: 10)
        #expect(model.profile?.status == .alertActive)
    }

    @Test func checkInOfAContactChangesTheirCardOnly() throws {
        var model = try model()
        let next = noon.adding(.hours(30))
        model.apply(
            UserEvent.CheckInSummary(userID: cem, lastCheckInTime: later, nextCheckInTime: next),
            at: later)
        #expect(model.contacts.map(\.watch?.lastCheckInTime) == [noon, later])
        #expect(model.contacts.map(\.watch?.nextCheckInTime) == [noon.adding(.hours(24)), next])
        #expect(model.profile?.lastCheckInTime == noon)
        model.apply(
            UserEvent.CheckInSummary(userID: ada, lastCheckInTime: later, nextCheckInTime: next),
            at: later)
        #expect(model.profile?.lastCheckInTime == later && model.profile?.nextCheckInTime == next)
    }

    @Test func olderCheckInLeavesTheDeadline() throws {
        var model = try model()
        let deadline = noon.adding(.hours(24))
        for (number, second) in [(1, -1), (2, 0), (3, 1)] as [(UInt8, Int)] {
            let time = noon.adding(.seconds(second))
            model.apply(
                CheckInRecord(
                    id: id(number), occurredAt: time, receivedAt: later,
                    nextCheckInTime: time.adding(.hours(24))), limit: 10)
            #expect(model.profile?.lastCheckInTime == max(time, noon))
            #expect(
                model.profile?.nextCheckInTime == deadline.adding(.seconds(max(second, 0))))
        }
        #expect(model.checkIns.map(\.id) == [id(3), id(2), id(1)])
    }

    @Test func alertsOfAFormerContactDisappear() throws {
        var model = try model()
        model.alerts = [alert(1, of: ada), alert(2, of: ben), alert(3, of: cem)]
        model.removeContact(ben)
        #expect(model.contacts.map(\.id) == [cem])
        #expect(model.alerts.map(\.id) == [text(1), text(3)])
        var responder = try contact(cem)
        responder.isDependent = false
        model.apply(responder)
        #expect(model.contacts == [responder])
        #expect(model.alerts.map(\.id) == [text(1)])
    }

    // MARK: Queued actions

    @Test func queuedAlertShowsUnlessOneIsOpen() throws {
        var model = try model()
        model.alerts = [alert(1, of: ben), alert(2, of: ada, .missedCheckIn)]
        let shown = model.showing([entry(0, .raiseAlert(id(7)))], aliases: [:], me: ada)
        #expect(shown.alerts.map(\.id) == [text(7), text(1), text(2)])
        #expect(shown.alerts.first?.startTime == later && shown.profile?.status == .alertActive)
        let twice = model.showing(
            [entry(0, .raiseAlert(id(7))), entry(1, .raiseAlert(id(8)))], aliases: [:], me: ada)
        #expect(twice.alerts.count == 3)
    }

    /// The answer to the call for help was lost, and another device has ended the alert since.
    @Test func queuedAlertThatHasEndedStaysEnded() throws {
        var model = try model()
        model.alerts = [alert(7, of: ada, until: 5)]
        let shown = model.showing([entry(0, .raiseAlert(id(7)))], aliases: [:], me: ada)
        #expect(shown.alerts == model.alerts && shown.profile?.status == .active)
        let next = model.showing([entry(0, .raiseAlert(id(8)))], aliases: [:], me: ada)
        #expect(next.alerts.map(\.isActive) == [true, false])
    }

    @Test func queuedEndEndsOnlyTheOwnAlert() throws {
        var model = try model()
        model.alerts = [
            alert(1, of: ben), alert(2, of: ada, .missedCheckIn), alert(3, of: ada),
            alert(4, of: ada, until: 5),
        ]
        let alias = [(id(9) as AlertID).uuid: (id(3) as AlertID).uuid]
        // The server may have taken an unknown alert for the open one.
        for (number, aliases) in [(3, [:]), (9, alias), (8, [:])] as [(UInt8, [UUID: UUID])] {
            let shown = model.showing(
                [entry(0, .endAlert(id(number)))], aliases: aliases, me: ada)
            #expect(shown.alerts.map(\.isActive) == [true, true, false, false], "\(number)")
            #expect(shown.alerts[2].endTime == later)
        }
        let ended = model.showing([entry(0, .endAlert(id(4)))], aliases: [:], me: ada)
        #expect(ended.alerts == model.alerts)
    }

    @Test func queuedActionsApplyInTheirOrder() throws {
        let shown = try model().showing(
            [entry(1, .endAlert(id(7))), entry(0, .raiseAlert(id(7)))], aliases: [:], me: ada)
        #expect(shown.alerts.map(\.isActive) == [false])
    }

    @Test func queuedCheckInIsHistoryWithItsDeadline() throws {
        var model = try model()
        let (early, last) = (noon.adding(.hours(-1)), noon.adding(.hours(1)))
        let entries = [
            entry(0, .checkIn(id(5), occurredAt: last)),
            entry(1, .checkIn(id(6), occurredAt: early)),
            entry(2, .checkIn(id(5), occurredAt: early)),
        ]
        let shown = model.showing(entries, aliases: [:], me: ada)
        #expect(shown.checkIns.map(\.id) == [id(5), id(6)])
        #expect(
            shown.checkIns.map(\.nextCheckInTime) == [
                last.adding(.hours(24)), noon.adding(.hours(24)),
            ])
        // The old deadline counts until the server has the check-in.
        #expect(shown.profile?.nextCheckInTime == noon.adding(.hours(24)))
        model.profile?.pause = CheckInPause(began: noon, until: noon.adding(.days(3)))
        let paused = model.showing(entries, aliases: [:], me: ada)
        #expect(paused.checkIns.first?.nextCheckInTime == noon.adding(.hours(24)))
    }

    @Test func queuedPingShowsOnItsContactOnly() throws {
        var model = try model()
        model.pings = [ping(1, from: ben, to: ada)]
        let shown = model.showing(
            [
                entry(0, .ping(id(7), dependent: ben)), entry(1, .ping(id(8), dependent: ben)),
                entry(2, .ping(id(9), dependent: cem)),
            ], aliases: [:], me: ada)
        #expect(Set(shown.pings.map(\.id)) == [id(1), id(7), id(9)])
        #expect(shown.contacts.map(\.pingedAt) == [later, later])
        #expect(shown.contacts.map(\.hasPendingPing) == [true, false])
        let alias = [(id(8) as PingID).uuid: (id(7) as PingID).uuid]
        let cleared = shown.showing([entry(0, .clearPing(id(8)))], aliases: alias, me: ada)
        #expect(cleared.contacts.map(\.pingedAt) == [nil, later])
        #expect(cleared.contacts.map(\.hasPendingPing) == [true, false])
        let answered = shown.showing([entry(0, .respondToPing(id(1)))], aliases: [:], me: ada)
        #expect(answered.contacts.map(\.hasPendingPing) == [false, false])
        #expect(answered.pings.first { $0.id == id(1) }?.settledAt == later)
        #expect(answered.pings.filter { $0.state == .pending }.count == 2)
    }

    @Test func queuedEditsChangeTheirItemOnly() throws {
        var model = try model()
        model.notifications = [item(3, at: 2), item(2, at: 1), item(1, at: 0, readAt: noon)]
        let muted = try NotificationPreferences(muted: [.checkIn])
        let roles = try ContactRoles(isResponder: true, isDependent: false)
        let shown = model.showing(
            [
                entry(0, .markAsRead(id(3))), entry(1, .markAsRead(id(1))),
                entry(2, .deleteNotification(id(2))), entry(3, .updatePreferences(muted)),
                entry(4, .updateProfile(name: "Ada B", emergencyNote: nil)),
                entry(5, .changeRoles(ben, roles)),
            ], aliases: [:], me: ada)
        #expect(shown.notifications.map(\.id) == [id(3), id(1)])
        #expect(shown.notifications.map(\.readAt) == [later, noon])
        #expect(shown.preferences == muted)
        #expect(shown.profile?.name == "Ada B" && shown.profile?.emergencyNote == "Insulin")
        #expect(shown.contacts.map(\.isDependent) == [false, true])
        #expect(shown.contacts.map(\.isResponder) == [true, true])
    }

    // MARK: Journeys

    @Test func expectedReturnFollowsTheQueue() throws {
        var model = try model()
        func extend(_ position: Int64, _ hours: Int, isLater: Bool? = nil, of journey: UInt8 = 7)
            -> QueuedEntry
        {
            entry(
                position,
                .extendJourney(
                    id(journey), expectedReturn: noon.adding(.hours(hours)), isLater: isLater))
        }
        #expect(model.expectedReturn(after: [extend(1, 2)]) == nil)
        model.profile?.journey = JourneyRecord(
            id: id(7), name: "Zugspitze", startTime: noon, expectedReturn: noon.adding(.hours(1)))
        func hours(_ queue: [QueuedEntry]) -> Double? {
            model.expectedReturn(after: queue).map { $0.since(noon) / .hours(1) }
        }
        #expect(hours([]) == 1)
        #expect(hours([extend(2, 3, isLater: true), extend(1, 2, isLater: true)]) == 3)
        #expect(hours([extend(1, 3), extend(2, 2, isLater: true)]) == 3)
        #expect(hours([extend(1, 3), extend(2, 2)]) == 2)
        #expect(hours([extend(1, 2), entry(2, .endJourney(id(7)))]) == 2)
        #expect(hours([extend(1, 2, of: 8)]) == 1)
    }

    // MARK: After a restore

    @Test func restoredServerGetsTheOwnNewestActions() throws {
        var model = try model()
        let numbers: ClosedRange<UInt8> = 10...21
        model.alerts = [
            alert(1, of: ben), alert(2, of: ada, .missedCheckIn), alert(3, of: ada, from: 90),
            alert(40, of: ben, until: 80),
        ]
        for number in numbers { model.alerts.append(alert(number, of: ada, until: 70)) }
        model.checkIns = [
            CheckInRecord(
                id: id(6), occurredAt: later, receivedAt: noon.adding(.minutes(2)),
                nextCheckInTime: nil),
            CheckInRecord(id: id(5), occurredAt: noon, receivedAt: noon, nextCheckInTime: nil),
        ]
        let actions = model.recentActions(of: ada)
        let ends = numbers.prefix(10).map { QueuedAction.endAlert(id($0)) }
        #expect(
            actions.map { $0.0 }
                == ends + [.raiseAlert(id(3)), .checkIn(id(6), occurredAt: later)])
        #expect(
            actions.suffix(3).map { $0.1 } == [
                noon.adding(.seconds(70)), noon.adding(.seconds(90)), noon.adding(.minutes(2)),
            ])
    }
}
