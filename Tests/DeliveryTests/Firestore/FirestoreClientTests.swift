import Domain
import Foundation
import Synchronization
import Testing

@testable import Delivery
@testable import HTTPClient

@Suite struct FirestoreClientTests {
    private let google = FakeFirestore()

    private func failure(
        _ status: Int, headers: [String: String] = [:], body: String = "{}",
        of request: (FirestoreClient) async throws -> Void
    ) async throws -> FirestoreFailure {
        google.answer { _ in .status(status, headers: headers, body: body) }
        var failure: FirestoreFailure?
        do {
            try await request(google.client)
        } catch let error as FirestoreFailure {
            failure = error
        }
        return try #require(failure)
    }

    @Test(arguments: [400, 401, 403, 404])
    func refusedReadConcernsTheOperator(status: Int) async throws {
        let failure = try await failure(status) { _ = try await $0.copy(of: id(1)) }
        #expect(failure == FirestoreFailure(reason: .credentials(status)))
    }

    @Test(arguments: [408, 429, 500, 503, 302])
    func failedReadConcernsTheService(status: Int) async throws {
        let failure = try await failure(status, headers: ["retry-after": "90"]) {
            _ = try await $0.copy(of: id(1))
        }
        #expect(failure == FirestoreFailure(reason: .http(status), pause: .seconds(90)))
    }

    @Test(arguments: [400, 404, 409, 412, 413])
    func refusedCommitConcernsOnePerson(status: Int) async throws {
        let failure = try await failure(status) { try await $0.commit([.delete("a")]) }
        #expect(failure == FirestoreFailure(reason: .http(status), isOfService: false))
    }

    @Test(arguments: [401, 403])
    func commitWithoutPermissionConcernsTheOperator(status: Int) async throws {
        let failure = try await failure(status) { try await $0.commit([.delete("a")]) }
        #expect(failure == FirestoreFailure(reason: .credentials(status)))
    }

    @Test(arguments: ["{}", "<html>", "[]", #"{"writeResults":[]}"#])
    func anotherServersAnswerIsNoCommit(body: String) async throws {
        let failure = try await failure(200, body: body) { try await $0.commit([.delete("a")]) }
        #expect(failure == FirestoreFailure(reason: .http(502)))
    }

    @Test(arguments: ["{}", "[]", "<html>"])
    func anotherServersAnswerIsNoMissingDocument(body: String) async throws {
        let failure = try await failure(200, body: body) { _ = try await $0.users([id(1)]) }
        #expect(failure == FirestoreFailure(reason: .http(502)))
    }

    @Test func lostConnectionConcernsTheService() async throws {
        google.answer { _ in .broken(.timedOut) }
        await #expect(throws: FirestoreFailure(reason: .timeout)) {
            _ = try await google.client.copy(of: id(1))
        }
    }

    @Test func allPagesAreRead() async throws {
        let user = FirestoreDocuments.path(of: id(1))
        for number in 1...5 { google.put("\(user)/alerts/\(number)", [:]) }
        #expect(try await google.client.alerts(of: id(1)).map(\.id) == ["1", "2", "3", "4", "5"])
        #expect(google.requests.count == 3)
    }

    @Test func emptyPageTokenEndsTheList() async throws {
        google.answer { _ in .status(200, body: #"{"nextPageToken":""}"#) }
        #expect(try await google.client.alerts(of: id(1)).isEmpty)
        #expect(google.requests.count == 1)
    }

    @Test func repeatedPageTokenIsAFailure() async throws {
        let failure = try await failure(200, body: #"{"nextPageToken":"a"}"#) {
            _ = try await $0.alerts(of: id(1))
        }
        #expect(failure == FirestoreFailure(reason: .http(502)))
        #expect(google.requests.count == 2)
    }

    @Test func tokenIsRenewedOnceAfter401() async throws {
        let tokens = Mutex<[String?]>([])
        let google = google
        google.answer { _ in .status(401) }
        let client = FirestoreClient(
            project: "lifesignal-1", baseURL: try #require(URL(string: "https://example.org")),
            send: { try await google.handle($0) },
            authorize: { refused in
                tokens.withLock { tokens in
                    tokens.append(refused)
                    return "token-\(tokens.count)"
                }
            })
        await #expect(throws: FirestoreFailure(reason: .credentials(401))) {
            try await client.check()
        }
        #expect(tokens.withLock { $0 } == [nil, "token-1"])
    }

    @Test func requestNamesDatabaseAndToken() async throws {
        let sent = Mutex<[OutgoingRequest]>([])
        let google = google
        let client = FirestoreClient(
            project: "lifesignal-1", baseURL: try #require(URL(string: "https://example.org/")),
            send: { request in
                sent.withLock { $0.append(request) }
                return try await google.handle(request)
            }, authorize: { _ in "abc" })
        try await client.check()
        let request = try #require(sent.withLock { $0.first })
        #expect(
            request.url.absoluteString
                == "https://example.org/v1/\(FakeFirestore.root):batchGet")
        #expect(request.headers.contains { $0.name == "authorization" && $0.value == "Bearer abc" })
        #expect(request.timeout == FirestoreClient.timeout && request.isRepeatable)
    }
}
