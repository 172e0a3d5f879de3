import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct PingAnswerTests {
    private let app: TestApp
    private let ben: Person

    init() async throws {
        app = try TestApp(.memory)
        ben = try await app.person("Ben", "+15550100002")
    }

    /// Signs Ada in. Ben watches over her.
    /// - Parameter before: see `HookedTransport`.
    private func ada(
        before: @escaping @Sendable (TransportRequest) async throws -> TransportResponse? = { _ in
            nil
        }
    ) async throws -> (home: Home, id: UserID) {
        let home = try Home(in: app, before: before)
        let ada = try await home.signIn("+15550100001", in: app).userID
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        let code = try await ben.connection.call(Routes.qrCode).payload
        _ = try await home.values.contactClient.addContact(
            code: code, roles: ContactRoles(isResponder: true, isDependent: true))
        _ = try await ben.connection.call(Routes.acceptRequest(.dependent), id: ada.uuid)
        return (home, ada)
    }

    private func ping(_ ada: UserID, _ number: UInt8) async throws -> PingID {
        let ping: PingID = id(number)
        let request = PingRequest(dependentID: ada)
        return try await ben.connection.call(Routes.ping, request, id: ping.uuid).id
    }

    private func clear(_ ping: PingID) async throws {
        _ = try await ben.connection.call(Routes.clearPing, id: ping.uuid)
    }

    private func waits(_ home: Home, for state: PingRecord.State, of ping: PingID) async {
        _ = await first(home.values.pingClient.pingsStream()) {
            $0.contains { $0.id == ping && $0.state == state }
        }
    }

    @Test func pendingPingIsAnsweredOnce() async throws {
        let (home, ada) = try await ada()
        let ping = try await ping(ada, 5)
        await waits(home, for: .pending, of: ping)
        try await home.values.pingClient.respondToPing(id: ben.id)
        #expect(try await ben.connection.call(Routes.pings).items.map(\.state) == [.answered])
        // The second tap has nothing left to do.
        try await home.values.pingClient.respondToPing(id: ben.id)
        await home.clients.stop()
    }

    /// Ada and Ben watch over each other, and each has asked the other.
    @Test func answerToAllLeavesTheOwnPing() async throws {
        let (home, ada) = try await ada()
        let asked = try await ping(ada, 5)
        let client = home.values.pingClient
        let own = try #require(try await client.pingDependent(id: ben.id).confirmed).id
        await waits(home, for: .pending, of: asked)
        await waits(home, for: .pending, of: own)
        try await client.respondToAllPings()
        let pings = try await ben.connection.call(Routes.pings).items
        #expect(pings.first { $0.id == asked }?.state == .answered)
        #expect(pings.first { $0.id == own }?.state == .pending)
        await home.clients.stop()
    }

    @Test func offlineAnswerCarriesItsPress() async throws {
        let (home, ada) = try await ada()
        let ping = try await ping(ada, 5)
        await waits(home, for: .pending, of: ping)
        await home.goOffline()
        let pressed = app.time.now
        try await home.values.pingClient.respondToPing(id: ben.id)
        #expect(await home.waiting() == [.respondToPing])
        app.time.pass(.minutes(10))
        home.goOnline()
        await home.isSent()
        let bodies = home.cable.bodies(to: "/v1/pings/\(ping)/response")
        let body = try #require(bodies.last)
        #expect(
            try WireJSON.decoder().decode(RespondToPingRequest.self, from: body)
                == RespondToPingRequest(pressedAt: pressed))
        #expect(try await app.notes(of: ben).contains("Ada answered your ping"))
        await home.clients.stop()
    }

    @Test func offlinePauseAnswersNoNewerPing() async throws {
        let (home, ada) = try await ada()
        await home.goOffline()
        let pressed = app.time.now
        let end = pressed.adding(.days(3))
        #expect(try await home.values.checkInClient.pause(until: end).isWaiting)
        app.time.pass(.minutes(10))
        _ = try await ping(ada, 5)
        home.goOnline()
        await home.isSent()
        let body = try #require(home.cable.bodies(to: "/v1/me/pause").last)
        #expect(
            try WireJSON.decoder().decode(PauseRequest.self, from: body)
                == PauseRequest(until: end, pressedAt: pressed))
        #expect(try await ben.connection.call(Routes.pings).items.map(\.state) == [.pending])
        await home.clients.stop()
    }

    @Test func offlinePauseReachesAnOlderServer() async throws {
        let (home, _) = try await ada(
            before: HookedTransport.refusing("pressedAt", of: "/me/pause"))
        await home.goOffline()
        let end = app.time.now.adding(.days(3))
        #expect(try await home.values.checkInClient.pause(until: end).isWaiting)
        app.time.pass(.minutes(10))
        home.goOnline()
        await home.isSent()
        let body = try #require(home.cable.bodies(to: "/v1/me/pause").last)
        #expect(
            try WireJSON.decoder().decode(PauseRequest.self, from: body)
                == PauseRequest(until: end))
        _ = try #require(
            await first(home.values.userClient.profileStream()) { $0.pause?.until == end })
        await home.clients.stop()
    }

    @Test func offlineEndOfAPauseCarriesItsPress() async throws {
        let (home, _) = try await ada()
        let end = app.time.now.adding(.days(3))
        _ = try await home.values.checkInClient.pause(until: end)
        await home.goOffline()
        app.time.pass(.minutes(1))
        let pressed = app.time.now
        #expect(try await home.values.checkInClient.endPause().isWaiting)
        app.time.pass(.minutes(10))
        home.goOnline()
        await home.isSent()
        let body = try #require(home.cable.bodies(to: "/v1/me/pause").last)
        #expect(
            try WireJSON.decoder().decode(EndPauseRequest.self, from: body)
                == EndPauseRequest(pressedAt: pressed))
        _ = try #require(
            await first(home.values.userClient.profileStream()) { $0.pause == nil })
        await home.clients.stop()
    }

    @Test func answerWithoutAPendingPingIsRefused() async throws {
        let (home, ada) = try await ada()
        let none = await refusal { try await home.values.pingClient.respondToPing(id: ben.id) }
        #expect(none?.code == "not-found" && none?.title == "We could not answer the ping")
        let ping = try await ping(ada, 5)
        try await clear(ping)
        await waits(home, for: .cleared, of: ping)
        let cleared = await refusal { try await home.values.pingClient.respondToPing(id: ben.id) }
        #expect(cleared == none)
        await home.clients.stop()
    }

    @Test func answerByIDReturnsTheServersRecord() async throws {
        let (home, ada) = try await ada()
        let first = try await ping(ada, 5)
        #expect(try await home.values.pingClient.answer(id: first).state == .answered)
        let second = try await ping(ada, 6)
        try await clear(second)
        #expect(try await home.values.pingClient.answer(id: second).state == .cleared)
        let unknown = await refusal { try await home.values.pingClient.answer(id: id(7)) }
        #expect(unknown?.code == "not-found")
        await home.clients.stop()
    }

    @Test func answerByIDCarriesItsPress() async throws {
        let (home, ada) = try await ada()
        let ping = try await ping(ada, 5)
        let pressed = app.time.now
        _ = try await home.values.pingClient.answer(id: ping)
        let body = try #require(home.cable.bodies(to: "/v1/pings/\(ping)/response").last)
        #expect(
            try WireJSON.decoder().decode(RespondToPingRequest.self, from: body)
                == RespondToPingRequest(pressedAt: pressed))
        await home.clients.stop()
    }

    @Test func answerByIDIsNeverQueued() async throws {
        let (home, ada) = try await ada()
        let ping = try await ping(ada, 5)
        await home.goOffline()
        let error = await refusal { try await home.values.pingClient.answer(id: ping) }
        #expect(error?.code == "unreachable")
        #expect(await home.waiting() == [])
        #expect(try await ben.connection.call(Routes.pings).items.map(\.state) == [.pending])
        await home.clients.stop()
    }
}
