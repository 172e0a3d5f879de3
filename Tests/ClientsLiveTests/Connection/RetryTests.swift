import API
import Domain
import Foundation
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct RetryTests {
    private let clock = ManualClock()

    private func connection(_ transport: FakeTransport, random: Double = 0) -> Connection {
        Connection(
            transport: transport, store: MemoryTokenStore(.stage(1)), clock: clock.client,
            random: { random })
    }

    private func failure(_ body: () async throws -> Void) async -> ClientFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ClientFailure
        }
    }

    @Test func readIsRetriedWithBackOff() async throws {
        let transport = FakeTransport { _, number in
            if number < 5 { throw ClientFailure.unreachable(.interrupted) }
            return try .json(List<ContactData>(items: []))
        }
        let call = Task { [connection = connection(transport)] in
            try await connection.call(Routes.contacts)
        }
        var pauses: [Duration] = []
        for _ in 0..<4 { pauses.append(await clock.pass()) }
        #expect(try await call.value.items.isEmpty)
        #expect(
            pauses == [
                .milliseconds(150), .milliseconds(300), .milliseconds(600), .milliseconds(1_200),
            ])
        #expect(transport.requests.count == 5)
    }

    @Test func callFailsAfterFiveTries() async throws {
        let transport = FakeTransport { _, _ in throw ClientFailure.unreachable(.refused) }
        let call = Task { [connection = connection(transport)] in
            try await connection.call(Routes.contacts)
        }
        for _ in 0..<4 { await clock.pass() }
        await #expect(throws: ClientFailure.unreachable(.refused)) { try await call.value }
        #expect(transport.requests.count == 5)
    }

    @Test(arguments: [ErrorCode.unavailable, .rateLimited]) func retryAfterIsObeyed(
        code: ErrorCode
    ) async throws {
        let transport = FakeTransport { _, number in
            number == 1 ? try .problem(code, retryAfter: 7) : TransportResponse(status: 204)
        }
        let call = Task { [connection = connection(transport)] in
            try await connection.call(Routes.readAllNotifications)
        }
        #expect(await clock.pass() == .seconds(7))
        _ = try await call.value
    }

    @Test func retryAfterBeyondDeadlineThrows() async throws {
        let transport = FakeTransport { _, _ in try .problem(.rateLimited, retryAfter: 20) }
        let failure = await failure { _ = try await connection(transport).call(Routes.contacts) }
        guard case .refused(let problem, retryAfter: .seconds(20)) = failure else {
            throw Unexpected()
        }
        #expect(problem.code == .rateLimited)
        #expect(transport.requests.count == 1)
    }

    @Test func noTryOutlivesTheDeadline() async throws {
        let transport = FakeTransport { [clock] _, _ in
            clock.advance(by: .seconds(9))
            throw ClientFailure.unreachable(.timedOut)
        }
        let call = Task { [connection = connection(transport)] in
            try await connection.call(Routes.contacts)
        }
        for _ in 0..<2 { await clock.pass() }
        await #expect(throws: ClientFailure.unreachable(.timedOut)) { try await call.value }
        #expect(
            transport.requests.map(\.timeout) == [
                .seconds(20), .milliseconds(10_850), .milliseconds(1_550),
            ])
    }

    /// The queue has a deadline of its own.
    @Test func onlyTryHasItsOwnTimeout() async throws {
        let transport = FakeTransport { _, _ in throw ClientFailure.unreachable(.timedOut) }
        let once = RetryPolicy(attempts: 1, deadline: .seconds(5))
        let failure = await failure {
            _ = try await connection(transport).call(Routes.contacts, retry: once)
        }
        #expect(failure == .unreachable(.timedOut))
        #expect(transport.requests.map(\.timeout) == [.seconds(20)])
    }

    @Test func nonRepeatableCallIsSentOnce() async throws {
        let transport = FakeTransport { _, _ in throw ClientFailure.unreachable(.interrupted) }
        let connection = connection(transport)
        let once: [() async throws -> Void] = [
            {
                _ = try await connection.call(
                    Routes.sendCode, SendCodeRequest(phoneNumber: "+15550100"))
            },
            {
                _ = try await connection.signIn(
                    SignInRequest(phoneNumber: "+15550100", code: "000000", deviceName: "Phone"))
            },
            {
                _ = try await connection.call(
                    Routes.addContact,
                    AddContactRequest(code: "x", isResponder: true, isDependent: false))
            },
            { _ = try await connection.call(Routes.renewQRCode) },
            {
                _ = try await connection.call(
                    Routes.changePhoneNumber,
                    PhoneNumberRequest(phoneNumber: "+15550100", code: "000000"))
            },
            {
                _ = try await connection.call(
                    Routes.updateProfile, UpdateProfileRequest(name: "Ana"))
            },
        ]
        for call in once { #expect(await failure(call) == .unreachable(.interrupted)) }
        #expect(transport.requests.count == once.count)
        #expect(transport.requests.allSatisfy { !$0.isRepeatable })
    }

    /// The server gives the same session to both, if the first has begun one.
    @Test func signInWithAKeyIsRetriedWithIt() async throws {
        let transport = FakeTransport { _, number in
            if number == 1 { throw ClientFailure.unreachable(.interrupted) }
            throw ClientFailure.malformedAnswer
        }
        let key = UUID.random()
        let call = Task { [connection = connection(transport)] in
            _ = try await connection.signIn(
                SignInRequest(phoneNumber: "+15550100", code: "000000", deviceName: "Phone"),
                key: key)
        }
        _ = await clock.pass()
        await #expect(throws: ClientFailure.malformedAnswer) { try await call.value }
        let keys = transport.requests.map { $0.headers[Endpoint.idempotencyKey] }
        #expect(keys == [key.uuidString.lowercased(), key.uuidString.lowercased()])
    }

    @Test func everyEndpointIsRepeatableOrNot() {
        let repeatable = Set(
            Routes.all.filter { $0.method == .post && $0.isRepeatable }.map(\.operationID))
        #expect(
            repeatable == [
                "respondToPing", "respondToAllPings", "endAlert", "openAlert", "acknowledgeAlert",
                "declineAlert", "answerDrill", "stopDrill",
                "readNotification", "readAllNotifications", "decodeQRCode",
            ])
        for endpoint in Routes.all where endpoint.method != .post {
            #expect(endpoint.isRepeatable == (endpoint.method != .patch))
        }
    }

    @Test(
        arguments: ErrorCode.allCases.filter {
            ![.unavailable, .rateLimited, .unauthenticated].contains($0)
        })
    func refusalIsNotRetried(code: ErrorCode) async throws {
        let transport = FakeTransport { _, _ in try .problem(code) }
        let failure = await failure { _ = try await connection(transport).call(Routes.contacts) }
        #expect(failure?.code == code)
        #expect(transport.requests.count == 1)
    }

    @Test func insecureConnectionIsNotRetried() async throws {
        let transport = FakeTransport { _, _ in throw ClientFailure.unreachable(.insecure) }
        #expect(
            await failure { _ = try await connection(transport).call(Routes.contacts) }
                == .unreachable(.insecure))
        #expect(transport.requests.count == 1)
    }

    @Test func retriedDeleteTreatsNotFoundAsSuccess() async throws {
        let transport = FakeTransport { _, number in
            if number == 1 { throw ClientFailure.unreachable(.interrupted) }
            return try .problem(.notFound)
        }
        let call = Task { [connection = connection(transport)] in
            try await connection.call(Routes.removeContact, id: UUID())
        }
        await clock.pass()
        _ = try await call.value
        let first = FakeTransport { _, _ in try .problem(.notFound) }
        #expect(
            await failure {
                _ = try await connection(first).call(Routes.removeContact, id: UUID())
            }?.code == .notFound)
    }

    @Test func cancellingEndsThePause() async throws {
        let transport = FakeTransport { _, _ in throw ClientFailure.unreachable(.offline) }
        let call = Task { [connection = connection(transport)] in
            try await connection.call(Routes.contacts)
        }
        await clock.sleepers()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1)
    }

    @Test func thePathHasTheIDAndTheQuery() async throws {
        let transport = FakeTransport { _, _ in TransportResponse(status: 204) }
        let connection = connection(transport)
        let number: UUID = (id(9) as PingID).uuid
        try await connection.call(Routes.removeContact, id: number)
        _ = try? await connection.call(Routes.alerts, query: ["limit": "5", "before": "1.a b&c"])
        #expect(
            transport.requests.map(\.path) == [
                "/v1/contacts/\(number.uuidString.lowercased())",
                "/v1/alerts?before=1.a%20b%26c&limit=5",
            ])
    }

    @Test(arguments: [
        (502, ErrorCode.unavailable), (503, .unavailable), (504, .unavailable), (429, .rateLimited),
        (413, .payloadTooLarge),
    ])
    func proxyStatusMapsToErrorCode(status: Int, code: ErrorCode) async throws {
        let answer = APIReply.failure(
            of: TransportResponse(
                status: status, headers: ["retry-after": "3"], body: Data("<html>".utf8)))
        #expect(answer.code == code)
    }

    @Test(arguments: [
        (["retry-after": " 3 "], 3), (["retry-after": "0"], 0), (["retry-after": "86401"], nil),
        (["retry-after": "-1"], nil), (["retry-after": "soon"], nil), ([:], nil),
        (
            [
                "retry-after": "Fri, 15 Jan 2027 08:02:00 GMT",
                "date": "Fri, 15 Jan 2027 08:00:00 GMT",
            ], 120
        ),
        (
            [
                "retry-after": "Fri, 15 Jan 2027 07:00:00 GMT",
                "date": "Fri, 15 Jan 2027 08:00:00 GMT",
            ], 0
        ),
        (["retry-after": "Fri, 15 Jan 2027 08:02:00 GMT"], nil),
        (
            [
                "retry-after": "Sun, 17 Jan 2027 08:02:00 GMT",
                "date": "Fri, 15 Jan 2027 08:00:00 GMT",
            ], nil
        ),
    ])
    func retryAfterReadsSecondsAndDates(headers: [String: String], seconds: Int?) {
        let failure = APIReply.failure(
            of: TransportResponse(status: 503, headers: headers, body: Data()))
        guard case .refused(_, let wait) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(wait == seconds.map { .seconds($0) })
    }

    @Test(arguments: ["<html>Sign in to the hotel</html>", "{}", ""]) func foreignAnswerIsMalformed(
        body: String
    ) async throws {
        let transport = FakeTransport { _, _ in
            TransportResponse(status: 200, body: Data(body.utf8))
        }
        #expect(
            await failure { _ = try await connection(transport).call(Routes.profile) }
                == .malformedAnswer)
    }
}

struct Unexpected: Error {}
