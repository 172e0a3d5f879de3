import Domain
import Foundation
import Testing

@Suite struct DrillTests {
    private let noon = Date(milliseconds: 1_000_000_000_000)

    @Test(
        arguments: [
            (.days(1) - .milliseconds(1), false), (.days(1), true), (.zero, false),
            // A wrong clock recorded the last drill's start, which is in the future.
            (.zero - .milliseconds(1), true),
        ] as [(Duration, Bool)])
    func drillMayStartOnceADay(pause: Duration, mayStart: Bool) {
        #expect(DrillRules.mayStart(last: noon, at: noon.adding(pause)) == mayStart)
        #expect(DrillRules.mayStart(last: nil, at: noon))
    }

    @Test(
        arguments: [
            (true, 1, .alertOpen), (false, 0, .noResponders), (false, 1, .drillToday),
        ] as [(Bool, Int, InvalidInputReason)])
    func drillRefusalNamesReason(hasOpenAlert: Bool, responders: Int, reason: InvalidInputReason) {
        do {
            try DrillRules.check(
                last: noon, hasOpenAlert: hasOpenAlert, responders: responders, at: noon)
            Issue.record("started")
        } catch {
            guard case .invalidArgument(field: "id", _, let given) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(given == reason)
        }
    }

    /// Everyday messages have 8 of 10 messages, and 4 of a user's 5.
    @Test(
        arguments: [
            (3, 0, 0, true), (3, 5, 1, true), (3, 6, 1, false), (3, 2, 2, false),
            // More than the whole share, which is unused.
            (6, 0, 0, true), (6, 1, 1, false), (0, 10, 9, true),
        ] as [(Int, Int, Int, Bool)])
    func budgetCoversAllMessages(count: Int, used: Int, byUser: Int, isAllowed: Bool) {
        let budget = Budget(total: 10, perUser: 5)
        #expect(budget.allows(count, .everyday, after: used, byUser: byUser) == isAllowed)
    }

    @Test func drillClimbsTheLadderButIsNoAlarm() {
        #expect(Ladder.climbs(.drill) && !Ladder.isAlarm(.drill))
        #expect(Ladder.start(of: .sms, among: [.webPush, .sms], .drill) == .after(.seconds(30)))
        #expect(Ladder.start(of: .voice, among: [.webPush, .voice], .drill) == .inTurn)
        #expect(BudgetUse(.drill) == .everyday)
    }

    @Test func everyDrillTextSaysDrill() {
        let text = NotificationText.drill(name: "Ada")
        #expect(text.type == .system)
        #expect(text.title.contains("DRILL") && text.body.contains("This is a drill"))
        #expect(text.body.contains("Ada does not need help"))
    }

    @Test func drillAnswersHaveTexts() {
        var drill = DrillRecord(
            id: DrillID(UUID()), startedAt: noon,
            answers: [
                DrillAnswer(
                    personID: UserID(UUID()), name: "Ben", answeredAt: noon.adding(.seconds(12)),
                    channel: .voice),
                DrillAnswer(personID: UserID(UUID()), name: "Cleo"),
            ])
        #expect(drill.words(for: drill.answers[0]) == "by a key in a call, after 12 seconds")
        #expect(drill.words(for: drill.answers[1]) == nil)
        #expect(drill.silence(of: drill.answers[1]) == "not yet")
        #expect(drill.summary == "1 of 2 has answered." && drill.endWords == nil)
        drill.answers[1].answeredAt = noon.adding(.seconds(1))
        #expect(drill.words(for: drill.answers[1]) == "in LifeSignal, after 1 second")
        #expect(drill.summary == "2 of 2 have answered.")
        drill.endedAt = drill.endsAt
        drill.end = .timeIsUp
        #expect(drill.silence(of: drill.answers[1]) == "no answer")
        #expect(drill.endWords == "The drill has ended by itself.")
        #expect(drill.endsAt == noon.adding(.minutes(10)))
    }

    /// Ben has muted drills. He counts once he answers in the app.
    @Test func mutedResponderIsNotCounted() {
        var drill = DrillRecord(
            id: DrillID(UUID()), startedAt: noon,
            answers: [
                DrillAnswer(personID: UserID(UUID()), name: "Ben", isAsked: false),
                DrillAnswer(personID: UserID(UUID()), name: "Cleo"),
            ])
        #expect(drill.summary == "0 of 1 have answered." && !drill.isAnswered)
        #expect(
            drill.silence(of: drill.answers[0])
                == "not asked: they have muted such messages, but not alerts")
        drill.answers[1].answeredAt = noon
        #expect(drill.summary == "1 of 1 has answered." && drill.isAnswered)
        drill.answers[0].answeredAt = noon
        #expect(drill.summary == "2 of 2 have answered." && drill.isAnswered)
        drill.answers = [DrillAnswer(personID: UserID(UUID()), name: "Ben", isAsked: false)]
        #expect(drill.summary == "No responder was asked." && !drill.isAnswered)
    }

    @Test func unknownDrillEndCountsAsOver() throws {
        let text = """
            {"id":"00000000-0000-4000-8000-000000000001","startedAt":"2026-01-01T00:00:00.000Z",
            "endsAt":"2026-01-01T00:10:00.000Z","endedAt":"2026-01-01T00:01:00.000Z",
            "end":"earthquake","answers":[]}
            """
        let drill = try WireJSON.tolerantDecoder().decode(DrillRecord.self, from: Data(text.utf8))
        #expect(!drill.isRunning && drill.endWords == "The drill is over.")
    }
}
