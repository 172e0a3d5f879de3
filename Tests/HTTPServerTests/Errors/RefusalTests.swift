import API
import Domain
import Foundation
import HTTPTypes
import Persistence
import Testing

@testable import HTTPServer

@Suite struct RefusalTests {
    @Test(arguments: [
        "", "Bearer", "Bearer ", "Bearer short", "Basic QWxhZGRpbg==",
        "Bearer \(String(repeating: "A", count: 43))",
    ])
    func unknownTokenIs401(authorization: String) async throws {
        let answer = try await TestServer().send(
            "GET", "/v1/me", headers: ["Authorization": authorization])
        #expect(answer.status == 401)
        #expect(answer.header("WWW-Authenticate") == "Bearer")
        #expect(answer.problemViolations() == [])
    }

    @Test func authorizationSchemeIsCaseInsensitive() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        for scheme in ["Bearer", "bearer", "BEARER"] {
            #expect(
                try await server.send(
                    "GET", "/v1/me", headers: ["Authorization": "\(scheme) \(ada.token)"]
                ).status == 200)
        }
    }

    @Test(arguments: [
        "/", "/v1", "/v2/me", "/v1/me/nothing", "/v1/alerts/1/2/3", "/v1/%2e%2e/me", "//",
        "/v1/contacts/a/b",
    ])
    func unknownPathIs404(path: String) async throws {
        for method in ["GET", "POST", "BREW"] {
            let answer = try await TestServer().send(method, path)
            #expect(answer.status == 404)
            #expect(answer.problemViolations() == [])
        }
    }

    @Test(arguments: ["OPTIONS", "TRACE", "CONNECT", "PUT", "BREW", "get"])
    func wrongMethodIs405(method: String) async throws {
        let answer = try await TestServer().send(method, "/v1/me")
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "DELETE, GET, PATCH")
        #expect(answer.problemViolations() == [])
    }

    /// After HEAD a client reads no body. It would read the bytes of a body as the next answer.
    @Test(arguments: ["/v1/me", "/nowhere", "/health/live", "/robots.txt", "/v1/events"])
    func headAnswersLikeGetWithoutABody(path: String) async throws {
        let server = try TestServer()
        let (head, get) = (
            try await server.send("HEAD", path), try await server.send("GET", path)
        )
        #expect(head.status == get.status)
        #expect(head.body.isEmpty && !get.body.isEmpty)
        #expect(head.header("Content-Type") == get.header("Content-Type"))
    }

    @Test func headIs405WithoutAGetRoute() async throws {
        let answer = try await TestServer().send("HEAD", "/v1/auth/codes")
        #expect(answer.status == 405 && answer.body.isEmpty)
    }

    /// After HEAD a client reads nothing, so a stream would never end.
    @Test func headDoesNotOpenAStream() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let answer = try await server.send("HEAD", "/v1/events", token: ada.token)
        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(answer.header("Content-Type") == "text/event-stream")
        #expect(server.hub.streamCount == 0)
    }

    @Test func robotsMustNotIndexAnything() async throws {
        let answer = try await TestServer().send("GET", "/robots.txt")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(String(decoding: answer.body, as: UTF8.self) == "User-agent: *\nDisallow: /\n")
    }

    @Test func wrongMethodOnAPathWithIDListsAllowedMethods() async throws {
        let answer = try await TestServer().send("PATCH", "/v1/pings/\(id(1) as PingID)")
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "DELETE, PUT")
    }

    @Test(arguments: [
        nil, "text/plain", "application/jsonx", "image/png", "application/x-www-form-urlencoded",
    ])
    func otherMediaTypesThanJSONAre415(type: String?) async throws {
        let answer = try await TestServer().send(
            "POST", "/v1/auth/codes", Content(type: type, bytes: Data("{}".utf8)))
        #expect(answer.status == 415)
        #expect(answer.problemViolations() == [])
    }

    @Test(arguments: ["application/json; charset=utf-8", "Application/JSON", " application/json"])
    func jsonMediaTypeMayHaveParametersAndAnyCase(type: String) async throws {
        let content = Content(type: type, bytes: Data(#"{"phoneNumber":"+4915100000001"}"#.utf8))
        #expect(try await TestServer().send("POST", "/v1/auth/codes", content).status == 202)
    }

    @Test(arguments: [false, true]) func signedInBodyIsLimited(isChunked: Bool) async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let body = #"{"name":"Ada"}"#
        func send(length: Int) async throws -> Answer {
            let text = body + String(repeating: " ", count: length - body.utf8.count)
            return try await server.send(
                "PATCH", "/v1/me",
                Content(type: "application/json", bytes: Data(text.utf8), isChunked: isChunked),
                token: ada.token)
        }
        #expect(try await send(length: 250_000).status == 200)
        let answer = try await send(length: 250_001)
        #expect(answer.status == 413)
        #expect(answer.problemViolations() == [])
    }

    @Test func passkeyMayBeLargerThanOtherOpenBodies() async throws {
        let server = try TestServer()
        func send(length: Int) async throws -> Int {
            let text = "{}" + String(repeating: " ", count: length - 2)
            return try await server.send(
                "POST", Routes.signInByPasskey.endpoint.path,
                Content(type: "application/json", bytes: Data(text.utf8))
            ).status
        }
        #expect(try await send(length: 250_000) == 422)
        #expect(try await send(length: 250_001) == 413)
    }

    @Test(arguments: [false, true]) func openBodyIsLimited(isChunked: Bool) async throws {
        let padding = 16_000 - 32
        let fits = #"{"phoneNumber":"+4915100000001"}"# + String(repeating: " ", count: padding)
        func send(_ text: String) async throws -> Answer {
            try await TestServer().send(
                "POST", "/v1/auth/codes",
                Content(type: "application/json", bytes: Data(text.utf8), isChunked: isChunked))
        }
        #expect(try await send(fits).status == 202)
        let answer = try await send(fits + " ")
        #expect(answer.status == 413)
        #expect(answer.problemViolations() == [])
    }

    @Test func declaredLengthIsCheckedBeforeReadingTheBody() async throws {
        let answer = try await TestServer().send(
            "POST", "/v1/auth/codes",
            Content(type: "application/json", bytes: Data("{}".utf8), isChunked: true),
            headers: ["Content-Length": "16001"])
        #expect(answer.status == 413)
    }

    @Test(arguments: [
        ("", "body"), ("[]", "body"), ("{}", "phoneNumber"), (#"{"phoneNumber":1}"#, "phoneNumber"),
        (#"{"phoneNumber":"12"}"#, "phoneNumber"),
        (#"{"phoneNumber":"+4915100000001","x":1}"#, "x"),
    ])
    func invalidBodyNamesTheField(body: String, field: String) async throws {
        let answer = try await TestServer().send("POST", "/v1/auth/codes", .json(body))
        #expect(answer.status == 422)
        #expect(answer.problem?.field == field)
        #expect(answer.problemViolations() == [])
    }

    @Test func storageFailureIs503WithoutDetails() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        for error in [
            DatabaseError.diskFull(path: "/secret/place"), .failed("near \"FROM\""), .closed,
            .constraintViolation("CHECK users"), .uniqueViolation,
        ] {
            server.database.fail(with: error)
            let answer = try await server.send(
                "PATCH", "/v1/me", .json(#"{"name":"Eve"}"#), token: ada.token)
            #expect(answer.status == 503)
            #expect(answer.header("Retry-After") == "5")
            #expect(answer.problemViolations() == [])
            #expect(
                !answer.text.contains("secret") && !answer.text.contains("FROM")
                    && !answer.text.contains("CHECK"))
        }
        server.database.fail(with: nil)
        #expect(try await server.call(Routes.profile, by: ada).name == "Ada")
        #expect(
            server.log.text.contains("/secret/place"), "the operator is told what the client is not"
        )
    }

    @Test func unknownOutcomeIsNotDenied() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let path = "/v1/alerts/11111111-1111-4111-8111-111111111111"
        server.database.fail(with: .outcomeUnknown(path: "/secret/place"))
        let unknown = try await server.send("PUT", path, .json("{}"), token: ada.token)
        #expect(unknown.status == 503 && unknown.header("Retry-After") == "5")
        #expect(unknown.text.contains("may or may not have been stored"))
        #expect(!unknown.text.contains("Nothing was changed"))
        server.database.fail(with: .conflict)
        let refused = try await server.send("PUT", path, .json("{}"), token: ada.token)
        #expect(refused.text.contains("Nothing was changed"))
    }

    /// A client would conclude from a 409 that the alert exists.
    @Test func unexpectedUniqueViolationIs503() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        server.database.fail(with: .uniqueViolation)
        let id = "11111111-1111-4111-8111-111111111111"
        let answer = try await server.send("PUT", "/v1/alerts/\(id)", .json("{}"), token: ada.token)
        #expect(answer.status == 503 && answer.header("Retry-After") == "5")
        #expect(server.log.text.contains("a row with this key exists already"))
        server.database.fail(with: nil)
        let again = try await server.send("PUT", "/v1/alerts/\(id)", .json("{}"), token: ada.token)
        #expect(again.status == 200)
    }

    @Test func fullDiskIsLoggedOnceAMinute() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        server.database.fail(with: .diskFull(path: "/data"))
        for _ in 0..<5 {
            try await server.send("PATCH", "/v1/me", .json(#"{"name":"Eve"}"#), token: ada.token)
        }
        let lines = server.log.lines.filter { $0.hasPrefix("error refused") }
        #expect(lines.count == 1)
    }

    @Test func answersHaveSecurityHeaders() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        for (method, path, token) in [
            ("GET", "/v1/me", ada.token), ("GET", "/v1/me", nil), ("GET", "/nowhere", nil),
            ("HEAD", "/v1/me", nil),
        ]
            as [(String, String, String?)]
        {
            let answer = try await server.send(method, path, token: token)
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(
                answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            #expect(answer.header("Strict-Transport-Security") != nil)
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.header("X-Request-ID")?.isEmpty == false)
        }
    }
}
