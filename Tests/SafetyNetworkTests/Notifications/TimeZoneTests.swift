import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct TimeZoneTests {
    let server: TestServer
    let ada, ben, cleo: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        (ben, cleo) = (try await server.person("Ben"), try await server.person("Cleo"))
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
    }

    private func bodies(of person: Person) async throws -> [String] {
        try await server.newsItems(of: person).map(\.body)
    }

    private let number = " Emergency number where Ada's phone is registered: 911."

    @Test func everyRecipientReadsTimesInTheirOwnZone() async throws {
        await server.network.noteTimeZone("Europe/Berlin", of: ben.caller)
        try await server.raiseAlert(ada)
        #expect(try await bodies(of: ben) == ["Ada raised an alert at 13:00 CET." + number])
        #expect(try await bodies(of: cleo) == ["Ada raised an alert at 12:00 UTC." + number])
    }

    @Test func theDeviceThatReportsLastCounts() async throws {
        await server.network.noteTimeZone("Europe/Berlin", of: ben.caller)
        let laptop = try await server.signIn(ben.number, as: "Ben", on: "Laptop")
        await server.network.noteTimeZone("America/New_York", of: laptop.caller)
        try await server.raiseAlert(ada)
        #expect(try await bodies(of: ben).last == "Ada raised an alert at 07:00 EST." + number)
        // The laptop, with its wrong clock, is closed.
        await server.network.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(try await zone(of: ben) == "Europe/Berlin")
    }

    @Test func theNewsOfAnotherServerIsNotMissed() async throws {
        let cache = CallerCache(oldest: CallerCache.ageBesideOthers)
        let now = server.clock.now
        cache.note(timeZone: "Europe/Berlin", of: ben.id, at: now)
        #expect(cache.timeZone(of: ben.id, at: now) == "Europe/Berlin")
        let later = now.adding(CallerCache.ageBesideOthers)
        #expect(cache.timeZone(of: ben.id, at: later) == nil)
    }

    @Test(arguments: ["", "UTC", "Foo/Bar", "Europe/Berlin'; DROP TABLE users; --"])
    func whatIsNoZoneChangesNothing(name: String) async throws {
        await server.network.noteTimeZone("Europe/Berlin", of: ben.caller)
        await server.network.noteTimeZone(name, of: ben.caller)
        #expect(try await zone(of: ben) == "Europe/Berlin")
    }

    @Test func theSameAgainWritesNothing() async throws {
        func known() -> String? {
            server.network.callers.timeZone(of: ben.id, at: server.clock.now)
        }
        #expect(known() == nil)
        await server.network.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(known() == "Europe/Berlin")
        try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            try $0.updateTimeZone("Asia/Kathmandu", of: ben.id)
        }
        await server.network.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(try await zone(of: ben) == "Asia/Kathmandu")
    }

    /// A zone that only another server's Swift knows.
    @Test func anUnknownZoneInTheDatabaseIsUTC() async throws {
        try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            try $0.updateTimeZone("Moon/Tranquility", of: ben.id)
        }
        try await server.raiseAlert(ada)
        #expect(try await bodies(of: ben) == ["Ada raised an alert at 12:00 UTC." + number])
    }

    @Test func theZoneIsInTheExport() async throws {
        #expect(try await server.export(of: ben).timeZone == nil)
        await server.network.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(try await server.export(of: ben).timeZone == "Europe/Berlin")
    }

    private func zone(of person: Person) async throws -> String? {
        try await server.engine.read { try $0.user(person.id)?.timeZone }
    }
}
