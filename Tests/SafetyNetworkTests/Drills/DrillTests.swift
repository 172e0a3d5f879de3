import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A drill uses every step of the `Ladder` without an alert.
@Suite struct DrillTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.armed("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for person in [ben, cleo] {
            try await server.connect(person, watchesOver: ada)
            let url = try #require(URL(string: "https://example.org/\(person.id)"))
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: url, of: person.caller)
            server.clock.pass(.seconds(1))
        }
        try await server.send(.sms)
        try await server.send(.webhook)
    }

    private func start() async throws -> DrillRecord {
        try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
    }

    private func own() async throws -> DrillRecord {
        try #require(try await server.network.drills.drills(of: ada.caller).own)
    }

    private func answer(
        _ drill: DrillRecord, _ person: Person, by channel: DeliveryChannel = .stream
    ) async throws -> DrillQuestion {
        try await server.network.drills.answerDrill(drill.id, by: channel, of: person.caller)
    }

    private func reason(_ work: () async throws -> DrillRecord) async -> InvalidInputReason? {
        guard case .invalidArgument(_, _, let reason) = await refusal(work) else { return nil }
        return reason
    }

    @Test func drillClimbsLikeAnAlarm() async throws {
        let drill = try await start()
        #expect(drill.answers.map(\.name) == ["Ben", "Cleo"] && drill.isRunning)
        #expect(try await server.send(.webhook).sorted() == ["Ben", "Cleo"])
        try await server.pass(.milliseconds(29_999))
        #expect(try await server.send(.sms) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.send(.sms).sorted() == ["Ben", "Cleo"])
        try await server.pass(.milliseconds(59_999))
        #expect(try await server.send(.voice) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.send(.voice).sorted() == ["Ben", "Cleo"])
    }

    @Test func drillOpensNoAlert() async throws {
        _ = try await start()
        #expect(try await server.alerts(ada).isEmpty)
        #expect(try await server.alerts(ben).isEmpty)
        #expect(try await server.profile(ada).status == .active)
        let told = try await server.newsItems(of: ben)
        let item = try #require(told.first { $0.title.contains("DRILL") })
        #expect(item.type == .system && item.alertID == nil && item.aboutUserID == ada.id)
        #expect(try await server.events(of: ben).allSatisfy { $0.kind != .alert })
    }

    @Test func answerStopsTheStepsAndIsRecorded() async throws {
        let drill = try await start()
        try await server.pass(.seconds(12))
        let answered = try await answer(drill, ben, by: .webPush)
        #expect(answered.answeredAt == server.clock.now)
        try await server.pass(.seconds(18))
        #expect(try await server.send(.sms) == ["Cleo"])
        #expect(try await server.reason(.sms, ben) == "answered")
        let own = try await own()
        #expect(own.words(for: own.answers[0])?.hasSuffix("after 12 seconds") == true)
        #expect(own.answers[0].channel == .webPush && own.answers[1].answeredAt == nil)
        // Ben has answered, so all calls are withdrawn.
        try await server.pass(.minutes(2))
        #expect(try await server.send(.voice) == [])
        // A repeated answer changes nothing.
        #expect(try await answer(drill, ben, by: .stream).answeredAt == answered.answeredAt)
        #expect(try await self.own().answers[0].channel == .webPush)
    }

    @Test func drillEndsWhenEveryoneHasAnswered() async throws {
        let drill = try await start()
        _ = try await answer(drill, ben)
        #expect(try await own().isRunning)
        _ = try await answer(drill, cleo)
        #expect(try await own().end == .everyoneAnswered)
        #expect(try await server.network.drills.drills(of: ben.caller).asked.isEmpty)
    }

    @Test func drillTimesOutAndRecordsSilence() async throws {
        let drill = try await start()
        try await server.pass(DrillRules.length - .milliseconds(1))
        #expect(try await own().isRunning)
        try await server.pass(.milliseconds(1))
        let own = try await own()
        #expect(own.end == .timeIsUp && own.answers.allSatisfy { $0.answeredAt == nil })
        #expect(try await server.send(.sms) == [])
        #expect(try await server.send(.webhook) == [])
        #expect(try await answer(drill, ben).answeredAt == nil)
    }

    @Test func ownerStopsTheDrill() async throws {
        let drill = try await start()
        #expect(
            await refusal { try await server.network.drills.stopDrill(drill.id, by: ben.caller) }
                == CommandError.noSuchDrill)
        let stopped = try await server.network.drills.stopDrill(drill.id, by: ada.caller)
        #expect(stopped.end == .stopped)
        try await server.pass(.minutes(3))
        #expect(try await server.send(.sms) == [])
        #expect(try await server.send(.voice) == [])
        #expect(
            try await server.network.drills.stopDrill(drill.id, by: ada.caller).endedAt
                == stopped.endedAt)
    }

    @Test func anotherIDStopsNoDrill() async throws {
        let drill = try await start()
        let error = await refusal {
            try await server.network.drills.stopDrill(server.environment.id(), by: ada.caller)
        }
        #expect(error == CommandError.noSuchDrill)
        #expect(try await own() == drill)
    }

    @Test func deletedOwnersDrillAsksNoOne() async throws {
        _ = try await start()
        try await server.deleteAccount(ada)
        #expect(try await server.network.drills.drills(of: ben.caller).asked.isEmpty)
        try await server.pass(.seconds(30))
        #expect(try await server.send(.sms) == [])
        try await server.pass(.minutes(2))
        #expect(try await server.send(.voice) == [])
    }

    @Test func realAlertEndsTheDrill() async throws {
        _ = try await start()
        _ = try await server.raiseAlert(ada)
        #expect(try await own().end == .alert)
        try await server.pass(.seconds(30))
        #expect(try await server.send(.sms).sorted() == ["Ben", "Cleo"])
        #expect(await reason { try await start() } == .alertOpen)
    }

    /// Ben reads of the alert while it is open and he is told of it.
    @Test func lateAnswerNamesTheRealAlert() async throws {
        let drill = try await start()
        let alert = try await server.raiseAlert(ada)
        #expect(try await answer(drill, ben).isEndedByAlert == true)
        let overview = try await server.network.drills.drills(of: ben.caller)
        #expect(overview.asked.isEmpty && overview.ended?.map(\.id) == [drill.id])
        #expect(overview.ended?.first?.alertWords == "A real alert ended the drill by Ada.")
        _ = try await server.endAlert(alert, ada)
        #expect(try await answer(drill, ben).isEndedByAlert == nil)
        #expect(try await server.network.drills.drills(of: ben.caller).ended == nil)
    }

    /// Ada has stopped the drill before the alert.
    @Test func stoppedDrillNamesNoAlert() async throws {
        let drill = try await start()
        _ = try await server.network.drills.stopDrill(drill.id, by: ada.caller)
        _ = try await server.raiseAlert(ada)
        #expect(try await answer(drill, ben).isEndedByAlert == nil)
        #expect(try await server.network.drills.drills(of: ben.caller).ended == nil)
    }

    @Test func missedDeadlineEndsTheDrill() async throws {
        try await server.pass(.hours(24) - .minutes(1))
        _ = try await start()
        try await server.pass(.minutes(1))
        #expect(try await own().end == .alert)
    }

    @Test func secondDrillOfADayIsRefused() async throws {
        let drill = try await start()
        #expect(try await server.network.drills.startDrill(drill.id, by: ada.caller) == drill)
        _ = try await server.network.drills.stopDrill(drill.id, by: ada.caller)
        #expect(await reason { try await start() } == .drillToday)
        try await server.pass(.hours(23))
        try await server.checkIn(ada)
        try await server.pass(.hours(1) - .milliseconds(1))
        #expect(await reason { try await start() } == .drillToday)
        try await server.pass(.milliseconds(1))
        let next = try await start()
        #expect(try await own().id == next.id && next.answers.count == 2)
        #expect(
            await refusal { try await answer(drill, ben) } == CommandError.noSuchDrill)
    }

    @Test func drillAsksOnlyAcceptedResponders() async throws {
        let dora = try await server.person("Dora")
        try await server.ask(dora, toWatchOver: ada)
        #expect(try await start().answers.map(\.name) == ["Ben", "Cleo"])
        #expect(
            await reason {
                try await server.network.drills.startDrill(
                    server.environment.id(), by: ben.caller)
            } == .noResponders)
        #expect(try await server.network.drills.drills(of: dora.caller).asked.isEmpty)
    }

    @Test func strangerCannotAnswerADrill() async throws {
        let drill = try await start()
        let eve = try await server.person("Eve")
        #expect(await refusal { try await answer(drill, eve) } == CommandError.noSuchDrill)
        #expect(await refusal { try await answer(drill, ada) } == CommandError.noSuchDrill)
    }

    @Test func anotherDrillsIDIsRefused() async throws {
        let drill = try await start()
        try await server.connect(cleo, watchesOver: ben)
        let refused = await refusal {
            try await server.network.drills.startDrill(drill.id, by: ben.caller)
        }
        #expect(refused == CommandError.alreadyExists("This id belongs to another drill."))
        #expect(try await answer(drill, cleo).ownerID == ada.id)
        #expect(try await own().answers.map { $0.answeredAt != nil } == [false, true])
        // No other drill asks Eve, so the id names one question for her.
        let dora = try await server.person("Dora")
        let eve = try await server.person("Eve")
        try await server.connect(eve, watchesOver: dora)
        let other = try await server.network.drills.startDrill(drill.id, by: dora.caller)
        #expect(other.answers.map(\.name) == ["Eve"])
    }

    @Test func mutedResponderGetsNoDrill() async throws {
        try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.system]), of: ben.caller)
        let drill = try await start()
        #expect(drill.answers.map(\.isAsked) == [false, nil])
        #expect(try await server.send(.webhook) == ["Cleo"])
        try await server.pass(.seconds(30))
        #expect(try await server.send(.sms) == ["Cleo"])
        // A responder who has muted drills may still answer in the app.
        #expect(try await answer(drill, ben).answeredAt != nil)
        #expect(try await own().isRunning)
    }

    @Test func drillEndsWithoutTheMutedResponder() async throws {
        try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.system]), of: ben.caller)
        let drill = try await start()
        _ = try await answer(drill, cleo)
        let ended = try await own()
        #expect(ended.end == .everyoneAnswered && ended.summary == "1 of 1 has answered.")
    }

    @Test func drillOfMutedRespondersEndsInTime() async throws {
        for person in [ben, cleo] {
            try await server.network.notifications.setPreferences(
                NotificationPreferences(muted: [.system]), of: person.caller)
        }
        _ = try await start()
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        let running = try await own()
        #expect(running.isRunning && running.summary == "No responder was asked.")
        try await server.pass(DrillRules.length)
        #expect(try await own().end == .timeIsUp)
    }

    @Test func leavingResponderIsAskedNothingMore() async throws {
        let drill = try await start()
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(try await own().answers.map(\.name) == ["Cleo"])
        try await server.pass(.seconds(30))
        #expect(try await server.send(.sms) == ["Cleo"])
        #expect(await refusal { try await answer(drill, ben) } == CommandError.noSuchDrill)
    }

    @Test(arguments: [true, false])
    func drillEndsWhenTheLastAwaitedResponderLeaves(deletesAccount: Bool) async throws {
        let drill = try await start()
        _ = try await answer(drill, cleo)
        server.clock.pass(.seconds(10))
        #expect(try await own().isRunning)
        if deletesAccount {
            try await server.deleteAccount(ben)
        } else {
            try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        }
        let ended = try await own()
        #expect(ended.end == .everyoneAnswered && ended.endedAt == server.clock.now)
        #expect(ended.answers.map(\.name) == ["Cleo"])
    }

    @Test func drillEndsWhenNoResponderIsLeft() async throws {
        _ = try await start()
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(try await own().isRunning)
        try await server.network.contacts.removeContact(ada.id, by: cleo.caller)
        let ended = try await own()
        #expect(ended.end == .timeIsUp && ended.answers.isEmpty)
    }

    @Test func openingTheMessageIsNoAnswer() async throws {
        _ = try await start()
        let item = try #require(
            try await server.network.notifications.notifications(of: ben.caller, page: Page())
                .first { $0.title.contains("DRILL") })
        try await server.network.notifications.markRead(item.id, of: ben.caller)
        try await server.pass(.seconds(30))
        #expect(try await server.send(.sms) == ["Cleo"])
        #expect(try await own().answers.allSatisfy { $0.answeredAt == nil })
    }

    @Test func callKeyIsAnAnswerAndAProof() async throws {
        _ = try await start()
        try await server.pass(.seconds(90))
        try await server.send(.voice)
        for isFirst in [true, false] {
            let isNew = try await server.network.climbing.endCall(
                try await server.delivery(.voice, cleo), to: cleo.id, .unanswered())
            #expect(isNew == isFirst)
        }
        try await server.network.climbing.endCall(
            try await server.delivery(.voice, ben), to: ben.id, .takesOn)
        let own = try await own()
        #expect(own.answers.map(\.channel) == [.voice, nil])
        let reachability = try await server.contact(ben, seenBy: ada)?.reachability
        #expect(reachability?.state == .proven && reachability?.channel == .voice)
        #expect(try await server.alerts(ada).isEmpty)
    }

    @Test func drillIsDeletedAfterAMonth() async throws {
        _ = try await start()
        try await server.pass(.minutes(10))
        for (days, left) in [(29, 1), (30, 0)] {
            let now = noon.adding(.days(days)).adding(.seconds(2))
            server.clock.set(now)
            let gone = try await server.engine.write(about: .none) { transaction in
                try transaction.cleanUp(.drills, limit: 10)
                    + transaction.cleanUp(.drillAnswers, limit: 10)
            }
            #expect(gone == (left == 1 ? 0 : 5))
        }
    }
}
