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
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        try await server.raiseAlert(ada)
        #expect(try await bodies(of: ben) == ["Ada raised an alert at 13:00 CET." + number])
        #expect(try await bodies(of: cleo) == ["Ada raised an alert at 12:00 UTC." + number])
    }

    @Test func lastReportedZoneWins() async throws {
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        let laptop = try await server.signIn(ben.number, as: "Ben", on: "Laptop")
        await server.network.timeZones.noteTimeZone("America/New_York", of: laptop.caller)
        try await server.raiseAlert(ada)
        #expect(try await bodies(of: ben).last == "Ada raised an alert at 07:00 EST." + number)
        // The phone reports its zone after the laptop.
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(try await zone(of: ben) == "Europe/Berlin")
    }

    @Test func cachedZoneExpiresBesideOtherServers() async throws {
        let cache = CallerCache(oldest: CallerCache.ageBesideOthers)
        let now = server.clock.now
        cache.note(timeZone: "Europe/Berlin", of: ben.id, at: now)
        #expect(cache.timeZone(of: ben.id, at: now) == "Europe/Berlin")
        let later = now.adding(CallerCache.ageBesideOthers)
        #expect(cache.timeZone(of: ben.id, at: later) == nil)
    }

    @Test func newZoneIsSentToRespondersOnly() async throws {
        let zoe = try await server.person("Zoe")
        try await server.connect(ada, watchesOver: zoe)
        func changes(of ada: UserID, to person: Person) async throws -> Int {
            try await server.events(of: person)
                .count { $0 == .contactChanged(.init(contactID: ada)) }
        }
        let before = (
            try await changes(of: ada.id, to: ben), try await changes(of: ada.id, to: zoe)
        )
        // The clock of Seoul shows what that of Tokyo shows.
        for zone in ["Asia/Tokyo", "Asia/Tokyo", "Foo/Bar", "Asia/Seoul"] {
            await server.network.timeZones.noteTimeZone(zone, of: ada.caller)
        }
        #expect(try await changes(of: ada.id, to: ben) == before.0 + 1)
        #expect(try await changes(of: ada.id, to: zoe) == before.1)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.timeZone == "Asia/Seoul")
        #expect(try await server.contact(ada, seenBy: zoe)?.watch == nil)
    }

    @Test(arguments: ["", "UTC", "Foo/Bar", "Europe/Berlin'; DROP TABLE users; --"])
    func invalidZoneChangesNothing(name: String) async throws {
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        await server.network.timeZones.noteTimeZone(name, of: ben.caller)
        #expect(try await zone(of: ben) == "Europe/Berlin")
    }

    @Test func repeatedZoneWritesNothing() async throws {
        func known() -> String? {
            server.network.callers.timeZone(of: ben.id, at: server.clock.now)
        }
        #expect(known() == nil)
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(known() == "Europe/Berlin")
        try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            try $0.updateTimeZone("Asia/Kathmandu", of: ben.id)
        }
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(try await zone(of: ben) == "Asia/Kathmandu")
    }

    /// A server with a newer Swift version stored a zone that this one doesn't know.
    @Test func anUnknownZoneInTheDatabaseIsUTC() async throws {
        try await server.engine.write(about: Subjects([ben.id])) { [ben] in
            try $0.updateTimeZone("Moon/Tranquility", of: ben.id)
        }
        try await server.raiseAlert(ada)
        #expect(try await bodies(of: ben) == ["Ada raised an alert at 12:00 UTC." + number])
    }

    @Test func theZoneIsInTheExport() async throws {
        #expect(try await server.export(of: ben).timeZone == nil)
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        #expect(try await server.export(of: ben).timeZone == "Europe/Berlin")
    }

    /// Guests have no device that reports a zone.
    @Test func guestReadsTimesInTheInvitersZone() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.person("Ada")
        let number = try PhoneNumber("+442071838750")
        _ = try await server.network.invitations.invite("Mia", .number(number), by: ada.caller)
        let link = try #require(server.environment.texts(on: number).last)
        let fragment = try #require(link.split(separator: "#").last)
        let secret = String(fragment.prefix { !$0.isWhitespace })
        _ = try await server.network.invitationAnswers.answerInvitation(
            by: secret, .yes(name: "Mia"))
        let mia = try #require(try await server.network.contacts.contacts(of: ada.caller).first).id
        func lastBody() async throws -> String? {
            try await server.engine.read {
                try $0.notifications(of: mia, page: Page(limit: 1)).first?.body
            }
        }
        for (zone, time) in [("Asia/Kathmandu", "17:45 UTC+5:45"), ("Europe/Berlin", "13:00 CET")] {
            await server.network.timeZones.noteTimeZone(zone, of: ada.caller)
            let alert = try await server.raiseAlert(ada)
            #expect(try await lastBody()?.contains("raised an alert at \(time).") == true)
            let page = server.network.guestAlerts.alertLink(to: mia, try alert.typedID, in: .sms)
            let shown = try await server.network.guestAlerts.guestAlert(
                by: try #require(page.fragment))
            #expect(shown?.startWords == time)
            _ = try await server.endAlert(alert, ada)
        }
    }

    @Test func guestWhoJoinsDuringAnAlertReadsTimesInTheInvitersZone() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let ada = try await server.person("Ada")
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ada.caller)
        try await server.raiseAlert(ada)
        let mia = try await server.guest("Mia", PhoneNumber("+442071838750"), of: ada).id
        let bodies = try await server.engine.read {
            try $0.notifications(of: mia, page: Page(limit: 10)).map(\.body)
        }
        #expect(bodies.contains { $0.contains("at 13:00 CET") })
    }

    @Test func aRepeatOnAnotherDayNamesTheDay() async throws {
        await server.network.timeZones.noteTimeZone("Europe/Berlin", of: ben.caller)
        await server.network.timeZones.noteTimeZone("Pacific/Kiritimati", of: cleo.caller)
        let alert = try await server.raiseAlert(ada)
        for person in [ben, cleo] { _ = try await bodies(of: person) }
        // It is 00:00 in Berlin, and 13:00 beyond the date line.
        try await server.pass(.hours(11))
        #expect(try await bodies(of: ben).last?.contains("at 13:00 CET on Sunday.") == true)
        #expect(try await bodies(of: cleo).last?.contains("at 02:00 UTC+14.") == true)
        try await server.pass(.days(8))
        #expect(try await bodies(of: ben).last?.contains("at 13:00 CET on 1 March.") == true)
        let link = server.network.guestAlerts.alertLink(to: ben.id, try alert.typedID, in: .sms)
        let page = try await server.network.guestAlerts.guestAlert(by: try #require(link.fragment))
        #expect(page?.startWords == "13:00 CET on 1 March")
    }

    private func zone(of person: Person) async throws -> String? {
        try await server.engine.read { try $0.user(person.id)?.timeZone }
    }
}
