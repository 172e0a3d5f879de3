import Foundation
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import LivePages

extension EventRouteTests.Loaded {
    func filePath(number: Int = 1) throws -> String {
        let before = markup[..<(try #require(markup.firstRange(of: " data-file=")).lowerBound)]
        let index = try #require(markup.firstMatch(of: #/ data-file="([0-9]+)"/#)).1
        let part = try #require(Browser.part(around: before))
        return "/web/files/\(part).\(index)?view=\(view)&generation=\(generation)&number=\(number)"
    }
}

@Suite struct FileRouteTests {
    private final class Upload: Sendable {
        private let chunks = Mutex(3)
        var isRead: Bool { chunks.withLock { $0 } < 3 }

        var body: RequestBody {
            RequestBody(
                asyncSequence: AsyncStream<ByteBuffer>(unfolding: { [self] in
                    chunks.withLock { chunks in
                        guard chunks > 0 else { return nil }
                        chunks -= 1
                        return ByteBuffer(repeating: 120, count: 30_000)
                    }
                }))
        }
    }

    private final class Room: BodyMemory {
        let smallBody = 64 * 1024
        let free: Mutex<Int>
        init(_ bytes: Int) { free = Mutex(bytes) }

        func take(_ bytes: Int, for holder: String) -> Bool {
            free.withLock { free in
                guard bytes <= free else { return false }
                free -= bytes
                return true
            }
        }

        func giveBack(_ bytes: Int, of holder: String) { free.withLock { $0 += bytes } }
    }

    private func page(_ site: DiarySite) async throws -> EventRouteTests.Loaded {
        try EventRouteTests.Loaded(try await site.send(.get, "/"))
    }

    @Test func fileWithoutHandlerIsNotRead() async throws {
        let site = try DiarySite()
        let page = try await page(site)
        let place = try page.filePath().components(separatedBy: "?")
        let button = try #require(
            try page.event("Visit").firstMatch(of: #/"p":"(.*?)","i":(.*?),/#))
        let query = "generation=\(page.generation)&number=1"
        let others = [
            ("\(place[0])?view=x&\(query)", 410),
            ("/web/files/AAAAAAAA.0?view=\(page.view)&\(query)", 200),
            (
                "/web/files/\(button.1).\(button.2)?view=\(page.view)&generation=\(page.generation)"
                    + "&number=2", 200
            ),
            // The previous request has used number 1.
            (try page.filePath(number: 2), 204),
        ]
        for (path, status) in others {
            let upload = Upload()
            let answer = try await site.post(
                path, upload.body, length: 90_000, secret: page.secret)
            #expect(answer.status == status, "\(path)")
            #expect(!upload.isRead, "\(path)")
        }
        let upload = Upload()
        let answer = try await site.post(
            try page.filePath(number: 3), upload.body, length: 90_000, secret: page.secret)
        #expect(answer.status == 204 && upload.isRead)
        let text = try await site.send(.get, "/", secret: page.secret).text
        #expect(text.contains("0 visits") && text.contains("1 pictures"))
    }

    @Test func fileAnnouncedAsTooLargeIsNotRead() async throws {
        let site = try DiarySite()
        let page = try await page(site)
        let upload = Upload()
        let answer = try await site.post(
            try page.filePath(), upload.body, length: EventValue.bytesLimit + 2,
            secret: page.secret)
        #expect(answer.status == 413 && !upload.isRead)
    }

    @Test func largeBodiesShareMemoryLimit() async throws {
        let room = Room(89_999)
        let site = try DiarySite(bodies: room)
        let page = try await page(site)
        let upload = Upload()
        let refused = try await site.post(
            try page.filePath(), upload.body, length: 90_000, secret: page.secret)
        #expect(refused.status == 503 && refused.headers[.retryAfter] == "5" && !upload.isRead)
        // A chunked body has an unknown length, so it reserves memory for the largest allowed body.
        let unknown = try await site.post(
            try page.filePath(), Upload().body, length: nil, secret: page.secret)
        #expect(unknown.status == 503)
        // A small body doesn't reserve memory.
        let small = RequestBody(buffer: ByteBuffer(repeating: 120, count: 64 * 1024))
        #expect(
            try await site.post(
                try page.filePath(), small, length: 64 * 1024, secret: page.secret
            ).status == 204)
        room.free.withLock { $0 = 90_000 }
        for number in 2...3 {
            let answer = try await site.post(
                try page.filePath(number: number), Upload().body, length: 90_000,
                secret: page.secret)
            #expect(answer.status == 204, "what was taken is given back")
        }
    }
}
