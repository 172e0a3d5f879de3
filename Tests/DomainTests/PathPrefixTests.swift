import Domain
import Foundation
import Testing

@Suite struct PathPrefixTests {
    @Test(arguments: ["/lifesignal", "/a-b/c_d", "/v1.2", "/people/v1"])
    func plainPathIsAPrefix(path: String) {
        #expect(PathPrefix(path)?.text == path)
    }

    @Test(arguments: ["", "/"])
    func rootIsNoPrefix(path: String) {
        #expect(PathPrefix(path) == .root)
    }

    @Test(arguments: [
        "lifesignal", "//", "/lifesignal//", "//lifesignal", "/a//b", "/..", "/a/..", "/.",
        "/life%20signal", "/life signal", "/ä", "/a?b", "/v1", "/v1/lifesignal", "/web", "/s",
    ])
    func otherPathIsRefused(path: String) {
        #expect(PathPrefix(path) == nil)
    }

    @Test(arguments: [
        ("https://example.org", ""), ("https://example.org/", ""),
        ("https://example.org/lifesignal", "/lifesignal"),
        ("https://example.org:8443/lifesignal/", "/lifesignal"), ("https://example.org/v1", ""),
    ])
    func prefixIsReadFromTheURL(url: String, prefix: String) throws {
        #expect(PathPrefix(of: try #require(URL(string: url))).text == prefix)
    }

    @Test(arguments: [
        ("/lifesignal", "/"), ("/lifesignal/", "/"), ("/lifesignal?a=b", "/?a=b"),
        ("/lifesignal/v1/me?limit=5", "/v1/me?limit=5"), ("/lifesignal//", "//"),
    ])
    func prefixIsRemoved(target: String, rest: String) throws {
        let prefix = try #require(PathPrefix("/lifesignal"))
        #expect(prefix.removed(from: target) == rest)
    }

    @Test(arguments: ["/", "", "/v1/me", "/lifesignal2", "/lifesignal%2Fv1", "/LifeSignal/v1"])
    func otherTargetLacksThePrefix(target: String) throws {
        let prefix = try #require(PathPrefix("/lifesignal"))
        #expect(prefix.removed(from: target) == nil)
    }

    @Test(
        arguments: [
            ("https://example.org/alerts/1", "1"), ("http://example.org/alerts/1/", "1"),
            ("https://example.org/lifesignal/alerts/1", "1"),
            ("https://example.org/a-b/c/alerts/1?x#y", "1"),
            ("https://example.org/alerts", nil), ("https://example.org/alerts/1/2", nil),
            ("https://example.org/other/1", nil), ("https://example.org/v1/alerts/1", nil),
            ("ftp://example.org/alerts/1", nil),
        ] as [(String, String?)])
    func nameIsReadFromALinkOfAnyServer(link: String, name: String?) throws {
        #expect(PathPrefix.name(in: "alerts", of: try #require(URL(string: link))) == name)
    }
}
