import API
import Clients
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

/// An app that is suspended offline gives its actions to the system.
@Suite(.timeLimit(.minutes(5))) struct BackgroundSendingTests {
    /// Takes its time, as the system does, and notes whether two calls ran at the same time.
    private final class SlowSender: BackgroundSender {
        private struct State {
            var isReplacing = false
            var hasOverlapped = false
            var counts: [Int] = []
        }

        private let state = Mutex(State())
        var hasOverlapped: Bool { state.withLock { $0.hasOverlapped } }
        /// The number of requests of each call.
        var counts: [Int] { state.withLock { $0.counts } }

        func replace(with requests: [BackgroundRequest]) async {
            state.withLock {
                if $0.isReplacing { $0.hasOverlapped = true }
                $0.isReplacing = true
                $0.counts.append(requests.count)
            }
            for _ in 1...100 { await Task.yield() }
            state.withLock { $0.isReplacing = false }
        }
    }

    private let app: TestApp
    private let ben: Person
    private let sender = FakeSender()

    init() async throws {
        app = try TestApp(.memory)
        ben = try await app.person("Ben", "+15550100002")
    }

    private func ada(withPass: Bool = false) async throws -> Home {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        let code = try await ben.connection.call(Routes.qrCode).payload
        _ = try await home.values.contactClient.addContact(
            code: code, roles: ContactRoles(isResponder: true, isDependent: true))
        if withPass { await home.clients.renewAlertPass() }
        await home.goOffline()
        return home
    }

    @Test func callsForHelpAndTheNewestCheckInAreHandedOver() async throws {
        let home = try await ada()
        _ = try await home.values.checkInClient.checkIn(id: id(1), occurredAt: app.time.now)
        app.time.pass(.minutes(1))
        _ = try await home.values.checkInClient.checkIn(id: id(2), occurredAt: app.time.now)
        _ = try await home.values.alertClient.raise(id: id(3))
        _ = try await home.values.userClient.updateProfile(name: "Ada B", emergencyNote: nil)
        await home.clients.sendInBackground(by: sender)
        let (alert, checkIn): (AlertID, CheckInID) = (id(3), id(2))
        #expect(sender.paths == ["/v1/alerts/\(alert)", "/v1/check-ins/\(checkIn)"])
        #expect(sender.requests.allSatisfy { $0.request.isRepeatable })
        #expect(sender.requests.allSatisfy { $0.request.headers["Authorization"] != nil })
    }

    @Test func arrivalIsHandedOverWithItsPress() async throws {
        let home = try await ada()
        let (journey, pressed) = (id(7) as JourneyID, app.time.now)
        _ = try await home.values.journeyClient.extend(
            id: journey, expectedReturn: pressed.adding(.minutes(30)), isLater: true)
        _ = try await home.values.journeyClient.arrive(id: journey)
        app.time.pass(.minutes(1))
        await home.clients.sendInBackground(by: sender)
        #expect(sender.paths == ["/v1/journeys/\(journey)/arrival"])
        let body = try #require(sender.requests.first?.request.body)
        #expect(
            try WireJSON.decoder().decode(EndJourneyRequest.self, from: body)
                == EndJourneyRequest(pressedAt: pressed))
    }

    @Test func locallyEndedAlertStaysInTheQueue() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        _ = try await home.values.alertClient.end(id: id(3))
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.isEmpty)
    }

    /// The person called for help in the app and by Siri.
    @Test func endKeepsBackBothCallsForHelp() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        _ = try await home.values.alertClient.raise(id: id(4))
        _ = try await home.values.alertClient.end(id: id(3))
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.isEmpty)
        _ = try await home.values.alertClient.raise(id: id(5))
        await home.clients.sendInBackground(by: sender)
        #expect(sender.paths == ["/v1/alerts/\(id(5) as AlertID)"])
    }

    /// The person has confirmed the end in words and then locked the phone.
    @Test func alertEndedInTheBackgroundIsKeptBack() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        let sending = Task { [sender] in
            await home.clients.keepSendingInBackground(by: sender)
        }
        while sender.paths != ["/v1/alerts/\(id(3) as AlertID)"] { await Task.yield() }
        _ = try await home.values.alertClient.end(id: id(3))
        while !sender.requests.isEmpty { await Task.yield() }
        sending.cancel()
        await sending.value
    }

    /// Until the first handover, the app asks iOS not to suspend it.
    @Test func endOfEachHandoverIsReported() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        let (reports, continuation) = AsyncStream.makeStream(of: Int.self)
        let sending = Task { [sender] in
            await home.clients.keepSendingInBackground(by: sender) {
                continuation.yield(sender.requests.count)
            }
        }
        var counts = reports.makeAsyncIterator()
        let first = await counts.next()
        #expect(first == 1)
        _ = try await home.values.alertClient.end(id: id(3))
        while let count = await counts.next(), count > 0 {}
        #expect(sender.requests.isEmpty)
        sending.cancel()
        await sending.value
    }

    /// The person gives up the alert to sign out without a connection.
    @Test func discardedAlertIsTakenBack() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.count == 1)
        #expect(await home.values.authClient.signOutDiscardingQueue(ids: nil) == [])
        #expect(sender.requests.isEmpty)
    }

    @Test func requestSentBySystemTakesEffectOnce() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        for request in sender.requests {
            #expect(try await app.transport.send(request.request).status == 200)
        }
        let told = try await app.notes(of: ben)
        #expect(told.contains("Ada needs help"))
        home.goOnline()
        await home.isSent()
        #expect(try await app.notes(of: ben) == told)
    }

    @Test func passWorksAfterTheAccessTokenExpires() async throws {
        let home = try await ada(withPass: true)
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        app.time.pass(.days(6))
        let request = try #require(sender.requests.first?.request)
        #expect(request.headers["Authorization"]?.hasPrefix("AlertPass ") == true)
        #expect(try await app.transport.send(request).status == 200)
        #expect(try await app.notes(of: ben).contains("Ada needs help"))
        // The pass can only raise this alert.
        let alert: AlertID = id(3)
        for (method, path) in [
            (Endpoint.Method.get, "/v1/me"), (.get, request.path), (.post, "\(request.path)/end"),
            (.put, request.path.replacing("\(alert)", with: "\(id(4) as AlertID)")),
        ] {
            var other = request
            (other.method, other.path) = (method, path)
            #expect(try await app.transport.send(other).status == 401)
        }
    }

    @Test(arguments: [true, false]) func onlyAValidPassIsHandedOver(isValid: Bool) async throws {
        let home = try await ada(withPass: true)
        let pass = try #require(await home.tokens.alertPass())
        app.time.pass(
            pass.expiresAt.since(app.time.now) - (isValid ? .milliseconds(1) : .zero))
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        let header = try #require(sender.requests.first?.request.headers["Authorization"])
        #expect(header.hasPrefix(isValid ? "AlertPass " : "Bearer "))
    }

    @Test func passOfAnotherSessionIsNotHandedOver() async throws {
        let home = try await ada(withPass: true)
        var pass = try #require(await home.tokens.alertPass())
        pass.sessionID = id(77)
        await home.tokens.save(alertPass: pass)
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        let header = try #require(sender.requests.first?.request.headers["Authorization"])
        #expect(header.hasPrefix("Bearer "))
    }

    @Test func answerToAPassNamesNoResponder() async throws {
        let home = try await ada(withPass: true)
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        let request = try #require(sender.requests.first?.request)
        let answer = try await app.transport.send(request)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("Ben"))
    }

    @Test func passIsRenewedDailyAndAfterItsAlert() async throws {
        let home = try await ada(withPass: true)
        home.goOnline()
        let first = try #require(await home.tokens.alertPass())
        app.time.pass(.hours(23))
        await home.clients.renewAlertPass()
        #expect(await home.tokens.alertPass() == first)
        app.time.pass(.hours(1))
        await home.clients.renewAlertPass()
        let second = try #require(await home.tokens.alertPass())
        #expect(second.pass != first.pass && second.alertID == nil)
        await home.goOffline()
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        #expect(await home.tokens.alertPass()?.alertID == id(3))
        // A renewal would invalidate the old pass, which the system may still need.
        await home.clients.renewAlertPass()
        #expect(await home.tokens.alertPass()?.pass == second.pass)
        home.goOnline()
        await home.isSent()
        await home.clients.renewAlertPass()
        #expect(await home.tokens.alertPass()?.pass != second.pass)
    }

    @Test func passIsKeptReadyForTheNextAlert() async throws {
        let home = try await ada(withPass: true)
        let keeping = Task { await home.clients.keepAlertPass() }
        defer { keeping.cancel() }
        let first = try #require(await home.tokens.alertPass())
        _ = try await home.values.alertClient.raise(id: id(3))
        await home.clients.sendInBackground(by: sender)
        // While the call for help waits, the system may still need its pass.
        #expect(await home.tokens.alertPass()?.pass == first.pass)
        home.goOnline()
        await home.isSent()
        await home.clients.controller.account?.receive(.connected)
        while await home.tokens.alertPass()?.pass == first.pass { await Task.yield() }
        #expect(await home.tokens.alertPass()?.alertID == nil)
    }

    @Test func signInGetsAPass() async throws {
        let home = try Home(in: app)
        let keeping = Task { await home.clients.keepAlertPass() }
        defer { keeping.cancel() }
        try await home.signIn("+15550100001", in: app)
        while await home.tokens.alertPass() == nil { await Task.yield() }
        await home.clients.stop()
    }

    @Test func simultaneousRenewalsAskOnce() async throws {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...2 { group.addTask { await home.clients.renewAlertPass() } }
        }
        #expect(home.cable.sent.count { $0 == "POST /v1/alert-passes" } == 1)
        await home.clients.stop()
    }

    @Test func handoversFollowEachOther() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        let slow = SlowSender()
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...3 {
                group.addTask { await home.clients.sendInBackground(by: slow) }
                group.addTask { await home.clients.stopSendingInBackground(by: slow) }
            }
        }
        #expect(!slow.hasOverlapped && slow.counts.count == 6)
        await home.clients.sendInBackground(by: slow)
        #expect(slow.counts.last == 1)
        await home.clients.stopSendingInBackground(by: slow)
        #expect(slow.counts.last == 0)
    }

    @Test func cancelledCallerStillHandsOver() async throws {
        let home = try await ada()
        _ = try await home.values.alertClient.raise(id: id(3))
        let handing = Task { [sender] in
            while !Task.isCancelled { await Task.yield() }
            await home.clients.sendInBackground(by: sender)
        }
        handing.cancel()
        await handing.value
        #expect(sender.requests.count == 1)
    }

    @Test func nothingIsHandedOverWhileSignedOut() async throws {
        let home = try Home(in: app)
        await home.clients.sendInBackground(by: sender)
        #expect(sender.requests.isEmpty)
    }
}
