import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

/// What a button sends, and what it gets.
@Suite struct SourceStoryTests {
    private let server: TestServer
    private let ada: Person
    private let button: NewSource

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        button = try await server.call(
            Routes.addSource, SourceRequest(name: "Kitchen button"), by: ada)
    }

    private func send(
        _ method: String, _ content: Content? = nil, accepting type: String = "*/*"
    ) async throws -> Answer {
        try await server.send(method, button.address.path, content, headers: ["Accept": type])
    }

    private func history() async throws -> [CheckInRecord] {
        try await server.call(Routes.checkIns, by: ada).items
    }

    @Test func postChecksInWithoutASession() async throws {
        let answer = try await send("POST")
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix("Recorded. Next check-in by ") && answer.text.hasSuffix("\n"))
        #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(try await history().map(\.source) == ["Kitchen button"])
    }

    @Test(arguments: [
        Content(type: "application/json", bytes: Data("{".utf8)),
        Content(type: nil, bytes: Data([0, 255])),
        Content(type: "text/html", bytes: Data(repeating: 65, count: 100_000), isChunked: true),
    ])
    func bodyIsIgnored(content: Content) async throws {
        #expect(try await send("POST", content).status == 200)
        #expect(try await history().count == 1)
    }

    /// The second has the headers that a server of an older version sends to a browser.
    @Test(arguments: [
        ["User-Agent": "LifeSignal"],
        [
            "Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm",
            "TTL": "86400", "Urgency": "high",
        ],
    ])
    func ownMessageCannotCheckIn(headers: [String: String]) async throws {
        let path = button.address.path
        let refused = try await server.send("POST", path, nil, headers: headers)
        #expect(refused.status == 403)
        #expect(refused.problem?.detail == "LifeSignal's messages can't check in.")
        #expect(try await history().isEmpty)
        let other = try await server.send(
            "POST", path, nil, headers: ["User-Agent": "LifeSignal/1 CFNetwork"])
        #expect(other.status == 200)
        #expect(try await history().count == 1)
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
    func otherMethodsRecordNothing(method: String) async throws {
        for type in ["*/*", "text/html"] {
            let answer = try await send(method, accepting: type)
            #expect(answer.status == 405 && answer.header("Allow") == "POST")
            #expect(method == "HEAD" || answer.problem?.detail == "This address takes POST.")
            #expect(method != "HEAD" || answer.body.isEmpty)
        }
        #expect(try await history().isEmpty)
    }

    @Test func secondUseInAMinuteIsRefused() async throws {
        try #require(try await send("POST").status == 200)
        let refused = try await send("POST")
        #expect(refused.status == 429 && refused.header("Retry-After") == "60")
        server.clock.advance(by: .minutes(1) - .milliseconds(1))
        #expect(try await send("POST").status == 429)
        #expect(try await history().count == 1)
        server.clock.advance(by: .milliseconds(1))
        #expect(try await send("POST").status == 200)
        #expect(try await history().count == 2)
    }

    @Test(arguments: ["/s/x", "/s/\(String(repeating: "A", count: 43))", "/s/%00"])
    func unknownSecretIsNotFound(path: String) async throws {
        let answer = try await server.send("POST", path)
        #expect(answer.status == 404)
        #expect(
            answer.problem?.detail == "No source has this address. It may have been removed.")
    }

    @Test func removedSourceIsNotFound() async throws {
        try await server.call(Routes.removeSource, id: "\(button.source.id)", by: ada)
        #expect(try await send("POST").status == 404)
        #expect(try await server.call(Routes.sources, by: ada).items.isEmpty)
    }

    @Test func guessesCountAgainstTheAddress() async throws {
        let server = try TestServer { $0.configuration.requestsPerAddress = 4 }
        let path = "/s/\(String(repeating: "A", count: 43))"
        var statuses: [Int] = []
        for _ in 1...3 { statuses.append(try await server.send("POST", path).status) }
        #expect(statuses == [404, 404, 429])
        #expect(try await server.send("POST", path, from: "198.51.100.7").status == 404)
    }

    @Test func eleventhSourceIsRefused() async throws {
        for number in 2...10 {
            try await server.call(
                Routes.addSource, SourceRequest(name: "Button \(number)"), by: ada)
        }
        let answer = try await server.send(
            "POST", "/v1/sources", .json(SourceRequest(name: "Button 11")), token: ada.token)
        #expect(answer.status == 422 && answer.problem?.reason == .sourcesFull)
    }

    @Test func badNameIsRefused() async throws {
        for name in ["", " ", String(repeating: "a", count: 41), "a\\nb"] {
            let answer = try await server.send(
                "POST", "/v1/sources", .json(#"{"name":"\#(name)"}"#), token: ada.token)
            #expect(answer.status == 422 && answer.problem?.field == "name", "\(name)")
        }
        #expect(try await server.call(Routes.sources, by: ada).items == [button.source])
    }

    @Test func logAndMetricsNameOnlyTheRoute() async throws {
        for method in ["POST", "POST", "GET", "PUT"] { _ = try await send(method) }
        #expect(server.log.text.contains("route=/s/{secret}"))
        let metrics = try await server.send("GET", "/metrics").text
        #expect(metrics.contains(#"route="/s/{secret}""#))
        let secret = button.address.lastPathComponent
        #expect(!server.log.text.contains(secret) && !metrics.contains(secret))
    }
}
