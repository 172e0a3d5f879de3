import HTTPTypes
import Testing

@testable import LivePages

@Suite struct CompressionTests {
    private let assets = CounterServer.site.document.assets

    @Test func fileIsSentInAcceptedEncoding() async throws {
        let site = try DiarySite()
        for asset in assets.scripts.dropFirst() + [assets.style] {
            let plain = try await site.send(.get, assets.path(asset.name))
            #expect(plain.headers[.contentEncoding] == nil && Array(plain.bytes) == asset.bytes)
            let small = try await site.send(
                .get, assets.path(asset.name),
                headers: [.acceptEncoding: "gzip, deflate, br"])
            #expect(
                small.headers[.contentEncoding] == "gzip" && small.bytes.count < asset.bytes.count)
            #expect(unzipped(Array(small.bytes)) == asset.bytes)
            #expect(small.headers[.contentType] == asset.contentType)
            for answer in [plain, small] { #expect(answer.headers[.vary] == "Accept-Encoding") }
            #expect(plain.headers[.eTag] != small.headers[.eTag])
        }
        let plain = try await site.send(.get, "/sw.js")
        let small = try await site.send(.get, "/sw.js", headers: [.acceptEncoding: "gzip"])
        #expect(unzipped(Array(small.bytes)) == Array(plain.bytes))
    }

    @Test func eachEncodingHasItsOwnTag() async throws {
        let site = try DiarySite()
        let path = assets.path("counter.css")
        let tag = try #require(
            try await site.send(.get, path, headers: [.acceptEncoding: "gzip"]).headers[.eTag])
        let same = try await site.send(
            .get, path, headers: [.acceptEncoding: "gzip", .ifNoneMatch: tag])
        #expect(
            same.status == 304 && same.bytes.isEmpty && same.headers[.vary] == "Accept-Encoding")
        let other = try await site.send(.get, path, headers: [.ifNoneMatch: tag])
        #expect(other.status == 200 && Array(other.bytes) == assets.style.bytes)
    }

    @Test func pictureIsNotCompressed() async throws {
        let picture = try #require(assets.all.first { $0.name == "counter.png" })
        let answer = try await DiarySite().send(
            .get, assets.path(picture.name), headers: [.acceptEncoding: "gzip"])
        #expect(
            Array(answer.bytes) == picture.bytes && answer.headers[.contentEncoding] == nil
                && answer.headers[.vary] == nil)
    }

    /// A page contains secrets next to text from other users. A compressed length would reveal
    /// something about the secrets.
    @Test func pageIsNotCompressed() async throws {
        let page = try await DiarySite().send(.get, "/", headers: [.acceptEncoding: "gzip"])
        #expect(page.headers[.contentEncoding] == nil && page.text.hasPrefix("<!doctype html>"))
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("br, gzip;q=0.5", true), ("*", true), ("gzip;q=0", false),
        ("gzip; q=0.000, *", false), ("*;q=0", false),
        ("br", false), ("x-gzip2", false), ("", false), (",;,=", false),
    ]) func acceptEncodingIsParsed(header: String, isAccepted: Bool) {
        #expect(Gzip.isAccepted([.acceptEncoding: header]) == isAccepted)
    }

    @Test func incompressibleBytesStayUncompressed() {
        #expect(Gzip.compress([]) == nil)
        #expect(Gzip.compress([1, 2, 3]) == nil)
        #expect(
            Gzip.compress([UInt8](repeating: 7, count: 10_000)).flatMap { unzipped($0) }
                == [UInt8](repeating: 7, count: 10_000))
    }
}
