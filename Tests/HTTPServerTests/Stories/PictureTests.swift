import API
import Domain
import Foundation
import QRCode
import SchemaValidation
import Synchronization
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct PictureTests {
    let server: TestServer
    let ada: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
    }

    private func put(_ bytes: Data, as type: String?, isChunked: Bool = false) async throws
        -> Answer
    {
        try await server.send(
            "PUT", "/v1/me/picture", Content(type: type, bytes: bytes, isChunked: isChunked),
            token: ada.token)
    }

    @Test(arguments: ["image/png", "image/jpeg"], [false, true])
    func pictureIsStoredWithoutMetadata(type: String, isChunked: Bool) async throws {
        let picture =
            type == "image/png" ? try Pictures.pngWithPlace() : try Pictures.jpegWithPlace()
        #expect(picture.range(of: Data(Pictures.secret.utf8)) != nil)
        let answer = try await put(picture, as: type, isChunked: isChunked)
        #expect(answer.status == 200)
        let path = try #require(answer.json?["profilePictureURL"]?.string).replacing(
            "https://lifesignal.example", with: "")
        let kept = try await server.send("GET", path, token: ada.token)
        #expect(kept.header("Content-Type") == type)
        #expect(kept.body.range(of: Data(Pictures.secret.utf8)) == nil)
        #expect(PictureFormat(sniffing: kept.body) == (type == "image/png" ? .png : .jpeg))
    }

    @Test func pictureIsRevalidatedEachTime() async throws {
        let answer = try await put(try Pictures.jpegWithPlace(), as: "image/jpeg")
        let path = try #require(answer.json?["profilePictureURL"]?.string).replacing(
            "https://lifesignal.example", with: "")
        let shown = try await server.send("GET", path, token: ada.token)
        #expect(shown.status == 200 && shown.header("Cache-Control") == "private, no-cache")
        let tag = try #require(shown.header("ETag"))
        let again = try await server.send(
            "GET", path, token: ada.token, headers: ["If-None-Match": tag])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(again.header("Cache-Control") == "private, no-cache")
        let other = try await server.send(
            "GET", path, token: ada.token, headers: ["If-None-Match": "\"other\""])
        #expect(other.status == 200)
        try await server.call(Routes.signOut, by: ada)
        let over = try await server.send(
            "GET", path, token: ada.token, headers: ["If-None-Match": tag])
        #expect(over.status == 401)
    }

    @Test func contentTypeFollowsTheContent() async throws {
        let answer = try await put(try Pictures.jpegWithPlace(), as: "image/png")
        let path = try #require(answer.json?["profilePictureURL"]?.string).replacing(
            "https://lifesignal.example", with: "")
        #expect(
            try await server.send("GET", path, token: ada.token).header("Content-Type")
                == "image/jpeg")
    }

    @Test(arguments: ["image/gif", "image/svg+xml", "text/html", "application/octet-stream", nil])
    func otherMediaTypesThanPicturesAre415(type: String?) async throws {
        #expect(try await put(try Pictures.png(), as: type).status == 415)
    }

    @Test func garbageIsRejectedAsAPicture() async throws {
        let png = try Pictures.png()
        let garbage = [
            Data(), Data("<svg/>".utf8), Data("GIF89a".utf8), png.prefix(20),
            png.prefix(png.count / 2), Data([0xFF, 0xD8, 0xFF]), Data(count: 10_000),
        ]
        for bytes in garbage {
            for type in ["image/png", "image/jpeg"] {
                let answer = try await put(Data(bytes), as: type)
                #expect(answer.status == 422, "\(bytes.count) bytes")
                #expect(answer.problem?.field == "body")
                let decoded = try await server.send(
                    "POST", "/v1/qr-codes/decode", Content(type: type, bytes: Data(bytes)),
                    token: ada.token)
                #expect(decoded.status == 422)
            }
        }
        #expect(try await server.call(Routes.profile, by: ada).profilePictureURL == nil)
    }

    @Test(arguments: [false, true]) func pictureIsLimitedToFiveMegabytes(isChunked: Bool)
        async throws
    {
        let png = try Pictures.png()
        for size in [ProfilePicture.limitInBytes + 1, Endpoint.pictureLimit + 1] {
            let answer = try await put(
                png + Data(count: size - png.count), as: "image/png", isChunked: isChunked)
            #expect(answer.status == 413)
            #expect(answer.problemViolations() == [])
        }
        #expect(
            try await put(
                png + Data(count: ProfilePicture.limitInBytes - png.count), as: "image/png",
                isChunked: isChunked
            ).status == 200)
    }

    @Test func pictureWithoutAQRCodeIsExplained() async throws {
        let answer = try await server.send(
            "POST", "/v1/qr-codes/decode",
            Content(type: "image/jpeg", bytes: try Pictures.jpegWithPlace()), token: ada.token)
        #expect(answer.status == 422)
        #expect(answer.problem?.detail == "No QR code was found in the picture.")
    }
}

@Suite(.timeLimit(.minutes(5))) struct PictureWorkTests {
    @Test func concurrentAndWaitingPicturesAreLimited() async throws {
        let work = PictureWork(width: 2, queue: 3)
        let busiest = Busiest()
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    try await work.run { () throws(QRCodeError) in
                        busiest.enter()
                        release.wait()
                        busiest.leave()
                    }
                }
            }
            while work.freePlaces > 0 { await Task.yield() }
            await #expect(
                throws: CommandError.unavailable(
                    "Too many pictures at the moment. Please try again.")
            ) {
                try await work.run { () throws(QRCodeError) in }
            }
            for _ in 0..<5 { release.signal() }
            try await group.waitForAll()
        }
        #expect((1...2).contains(busiest.most))
        #expect(try await work.run { () throws(QRCodeError) in 7 } == 7)
    }

    @Test func cancelledPictureFreesItsPlace() async throws {
        let work = PictureWork(width: 1, queue: 1)
        let release = DispatchSemaphore(value: 0)
        async let first: Void = work.run { () throws(QRCodeError) in release.wait() }
        while work.freePlaces > 1 { await Task.yield() }
        let waiting = Task { try await work.run { () throws(QRCodeError) in } }
        while work.freePlaces > 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(work.freePlaces == 1)
        release.signal()
        try await first
    }

    @Test func failureFreesItsPlace() async throws {
        let work = PictureWork(width: 1, queue: 0)
        for _ in 0..<3 {
            await #expect(throws: QRCodeError.damaged) {
                try await work.run { () throws(QRCodeError) -> Int in throw .damaged }
            }
        }
        #expect(work.freePlaces == 1)
    }

    private final class Busiest: Sendable {
        private let state = Mutex((now: 0, most: 0))
        var most: Int { state.withLock { $0.most } }
        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func leave() { state.withLock { $0.now -= 1 } }
    }
}
