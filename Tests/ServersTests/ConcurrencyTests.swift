import Domain
import Foundation
import Persistence
import SeededGenerator
import TestDatabase
import Testing

@Suite(
    "Several servers", .enabled(if: TestDatabase.isPostgreSQL), .serialized,
    .timeLimit(.minutes(10)))
struct ConcurrencyTests {
    private static let people = 7
    private static let rounds = 25
    private static let commandsAtOnce = 18
    private static let leaps: [Duration] = [
        .zero, .milliseconds(5), .seconds(1), .seconds(30), .minutes(6), .minutes(31), .minutes(70),
    ]

    @Test(
        "Nothing is lost, doubled or contradicted",
        arguments: [(servers: 2, seed: 1), (3, 2), (3, 3)])
    func commands(servers: Int, seed: Int) async throws {
        let group = try ServerGroup(servers: servers)
        let answers = AnswerLog()
        var people: [ServerGroup.Person] = []
        for index in 0..<Self.people { people.append(try await group.person(index)) }
        for (one, other) in Self.pairs { try await group.connect(people[one], people[other]) }
        for person in people { try await shortenInterval(of: person, group) }

        var generator = SeededGenerator(seed: seed)
        var living = Array(people.indices)
        for round in 0..<Self.rounds {
            group.clock.pass(Self.leaps.randomElement(using: &generator) ?? .zero)
            var commands = (0..<Self.commandsAtOnce).map { _ in
                RandomCommand(&generator, people: living, servers: servers)
            }
            if round % 8 == 7 {
                commands.append(
                    RandomCommand(
                        &generator, deleting: living.removeLast(), on: round % servers))
            }
            await run(commands, group, people, answers)
            if round % 3 == 2 { try await group.settle() }
        }
        try await group.settle()
        try await check(group, answers)
        try group.close()
    }

    private static var pairs: [(Int, Int)] {
        (0..<people).flatMap { one in (0..<one).map { (one, $0) } }
    }

