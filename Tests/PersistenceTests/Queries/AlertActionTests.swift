import Domain
import Foundation
import Testing

@testable import Persistence

/// Whose answers to which alert count, and since when.
@Suite struct AlertActionTests {
    private let alert = manualAlert(1, of: cleo)
    private let key = AlertKey(owner: cleo, id: id(1))

    /// Enters answers to an alert, each a number of seconds after noon.
    private func enter(
        _ answers: [(Int, AlertAction.Kind)], by responder: UserID = ada, to alert: AlertRow,
        _ engine: any DatabaseEngine
    ) async throws {
        let helper = try #require(try await engine.recipient(responder))
        for (second, kind) in answers {
            try await engine.write(at: noon.adding(.seconds(second))) {
                try $0.enter(kind, by: helper, about: alert)
            }
        }
    }

    /// Cleo's alert, beside an ended one of hers and one of Ben's with the same id.
    private func withAlerts(_ story: (any DatabaseEngine) async throws -> Void) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben, cleo)
            var ended = missedAlert(2, of: cleo)
            ended.endedAt = noon
            let sameID = manualAlert(1, of: ben)
            try await engine.write(about: .none) { [alert, ended] in
                try $0.insert([alert, ended, sameID])
                try $0.update(ended)
            }
            let others: [(Int, AlertAction.Kind)] = [(50, .declined), (60, .resumed)]
            for other in [ended, sameID] { try await enter(others, to: other, engine) }
            try await enter([(50, .foundSafe)], by: ben, to: alert, engine)
            try await story(engine)
        }
    }

    @Test func lastActionIsThisPersonsSinceTheTime() async throws {
        try await withAlerts { engine in
            try await enter([(1, .acknowledged), (2, .withdrew)], to: alert, engine)
            for (second, last) in [(1, .withdrew), (2, .withdrew), (3, nil)]
                as [(Int, AlertAction.Kind?)]
            {
                let action = try await engine.read { [key] in
                    try $0.lastAction(
                        by: ada, about: key, since: noon.adding(.seconds(second)))
                }
                #expect(action == last, "\(second)")
            }
        }
    }

    @Test func lastActionsAreAboutAnyAlertOfTheOwner() async throws {
        try await withAlerts { engine in
            try await enter([(1, .acknowledged)], to: alert, engine)
            let (ofCleo, ofBen) = try await engine.read {
                (
                    try $0.lastActions(by: [ada, ben], aboutAlertsOf: cleo),
                    try $0.lastActions(by: [ben], aboutAlertsOf: ben)
                )
            }
            #expect(
                ofCleo == [ada: noon.adding(.seconds(60)), ben: noon.adding(.seconds(50))])
            #expect(ofBen.isEmpty)
        }
    }

    @Test func actionsAndChangesCountAfterTheTime() async throws {
        try await withAlerts { engine in
            try await enter(
                [(1, .declined), (2, .acknowledged), (3, .foundSafe), (4, .confirmed)],
                to: alert, engine)
            for (second, number, changes) in [
                (0, 4, [1, 3]), (1, 3, [3]), (3, 1, []), (4, 0, []),
            ] as [(Int, Int, [Int])] {
                let time = noon.adding(.seconds(second))
                let found = try await engine.read { [key] in
                    (
                        try $0.countActions(by: ada, about: key, since: time),
                        try $0.changes(by: ada, about: key, since: time)
                    )
                }
                #expect(found.0 == number, "\(second)")
                #expect(found.1 == changes.map { noon.adding(.seconds($0)) }, "\(second)")
            }
        }
    }

    @Test func personRefusesUntilTheirNextAnswer() async throws {
        try await withAlerts { engine in
            func refusing(since second: Int) async throws -> Set<UserID> {
                try await engine.read { [key] in
                    try $0.peopleRefusing(key, since: noon.adding(.seconds(second)))
                }
            }
            #expect(try await refusing(since: 0) == [])
            try await enter([(1, .acknowledged), (2, .withdrew)], to: alert, engine)
            #expect(try await refusing(since: 0) == [ada])
            #expect(try await refusing(since: 2) == [ada])
            #expect(try await refusing(since: 3) == [])
            try await enter([(60, .declined)], by: ben, to: alert, engine)
            try await enter([(61, .acknowledged)], to: alert, engine)
            #expect(try await refusing(since: 0) == [ben])
        }
    }

    /// Ben lifts a report, Ada would help beside another responder, and a report's pause ends.
    @Test func liftingHelpBesideAnotherAndTheEndOfAPauseEndRefusals() async throws {
        try await withAlerts { engine in
            func refusing() async throws -> Set<UserID> {
                try await engine.read { [key] in try $0.peopleRefusing(key, since: noon) }
            }
            try await enter([(60, .declined), (70, .declined)], to: alert, engine)
            #expect(try await refusing() == [ada])
            try await enter([(70, .resumed)], by: ben, to: alert, engine)
            #expect(try await refusing() == [ada])
            try await enter([(71, .resumed)], by: ben, to: alert, engine)
            #expect(try await refusing() == [])
            try await enter([(80, .declined)], to: alert, engine)
            #expect(try await refusing() == [ada])
            let helper = try #require(try await engine.recipient(ada))
            try await engine.write(at: noon.adding(.seconds(81))) { [alert] in
                try $0.enterEndOfRefusal(by: helper, about: alert, over: .sms)
            }
            #expect(try await refusing() == [])
            let last = try await engine.read { [key] in
                try $0.lastAction(by: ada, about: key, since: noon)
            }
            #expect(last == nil)
            try await enter([(90, .declined)], to: alert, engine)
            #expect(try await refusing() == [ada])
            let owner = try #require(try await engine.recipient(cleo))
            try await engine.write(at: noon.adding(.seconds(91))) { [alert] in
                try $0.enterEndOfPause(of: alert, by: owner)
            }
            #expect(try await refusing() == [])
            func refusals(seenBy viewer: UserID) async throws -> Int {
                try await engine.read { [alert] in
                    try $0.record(
                        of: alert, for: AlertViewer(viewer) { person, _ in person.uuid },
                        withLedger: true
                    ).history.count { $0.kind == .declined }
                }
            }
            // Ada's app doesn't show the answers that don't count any more. Cleo's shows them.
            #expect(try await refusals(seenBy: cleo) == 4)
            #expect(try await refusals(seenBy: ada) == 0)
            try await enter([(92, .declined)], to: alert, engine)
            #expect(try await refusals(seenBy: ada) == 1)
        }
    }

    /// Clients read a withdrawal, and the owner of the alert reads why. Ben's "I can't" stays one.
    @Test func lostRoleIsAChangeButNoRefusal() async throws {
        try await withAlerts { engine in
            try await enter([(1, .acknowledged)], to: alert, engine)
            try await enter([(60, .declined)], by: ben, to: alert, engine)
            let helper = try #require(try await engine.recipient(ada))
            try await engine.write(at: noon.adding(.seconds(70))) { [alert] in
                try $0.enterLossOfRole(by: helper, about: alert)
            }
            let found = try await engine.read { [alert, key] in
                (
                    try $0.peopleRefusing(key, since: noon),
                    try $0.changes(by: ada, about: key, since: noon),
                    try $0.record(
                        of: alert, for: AlertViewer(cleo) { person, _ in person.uuid },
                        withLedger: true
                    ).history
                )
            }
            #expect(found.0 == [ben])
            #expect(found.1 == [noon.adding(.seconds(70))])
            #expect(found.2.map(\.kind) == [.acknowledged, .foundSafe, .declined, .withdrew])
            #expect(found.2.map(\.isLossOfRole) == [nil, nil, nil, true])
            var ended = alert
            ended.endedAt = noon.adding(.seconds(80))
            let ends = try await engine.read { [ended] connection in
                try [cleo, ben].map {
                    try connection.record(
                        of: ended, for: AlertViewer($0) { person, _ in person.uuid }
                    ).acknowledgement?.end
                }
            }
            #expect(ends == [.lostRole, .withdrew], "only the person in need sees a lost role")
        }
    }

    /// The clock was two hours ahead, and is right again a minute after noon. Ben's answer of 50
    /// seconds after noon stays before the corrected ones.
    @Test func answersOfAFastClockAreCorrected() async throws {
        try await withAlerts { engine in
            try await enter([(1, .declined), (2, .acknowledged)], to: alert, engine)
            try await enter(
                [
                    (7_201, .declined), (7_230, .acknowledged), (7_290, .withdrew),
                    (7_295, .declined),
                ], to: alert, engine)
            let correction = ClockCorrection(
                by: .hours(-2), since: noon, until: noon.adding(.seconds(7_300)))
            for _ in 1...2 {
                try await engine.write(at: noon.adding(.seconds(60))) { [alert] in
                    try $0.correctActions(of: alert, by: correction)
                }
                let found = try await engine.read { [key] in
                    (
                        try $0.changes(by: ada, about: key, since: noon),
                        try $0.countActions(by: ada, about: key, since: noon),
                        try $0.lastAction(by: ada, about: key, since: noon.adding(.seconds(60)))
                    )
                }
                let milliseconds = found.0.map { $0.since(noon).milliseconds }
                #expect(milliseconds == [1_000, 50_001, 59_999, 60_000])
                #expect(found.1 == 6 && found.2 == .declined)
            }
        }
    }

    /// The clock was ten minutes ahead. The first answer's wrong time has passed, so it stays.
    @Test func correctedAnswersStayAfterThePastOnes() async throws {
        try await withAlerts { engine in
            try await enter(
                [(660, .acknowledged), (720, .withdrew), (730, .declined)], to: alert, engine)
            let correction = ClockCorrection(
                by: .minutes(-10), since: noon, until: noon.adding(.seconds(740)))
            try await engine.write(at: noon.adding(.seconds(700))) { [alert] in
                try $0.correctActions(of: alert, by: correction)
            }
            let found = try await engine.read { [key] in
                (
                    try $0.changes(by: ada, about: key, since: noon),
                    try $0.lastAction(by: ada, about: key, since: noon)
                )
            }
            #expect(found.0.map { $0.since(noon).milliseconds } == [660_001, 660_002])
            #expect(found.1 == .declined)
        }
    }

    /// The history belongs to one alert of one owner, by time.
    @Test func historyIsInOrderAndOfOneAlert() async throws {
        try await withAlerts { engine in
            try await enter([(70, .acknowledged), (10, .declined)], to: alert, engine)
            let record = try await engine.read { [alert] in
                try $0.record(
                    of: alert, for: AlertViewer(cleo) { person, _ in person.uuid },
                    withLedger: true)
            }
            #expect(record.history.map(\.kind) == [.declined, .foundSafe, .acknowledged])
            let people = [ada, ben, ada].map(\.description)
            #expect(record.history.map(\.responderId) == people)
        }
    }

    // MARK: Which alerts are due

    @Test func alertIsDueUntilItIsHandled() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let (first, second) = (manualAlert(1, of: ada), manualAlert(1, of: ben))
            try await engine.write(about: .none) { try $0.insert([first, second]) }
            let due = try #require(first.nextDue)
            func found(at time: Date) async throws -> [UserID] {
                try await engine.read { try $0.dueAlerts(at: time, limit: 10) }.map(\.userID)
            }
            #expect(try await found(at: due.aMillisecondBefore) == [])
            #expect(Set(try await found(at: due)) == [ada, ben])
            let later = due.adding(.seconds(1))
            try await engine.write(about: .none) { try $0.postponeAlert(first, until: later) }
            #expect(try await found(at: due) == [ben])
            #expect(try await found(at: later) == [ben, ada])
            let single = try await engine.read {
                [
                    try $0.dueAlert(id(1), of: ada, at: due)?.userID,
                    try $0.dueAlert(id(1), of: ada, at: later)?.userID,
                    try $0.dueAlert(id(1), of: ben, at: due)?.userID,
                    try $0.dueAlert(id(2), of: ben, at: due)?.userID,
                ]
            }
            #expect(single == [nil, ada, ben, nil])
        }
    }

    @Test func alertsCountFromTheirReceipt() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let early = AlertRow(
                id: id(1), userID: ada, kind: .manual, startedAt: noon.adding(.hours(-9)),
                receivedAt: noon, deadlineAt: nil, toldLate: false, repeats: 1)
            let others = [
                missedAlert(2, of: ada, at: noon.aMillisecondAfter), manualAlert(3, of: ben),
            ]
            try await engine.write(about: .none) { try $0.insert([early] + others) }
            for (time, number) in [
                (noon.aMillisecondBefore, 2), (noon, 1), (noon.aMillisecondAfter, 0),
            ] {
                let count = try await engine.read {
                    try $0.countAlerts(of: ada, receivedSince: time)
                }
                #expect(count == number)
            }
        }
    }

    @Test func openAlertsAreOfTheirPersonAndKind() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben, cleo)
            var ended = manualAlert(3, of: cleo)
            ended.endedAt = noon
            try await engine.write(about: .none) { [ended] in
                try $0.insert([
                    manualAlert(1, of: ada), missedAlert(2, of: ada), manualAlert(1, of: ben),
                    ended,
                ])
                try $0.update(ended)
            }
            let found = try await engine.read {
                (
                    try $0.openAlert(.manual, of: ada)?.id, try $0.openAlert(.manual, of: cleo)?.id,
                    try $0.openAlerts(.manual, of: [ada, cleo]).mapValues(\.id),
                    try $0.openAlerts(of: ada).map(\.id.uuid.uuid.15).sorted(),
                    try $0.owners(ofAlert: id(1))
                )
            }
            #expect(found.0 == id(1) && found.1 == nil)
            #expect(found.2 == [ada: id(1)])
            #expect(found.3 == [1, 2])
            #expect(found.4 == [ada, ben])
        }
    }
}
