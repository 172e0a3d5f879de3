import API
import Clients
import Domain
import Foundation
import SafetyNetwork
import TestApp
import Testing

@testable import ClientsLive

/// Another device ends this device's session while an alert is queued here.
@Suite(.timeLimit(.minutes(5))) struct UnsentAlertTests {
    let app: TestApp
    let number = "+15550100001"

    init() throws { app = try TestApp(.memory) }

    /// Raises an alert offline. When the device is back online, its session has ended.
    private func homeWithUnsentAlert() async throws -> Home {
        let home = try Home(in: app)
        try await home.signIn(number, in: app)
        let tokens = try #require(home.tokens.load())
        await home.goOffline()
        #expect(try await home.values.alertClient.raise(id: id(1)).isWaiting)
        try await app.network.signIn.endSession(
            tokens.sessionID, of: Caller(userID: tokens.userID, sessionID: tokens.sessionID))
        let ended = home.values.authClient.sessionEnded()
        home.goOnline()
        #expect(await first(ended)?.map(\.kind) == [.raiseAlert], "It was not sent.")
        return home
    }

    private func alerts() async throws -> Int {
        try await app.count("SELECT COUNT(*) FROM alerts")
    }

    private func unsent(_ home: Home) async -> UnsentAlert? {
        await first(home.values.connectivityClient.status())?.unsentAlert
    }

    @Test func heldAlertIsSentOnlyAfterTheAnswer() async throws {
        let home = try await homeWithUnsentAlert()
        app.time.pass(.minutes(10))
        home.clock.hold()
        try await home.signIn(number, in: app)
        let asked = try #require(await unsent(home))
        #expect(asked.raisedAt < app.time.now.addingTimeInterval(-599))
        #expect(asked.sendsAt.timeIntervalSince(app.time.now) <= 60)
        #expect(asked.sendsAt.timeIntervalSince(app.time.now) > 59)
        #expect(await home.waiting() == [])
        // Meanwhile, other actions are sent.
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: app.time.now)
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 1)
        #expect(try await alerts() == 0)

        await home.values.connectivityClient.answerUnsentAlert(true)
        await home.isSent()
        #expect(try await alerts() == 1)
        #expect(await unsent(home) == nil)
        home.clock.release()
        await home.clients.stop()
    }

    @Test func heldAlertIsSentWithoutAnAnswer() async throws {
        let before = try await homeWithUnsentAlert()
        await before.clients.stop()
        // The limit lets a sleep of one minute end when the clock is released.
        let clock = EagerClock(limit: .seconds(61))
        clock.hold()
        let home = try Home(in: app, folder: before.folder, clock: clock)
        try await home.signIn(number, in: app)
        #expect(try await alerts() == 0)
        home.clock.release()
        while try await alerts() == 0 { await Task.yield() }
        await home.clients.stop()
    }

    @Test(arguments: [true, false])
    func suspendedAppHandsOverTheHeldAlert(isAnswered: Bool) async throws {
        let home = try await homeWithUnsentAlert()
        home.clock.hold()
        try await home.signIn(number, in: app)
        await home.clients.renewAlertPass()
        let (asked, sender) = (try #require(await unsent(home)), FakeSender())
        if isAnswered { await home.values.connectivityClient.answerUnsentAlert(false) }
        await home.clients.sendInBackground(by: sender)
        if isAnswered {
            #expect(sender.requests.isEmpty)
        } else {
            let given = try #require(sender.requests.first)
            #expect(sender.requests.count == 1 && given.earliest == asked.sendsAt)
            #expect(given.request.headers["Authorization"]?.hasPrefix("Bearer ") == true)
            #expect(try await app.transport.send(given.request).status == 200)
            #expect(try await alerts() == 1)
        }
        home.clock.release()
        await home.clients.stop()
    }

    /// The queue was handed over before the answer.
    @Test(arguments: [true, false])
    func answerReplacesTheHandedOverAlert(isToBeSent: Bool) async throws {
        let home = try await homeWithUnsentAlert()
        home.clock.hold()
        try await home.signIn(number, in: app)
        await home.goOffline()
        let (asked, sender) = (try #require(await unsent(home)), FakeSender())
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.map(\.earliest) == [asked.sendsAt])
        await home.values.connectivityClient.answerUnsentAlert(isToBeSent)
        let times: [Date?] = isToBeSent ? [nil] : []
        #expect(sender.requests.map(\.earliest) == times)
        home.goOnline()
        await home.clients.stop()
    }

    /// A silent message hands the queue over at any time.
    @Test func heldAlertIsHandedOverOnlyInTheBackground() async throws {
        let (home, sender) = (try await homeWithUnsentAlert(), FakeSender())
        home.clock.hold()
        // The person leaves the app during the sign-in.
        let keeping = Task { await home.clients.keepSendingInBackground(by: sender) }
        try await home.signIn(number, in: app)
        while sender.requests.isEmpty { await Task.yield() }
        #expect(sender.requests.first?.earliest != nil)
        keeping.cancel()
        await keeping.value
        await home.clients.stopSendingInBackground(by: sender)
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.isEmpty)
        home.clock.release()
        await home.clients.stop()
    }

    @Test func discardedAlertIsGone() async throws {
        let home = try await homeWithUnsentAlert()
        home.clock.hold()
        try await home.signIn(number, in: app)
        await home.values.connectivityClient.answerUnsentAlert(false)
        home.clock.release()
        #expect(await unsent(home) == nil)
        #expect(await home.waiting() == [])
        await home.clients.stop()
        let next = try Home(in: app, folder: home.folder, tokens: home.tokens)
        try await next.clients.start()
        #expect(await next.waiting() == [])
        #expect(try await alerts() == 0)
        await next.clients.stop()
        #expect(await LiveClients.unsentAlerts(in: home.folder.url) == [])
    }

    @Test func unsentAlertIsKnownWithoutASession() async throws {
        let home = try await homeWithUnsentAlert()
        await home.clients.stop()
        let unsent = await LiveClients.unsentAlerts(in: home.folder.url)
        #expect(unsent.map(\.kind) == [.raiseAlert])
        let name = try #require(home.files.first { $0.hasPrefix("queue-") })
        let ada = try #require(UserID(String(name.dropFirst("queue-".count).prefix(36))))
        #expect(await LiveClients.unsentAlerts(in: home.folder.url, of: ada) == unsent)
        #expect(await LiveClients.unsentAlerts(in: home.folder.url, of: id(9)) == [])
        let empty = try TemporaryFolder()
        #expect(await LiveClients.unsentAlerts(in: empty.url) == [])
    }

    /// The queue's account reports the damage at the next sign-in.
    @Test func searchForUnsentAlertsKeepsADamagedQueue() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "queue-\(id(1) as UserID).sqlite").path
        try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: path))
        #expect(await LiveClients.unsentAlerts(in: folder.url) == [])
        let queue = try QueueFile(path: path)
        #expect(try await queue.load().wasDamaged)
        try queue.close()
        try FileManager.default.removeItem(at: folder.url)
    }

    /// A kill during the question must not restart the time for the answer.
    @Test func restartAfterTheTimeToAnswerSendsTheAlert() async throws {
        let home = try await homeWithUnsentAlert()
        home.clock.hold()
        try await home.signIn(number, in: app)
        await home.clients.stop()
        app.time.pass(.seconds(30))
        let early = try Home(in: app, folder: home.folder, tokens: home.tokens)
        early.clock.hold()
        try await early.clients.start()
        let left = try #require(await unsent(early)).sendsAt.timeIntervalSince(app.time.now)
        #expect(left > 28 && left <= 30)
        await early.clients.stop()
        app.time.pass(.seconds(30))
        let late = try Home(in: app, folder: home.folder, tokens: home.tokens)
        try await late.clients.start()
        #expect(await unsent(late) == nil)
        await late.isSent()
        while try await alerts() == 0 { await Task.yield() }
        await late.clients.stop()
    }

    @Test func endedAlertIsNotAskedAbout() async throws {
        let home = try Home(in: app)
        try await home.signIn(number, in: app)
        let tokens = try #require(home.tokens.load())
        await home.goOffline()
        _ = try await home.values.alertClient.raise(id: id(1))
        _ = try await home.values.alertClient.end(id: id(1))
        try await app.network.signIn.endSession(
            tokens.sessionID, of: Caller(userID: tokens.userID, sessionID: tokens.sessionID))
        let ended = home.values.authClient.sessionEnded()
        home.goOnline()
        _ = await first(ended)
        home.clock.hold()
        try await home.signIn(number, in: app)
        #expect(await unsent(home) == nil)
        home.clock.release()
        await home.isSent()
        await home.clients.stop()
    }

    @Test func alertOnAnEndedSessionFailsAtOnce() async throws {
        let home = try Home(in: app)
        try await home.signIn(number, in: app)
        let tokens = try #require(home.tokens.load())
        try await app.network.signIn.endSession(
            tokens.sessionID, of: Caller(userID: tokens.userID, sessionID: tokens.sessionID))
        let words = await refusal { try await home.values.alertClient.raise(id: id(1)) }
        #expect(words?.code == "unauthenticated")
        #expect(words?.title == "Your alert was NOT sent" || words?.title == "You are signed out")
        await home.clients.stop()
    }

    @Test func sendWaitingReportsTheEndedSession() async throws {
        let home = try Home(in: app)
        try await home.signIn(number, in: app)
        let tokens = try #require(home.tokens.load())
        await home.goOffline()
        _ = try await home.values.alertClient.raise(id: id(1))
        try await app.network.signIn.endSession(
            tokens.sessionID, of: Caller(userID: tokens.userID, sessionID: tokens.sessionID))
        home.cable.isPlugged = true
        let words = await refusal { try await home.clients.sendWaiting() }
        #expect(words?.code == "unauthenticated" && words?.title == "Your alert was NOT sent")
        home.clock.release()
        await home.clients.stop()
    }

    /// An alert whose end is queued as well needs no warning.
    @Test(arguments: [false, true])
    func nextActionReportsTheUnsentAlert(isEnded: Bool) async throws {
        let home = try Home(in: app)
        try await home.signIn(number, in: app)
        let tokens = try #require(home.tokens.load())
        await home.goOffline()
        _ = try await home.values.alertClient.raise(id: id(1))
        if isEnded { _ = try await home.values.alertClient.end(id: id(1)) }
        try await app.network.signIn.endSession(
            tokens.sessionID, of: Caller(userID: tokens.userID, sessionID: tokens.sessionID))
        home.cable.isPlugged = true
        let words = await refusal {
            try await home.values.checkInClient.checkIn(id: id(2), occurredAt: app.time.now)
        }
        #expect(words?.code == "unauthenticated")
        #expect(words?.title == (isEnded ? "You were signed out" : "Your alert was NOT sent"))
        home.clock.release()
        await home.clients.stop()
    }

    @Test func signOutIsRefusedWhileTheQuestionIsOpen() async throws {
        let home = try await homeWithUnsentAlert()
        home.clock.hold()
        try await home.signIn(number, in: app)
        #expect(await refusal { try await home.values.authClient.signOut() }?.code == "unsent")
        #expect(await unsent(home) != nil)
        home.clock.release()
        await home.clients.stop()
    }
}
