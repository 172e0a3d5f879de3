import API
import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

extension SessionTests {
    @Test func wrongCodeForNewNumberKeepsTheSession() async throws {
        let (sessions, store) = (FakeSessions(stage: 1), MemoryTokenStore(.stage(1)))
        let transport = numberTransport(sessions)
        let connection = connection(transport, store)
        do {
            _ = try await connection.call(
                Routes.changePhoneNumber,
                PhoneNumberRequest(phoneNumber: "+15550100", code: "000000"))
        } catch let failure as ClientFailure {
            #expect(failure.code == .unauthenticated)
        }
        #expect(transport.count(of: "/v1/me/phone-number") == 1)
        #expect(sessions.refreshes == 0)
        #expect(store.load() == .stage(1))
    }

    @Test func expiredTokenCostsNoCodeTry() async throws {
        let (sessions, store) = (FakeSessions(), MemoryTokenStore(.stage(0)))
        let transport = numberTransport(sessions)
        do {
            _ = try await connection(transport, store).call(
                Routes.changePhoneNumber,
                PhoneNumberRequest(phoneNumber: "+15550100", code: "000000"))
        } catch let failure as ClientFailure {
            #expect(failure.code == .unauthenticated)
        }
        let tries = transport.requests.filter {
            $0.path == "/v1/me/phone-number" && sessions.isGood($0.token)
        }
        #expect(tries.count == 1)
        #expect(sessions.refreshes == 1)
    }

    /// Returns a transport that refuses every code with 401, as the server does.
    private func numberTransport(_ sessions: FakeSessions) -> FakeTransport {
        FakeTransport { request, _ in
            if request.path == Routes.refresh.endpoint.path { return try sessions.refresh(request) }
            guard sessions.isGood(request.token), request.path == Routes.profile.endpoint.path
            else { return try .problem(.unauthenticated) }
            return try .json(
                UserProfile(
                    id: id(1), name: "Ana", phoneNumber: try PhoneNumber("+15550100100"),
                    emergencyNote: "", profilePictureURL: nil, settings: .standard,
                    lastCheckInTime: nil, nextCheckInTime: nil, status: .active,
                    createdAt: Date(milliseconds: 1_772_366_400_000)))
        }
    }

    @Test func callNeverContinuesAsTheNextUser() async throws {
        let store = MemoryTokenStore(.stage(1))
        let (asked, wasAsked) = AsyncStream.makeStream(of: Void.self)
        let (answers, mayAnswer) = AsyncStream.makeStream(of: Void.self)
        let transport = FakeTransport { request, _ in
            if request.token == SessionTokens.stage(1).accessToken,
                request.path == Routes.contacts.endpoint.path
            {
                wasAsked.yield()
                for await _ in answers { break }
                return try .problem(.unauthenticated)
            }
            return TransportResponse(status: 204)
        }
        let connection = connection(transport, store)
        let call = Task { try await connection.call(Routes.contacts) }
        for await _ in asked { break }
        try await connection.signOut()
        try await connection.adopt(.stage(1, session: 2))
        mayAnswer.yield()
        await #expect(throws: ClientFailure.sessionEnded) { try await call.value }
        #expect(store.load() == .stage(1, session: 2))
    }

    @Test func signOutWorksWithoutServer() async throws {
        let store = MemoryTokenStore(.stage(1))
        let transport = FakeTransport { _, _ in throw ClientFailure.unreachable(.insecure) }
        let connection = connection(transport, store)
        #expect(try await connection.signOut() == .unreachable(.insecure))
        #expect(store.load() == nil)
        await #expect(throws: ClientFailure.sessionEnded) {
            try await connection.call(Routes.contacts)
        }
    }

    @Test func signingInStoresTheTokens() async throws {
        let store = MemoryTokenStore()
        let transport = FakeTransport { request, _ in
            #expect(request.token == nil)
            return try .json(SessionTokens.stage(1).response, status: 201)
        }
        let connection = connection(transport, store)
        #expect(try await connection.signedInUser() == nil)
        _ = try await connection.signIn(
            SignInRequest(phoneNumber: "+15550100", code: "000000", deviceName: "Phone"))
        #expect(store.load() == .stage(1))
        #expect(try await connection.signedInUser() == id(1))
    }
}
