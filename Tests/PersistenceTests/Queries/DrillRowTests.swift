import Domain
import Foundation
import Testing

@testable import Persistence

/// Ada's drill asks Ben and Cleo; Ben's drill asks Ada and Cleo at the same time.
@Suite struct DrillRowTests {
    private let end = noon.adding(DrillRules.length)
    private let due = noon.adding(.minutes(1))

    private func withDrills(_ story: (any DatabaseEngine, Ledger) async throws -> Void)
        async throws
    {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben, cleo)
            for (number, user) in [(1, ben), (2, cleo), (3, ada), (4, cleo)]
                as [(UInt8, UserID)]
            {
                try await ledger.add(number, .drill, to: user)
            }
            for (number, owner, people) in [
                (1, ada, [(ben, 1), (cleo, 2)]), (2, ben, [(ada, 3), (cleo, 4)]),
            ] as [(UInt8, UserID, [(UserID, UInt8)])] {
                let asked = people.map { person, number in
                    NewDrillAnswer(
                        person: person, name: names[person] ?? "", notification: id(number))
                }
                try await engine.write(about: .none) { [due] in
                    try $0.insert(
                        DrillRecord(id: id(number), startedAt: noon), of: owner, named: "Owner",
                        asked, nextDue: due)
                }
            }
            try await story(engine, ledger)
        }
    }

    private func drill(_ engine: any DatabaseEngine, of owner: UserID = ada) async throws
        -> DrillRecord
    {
        try #require(try await engine.read { try $0.drill(of: owner) })
    }

    private func questions(_ engine: any DatabaseEngine, to person: UserID, at time: Date = noon)
        async throws -> [UserID]
    {
        try await engine.write(at: time) { try $0.drillQuestions(to: person) }.map(\.ownerID)
    }

    @Test func firstAnswerOfThePersonStands() async throws {
        try await withDrills { engine, _ in
            try await engine.write(at: due) {
                try $0.enterAnswer(of: cleo, toDrillOf: ada, by: .sms)
            }
            try await engine.write(at: end) {
                try $0.enterAnswer(of: cleo, toDrillOf: ada, by: .voice)
            }
            let answers = try await drill(engine).answers
            #expect(answers.map(\.personID) == [ben, cleo])
            #expect(answers.map(\.answeredAt) == [nil, due])
            #expect(answers.map(\.channel) == [nil, .sms])
            #expect(try await drill(engine, of: ben).answers.map(\.answeredAt) == [nil, nil])
            let asked = try await engine.read { try $0.drillQuestions(to: cleo) }
            #expect(asked.map(\.ownerID) == [ada, ben])
            #expect(asked.map(\.answeredAt) == [due, nil])
        }
    }

    @Test func questionIsOpenUntilTheDrillsEnd() async throws {
        try await withDrills { engine, _ in
            #expect(
                try await questions(engine, to: cleo, at: end.aMillisecondBefore) == [ada, ben])
            #expect(try await questions(engine, to: cleo, at: end) == [])
            #expect(try await engine.read { try $0.allDrillQuestions(to: cleo) }.count == 2)
            // The owner's own rows are no questions.
            #expect(try await questions(engine, to: ada) == [ben])
            let found = try await engine.read {
                [
                    try $0.drillQuestion(id(1), to: cleo)?.ownerID,
                    try $0.drillQuestion(id(1), to: ada)?.ownerID,
                    try $0.drillQuestion(of: id(4), to: cleo)?.ownerID,
                    try $0.drillQuestion(of: id(4), to: ada)?.ownerID,
                    try $0.drillQuestion(ofDelivery: id(2), to: cleo)?.ownerID,
                    try $0.drillQuestion(ofDelivery: id(2), to: ben)?.ownerID,
                ]
            }
            #expect(found == [ada, nil, ben, nil, ada, nil])
        }
    }

    @Test func drillsWithOneIDAreToldApart() async throws {
        try await withDrills { engine, _ in
            try await engine.write(at: due) { [due, end] transaction in
                try transaction.insert(
                    DrillRecord(id: id(1), startedAt: due), of: ben, named: "Owner",
                    [NewDrillAnswer(person: cleo, name: "Cleo", notification: id(4))],
                    nextDue: end)
            }
            let asked = try await engine.read { try $0.allDrillQuestions(to: cleo) }
            #expect(asked.map(\.id) == [id(1), id(1)] && asked.map(\.ownerID) == [ada, ben])
            for (answers, open) in [([], ada), ([ada], ben), ([ada, ben], ada)]
                as [([UserID], UserID)]
            {
                for owner in answers {
                    try await engine.write(at: due) {
                        try $0.enterAnswer(of: cleo, toDrillOf: owner, by: .sms)
                    }
                }
                let found = try await engine.write(at: due) {
                    try $0.drillQuestion(id(1), to: cleo)?.ownerID
                }
                #expect(found == open)
            }
            let found = try await engine.read { connection in
                (
                    try asked.map { try connection.drillQuestion($0, to: cleo)?.ownerID },
                    try connection.hasDrillQuestion(id(1), to: [ada, cleo], notOf: ben),
                    try connection.hasDrillQuestion(id(1), to: [ada], notOf: ben)
                )
            }
            #expect(found.0 == [ada, ben] && found.1 && !found.2)
        }
    }

    @Test func onlyADrillsMessageAsks() async throws {
        try await withDrills { engine, ledger in
            try await ledger.expectFound(
                with: "purpose = 'drill'", butNotWith: ["purpose = 'alertBegin'"]
            ) {
                try await engine.read { try $0.drillQuestion(ofDelivery: id(1), to: ben) } != nil
            }
        }
    }

    @Test func endOfADrillLeavesTheOthers() async throws {
        try await withDrills { engine, _ in
            try await engine.write(at: due) { try $0.endDrill(of: ada, .stopped) }
            #expect(try await drill(engine, of: ben).isRunning)
            #expect(try await questions(engine, to: cleo, at: due) == [ben])
            #expect(try await questions(engine, to: ben, at: due) == [])
            let running = try await engine.read { try $0.runningDrills(of: [ada, ben, cleo]) }
            #expect(running == [ben])
            try await engine.write(at: end) { try $0.endDrill(of: ada, .timeIsUp) }
            let ended = try await drill(engine)
            #expect(ended.endedAt == due && ended.end == .stopped)
        }
    }

    @Test func leaverIsNoLongerPartOfTheDrill() async throws {
        try await withDrills { engine, _ in
            try await engine.write(about: .none) {
                try $0.deleteDrillAnswer(of: cleo, toDrillOf: ada)
            }
            #expect(try await drill(engine).answers.map(\.personID) == [ben])
            #expect(try await drill(engine, of: ben).answers.map(\.personID) == [ada, cleo])
            #expect(try await questions(engine, to: cleo) == [ben])
        }
    }

    @Test func nextDrillReplacesOnlyTheOwnersLastOne() async throws {
        try await withDrills { engine, _ in
            try await engine.write(about: .none) { [end] in
                try $0.insert(
                    DrillRecord(id: id(7), startedAt: noon), of: ada, named: "Owner",
                    [NewDrillAnswer(person: ben, name: "Ben", notification: nil)], nextDue: end)
            }
            #expect(try await drill(engine).answers.map(\.personID) == [ben])
            #expect(try await questions(engine, to: cleo) == [ben])
            #expect(try await drill(engine, of: ben).answers.count == 2)
        }
    }

    @Test func answersAreInTheOrderOfTheResponders() async throws {
        try await withDrills { engine, _ in
            let asked = [cleo, ben].map {
                NewDrillAnswer(person: $0, name: "", notification: nil)
            }
            try await engine.write(about: .none) { [end] in
                try $0.insert(
                    DrillRecord(id: id(7), startedAt: noon), of: ada, named: "Owner", asked,
                    nextDue: end)
            }
            #expect(try await drill(engine).answers.map(\.personID) == [cleo, ben])
        }
    }

    @Test func runningDrillIsDueAtItsTime() async throws {
        try await withDrills { engine, _ in
            func found(at time: Date, limit: Int = 10) async throws -> [UserID] {
                try await engine.read { try $0.dueDrills(at: time, limit: limit) }
            }
            #expect(try await found(at: due.aMillisecondBefore) == [])
            #expect(Set(try await found(at: due)) == [ada, ben])
            try await engine.write(about: .none) { [due] in
                try $0.saveNextDue(ofDrillOf: ada, due.adding(.seconds(1)))
            }
            #expect(try await found(at: due) == [ben])
            #expect(try await found(at: due.adding(.seconds(1))) == [ben, ada])
            #expect(try await found(at: due.adding(.seconds(1)), limit: 1) == [ben])
            try await engine.write(about: .none) { try $0.hurryDrill(of: ada) }
            #expect(try await found(at: noon) == [ada])
            // A drill that is due isn't postponed by a hurry.
            try await engine.write(at: due) { try $0.hurryDrill(of: ada) }
            #expect(try await found(at: noon) == [ada])
            try await engine.write(about: .none) { try $0.endDrill(of: ada, .stopped) }
            try await engine.write(about: .none) { try $0.saveNextDue(ofDrillOf: ada, noon) }
            #expect(try await found(at: end) == [ben])
        }
    }

    @Test func onlyUnsentMessagesOfTheDrillAreWithdrawn() async throws {
        try await withDrills { engine, ledger in
            let waiting = """
                channel = 'sms', state = 'queued', superseded = 0, reason = NULL,
                    next_try_at = \(noon.milliseconds)
                """
            let isWithdrawn = { (onlyCalls: Bool) in
                try await engine.write(about: .none) {
                    try $0.withdrawDrill(
                        of: ada, for: [ben], onlyCalls: onlyCalls, reason: .answered)
                }
                return try await ledger.numbers(where: "superseded = 1") == [1]
            }
            try await ledger.expectFound(
                with: waiting, butNotWith: ["channel = 'stream'", "state = 'accepted'"]
            ) { try await isWithdrawn(false) }
            for (channel, isCall) in [("sms", false), ("email", false), ("voice", true)] {
                try await ledger.change(1, waiting)
                try await ledger.change(1, "channel = '\(channel)'")
                #expect(try await isWithdrawn(true) == isCall, "\(channel)")
            }
            try await ledger.change(1, waiting)
            try await ledger.change(1, "state = 'retrying', attempts = 1, reason = 'timeout'")
            #expect(try await isWithdrawn(false))
            #expect(try await ledger.numbers(where: "reason = 'unconfirmed'") == [1])
            try await ledger.change(1, waiting)
            try await ledger.change(1, "state = 'sending'")
            #expect(try await isWithdrawn(false))
            let underWay = try await ledger.numbers(
                where: "state = 'sending' AND next_try_at IS NOT NULL AND reason = 'answered'")
            #expect(underWay == [1])
            try await engine.write(about: .none) {
                try $0.withdrawDrill(of: ada, reason: .superseded)
            }
            #expect(
                try await ledger.numbers(where: "state = 'superseded' AND next_try_at IS NULL")
                    == [2])
        }
    }

    @Test func callsOfTheDrillAreFound() async throws {
        try await withDrills { engine, ledger in
            for number in 1...4 as ClosedRange<UInt8> {
                try await ledger.change(number, "channel = 'voice', next_try_at = NULL")
            }
            func states() async throws -> [Ladder.Call.State] {
                try await engine.read { try $0.calls(ofDrillOf: ada) }
                    .sorted { $0.delivery < $1.delivery }.map(\.state)
            }
            #expect(try await states() == [.waiting, .waiting])
            for (columns, found) in [
                ("state = 'sending'", [.underWay(since: noon), .waiting]),
                ("state = 'accepted'", [.underWay(since: noon), .waiting]),
                ("state = 'failed'", [.waiting]), ("state = 'queued', channel = 'sms'", [.waiting]),
            ] as [(String, [Ladder.Call.State])] {
                try await ledger.change(1, columns)
                #expect(try await states() == found, "\(columns)")
            }
        }
    }

    /// A drill lasts ten minutes, so a later look comes from a clock that was ahead. It would leave
    /// the drill running for days.
    @Test func lookOfAFastClockComesNow() async throws {
        try await withDrills { engine, _ in
            let correction = ClockCorrection(
                by: .days(-2), since: noon, until: noon.adding(.days(2)))
            for (look, corrected) in [(end, end), (end.aMillisecondAfter, noon)] {
                try await engine.write(about: .none) {
                    try $0.saveNextDue(ofDrillOf: ada, look)
                    try $0.correctMoments(by: correction)
                }
                let looks = try await engine.read { connection in
                    try [ada, ben].map { owner in
                        try connection.value(
                            "SELECT next_due_at FROM drills WHERE user_id = $1", [.id(owner)])
                            as Date?
                    }
                }
                #expect(looks == [corrected, due])
            }
        }
    }
}
