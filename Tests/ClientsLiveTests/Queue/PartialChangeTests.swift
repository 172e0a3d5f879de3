import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// A change made on one device, while another device of the same user changed something else.
@Suite struct PartialChangeTests {
    let app: TestApp
    let ben: Person

    init() async throws {
        app = try TestApp(.memory)
        ben = try await app.person("Ben", "+15550100002")
    }

    /// Returns a phone of Ada, and her other device.
    private func ada() async throws -> (home: Home, other: Person) {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: noon)
        app.time.pass(.milliseconds(1))
        let other = try await app.person("Ada", "+15550100001")
        return (home, other)
    }

    // MARK: Settings

    /// Times in Berlin, and a call as the last call.
    private func times() throws -> CheckInSettings {
        let window = CheckInWindow(days: .everyDay, deadline: try #require(TimeOfDay("21:00")))
        return CheckInSettings(
            plan: .times(CheckInTimes(timeZone: "Europe/Berlin", windows: [window])),
            intervalSeconds: 24 * 3600, remindTwoHoursBefore: true,
            remindThirtyMinutesBefore: true,
            lastCall: LastCall(sendsMessage: true, calls: true, takesAnswers: false))
    }

    @Test(arguments: [true, false])
    func reminderLeavesTheNewerSchedule(isOffline: Bool) async throws {
        let (home, other) = try await ada()
        var pressed = CheckInSettings.standard
        pressed.remindThirtyMinutesBefore = false
        if isOffline {
            await home.goOffline()
            #expect(try await change(pressed, [.thirtyMinutes], by: home).isWaiting)
            // The phone shows the change before the server has it.
            let shown = await first(home.values.userClient.profileStream())
            #expect(shown?.settings == pressed)
        }
        let newer = try await other.connection.call(Routes.updateSettings, times())
        if isOffline {
            home.goOnline()
            await home.isSent()
        } else {
            _ = try await change(pressed, [.thirtyMinutes], by: home)
        }
        let saved = try await other.connection.call(Routes.profile)
        var expected = try times()
        expected.remindThirtyMinutesBefore = false
        #expect(saved.settings == expected && saved.nextCheckInTime == newer.nextCheckInTime)
        await home.clients.stop()
    }

    @Test func queuedIntervalReplacesTheNewerScheduleOnly() async throws {
        let (home, other) = try await ada()
        await home.goOffline()
        var pressed = CheckInSettings.standard
        pressed.intervalSeconds = 10 * 3600
        #expect(try await change(pressed, [.plan], by: home).isWaiting)
        _ = try await other.connection.call(Routes.updateSettings, times())
        home.goOnline()
        await home.isSent()
        var expected = try times()
        expected.plan = .interval
        expected.intervalSeconds = 10 * 3600
        #expect(try await other.connection.call(Routes.profile).settings == expected)
        await home.clients.stop()
    }

    /// Queues of older versions don't say what was changed.
    @Test func queuedChangeOfEverythingReplacesEverything() async throws {
        let (home, other) = try await ada()
        await home.goOffline()
        var pressed = CheckInSettings.standard
        pressed.remindThirtyMinutesBefore = false
        #expect(try await change(pressed, nil, by: home).isWaiting)
        _ = try await other.connection.call(Routes.updateSettings, times())
        home.goOnline()
        await home.isSent()
        #expect(try await other.connection.call(Routes.profile).settings == pressed)
        await home.clients.stop()
    }

    // MARK: Muted types

    @Test func queuedMuteKeepsWhatAnotherDeviceMuted() async throws {
        let (home, other) = try await ada()
        _ = try await home.values.notificationClient.preferences()
        await home.goOffline()
        #expect(
            try await home.values.notificationClient.updatePreferences(
                preferences: NotificationPreferences(muted: [.ping]), only: .ping
            ).isWaiting)
        try await other.connection.call(
            Routes.updatePreferences, NotificationPreferences(muted: [.system]))
        home.goOnline()
        await home.isSent()
        let saved = try await other.connection.call(Routes.preferences)
        #expect(saved.muted == [.ping, .system])
        await home.clients.stop()
    }

    // MARK: Roles

    /// Returns the devices of Ada, who knows Ben. Both watch over each other.
    private func adaWithBen() async throws -> (home: Home, other: Person) {
        let (home, other) = try await ada()
        try await app.connect(other, ben)
        let contact = try await home.values.contactClient.loadedContacts().first
        #expect(contact?.isResponder == true && contact?.isDependent == true)
        return (home, other)
    }

    private func contact(_ user: Person) async throws -> ContactData {
        try #require(try await user.connection.call(Routes.contacts).items.first)
    }

    /// Each device ends another role. A contact without a role would have to be removed.
    @Test func endsOfBothRolesRequestNeither() async throws {
        let (home, other) = try await adaWithBen()
        await home.goOffline()
        #expect(
            try await home.values.contactClient.changeRoles(
                id: ben.id, roles: ContactRoles(isResponder: true, isDependent: false),
                only: .dependent
            ).isWaiting)
        try await other.connection.call(
            Routes.changeRoles, ContactRoles(isResponder: false, isDependent: true),
            id: ben.id.uuid)
        home.goOnline()
        let refusal = try #require(await first(home.values.connectivityClient.refusals()))
        #expect(refusal.action.kind == .changeRoles)
        #expect(refusal.error.code == "invalid-argument")
        await home.isSent()
        let known = try await contact(other)
        #expect(!known.isResponder && known.isDependent && known.requests.isEmpty)
        #expect(try await contact(ben).requests.isEmpty)
        await home.clients.stop()
    }

    /// Ben has left as Ada's responder. Queues of older versions don't say what was changed.
    @Test(arguments: [(ContactRole.dependent, false), (nil, true)] as [(ContactRole?, Bool)])
    func queuedChangeRequestsItsRoleOnly(only: ContactRole?, isAsked: Bool) async throws {
        let (home, _) = try await adaWithBen()
        await home.goOffline()
        let both = try ContactRoles(isResponder: true, isDependent: true)
        #expect(
            try await home.values.contactClient.changeRoles(id: ben.id, roles: both, only: only)
                .isWaiting)
        let ada = try await contact(ben).id
        try await ben.connection.call(
            Routes.changeRoles, ContactRoles(isResponder: true, isDependent: false), id: ada.uuid)
        home.goOnline()
        await home.isSent()
        let seen = try await contact(ben)
        #expect(seen.isResponder && !seen.isDependent)
        #expect(seen.requests.map(\.role) == (isAsked ? [.dependent] : []))
        await home.clients.stop()
    }

    @Test func queuedChangeRequestsItsRole() async throws {
        let (home, other) = try await adaWithBen()
        let responder = try ContactRoles(isResponder: true, isDependent: false)
        try await other.connection.call(Routes.changeRoles, responder, id: ben.id.uuid)
        _ = try await home.values.contactClient.loadedContacts()
        await home.goOffline()
        let both = try ContactRoles(isResponder: true, isDependent: true)
        #expect(
            try await home.values.contactClient.changeRoles(
                id: ben.id, roles: both, only: .dependent
            ).isWaiting)
        home.goOnline()
        await home.isSent()
        let known = try await contact(other)
        #expect(known.isResponder && known.request(.dependent)?.isMine == true)
        await home.clients.stop()
    }

    private func change(
        _ settings: CheckInSettings, _ only: Set<CheckInSettings.Part>?, by home: Home
    ) async throws -> Submission<UserProfile> {
        try await home.values.checkInClient.updateSettings(settings: settings, only: only)
    }
}
