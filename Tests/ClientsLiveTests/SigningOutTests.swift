import API
import Clients
import ComposableArchitecture
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

@Suite struct SigningOutTests {
    let app: TestApp
    let number = "+15550100001"

    init() throws { app = try TestApp(.memory) }

    private func home(in folder: TemporaryFolder? = nil) async throws -> Home {
        let home = try Home(in: app, folder: folder)
        try await home.signIn(number, in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        return home
    }

    @Test func interruptedOnboardingStillCountsAsNewUser() async throws {
        let first = try Home(in: app)
        #expect(try await first.signIn(number, in: app).isNewUser)
        let second = try Home(in: app)
        #expect(try await second.signIn(number, in: app).isNewUser)
        _ = try await second.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        #expect(await second.values.authClient.session()?.isNewUser == false)
        #expect(try await Home(in: app).signIn(number, in: app).isNewUser == false)
    }

    @Test func deletionOfTheAccountLeavesNothing() async throws {
        let home = try await home()
        #expect(try await app.count("SELECT COUNT(*) FROM users") == 1)
        try await home.values.userClient.deleteAccount(code: nil)
        #expect(try await app.count("SELECT COUNT(*) FROM users") == 0)
        #expect(home.tokens.load() == nil)
        await home.clients.stop()
    }

    @Test func formerGuestWithANameIsNewUntilTheProfileIsSaved() async throws {
        let guest: UserID = id(9)
        let phone = try PhoneNumber(number)
        _ = try await app.engine.write(about: .none) { transaction in
            try transaction.insertUser(guest, phoneNumber: phone)
            try transaction.updateUser(guest, name: "Mia", emergencyNote: "")
            try transaction.setGuest(since: transaction.now, guest)
        }
        let home = try Home(in: app)
        #expect(try await home.signIn(number, in: app).isNewUser)
        #expect(await home.values.authClient.session()?.isNewUser == true)
        #expect(try await Home(in: app).signIn(number, in: app).isNewUser)
        await home.goOffline()
        _ = try await home.values.userClient.updateProfile(name: "Mia Moe", emergencyNote: nil)
        #expect(await home.values.authClient.session()?.isNewUser == false)
    }

    @Test func signedOutClientsShowAndDoNothing() async throws {
        let home = try Home(in: app)
        #expect(await home.values.authClient.session() == nil)
        #expect(await first(home.values.contactClient.contactsStream()) == nil)
        #expect(
            await refusal { try await home.values.alertClient.raise(id: id(1)) }?.code
                == "unauthenticated")
    }

    @Test func signOutSendsTheQueueAndClearsTheDevice() async throws {
        let home = try await home()
        try await home.values.notificationClient.registerPushEndpoint(
            url: try #require(URL(string: "https://push.example/ada")))
        #expect(try await app.count("SELECT COUNT(*) FROM devices") == 1)
        await home.goOffline()
        #expect(try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon).isWaiting)

        let error = await refusal { try await home.values.authClient.signOut() }
        #expect(error?.code == "unsent" && error?.message.isEmpty == false)
        #expect(await home.waiting() == [.checkIn] && home.tokens.load() != nil)
        #expect(try await app.count("SELECT COUNT(*) FROM devices") == 1)

        home.goOnline()
        #expect(try await home.values.authClient.signOut() == [])
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 1)
        #expect(try await app.count("SELECT COUNT(*) FROM devices") == 0)
        #expect(try await app.count("SELECT COUNT(*) FROM sessions") == 0)
        #expect(home.files == [] && home.tokens.load() == nil)
        #expect(await home.values.authClient.session() == nil)
    }

    @Test func offlineSignOutWorksWithAPushEndpoint() async throws {
        let home = try await home()
        let url = try #require(URL(string: "https://push.example/ada"))
        try await home.values.notificationClient.registerPushEndpoint(url: url)
        await home.goOffline()
        #expect(try await home.values.authClient.signOut() == [])
        #expect(home.files == [] && home.tokens.load() == nil)
    }

    /// Returns a device on which an alert is raised during the request that signs out. With a bad
    /// connection, that request takes long.
    private func homeRaisingDuringSignOut() async throws -> Home {
        let raise = LockIsolated<@Sendable () async -> Void>({})
        let home = try Home(
            in: app,
            before: { request in
                guard request.path == Routes.signOut.endpoint.path else { return nil }
                await raise.value()
                throw ClientFailure.unreachable(.timedOut)
            })
        try await home.signIn(number, in: app)
        raise.setValue { [home] in
            // The device's line holds this closure.
            raise.setValue {}
            await home.goOffline()
            _ = try? await home.values.alertClient.raise(id: id(1))
        }
        return home
    }