    private func shortenInterval(of person: ServerGroup.Person, _ group: ServerGroup) async throws {
        let settings = CheckInSettings(
            intervalSeconds: 3_600, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        _ = try await group.servers[0].network.checkIns.updateSettings(settings, of: person.caller)
    }

    /// Runs all commands at the same time, along with all deadline monitors and delivery workers.
    private func run(
        _ commands: [RandomCommand], _ group: ServerGroup, _ people: [ServerGroup.Person],
        _ answers: AnswerLog
    ) async {
        await withTaskGroup(of: Void.self) { tasks in
            for command in commands {
                tasks.addTask { await command.run(in: group, people, answers) }
            }
            for server in group.servers {
                tasks.addTask {
                    do {
                        _ = try await server.monitor.handleDueDeadlines()
                    } catch { answers.note { $0.failures.append("monitor: \(error)") } }
                }
                tasks.addTask {
                    do {
                        _ = try await server.worker.work()
                    } catch { answers.note { $0.failures.append("worker: \(error)") } }
                    await server.tries.finish()
                }
            }
        }
    }

    private func check(_ group: ServerGroup, _ answers: AnswerLog) async throws {
        let book = answers.book
        #expect(book.failures == [])
        let now = group.clock.now()
        let engine = group.servers[0].engine
        for law in Law.allCases {
            let breaches = try await engine.read { try law.breaches(in: $0, at: now) }
            #expect(breaches == 0, "\(law.rawValue)")
        }
        try await engine.read { try checkAnswers(book, $0) }
        try await engine.read { try checkAcknowledgements($0) }
        try await engine.read { try checkResponders($0) }
        checkMessages(group.outside.sent)
    }

    /// Checks that each answered command has stored its row.
    private func checkAnswers(_ book: AnswerLog.Book, _ connection: any SQLConnection) throws {
        #expect(book.checkIns.count > 20)
        for (user, record) in book.checkIns where !book.deleted.contains(user) {
            #expect(try connection.checkIn(record.id, of: user) == record)
            let last = try #require(try connection.schedule(of: user)?.lastCheckIn)
            #expect(last >= record.occurredAt)
        }
        for (user, record) in book.raised where !book.deleted.contains(user) {
            let id = try #require(AlertID(record.id))
            #expect(try connection.alert(id, of: user)?.startedAt == record.startTime)
        }
        for (user, record) in book.ended where !book.deleted.contains(user) {
            let id = try #require(AlertID(record.id))
            #expect(try connection.alert(id, of: user)?.endedAt == record.endTime)
        }
        let both = { (ping: PingRecord) in
            !book.deleted.contains(ping.responderID) && !book.deleted.contains(ping.dependentID)
        }
        for ping in book.pings where both(ping) {
            #expect(try connection.ping(ping.id, from: ping.responderID) != nil)
        }
        for ping in book.answeredPings where both(ping) {
            #expect(try connection.ping(ping.id, from: ping.responderID) == ping)
        }
        try checkJourneys(book, connection)
        #expect(!book.deleted.isEmpty)
        for user in book.deleted { #expect(try connection.user(user) == nil) }
    }

    /// Checks that an arrival is final, and that the return chosen last counts, in whatever order
    /// the servers took the presses.
    private func checkJourneys(_ book: AnswerLog.Book, _ connection: any SQLConnection) throws {
        #expect(book.journeys.count > 3)
        for (id, answered) in book.journeys where !book.deleted.contains(answered.user) {
            guard let journey = try connection.journey(of: answered.user), journey.id == id else {
                #expect(answered.hasArrived, "a running journey was replaced")
                continue
            }
            #expect(journey.isRunning == !answered.hasArrived)
            guard journey.isRunning else { continue }
            let last = answered.returns.max { $0.chosenAt < $1.chosenAt }
            #expect(journey.expectedReturn == last?.expected)
        }
    }

    /// Checks that at most one responder at a time is on an alert, and that only this responder
    /// withdraws.
    private func checkAcknowledgements(_ connection: any SQLConnection) throws {
        var present: [AlertID: UserID] = [:]
        let actions =
            try connection.query(
                "SELECT alert_id, responder_id, kind FROM alert_actions ORDER BY happened_at", []
            ) { (try $0["alert_id"] as AlertID, try $0["responder_id"] as UserID, try $0["kind"]) }
            as [(AlertID, UserID, String)]
        for (alert, responder, kind) in actions {
            switch kind {
            case "acknowledged":
                #expect(present[alert] == nil, "two are on it")
                present[alert] = responder
            case "withdrew", "lapsed", "lostRole":
                #expect(present[alert] == responder, "\(kind) by another")
                present[alert] = nil
            default: break
            }
        }
    }

    /// Checks that everyone who was a responder when the alert opened was notified.
    private func checkResponders(_ connection: any SQLConnection) throws {
        let alerts = try connection.query(
            "SELECT user_id, id, started_at FROM alerts", []
        ) { (try $0["user_id"] as UserID, try $0["id"] as AlertID, try $0["started_at"] as Date) }
        for (owner, id, start) in alerts {
            let alert = try #require(try connection.alert(id, of: owner))
            let notified = try connection.notifiedUsers(of: alert)
            for responder in try connection.responders(of: owner) {
                guard
                    case .inForce(let since)? = try connection.contact(responder.id, of: owner)?
                        .relation.responder, since < start
                else { continue }
                #expect(notified.contains(responder.id), "a responder was not told")
            }
        }
    }

    private static let ends = [
        "is fine", "ended", "checked in", "has arrived", "comes back later",
        "comes back earlier",
    ]
    private static let beginnings = ["needs help", "missed", "not back"]

    /// Checks that each delivery is sent once. "Needs help" must never follow "is fine" for the
    /// same alert, recipient and channel.
    private func checkMessages(_ sent: [SentMessage]) {
        #expect(sent.count > 50)
        #expect(Set(sent.map(\.delivery)).count == sent.count, "a delivery left twice")
        struct Place: Hashable {
            var recipient: UserID
            var channel: DeliveryChannel
            var alert: AlertID
        }
        var over: Set<Place> = []
        for message in sent {
            guard let alert = message.notification.alertID else { continue }
            let place = Place(
                recipient: message.recipient, channel: message.channel, alert: alert)
            let title = message.notification.title
            if Self.ends.contains(where: { title.contains($0) }) {
                over.insert(place)
            } else if Self.beginnings.contains(where: { title.contains($0) }) {
                #expect(!over.contains(place), "\(title) came after the end")
            }
        }
    }
}
