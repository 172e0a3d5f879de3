import HTTPTypes
import Testing

@testable import LivePages
@testable import Web

@Suite struct CompressionTests {
    @Test func aFileIsSentInTheFormThatTheBrowserTakes() async throws {
        let site = try TestSite()
        for asset in Assets.library.scripts + [Assets.library.style, Assets.library.icons.drawing] {
            let plain = try await site.send("GET", Assets.library.path(asset.name))
            #expect(plain.headers[.contentEncoding] == nil && Array(plain.bytes) == asset.bytes)
            let small = try await site.send(
                "GET", Assets.library.path(asset.name),
                headers: ["Accept-Encoding": "gzip, deflate, br"])
            #expect(
                small.headers[.contentEncoding] == "gzip" && small.bytes.count < asset.bytes.count)
            #expect(unzipped(Array(small.bytes)) == asset.bytes)
            #expect(small.headers[.contentType] == asset.contentType)
            for answer in [plain, small] { #expect(answer.headers[.vary] == "Accept-Encoding") }
            #expect(plain.headers[.eTag] != small.headers[.eTag])
        }
        for path in ["/sw.js", "/web/shell", "/manifest.webmanifest"] {
            let plain = try await site.send("GET", path)
            let small = try await site.send("GET", path, headers: ["Accept-Encoding": "gzip"])
            #expect(unzipped(Array(small.bytes)) == Array(plain.bytes), "\(path)")
        }
    }

    @Test func eachFormIsKnownByItsOwnTag() async throws {
        let site = try TestSite()
        let path = Assets.library.path("styles.css")
        let tag = try #require(
            try await site.send("GET", path, headers: ["Accept-Encoding": "gzip"]).headers[.eTag])
        let same = try await site.send(
            "GET", path, headers: ["Accept-Encoding": "gzip", "If-None-Match": tag])
        #expect(
            same.status == 304 && same.bytes.isEmpty && same.headers[.vary] == "Accept-Encoding")
        let other = try await site.send("GET", path, headers: ["If-None-Match": tag])
        #expect(other.status == 200 && Array(other.bytes) == Assets.library.style.bytes)
    }

    @Test func aPictureStaysAsItIs() async throws {
        let picture = try #require(Assets.library.all.first { $0.name == "icon-192.png" })
        let answer = try await TestSite().send(
            "GET", Assets.library.path(picture.name), headers: ["Accept-Encoding": "gzip"])
        #expect(
            Array(answer.bytes) == picture.bytes && answer.headers[.contentEncoding] == nil
                && answer.headers[.vary] == nil)
    }

    /// A page has secrets in it, and beside them what others have typed: how small it becomes would
    /// tell of both.
    @Test func aPageIsNotCompressed() async throws {
        let page = try await TestSite().send("GET", "/", headers: ["Accept-Encoding": "gzip"])
        #expect(page.headers[.contentEncoding] == nil && page.text.hasPrefix("<!doctype html>"))
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("br, gzip;q=0.5", true), ("*", true), ("gzip;q=0", false),
        ("gzip; q=0.000, *", false), ("*;q=0", false),
        ("br", false), ("x-gzip2", false), ("", false), (",;,=", false),
    ]) func aFormIsTakenOrNot(header: String, isAccepted: Bool) {
        #expect(Gzip.isAccepted([.acceptEncoding: header]) == isAccepted)
    }

    @Test func whatDoesNotBecomeSmallerIsLeft() {
        #expect(Gzip.compress([]) == nil)
        #expect(Gzip.compress([1, 2, 3]) == nil)
        #expect(
            Gzip.compress([UInt8](repeating: 7, count: 10_000)).flatMap { unzipped($0) }
                == [UInt8](repeating: 7, count: 10_000))
    }
}
