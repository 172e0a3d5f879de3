import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

/// Ada's journey starts at noon, with a return at 14:00 and a grace of 10 minutes.
@Suite struct JourneyTests {
    private let engine: any DatabaseEngine
    private let before = noon.adding(.hours(2)).adding(.minutes(-15))
    private let deadline = noon.adding(.hours(2)).adding(.minutes(10))

    init() async throws {
        engine = try TestDatabase.make(now: { noon })
        try await TestDatabase.allowUnnamedPeople(in: engine)
        try await engine.moveIn(ada, ben)
    }

    private func journey(_ number: UInt8 = 7, for chosen: [UserID]? = nil) -> Journey {
        Journey(
            id: id(number), name: "Zugspitze", note: "By the Höllental,\n\"alone\"",
            startedAt: noon, expectedReturn: noon.adding(.hours(2)), graceMinutes: 10,
            responders: chosen, tellsResponders: false)
    }

    private func save(_ journey: Journey, of user: UserID = ada) async throws {
        try await engine.write(about: Subjects([user])) { try $0.save(journey, of: user) }
    }

    private func saved(of user: UserID = ada) async throws -> Journey? {
        try await engine.read { try $0.journey(of: user) }
    }

    private func due(areAlarms: Bool, at time: Date) async throws -> [UserID] {
        try await engine.read {
            try $0.dueJourneys(areAlarms: areAlarms, at: time, limit: 25)
        }
    }

    @Test(arguments: [nil, [ben], [ben, cleo]] as [[UserID]?])
    func journeyRoundTrips(chosen: [UserID]?) async throws {
        var journey = journey(for: chosen)
        try await save(journey)
        #expect(try await saved() == journey)
        journey.note(sent: .remindAtReturn)
        journey.tellsResponders = true
        try await save(journey)
        #expect(try await saved() == journey)
        journey.alert = id(9)
        try await save(journey)
        #expect(try await saved() == journey)
        journey.end(at: noon.adding(.hours(3)))
        try await save(journey)
        #expect(try await saved() == journey)
        #expect(try await saved(of: ben) == nil)
    }

    @Test func nextJourneyReplacesTheLastOne() async throws {
        var first = journey()
        first.end(at: noon)
        try await save(first)
        try await save(journey(8))
        #expect(try await saved()?.id == id(8))
    }

    @Test func remindersAndAlarmsAreDueAtTheirTimes() async throws {
        var journey = journey()
        try await save(journey)
        #expect(try await due(areAlarms: false, at: before.aMillisecondBefore) == [])
        #expect(try await due(areAlarms: false, at: before) == [ada])
        #expect(try await due(areAlarms: true, at: before) == [])
        #expect(try await due(areAlarms: true, at: deadline.aMillisecondBefore) == [])
        // After an outage, the alarm comes in place of the reminders.
        #expect(try await due(areAlarms: true, at: deadline) == [ada])
        #expect(try await due(areAlarms: false, at: deadline) == [])
        journey.alert = id(9)
        try await save(journey)
        #expect(try await due(areAlarms: true, at: deadline.adding(.days(1))) == [])
    }

    @Test func endedJourneyIsNeverDue() async throws {
        var journey = journey()
        journey.end(at: noon)
        try await save(journey)
        for areAlarms in [true, false] {
            #expect(try await due(areAlarms: areAlarms, at: deadline.adding(.days(1))) == [])
        }
    }

    @Test func postponedJourneyIsDueLater() async throws {
        try await save(journey())
        let later = deadline.adding(.minutes(1))
        try await engine.write(about: Subjects([ada])) {
            try $0.postponeJourney(of: ada, until: later)
        }
        #expect(try await due(areAlarms: true, at: later.aMillisecondBefore) == [])
        #expect(try await due(areAlarms: true, at: later) == [ada])
    }

    @Test func peopleOnJourneysComeInPages() async throws {
        func page(after user: UserID?) async throws -> [UserID] {
            try await engine.read { try $0.peopleOnJourneys(after: user, limit: 1) }
        }
        var overdue = journey()
        overdue.alert = id(9)
        try await save(overdue)
        try await save(journey(8), of: ben)
        #expect(try await page(after: nil) == [ada])
        #expect(try await page(after: ada) == [ben])
        #expect(try await page(after: ben) == [])
        #expect(try await engine.read { try $0.nextDue(ofJourneyOf: ada) } == nil)
        #expect(try await engine.read { try $0.nextDue(ofJourneyOf: ben) } == before)
        overdue.end(at: noon)
        try await save(overdue)
        #expect(try await page(after: nil) == [ben])
    }

    // MARK: Alerts

    private func alert(for chosen: [UserID]?) -> AlertRow {
        var alert = AlertRow(
            id: id(9), userID: ada, kind: .journey, startedAt: deadline,
            deadlineAt: noon.adding(.hours(2)), toldLate: false, repeats: 1)
        (alert.journey, alert.onlyFor) = ("Zugspitze", chosen)
        return alert
    }

    @Test(arguments: [nil, [ben]] as [[UserID]?])
    func alertRoundTrips(chosen: [UserID]?) async throws {
        var alert = alert(for: chosen)
        try await engine.write(about: Subjects([ada])) { [alert] in try $0.insert([alert]) }
        let stored = try await engine.read { [alert] in try $0.alert(alert.id, of: ada) }
        #expect(stored?.onlyFor == chosen && stored?.journey == "Zugspitze")
        #expect(stored?.kind == .journey)
        alert.onlyFor = nil
        try await engine.write(about: Subjects([ada])) { [alert] in try $0.update(alert) }
        let wide = try await engine.read { [alert] in try $0.alert(alert.id, of: ada) }
        #expect(wide?.onlyFor == nil && wide?.journey == "Zugspitze")
    }

    @Test func onlyTheChosenSeeTheAlert() async throws {
        try await engine.moveIn(cleo)
        for responder in [ben, cleo] { try await engine.connect(responder, watchesOver: ada) }
        let alert = alert(for: [ben])
        try await engine.write(about: Subjects([ada])) { try $0.insert([alert]) }
        for (viewer, isSeen) in [(ada, true), (ben, true), (cleo, false)] {
            let (list, single) = try await engine.read { connection in
                (
                    try connection.alerts(
                        visibleTo: viewer, onlyOpen: true, page: Page(limit: 10)),
                    try connection.alert(alert.id, visibleTo: viewer)
                )
            }
            #expect(list.map(\.id) == (isSeen ? [alert.id] : []))
            #expect((single != nil) == isSeen)
        }
        #expect(alert.concerns(ben) && !alert.concerns(cleo))
        let audience = try await engine.read { try $0.audience(of: alert) }
        #expect(audience.map(\.id) == [ben])
    }
}
