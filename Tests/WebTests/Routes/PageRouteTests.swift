import Cryptography
import Domain
import Foundation
import HTTPTypes
import Testing

@testable import LivePages
@testable import Web

@Suite struct PageRouteTests {
    /// The script also counts presses while offline. It reads the numbers from the page.
    @Test func pageCarriesTheRulesOfAnAlert() {
        let shell = Document.lifeSignal(below: "").shell
        #expect(shell.contains(#"data-presses="4""#))
        #expect(shell.contains(#"data-timeout="4" data-long-timeout="40""#))
        #expect(shell.contains(#"data-hold-seconds="3""#))
    }

    /// Only the offline page loads its script, so the service worker caches both together.
    @Test func shellHasItsOwnScript() {
        let path = Assets.library.path("shell.js")
        #expect(Document.lifeSignal(below: "/app").shell.contains("src=\"/app\(path)\""))
        #expect(!Assets.library.scripts.contains { $0.name == "shell.js" })
        let worker = String(decoding: Assets.library.worker.bytes, as: UTF8.self)
        #expect(worker.contains("\"\(path)\""))
    }

    @Test func firstPageArrivesComplete() async throws {
        let page = try await TestSite().send("GET", "/")
        #expect(
            page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8"
                && page.headers[.cacheControl] == "no-store")
        #expect(page.text.hasPrefix("<!doctype html>") && page.text.contains("<h1>Visits</h1>"))
        #expect(
            page.text.utf8.count + Assets.library.scripts.map(\.bytes.count).reduce(0, +)
                + Assets.library.style.bytes.count + Assets.library.icons.drawing.bytes.count < 70
                * 1024)
    }

    @Test(arguments: [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux"
        ), (nil, BrowserName.unknown),
    ])
    func sessionIsNamedAfterBrowser(userAgent: String?, name: String) async throws {
        let site = try TestSite()
        let headers = userAgent.map { ["User-Agent": $0] } ?? [:]
        let secret = try #require(try await site.send("GET", "/", headers: headers).secret)
        #expect(
            try await site.sessions.session(for: secret, from: Visitor(address: "192.0.2.1"))?
                .resources.browserName == name)

        let asleep = site.host.backend.makeToken()
        try await site.host.backend.bind(asleep, TestHost.ada)
        _ = try await site.send("GET", "/", secret: asleep, headers: headers)
        #expect(
            try await site.sessions.session(for: asleep, from: Visitor(address: "192.0.2.1"))?
                .resources.browserName == name)
    }

    @Test func unknownPathGives404Page() async throws {
        let site = try TestSite()
        let person = ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"]
        for path in ["/nowhere", "/add", "/add/x/y", "/web/downloads/x", "/web/assets/old/app.js"] {
            let answer = try await site.send(
                "GET", path, secret: try await site.send("GET", "/").secret, headers: person)
            #expect(
                answer.status == 404 && answer.text.contains("<h1>There is nothing here</h1>")
                    && answer.text.contains("href=\"/\""), "\(path)")
            #expect(
                !answer.text.contains("<script") && answer.secret == nil
                    && answer.headers[.contentSecurityPolicy] != nil)
        }
        for (method, path, headers) in [
            ("GET", "/nowhere", [:]), ("GET", "/v1/nowhere", person), ("POST", "/nowhere", person),
        ] {
            let answer = try await site.send(method, path, headers: headers)
            #expect(
                answer.status == 404 && answer.text.isEmpty,
                "a problem document is what the server makes of it")
        }
    }

    @Test func fullServerAnswersWithPage() async throws {
        let site = try TestSite()
        await site.sessions.close()
        let answer = try await site.send("GET", "/", headers: ["Accept": "text/html"])
        #expect(
            answer.status == 503 && answer.text.contains("<h1>Too many people at the moment</h1>"))
    }

    /// Two pages of one browser load at the same time. A new cookie for the second page would
    /// replace the cookie that the first page is about to receive.
    @Test func pageWaitsForCookieOfAnotherPage() async throws {
        let site = try TestSite()
        let secret = try #require(try await site.send("GET", "/").secret)
        let session = try #require(
            try await site.sessions.session(for: secret, from: Visitor(address: "192.0.2.1")))
        session.resources.credentials.save(.some(of: TestHost.ada))
        let waiting = try await site.send("GET", "/", secret: secret)
        #expect(
            waiting.status == 200 && waiting.secret == nil && waiting.headers[.refresh] == "1"
                && waiting.text.contains("Just a moment"))
        site.host.pass(.seconds(10))
        #expect(
            try await site.send("GET", "/", secret: secret).secret != secret,
            "whoever signed in has gone")
    }

    @Test func versionedAssetsAreImmutable() async throws {
        let site = try TestSite()
        for asset in Assets.library.all {
            let answer = try await site.send("GET", Assets.library.path(asset.name))
            #expect(
                answer.headers[.cacheControl] == "public, max-age=31536000, immutable"
                    && answer.headers[.contentType] == asset.contentType)
            let tag = try #require(answer.headers[.eTag])
            let again = try await site.send(
                "GET", Assets.library.path(asset.name), headers: ["If-None-Match": tag])
            #expect(again.status == 304)
        }
        await #expect(throws: CommandError.self) {
            try await site.send("GET", "/web/assets/old/app.js")
        }
        let worker = try await site.send("GET", "/sw.js")
        #expect(
            worker.headers[.cacheControl] == "no-cache"
                && worker.text.contains(Assets.library.path("styles.css")))
    }

    @Test func manifestNamesExistingFilesAndPages() async throws {
        let site = try TestSite()
        let manifest = try await site.send("GET", "/manifest.webmanifest").text
        let files = manifest.matches(of: #/"src":"([^"]*)"/#).map { String($0.1) }
        #expect(files.count == 9)
        for file in files {
            #expect(try await site.send("GET", "/\(file)").status == 200, "\(file)")
        }
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(manifest.utf8)) as? [String: Any])
        #expect(object["start_url"] as? String == "./" && object["lang"] as? String == "en")
        let shortcuts = try #require(object["shortcuts"] as? [[String: Any]])
        #expect(
            shortcuts.map { $0["url"] as? String } == ["./#check-in", "./#call-for-help"])
        let share = try #require(object["share_target"] as? [String: Any])
        #expect(share["action"] as? String == ".\(WebPath.share)")
        #expect(share["method"] as? String == "POST")
    }

    /// Without a service worker, this route answers, and the user must choose the picture again.
    @Test func sharedPictureRedirectsToScanner() async throws {
        let answer = try await TestSite().send("POST", WebPath.share, "picture")
        #expect(answer.status == 303 && answer.headers[.location] == WebPath.scan)
    }

    /// Firefox doesn't support modules in service workers.
    @Test func serviceWorkerIsClassicScript() {
        let script = String(decoding: Assets.library.worker.bytes, as: UTF8.self)
        #expect(script.contains("const keptItems = ") && script.contains("\"sync\""))
        #expect(!script.contains("export ") && !script.contains("import "))
    }

    @Test func workerKnowsTheWordsOfEachButton() throws {
        let script = String(decoding: Assets.library.worker.bytes, as: UTF8.self)
        let words = try #require(script.firstMatch(of: #/const ACTIONS = (\{.*\});/#)).1
        let buttons = try JSONDecoder().decode(
            [String: [String: String]].self, from: Data(words.utf8))
        #expect(Set(buttons.keys) == Set(PushAction.allCases.map(\.rawValue)))
        for action in PushAction.allCases {
            #expect(
                buttons[action.rawValue] == [
                    "button": action.button, "done": action.done, "then": action.then,
                ])
        }
    }

    /// Comments don't count towards the size of a script.
    @Test func scriptsStayUnder38KiB() {
        let lines = Assets.library.scripts.flatMap {
            String(decoding: $0.bytes, as: UTF8.self).split(separator: "\n")
        }
        let code = lines.filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }
        let size: Int = code.reduce(0) { $0 + $1.utf8.count }
        #expect(size < 38 * 1024)
    }

    /// Apps on other platforms read the tokens from the file. The page reads them from its style
    /// sheet.
    @Test func styleTokensMatchTokenFile() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/Apps/Web/Assets")
        let file = try Data(contentsOf: folder.appending(path: "tokens.json").standardized)
        let tokens = try JSONDecoder().decode([String: [String: String]].self, from: file)
        let style = String(decoding: Assets.library.style.bytes, as: UTF8.self)
        let roots = style.components(separatedBy: ":root {").dropFirst().map {
            String($0.prefix { $0 != "}" })
        }
        for (name, value) in try #require(tokens["light"]) {
            #expect(roots[0].contains("--\(name): \(value);"), "\(name)")
        }
        for (name, value) in try #require(tokens["shared"]) {
            #expect(roots[0].contains("--\(name): \(value);"), "\(name)")
        }
        for (name, value) in try #require(tokens["dark"]) {
            #expect(roots[1].contains("--\(name): \(value);"), "\(name)")
        }
        let used = Set(style.matches(of: #/var\(--([a-z0-9-]+)/#).map { String($0.1) })
        let known = Set(style.matches(of: #/--([a-z0-9-]+):/#).map { String($0.1) }).union([
            "ring", "hold", "tabs", "above",
        ])
        #expect(used.subtracting(known).isEmpty)
    }
}
