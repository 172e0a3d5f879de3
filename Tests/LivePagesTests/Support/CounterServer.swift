import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import RequestsInProcess
import Synchronization
import Testing

@testable import LivePages

/// The signed-in person. The person's count outlives the session.
final class CounterAccount: PageResources {
    private let name: Mutex<String?>
    private let server: CounterServer
    var identity: String? { name.withLock { $0 } }
    var count: Int { identity.flatMap { server.counts[$0] } ?? 0 }

    init(_ name: String?, on server: CounterServer) {
        self.name = Mutex(name)
        self.server = server
    }

    func signIn(_ identity: String) { name.withLock { $0 = identity } }
    func keep(_ count: Int) { identity.map { server.keep(count, of: $0) } }
    func end() { server.noteEnd() }
    func noteTimeZone(_ name: String) { server.note(zone: name) }
}

/// The counter's routes without sockets, and the data that outlives sessions.
final class CounterServer: Sendable {
    private struct Rows {
        var names: [Data: String] = [:]
        var counts: [String: Int] = [:]
        var ends = 0
        var zones: [String] = []
    }

    static let origin = "https://counter.example"
    private let rows = Mutex(Rows())

    var counts: [String: Int] { rows.withLock { $0.counts } }
    var ends: Int { rows.withLock { $0.ends } }
    func keep(_ count: Int, of name: String) { rows.withLock { $0.counts[name] = count } }
    var zones: [String] { rows.withLock { $0.zones } }
    func note(zone: String) { rows.withLock { $0.zones.append(zone) } }
    func noteEnd() { rows.withLock { $0.ends += 1 } }

    func sessions(of app: PageApp<Counter, CounterAccount> = .counter)
        -> PageSessions<Counter, CounterAccount>
    {
        let backend = PageBackend<CounterAccount>(
            resume: { [self] secret, _ in
                rows.withLock { $0.names[secret.hash] }.map { CounterAccount($0, on: self) }
            },
            begin: { [self] _ in CounterAccount(nil, on: self) },
            bind: { [self] secret, name in rows.withLock { $0.names[secret.hash] = name } })
        return PageSessions(app: app, backend: backend)
    }

    static let site: PageSite = {
        let assets = AssetLibrary(
            scripts: [Asset(script: "counter.js", Array("export const one = 1;\n".utf8))],
            style: Asset(style: "counter.css", Array(repeating: 97, count: 100)),
            icons: .init(
                drawing: Asset("counter.svg", "image/svg+xml", Array("<svg></svg>".utf8)),
                small: Asset("counter.png", "image/png", [])), others: []
        ) { Asset("counter.webmanifest", "application/manifest+json", Array($0("x").utf8)) }
        let document = Document(
            assets: assets, head: "", beforeContent: "", afterContent: "", withoutScript: "")
        return PageSite(
            cookieName: "counter", requestHeader: HTTPField.Name("X-Counter") ?? .via,
            document: document, shell: "", waitingPage: "Wait.")
    }()

    func responder(_ sessions: PageSessions<Counter, CounterAccount>) throws
        -> some HTTPResponder<CounterContext>
    {
        let router = Router(context: CounterContext.self)
        PageRoutes(
            sessions: sessions, site: Self.site, publicURL: try #require(URL(string: Self.origin)),
            paths: ["/words"]
        ).add(to: router)
        return router.buildResponder()
    }
}

struct CounterContext: PageContext {
    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    var address: String { "192.0.2.1" }
    func onClose(_ action: @escaping @Sendable () -> Void) {}
}

extension HTTPResponder<CounterContext> {
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
        headers: [HTTPField.Name: String] = [:]
    ) async throws -> Response {
        try await send(
            method, path, body, headers: HTTPFields(headers), authority: "counter.example")
    }
}

extension HTTPFields {
    init(_ values: [HTTPField.Name: String]) {
        self.init()
        for (name, value) in values { self[name] = value }
    }
}

func text(of response: Response) async throws -> String {
    String(decoding: try await response.collectedBody(), as: UTF8.self)
}
