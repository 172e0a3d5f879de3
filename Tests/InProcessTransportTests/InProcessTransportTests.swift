import API
import ClientsLive
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import HTTPServer
@testable import InProcessTransport

/// Clients call the server's own router without sockets. The checks are the same as over the
/// network.
@Suite(.timeLimit(.minutes(5))) struct InProcessTransportTests {
    private let app: TestApp

    init() throws { app = try TestApp(.memory, limits: .production) }

    private func code(_ body: () async throws -> Void) async -> ErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ClientFailure)?.code
        }
    }

    @Test func signInCheckInAndSignOut() async throws {
        let store = MemoryTokenStore()
        let connection = app.connection(store: store)
        let tokens = try await app.signIn(connection)
        #expect(tokens.isNewUser)
        let number = UUID()
        let record = try await connection.call(
            Routes.checkIn, CheckInRequest(occurredAt: app.time.now), id: number)
        #expect(record.id == ID(number))
        #expect(
            try await connection.call(
                Routes.checkIn, CheckInRequest(occurredAt: app.time.now), id: number) == record)
        #expect(try await connection.call(Routes.checkIns, query: ["limit": "5"]).items == [record])
        #expect(try await connection.signOut() == nil)
        #expect(store.load() == nil)
    }

    @Test func theServersChecksHold() async throws {
        let connection = app.connection()
        await #expect(throws: ClientFailure.sessionEnded) {
            try await connection.call(Routes.profile)
        }
        let bare = try await app.transport.send(TransportRequest(method: .get, path: "/v1/me"))
        #expect(bare.status == 401)
        #expect(bare.headers["content-type"] == "application/problem+json")
        try await app.signIn(connection)
        #expect(
            await code { _ = try await connection.call(Routes.endAlert, id: UUID()) } == .notFound)
        #expect(
            await code {
                _ = try await connection.call(Routes.updateProfile, UpdateProfileRequest(name: " "))
            } == .invalidArgument)
        let large = Data(count: 1_000_001)
        #expect(
            await code {
                let _: UserProfile = try await connection.upload(
                    Routes.updateProfile.endpoint, large, mediaType: "application/json")
            }
                == .payloadTooLarge)
        #expect(
            await code {
                let _: UserProfile = try await connection.upload(
                    Routes.putPicture, Data("x".utf8), mediaType: "text/plain")
            } == .unsupportedMediaType
        )
        let picture = try await connection.download(Routes.qrCodePicture)
        #expect(picture.mediaType == "image/png" && picture.bytes.count > 100)
    }

    @Test func fiftyCallsWithAnOldTokenRenewOnceOnTheRealServer() async throws {
        let store = MemoryTokenStore()
        let connection = app.connection(store: store)
        try await app.signIn(connection)
        let first = try #require(store.load())
        app.time.pass(.minutes(16))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = try await connection.call(Routes.profile) } }
            try await group.waitForAll()
        }
        let second = try #require(store.load())
        #expect(second.refreshToken != first.refreshToken && second.sessionID == first.sessionID)
        // The client uses the token that has replaced the old refresh token. A later use of the old
        // token ends the session. The client reports the end and forgets the session.
        app.time.pass(.minutes(16))
        _ = try await connection.call(Routes.profile)
        let thief = app.connection(store: MemoryTokenStore(first))
        await #expect(throws: ClientFailure.sessionEnded) { try await thief.call(Routes.profile) }
        await #expect(throws: ClientFailure.sessionEnded) {
            try await connection.call(Routes.profile)
        }
        #expect(store.load() == nil)
    }

    @Test func aWrongCodeForANewNumberUsesUpOneTry() async throws {
        let connection = app.connection()
        try await app.signIn(connection)
        try await connection.call(Routes.sendCode, SendCodeRequest(phoneNumber: "+15550100200"))
        // Three tries need no id of the code's request.
        for _ in 0..<2 {
            let wrong = PhoneNumberRequest(phoneNumber: "+15550100200", code: "000000")
            #expect(
                await code { _ = try await connection.call(Routes.changePhoneNumber, wrong) }
                    == .unauthenticated)
        }
        let sent = try app.code(for: "+15550100200")
        let right = PhoneNumberRequest(phoneNumber: "+15550100200", code: sent)
        #expect(
            try await connection.call(Routes.changePhoneNumber, right).phoneNumber.text
                == "+15550100200")
    }

    @Test func thousandsOfSessionsInOneProcessAreNotOneAddress() async throws {
        let transport = app.transport
        for _ in 0..<1_500 {
            #expect(
                try await transport.send(TransportRequest(method: .get, path: "/health/live"))
                    .status == 200)
        }
    }

    @Test func codesAreLimitedByTheAddressOfThePerson() async throws {
        func ask(_ number: Int, from address: String) async -> ErrorCode? {
            await code {
                try await app.connection(from: address).call(
                    Routes.sendCode, SendCodeRequest(phoneNumber: "+1555010\(1_000 + number)"),
                    retry: .once)
            }
        }
        for number in 0..<20 { #expect(await ask(number, from: "192.0.2.7") == nil) }
        #expect(await ask(20, from: "192.0.2.7") == .rateLimited)
        #expect(await ask(21, from: "192.0.2.8") == nil)
    }

    @Test func aCommandIsFinishedThoughItsCallIsCancelled() async throws {
        let connection = app.connection()
        try await app.signIn(connection)
        let number = UUID()
        let call = Task { [time = app.time] in
            try await withThrowingTaskGroup(of: CheckInRecord.self) { group in
                group.addTask {
                    try await connection.call(
                        Routes.checkIn, CheckInRequest(occurredAt: time.now), id: number,
                        retry: .once)
                }
                await Task.yield()
                group.cancelAll()
                return try await group.next()
            }
        }
        // The check-in was made completely or not at all. Sending the same id again gives the same
        // check-in.
        _ = await call.result
        let record = try await connection.call(
            Routes.checkIn, CheckInRequest(occurredAt: app.time.now), id: number)
        #expect(record.id == ID(number))
        #expect(try await connection.call(Routes.checkIns).items.count == 1)
    }
}
