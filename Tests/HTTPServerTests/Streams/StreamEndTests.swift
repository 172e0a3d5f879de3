import API
import Domain
import Foundation
import NIOEmbedded
import Persistence
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct StreamEndTests {
    let server: TestServer
    let ada, ben: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
    }

    private func checkIns(_ numbers: ClosedRange<UInt8>) async throws {
        for number in numbers {
            server.clock.advance(by: .seconds(1))
            _ = try await server.network.checkIns.checkIn(
                id(number), occurredAt: server.clock.now(), by: ada.caller)
        }
    }

    @Test func slowReaderCatchesUpFromTheRows() async throws {
        let stream = try await OpenStream(server, ben)
        let start = try #require(await stream.next()?.id)
        stream.stopReading()
        try await checkIns(1...1)
        await stream.isStuck()
        try await checkIns(2...200)
        stream.goOnReading()
        // The buffer holds 64 events. At the next keep-alive, the stream reads the others from the
        // database.
        #expect(await stream.frames(65).map(\.id) == (1...65).map { start + $0 })
        server.hub.keepAlive()
        #expect(await stream.frames(135).map(\.id) == (66...200).map { start + $0 })
        #expect(await stream.next()?.isComment == true)
    }

    @Test func nextEventBringsThoseThatAFullBufferDropped() async throws {
        let stream = try await OpenStream(server, ben)
        let start = try #require(await stream.next()?.id)
        stream.stopReading()
        try await checkIns(1...1)
        await stream.isStuck()
        try await checkIns(2...100)
        stream.goOnReading()
        #expect(await stream.frames(65).last?.id == start + 65)
        try await checkIns(101...101)
        #expect(await stream.frames(36).map(\.id) == (66...101).map { start + $0 })
    }

    @Test func signOutEndsOnlyItsSessionsStreams() async throws {
        let other = try await server.signIn("+4915100000002")
        let stream = try await OpenStream(server, ben)
        let kept = try await OpenStream(server, other)
        _ = (await stream.next(), await kept.next())
        #expect(server.hub.streamCount == 2)
        try await server.call(Routes.signOut, by: ben)
        #expect(await stream.rest() == [])
        server.hub.keepAlive()
        #expect(await kept.next()?.isComment == true)
        #expect(server.hub.streamCount == 1)
    }

    @Test func endingASessionFromAnotherDeviceEndsItsStream() async throws {
        let other = try await server.signIn("+4915100000002")
        let stream = try await OpenStream(server, ben)
        _ = await stream.next()
        try await server.call(Routes.endSession, id: "\(ben.session)", by: other)
        #expect(await stream.rest() == [])
    }

    /// The other server ended the session, but died before it sent the hint.
    @Test func keepAliveEndsTheStreamOfAnEndedSession() async throws {
        let server = try TestServer { $0.isShared = true }
        let ben = try await server.person("Ben", number: "+4915100000002")
        let other = try await server.signIn("+4915100000002")
        let (stream, kept) = (
            try await OpenStream(server, ben), try await OpenStream(server, other)
        )
        _ = (await stream.next(), await kept.next())
        // Deletes the row directly, so that this server gets no hint.
        try await server.database.write(about: Subjects([ben.caller.userID])) { transaction in
            _ = try transaction.execute(
                "DELETE FROM sessions WHERE user_id = $1 AND id = $2",
                [.uuid(ben.caller.userID.uuid), .uuid(ben.caller.sessionID.uuid)])
        }
        server.hub.keepAlive()
        #expect(await stream.rest() == [])
        #expect(await kept.next()?.isComment == true)
    }

    /// The server tells only open streams of the session's end. This stream opens just after the
    /// end.
    @Test func sessionEndedWhileOpeningGetsNoStream() async throws {
        let other = try await server.signIn("+4915100000002")
        server.database.afterNextRead { [server, ben] in
            try await server.network.signIn.endSession(other.session, of: ben.caller)
        }
        let stream = try await OpenStream(server, other)
        #expect(stream.answer.status == 401)
        #expect(server.hub.streamCount == 0)
        #expect(try await OpenStream(server, ben).next()?.event == "ready")
    }

    @Test func refreshKeepsTheStreamOpen() async throws {
        let stream = try await OpenStream(server, ben)
        _ = await stream.next()
        _ = try await server.call(
            Routes.refresh, RefreshRequest(refreshToken: ben.refreshToken), by: nil)
        #expect(try await server.send("GET", "/v1/me", token: ben.token).status == 401)
        server.hub.keepAlive()
        #expect(await stream.next()?.isComment == true)
        #expect(server.hub.streamCount == 1)
    }

    @Test func reusedRefreshTokenEndsTheStream() async throws {
        let next = try await server.call(
            Routes.refresh, RefreshRequest(refreshToken: ben.refreshToken), by: nil)
        let tokens = try await server.call(
            Routes.refresh, RefreshRequest(refreshToken: next.refreshToken), by: nil)
        var refreshed = ben
        refreshed.token = tokens.accessToken
        let stream = try await OpenStream(server, refreshed)
        #expect(await stream.next()?.event == "ready")
        let thief = try await server.send(
            "POST", "/v1/auth/tokens", try .json(RefreshRequest(refreshToken: ben.refreshToken)))
        #expect(thief.status == 401)
        // The last frame may announce the session's end.
        #expect(await stream.rest().allSatisfy { $0.event == "notification" })
        #expect(try await OpenStream(server, refreshed).answer.status == 401)
    }

    @Test func accountDeletionEndsItsStreams() async throws {
        let other = try await server.signIn("+4915100000002")
        let streams = [try await OpenStream(server, ben), try await OpenStream(server, other)]
        for stream in streams { _ = await stream.next() }
        try await server.call(Routes.deleteAccount, by: ben)
        for stream in streams { #expect(await stream.rest().allSatisfy { $0.event != "ready" }) }
        #expect(server.hub.streamCount == 0)
    }

    @Test func closedHubEndsPresentAndFutureStreams() async throws {
        let stream = try await OpenStream(server, ben)
        let adas = try await OpenStream(server, ada)
        _ = (await stream.next(), await adas.next())
        server.hub.close()
        #expect(await stream.rest() == [])
        #expect(await adas.rest() == [])
        let late = try await OpenStream(server, ben)
        #expect(await late.rest().map(\.event) == ["ready"])
        #expect(server.hub.streamCount == 0)
    }

    @Test func userHasAtMostTwentyStreams() async throws {
        var streams: [OpenStream] = []
        for _ in 0..<20 { streams.append(try await OpenStream(server, ben)) }
        for stream in streams { #expect(await stream.next()?.event == "ready") }
        let refused = try await OpenStream(server, ben)
        #expect(refused.answer.status == 429)
        #expect(refused.answer.header("Retry-After") == "30")
        #expect(try await OpenStream(server, ada).answer.status == 200)
        try await streams[0].end()
        #expect(try await OpenStream(server, ben).answer.status == 200)
    }

    @Test func disconnectUnsubscribesWithoutAWrite() async throws {
        let channel = try server.channel()
        _ = try await server.respond(
            try server.request("GET", "/v1/events", token: ben.token), server.context(on: channel))
        #expect(server.hub.streamCount == 1)
        try await channel.close()
        #expect(server.hub.streamCount == 0)
    }

    @Test func failedStreamStartIsNotCounted() async throws {
        _ = try await server.send("GET", "/v1/me", token: ben.token)
        server.database.fail(with: .closed)
        let stream = try await OpenStream(server, ben)
        #expect(stream.answer.status == 503)
        #expect(server.hub.streamCount == 0)
    }
}
