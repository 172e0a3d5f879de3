import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct AnnouncementTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    private var announcements: Announcements { server.network.announcements }

    init() async throws {
        server = try TestServer(hasBystanders: false) {
            ($0.isSMSAvailable, $0.isEmailAvailable) = (true, true)
        }
        (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
    }

    private func announce(
        _ text: String = "New server on Sunday", _ maintenance: Maintenance? = nil
    ) async throws {
        _ = try await announcements.announce(
            text, maintenance: maintenance, reason: "Planned", by: "root")
    }

    private func tellAll() async throws {
        while try await announcements.pass() {}
    }

    @Test func everyoneIsToldOnce() async throws {
        try await announce()
        try await tellAll()
        #expect(try await !announcements.pass())
        for person in [ada, ben] {
            let news = try await server.newsItems(of: person)
            #expect(news.map(\.title) == ["From the people who run this server"])
            #expect(news.first?.body == "New server on Sunday" && news.first?.type == .system)
        }
        let log = try await server.network.administration.log(about: nil).entries
        #expect(log.map(\.act.kind) == [.announce])
    }

    @Test func announcementNeverCosts() async throws {
        try await announce()
        try await tellAll()
        let channels: [String] = try await server.engine.read {
            try $0.values("SELECT DISTINCT channel FROM deliveries", [])
        }
        #expect(channels == ["stream"])
    }

    /// A correction of the clock after the restore moves the time of the restore only.
    @Test(
        arguments: [(true, .zero), (true, .hours(1)), (false, .zero)] as [(Bool, Duration)])
    func announcementAfterARestoreGoesByEmail(isAboutIt: Bool, correction: Duration) async throws {
        let (address, now, person) = (try EmailAddress("ada@example.org"), server.clock.now, ada.id)
        let row = AnnouncementRow(
            id: server.environment.id(), text: AdminRules.restored(to: now, at: now),
            maintenance: nil, createdAt: now)
        try await server.engine.write(about: .none) { transaction in
            try transaction.insertEmailAddress(address, of: person)
            _ = try transaction.updateServerState { state in
                state.restoration = Restoration(
                    restoredAt: now.adding(correction), incompleteSince: now)
                state.restoreNews = isAboutIt ? row.number : nil
            }
            try transaction.insert(row)
        }
        try await tellAll()
        let channels: [String] = try await server.engine.read {
            try $0.values("SELECT DISTINCT channel FROM deliveries ORDER BY channel", [])
        }
        #expect(channels == (isAboutIt ? ["email", "stream"] : ["stream"]))
    }

    @Test func guestsHearNothing() async throws {
        let mia = try await server.guest("Mia", try PhoneNumber("+442071838750"), of: ada)
        func items() async throws -> Int {
            try await server.engine.read {
                try $0.count(
                    "SELECT COUNT(*) FROM notifications WHERE user_id = $1", [.id(mia.id)])
            }
        }
        let before = try await items()
        try await announce()
        try await tellAll()
        #expect(try await items() == before)
    }

    @Test func twoAnnouncementsAreTold() async throws {
        try await announce("One")
        try await announce("Two")
        try await tellAll()
        #expect(Set(try await server.newsItems(of: ada).map(\.body)) == ["One", "Two"])
    }

    @Test(arguments: [0, 501]) func lengthIsLimited(length: Int) async throws {
        let error = await refusal { try await announce(String(repeating: "a", count: length)) }
        #expect(error?.field == "text")
    }

    @Test func longestTextIsAnnounced() async throws {
        try await announce(String(repeating: "a", count: 500))
        try await tellAll()
        #expect(try await server.newsItems(of: ada).first?.body.count == 500)
    }

    @Test func maintenanceIsShownUntilItsEnd() async throws {
        let now = server.clock.now
        let maintenance = Maintenance(
            from: now.adding(.hours(1)), until: now.adding(.hours(2)))
        try await announce("Update", maintenance)
        #expect(try await server.profile(ada).maintenance == maintenance)
        try await tellAll()
        #expect(try await server.events(of: ada).contains(.profileChanged))
        server.clock.pass(.milliseconds(2 * 3_600_000 - 1))
        #expect(try await server.profile(ada).maintenance == maintenance)
        server.clock.pass(.milliseconds(1))
        #expect(try await server.profile(ada).maintenance == nil)
    }

    @Test(arguments: [(2, 1), (-2, -1), (0, 24 * 7 + 1), (24 * 91, 24 * 91 + 1)])
    func impossibleMaintenanceIsRefused(from: Int, until: Int) async throws {
        let now = server.clock.now
        let maintenance = Maintenance(
            from: now.adding(.seconds(3_600 * from)), until: now.adding(.seconds(3_600 * until)))
        let error = await refusal { try await announce("Update", maintenance) }
        #expect(error?.field == "maintenance")
    }
}
