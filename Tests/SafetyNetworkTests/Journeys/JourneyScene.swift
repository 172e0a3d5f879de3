import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ada goes to the Zugspitze at noon and expects to be back at 14:00. Ben and Cleo are her
/// responders, and Ada is one of Ben's. No one has a deadline.
struct JourneyScene {
    var server: TestServer
    let ada: Person
    let ben: Person
    let cleo: Person
    let expectedReturn = noon.adding(.hours(2))
    /// With the standard grace.
    let deadline = noon.adding(.hours(2) + .minutes(10))
    let note = "By the Höllental, with Dora, in the red car"
    private let id = JourneyID(UUID(uuid: (7, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)))

    static let overdue = "Ada is not back from Zugspitze"

    init(
        _ given: TestServer? = nil, options: (inout SafetyNetwork.Options) -> Void = { _ in }
    ) async throws {
        if let given { server = given } else { server = try TestServer(options: options) }
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        try await server.connect(ben, watchesOver: ada, mutually: true)
        try await server.connect(cleo, watchesOver: ada)
        try await forgetNews()
    }

    // MARK: Acts of Ada

    func draft(
        _ id: JourneyID? = nil, return time: Date? = nil,
        grace: Int = JourneyRules.standardGraceMinutes, to chosen: [Person]? = nil,
        tells: Bool = false
    ) -> JourneyDraft {
        JourneyDraft(
            id: id ?? self.id, name: "Zugspitze", expectedReturn: time ?? expectedReturn,
            graceMinutes: grace, note: note, responders: chosen?.map(\.id), tellsResponders: tells)
    }

    @discardableResult
    func start(_ draft: JourneyDraft) async throws -> JourneyRecord {
        try #require(try await server.network.journeys.start(draft, of: ada.caller).journey)
    }

    /// Starts a journey about which the chosen are told; nil for all.
    @discardableResult
    func start(
        grace: Int = JourneyRules.standardGraceMinutes, to chosen: [Person]? = nil,
        tells: Bool = false
    ) async throws -> JourneyRecord {
        try await start(draft(grace: grace, to: chosen, tells: tells))
    }

    @discardableResult
    func extend(
        until time: Date, isLater: Bool = false, pressedAt press: Date? = nil,
        sentAt: Date? = nil, by person: Person? = nil
    ) async throws -> UserProfile {
        try await server.network.journeys.extend(
            id, until: time, isLater: isLater, pressedAt: press ?? server.clock.now,
            sentAt: sentAt, of: (person ?? ada).caller)
    }

    @discardableResult
    func arrive(
        pressedAt press: Date? = nil, sentAt: Date? = nil, by person: Person? = nil
    ) async throws -> UserProfile {
        try await server.network.journeys.end(
            id, pressedAt: press ?? server.clock.now, sentAt: sentAt,
            of: (person ?? ada).caller)
    }

    // MARK: Time and news

    /// Runs the deadline monitor at this time.
    func run(at time: Date) async throws {
        server.clock.set(time)
        try await server.deadlineMonitor.handleDueDeadlines()
    }

    /// Lets the journey become overdue. Returns the alert.
    @discardableResult
    func becomeOverdue() async throws -> AlertRecord {
        try await run(at: deadline)
        return try #require(try await server.openAlert(ada))
    }

    /// Returns what a person has since heard of alerts.
    func alarms(of person: Person) async throws -> [String] {
        try await server.alertNews(of: person).map(\.title)
    }

    func forgetNews() async throws {
        for person in [ada, ben, cleo] { _ = try await server.news(of: person) }
    }

    /// Returns a person's new notifications, with their texts.
    func news(of person: Person) async throws -> [String] {
        try await server.newsItems(of: person).map { "\($0.title): \($0.body)" }
    }

    func journey() async throws -> JourneyRecord? { try await server.profile(ada).journey }

    /// The channels of deliveries about journeys, in the order of their creation.
    func deliveries(to person: Person) async throws -> [String] {
        try await server.engine.read { [person] in
            try $0.query(
                """
                SELECT channel FROM deliveries WHERE user_id = $1 AND purpose = 'journey'
                ORDER BY created_at, channel
                """, [.id(person.id)]
            ) { try $0["channel"] }
        }
    }
}
