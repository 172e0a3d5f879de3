import API
import ComposableArchitecture
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

/// Tests lists that are already outdated when they arrive.
@Suite(.timeLimit(.minutes(5))) struct LoadingTests {
    let app: TestApp
    let ada, ben: Person

    init() async throws {
        app = try TestApp(.memory)
        ada = try await app.person("Ada", "+15550100001")
        ben = try await app.person("Ben", "+15550100002")
        try await app.connect(ada, ben)
    }

    private func phone(_ after: @escaping @Sendable (Account?) async -> Void) async throws -> Phone
    {
        let (phone, isFirst) = (Holder(), Flag())
        let line = HookedTransport(
            transport: app.transport,
            after: { request in
                guard request.path.hasPrefix(Routes.alerts.endpoint.path), request.method == .get
                else { return }
                if isFirst.raise() { await after(phone.account) }
            })
        let made = try await Phone(of: ben, in: TemporaryFolder(), over: line, app: app)
        phone.account = made.account
        return made
    }

    /// Weak, because the account's transport holds this object.
    private final class Holder: Sendable {
        private struct Held { weak var account: Account? }

        private let held = Mutex(Held())
        var account: Account? {
            get { held.withLock { $0.account } }
            set { held.withLock { $0.account = newValue } }
        }
    }

    /// A list whose load began before the alert must not remove the alert.
    @Test func alertArrivingDuringLoadStays() async throws {
        let phone = try await phone { [ada] account in
            guard
                let alert = try? await ada.connection.call(
                    Routes.raiseAlert, id: (id(3) as AlertID).uuid)
            else { return }
            await account?.receive(.event(.alert(alert), sequence: 1))
        }
        try await phone.account.refresh()
        #expect(await phone.account.shown.alerts.map(\.isActive) == [true])
        #expect(await phone.account.shown.contacts.first?.watch?.status == .alertActive)
        await phone.die()
    }

    /// A page of the history may be older than what the account knows.
    @Test func alertArrivingDuringHistoryLoadIsShown() async throws {
        let phone = try await phone { [ada] account in
            let id: AlertID = id(3)
            guard let alert = try? await ada.connection.call(Routes.raiseAlert, id: id.uuid) else {
                return
            }
            await account?.receive(.event(.alert(alert), sequence: 1))
        }
        let page = try await phone.account.alertHistory(before: nil)
        #expect(page.items.map(\.isActive) == [true])
        await phone.die()
    }

    @Test func olderListArrivingLaterIsIgnored() async throws {
        let phone = try await phone { [ada] account in
            _ = try? await ada.connection.call(Routes.raiseAlert, id: (id(3) as AlertID).uuid)
            try? await account?.reload([.alerts])
        }
        try await phone.account.refresh()
        #expect(await phone.account.shown.alerts.map(\.isActive) == [true])
        await phone.die()
    }

    /// Ben has checked in, and then changed his schedule. The list of alerts arrives last.
    @Test(
        arguments: [[.profile, .alerts], [.alerts]] as [Set<AccountModel.Slice>], [true, false])
    func olderEventDoesNotChangeLaterLoad(slices: Set<AccountModel.Slice>, isLoadedLater: Bool)
        async throws
    {
        let user = ben.id
        let old = noon.adding(.hours(-72))
        let phone = try await phone { account in
            await account?.receive(
                .event(
                    .checkIn(.init(userID: user, lastCheckInTime: old, nextCheckInTime: old)),
                    sequence: 1))
            if isLoadedLater { try? await account?.reload([.profile]) }
        }
        try await phone.account.reload([.profile])
        let deadline = await phone.account.shown.profile?.nextCheckInTime
        #expect(deadline != old)
        try await phone.account.reload(slices)
        let shown = await phone.account.shown.profile?.nextCheckInTime
        #expect(shown == (isLoadedLater ? deadline : old))
        await phone.die()
    }

    /// The event about the removal arrives before the answer to a change of the contact's roles.
    @Test func lateAnswerDoesNotRestoreRemovedContact() async throws {
        let phone = try await phone { _ in }
        try await phone.account.refresh()
        let contact = try #require(await phone.account.shown.contacts.first)
        try await ada.connection.call(Routes.removeContact, id: ben.id.uuid)
        await phone.account.receive(
            .event(.contactRemoved(.init(contactID: contact.id)), sequence: 1))
        #expect(await phone.account.shown.contacts == [])
        await phone.account.receive(.reply(.contact(contact)))
        _ = await phone.account.loadWanted()
        #expect(await phone.account.shown.contacts == [])
        await phone.die()
    }

    /// Returns a device that asks `answer` before the server, and notes the paths of its requests.
    private func phone(
        noting paths: LockIsolated<[String]>,
        answer: @escaping @Sendable (String) throws -> TransportResponse?
    ) async throws -> Phone {
        let line = HookedTransport(
            transport: app.transport,
            before: { request in
                let path = String(request.path.prefix { $0 != "?" })
                paths.withValue { if !$0.contains(path) { $0.append(path) } }
                return try answer(path)
            })
        return try await Phone(of: ben, in: TemporaryFolder(), over: line, app: app)
    }

    private static let lists = [
        Routes.profile.endpoint, Routes.contacts.endpoint, Routes.alerts.endpoint,
        Routes.pings.endpoint, Routes.checkIns.endpoint, Routes.notifications.endpoint,
        Routes.preferences.endpoint,
    ].map(\.path)

    /// The server fails for one list, or a newer server sends a list that this version can't read.
    @Test(
        arguments: [
            Routes.profile.endpoint, Routes.contacts.endpoint, Routes.notifications.endpoint,
        ].map(\.path), [true, false])
    func failingListHidesNoOther(path: String, isRefused: Bool) async throws {
        _ = try await ada.connection.call(Routes.raiseAlert, id: (id(3) as AlertID).uuid)
        let (paths, fails) = (LockIsolated<[String]>([]), LockIsolated(true))
        let phone = try await phone(noting: paths) { asked in
            guard asked == path, fails.value else { return nil }
            return isRefused ? try .problem(.internal) : TransportResponse(status: 200)
        }
        let account = phone.account
        await account.receive(.reload)
        guard case .pause = await account.loadWanted() else {
            Issue.record("It plans no retry.")
            return
        }
        #expect(paths.value == Self.lists)
        #expect(account.alerts.value?.map(\.isActive) == [true])
        let contacts = Routes.contacts.endpoint.path
        #expect((account.contacts.value == nil) == (path == contacts))
        #expect(account.connectivity.value?.lastSynced == nil)

        fails.setValue(false)
        paths.setValue([])
        app.time.pass(.minutes(1))
        _ = await account.loadWanted()
        // A new contact may have brought the alert.
        let retried = path == contacts ? [contacts, Routes.alerts.endpoint.path] : [path]
        #expect(paths.value == retried)
        #expect(account.alerts.value?.map(\.isActive) == [true])
        #expect(account.contacts.value?.first?.watch?.status == .alertActive)
        #expect(account.notifications.value?.isEmpty == false)
        // The other lists are as old as the first try.
        #expect(account.connectivity.value?.lastSynced == app.time.now.adding(.minutes(-1)))
        await phone.die()
    }

    @Test func lostConnectionEndsTheLoad() async throws {
        let paths = LockIsolated<[String]>([])
        let phone = try await phone(noting: paths) { path in
            guard path == Routes.alerts.endpoint.path else { return nil }
            throw ClientFailure.unreachable(.offline)
        }
        await phone.account.receive(.reload)
        _ = await phone.account.loadWanted()
        #expect(paths.value == Array(Self.lists.prefix(3)))
        #expect(phone.account.contacts.value?.count == 1)
        await phone.die()
    }

    /// Each event counts as a sync. Publishing every one of them would be too often.
    @Test func lastSyncIsPublishedEachMinuteAndWhenGoingOffline()
        async throws
    {
        let phone = try await phone { _ in }
        let start = app.time.now
        func told(after pause: Duration) async throws -> Duration? {
            app.time.pass(pause)
            try await phone.account.refresh()
            return phone.account.connectivity.value?.lastSynced?.since(start)
        }
        await phone.account.receive(.connected)
        #expect(try await told(after: .zero) == .zero)
        #expect(try await told(after: .milliseconds(59_999)) == .zero)
        #expect(try await told(after: .milliseconds(1)) == .seconds(60))
        #expect(try await told(after: .seconds(30)) == .seconds(60))
        await phone.account.receive(.disconnected)
        #expect(phone.account.connectivity.value?.lastSynced?.since(start) == .seconds(90))
        await phone.die()
    }
}