    @Test func alertRaisedDuringTheSignOutIsKept() async throws {
        let home = try await homeRaisingDuringSignOut()
        let unsent = try await home.values.authClient.signOut()
        #expect(home.tokens.load() == nil && !home.files.isEmpty)
        #expect(unsent.map(\.kind) == [.raiseAlert])

        home.goOnline()
        try await home.signIn(number, in: app)
        #expect(await home.clients.controller.account?.unsentAlert != nil)
        await home.clients.stop()
    }

    @Test func alertRaisedDuringTheDiscardingIsKept() async throws {
        let home = try await homeRaisingDuringSignOut()
        await home.goOffline()
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon)
        let status = await first(home.values.connectivityClient.status())
        let named = Set(status?.waiting.map(\.id) ?? [])
        // The clock is still held, so only the sign-out reaches the server.
        home.cable.isPlugged = true
        let unsent = await home.values.authClient.signOutDiscardingQueue(ids: named)
        #expect(named.count == 1 && unsent.map(\.kind) == [.raiseAlert])
        #expect(home.tokens.load() == nil && !home.files.isEmpty)

        home.goOnline()
        try await home.signIn(number, in: app)
        #expect(await home.clients.controller.account?.unsentAlert != nil)
        #expect(await home.waiting() == [])
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 0)
        await home.clients.stop()
    }

    /// The disk fails to remove the discarded check-in. The alert keeps the file.
    @Test func undiscardedActionIsReported() async throws {
        let home = try await homeRaisingDuringSignOut()
        await home.goOffline()
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon)
        try home.changeQueue(
            """
            CREATE TRIGGER full BEFORE DELETE ON actions BEGIN
                SELECT RAISE(ABORT, 'The disk is full.');
            END
            """)
        home.cable.isPlugged = true
        let unsent = await home.values.authClient.signOutDiscardingQueue(ids: nil)
        #expect(unsent.map(\.kind) == [.raiseAlert, .checkIn])
        #expect(home.tokens.load() == nil && !home.files.isEmpty)
    }

    @Test(arguments: [false, true])
    func queueCanBeDiscarded(isServerReached: Bool) async throws {
        let home = try await home()
        await home.goOffline()
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon)
        // The clock is still held, so only the sign-out reaches the server.
        home.cable.isPlugged = isServerReached
        #expect(await home.values.authClient.signOutDiscardingQueue(ids: nil) == [])
        #expect(home.files == [] && home.tokens.load() == nil)
        home.goOnline()
        try await home.signIn(number, in: app)
        #expect(await home.waiting() == [])
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 0)
        await home.clients.stop()
    }

    /// Another device ends the session. The user's data disappears from the screen. The queue is
    /// sent after the same user's next sign-in.
    @Test func sessionEndedElsewhereSignsOutAndKeepsTheQueue() async throws {
        let home = try await home()
        let session = try #require(home.tokens.load())
        await home.goOffline()
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: noon)
        try await app.network.signIn.endSession(
            session.sessionID, of: Caller(userID: session.userID, sessionID: session.sessionID))
        let ended = home.values.authClient.sessionEnded()
        home.goOnline()
        #expect(await first(ended) != nil)
        #expect(await first(home.values.contactClient.contactsStream()) == nil)
        #expect(home.files.allSatisfy { $0.hasPrefix("queue-") } && !home.files.isEmpty)

        try await home.signIn("+15550100009", in: app)
        #expect(await home.waiting() == [])
        #expect(try await home.values.authClient.signOut() == [])
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 0)

        try await home.signIn(number, in: app)
        await home.isSent()
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 1)
        await home.clients.stop()
    }

    @Test func lateEndOfEarlierSessionKeepsTheNewOne() async throws {
        let home = try await home()
        await home.clients.controller.sessionEnded()
        #expect(
            home.clients.controller.account != nil && home.tokens.load() != nil
                && !home.files.isEmpty)
        await home.clients.stop()
    }

    @Test func anotherUserNeverSeesTheCopy() async throws {
        let first = try await home()
        await first.values.settingsClient.setString(value: "name", key: .dependentsSortOption)
        #expect(await first.values.settingsClient.string(key: .dependentsSortOption) == "name")
        while let account = first.clients.controller.account, case .more = await account.save() {}
        await first.clients.stop()

        let folder = first.folder
        let ben = try await app.person("Ben", "+15550100002")
        let second = try Home(in: app, folder: folder, tokens: ben.store)
        second.cable.isPlugged = false
        second.clock.hold()
        try await second.clients.start()
        #expect(await second.clients.controller.account?.shown == AccountModel())
        #expect(
            await refusal { try await second.values.userClient.profile() }?.code == "unreachable")
        #expect(await second.values.settingsClient.string(key: .dependentsSortOption) == nil)
        await second.clients.stop()
        for file in second.files {
            let bytes = try Data(contentsOf: folder.url.appending(path: file))
            #expect(bytes.range(of: Data(number.utf8)) == nil, "\(file)")
        }
    }
}
