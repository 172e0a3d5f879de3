import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import QRCode
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct PictureLimitTests {
    private func decode(_ server: TestServer, _ person: Person) async throws -> Answer {
        try await server.send(
            "POST", "/v1/qr-codes/decode",
            Content(type: "image/png", bytes: try Pictures.png()), token: person.token)
    }

    @Test func userHasOnePictureAtATime() async throws {
        let work = PictureWork(width: 2, queue: 16)
        let server = try TestServer {
            $0.pictures = work
            $0.configuration.requestsPerUser = 600
        }
        let ada = try await server.person("Ada", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        let release = DispatchSemaphore(value: 0)
        // Both slots are busy, so Ada's first picture waits.
        async let first: Void = work.run { () throws(QRCodeError) in release.wait() }
        async let second: Void = work.run { () throws(QRCodeError) in release.wait() }
        while work.freePlaces > 16 { await Task.yield() }
        async let waiting = decode(server, ada)
        while work.freePlaces > 15 { await Task.yield() }
        let refused = try await decode(server, ada)
        #expect(refused.status == 429 && refused.header("Retry-After") == "1")
        #expect(
            try await server.send("GET", "/v1/me/qr-code.png", token: ada.token).status == 429)
        #expect(work.freePlaces == 15)
        async let other = decode(server, ben)
        while work.freePlaces > 14 { await Task.yield() }
        for _ in 0..<2 { release.signal() }
        _ = try await (first, second)
        #expect(try await waiting.status == 200)
        #expect(try await other.status == 200)
        #expect(try await decode(server, ada).status == 200)
    }

    @Test func userHasTwentyPicturesAMinute() async throws {
        let server = try TestServer { $0.configuration.requestsPerUser = 600 }
        let ada = try await server.person("Ada", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        // An account may use half of its limit at once.
        for _ in 0..<10 { #expect(try await decode(server, ada).status == 200) }
        #expect(try await decode(server, ada).status == 429)
        #expect(try await decode(server, ben).status == 200)
        #expect(
            try await server.send("GET", "/v1/me/qr-code.png", token: ada.token).status == 200)
        server.clock.advance(by: .milliseconds(3_001))
        #expect(try await decode(server, ada).status == 200)
        #expect(try await decode(server, ada).status == 429)
    }

    @Test func bodyMemoryIsLimitedInTotalAndPerHolder() {
        let bodies = LargeBodies(limit: 100, share: 60)
        #expect(bodies.take(60, for: "ada"))
        #expect(!bodies.take(1, for: "ada"))
        #expect(bodies.take(40, for: "ben"))
        #expect(!bodies.take(1, for: "cleo"))
        bodies.giveBack(60, of: "ada")
        #expect(!bodies.take(61, for: "cleo"))
        #expect(bodies.take(59, for: "cleo"))
        #expect(bodies.take(1, for: "ada"))
        #expect(!bodies.take(1, for: "ada"))
    }

    @Test func apiPicturesCountAsLargeBodies() async throws {
        let bodies = LargeBodies(limit: 100_000, share: 100_000)
        let server = try TestServer { $0.largeBodies = bodies }
        let ada = try await server.person("Ada", number: "+4915100000001")
        let png = try Pictures.png()
        let large = png + Data(count: 70_000 - png.count)
        #expect(bodies.take(30_001, for: "ben"))
        for (method, path) in [("POST", "/v1/qr-codes/decode"), ("PUT", "/v1/me/picture")] {
            let content = Content(type: "image/png", bytes: large)
            let answer = try await server.send(method, path, content, token: ada.token)
            #expect(answer.status == 503 && answer.header("Retry-After") == "5")
            #expect(answer.problemViolations() == [])
        }
        #expect(try await decode(server, ada).status == 200, "a small one takes no room")
        bodies.giveBack(30_001, of: "ben")
        #expect(bodies.take(30_000, for: "ben"))
        let content = Content(type: "image/png", bytes: large)
        for _ in 0..<2 {
            let answer = try await server.send("PUT", "/v1/me/picture", content, token: ada.token)
            #expect(answer.status == 200, "what was taken is given back")
        }
    }
}
