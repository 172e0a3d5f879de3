import Domain
import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite(
    "Hints between servers", .enabled(if: PostgreSQLDatabase.isAvailable), .timeLimit(.minutes(5)))
struct HintTests {
    let database: PostgreSQLDatabase

    init() throws { database = try PostgreSQLDatabase() }

    /// One server's sender of hints, and the hints that it receives. nil means that hints were
    /// lost.
    private struct Server {
        let hints: PostgreSQLHints
        let heard: AsyncStream<ServerHint?>

        init(_ database: PostgreSQLDatabase, port: Int? = nil) throws {
            let (stream, news) = AsyncStream.makeStream(of: ServerHint?.self)
            heard = stream
            hints = PostgreSQLHints(
                try database.address(port: port), server: UUID(),
                clock: PostgreSQLClock(monotonic: { .milliseconds(noon.milliseconds) })
            ) {
                news.yield($0)
            }
        }

        func next() async throws -> ServerHint? {
            try #require(await heard.first { _ in true })
        }

        func hint() async throws -> ServerHint {
            try #require(await heard.first { $0 != nil } ?? nil)
        }
    }

    private func hint(_ people: UserID..., session: SessionID? = nil) -> ServerHint {
        var hint = ServerHint()
        hint.people = Set(people)
        if let session { hint.endedSessions = [session] }
        return hint
    }

    @Test("A hint reaches other servers but not its sender")
    func arrives() async throws {
        let (one, other) = (try Server(database), try Server(database))
        for server in [one, other] { #expect(try await server.next() == nil) }
        var sent = hint(ada, ben, session: id(7))
        sent.nextDue = noon
        one.hints.send(sent)
        #expect(try await other.hint() == sent)
        other.hints.send(hint(cleo))
        #expect(try await one.hint() == hint(cleo))
        for server in [one, other] { server.hints.close() }
    }

    @Test("A thousand people fit in several payloads")
    func many() async throws {
        let (one, other) = (try Server(database), try Server(database))
        for server in [one, other] { #expect(try await server.next() == nil) }
        var sent = ServerHint()
        sent.people = Set((0..<1_000).map { _ in UserID(UUID()) })
        one.hints.send(sent)
        var heard = ServerHint()
        while heard.people.count < 1_000 { heard.merge(try await other.hint()) }
        #expect(heard == sent)
        for server in [one, other] { server.hints.close() }
    }

    @Test("A replaced connection reports that anything may have happened")
    func reconnects() async throws {
        let proxy = try Proxy(to: PostgreSQLDatabase.port)
        let (one, other) = (try Server(database), try Server(database, port: proxy.port))
        for server in [one, other] { #expect(try await server.next() == nil) }
        proxy.cut()
        #expect(try await other.next() == nil)
        one.hints.send(hint(ada))
        #expect(try await other.hint() == hint(ada))
        for server in [one, other] { server.hints.close() }
        proxy.stop()
    }

    @Test("A hint is resent after a lost connection")
    func sendsAgain() async throws {
        let proxy = try Proxy(to: PostgreSQLDatabase.port)
        let (one, other) = (try Server(database, port: proxy.port), try Server(database))
        for server in [one, other] { #expect(try await server.next() == nil) }
        one.hints.send(hint(ada))
        #expect(try await other.hint() == hint(ada))
        proxy.cut()
        #expect(try await one.next() == nil)
        one.hints.send(hint(ben, session: id(7)))
        // The first hint may arrive twice, because it is sent again if its response was lost.
        var heard = ServerHint()
        while !heard.people.contains(ben) { heard.merge(try await other.hint()) }
        #expect(heard.endedSessions == [id(7)])
        for server in [one, other] { server.hints.close() }
        proxy.stop()
    }

    @Test("Waiting hints are sent when a server stops")
    func sendsTheLast() async throws {
        let (one, other) = (try Server(database), try Server(database))
        for server in [one, other] { #expect(try await server.next() == nil) }
        one.hints.send(hint(session: id(7)))
        one.hints.close()
        #expect(try await other.hint() == hint(session: id(7)))
        other.hints.close()
    }

    @Test("Foreign messages on the channel are ignored")
    func foreign() async throws {
        let server = try Server(database)
        #expect(try await server.next() == nil)
        for payload in ["", "x", "AAAAAAAAAAAAAAAAAAAAAA px tx zz t5"] {
            try database.run("SELECT pg_notify('lifesignal', '\(payload)')")
        }
        var due = ServerHint()
        due.nextDue = Date(milliseconds: 5)
        #expect(try await server.hint() == due)
        server.hints.close()
    }
}
