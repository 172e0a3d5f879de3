import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Ben answers by SMS while Ada and Dan both have an open alert. The newest SMS is about Dan.
@Suite struct TwoAlertsByTextTests {
    private static let budgets = Budgets(
        sms: Budget(total: nil, perUser: 100), voice: .unlimited)

    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let dan: Person
    private let first: AlertRecord
    private let second: AlertRecord

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.budgets = Self.budgets
        })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        dan = try await server.person("Dan")
        for owner in [ada, dan] { try await server.connect(ben, watchesOver: owner) }
        first = try await server.raiseAlert(ada)
        _ = try await server.send(.sms)
        server.clock.pass(.minutes(1))
        second = try await server.raiseAlert(dan)
        _ = try await server.send(.sms)
    }

    private func text(_ text: String, id: String? = nil) async throws -> String {
        try await server.network.textAnswers.receiveText(text, from: ben.number, id: id) ?? ""
    }

    /// Returns the owners whose alert Ben is on.
    private func taken() async throws -> [String] {
        var names: [String] = []
        for (person, alert) in [(ada, first), (dan, second)] {
            let helper = try await server.alert(alert, seenBy: person).acknowledgement
            if helper?.name == "Ben" { names.append(person.name) }
        }
        return names
    }

    @Test func furtherOneTakesTheOtherAlertOn() async throws {
        let reply = try await text("1")
        #expect(reply.contains("Dan is being told. Ada's alert is open, too: 1 = on it"))
        #expect(try await taken() == ["Dan"])
        server.clock.pass(.seconds(11))
        #expect(try await text("1") == TextReply.isYours(name: "Ada").text)
        #expect(try await taken() == ["Ada", "Dan"])
        server.clock.pass(.seconds(11))
        #expect(try await text("1") == TextReply.isYours(name: "Dan").text)
    }

    /// A gateway may deliver an answer twice.
    @Test(arguments: [(Duration.seconds(10), ["Dan"]), (.milliseconds(10_001), ["Ada", "Dan"])])
    func repeatedOneStaysWithItsAlert(pause: Duration, owners: [String]) async throws {
        let reply = try await text("1")
        server.clock.pass(pause)
        let repeated = try await text("1")
        #expect((repeated == reply) == (owners == ["Dan"]))
        #expect(try await taken() == owners)
    }

    @Test(arguments: [
        (TextAnswers.repeatableWithID - .milliseconds(1), ["Dan"]),
        (TextAnswers.repeatableWithID, ["Ada", "Dan"]),
    ])
    func messageDeliveredTwiceAnswersOnce(pause: Duration, owners: [String]) async throws {
        #expect(try await text("1", id: "SM1").contains("Ada's alert is open, too"))
        server.clock.pass(pause)
        #expect(try await text("1", id: "SM1").isEmpty == (owners == ["Dan"]))
        #expect(try await taken() == owners)
    }

    @Test func secondMessageAcknowledgesOtherAlert() async throws {
        _ = try await text("1", id: "SM1")
        server.clock.pass(.seconds(11))
        #expect(try await text("1", id: "SM2") == TextReply.isYours(name: "Ada").text)
        #expect(try await taken() == ["Ada", "Dan"])
    }

    /// A gateway that gives one id to several messages must not lose a changed answer.
    @Test func changedAnswerWithTheSameIDCounts() async throws {
        _ = try await text("1", id: "7")
        server.clock.pass(.seconds(11))
        #expect(try await text("2", id: "7").contains("can't help Ada"))
        #expect(try await taken() == ["Dan"])
    }

    /// Ben hasn't read that Ada's alert is open, too.
    @Test func furtherOneAfterStopStaysWithItsAlert() async throws {
        #expect(try await text("STOP").isEmpty)
        for _ in 0..<2 {
            #expect(try await text("1").isEmpty)
            #expect(try await taken() == ["Dan"])
            server.clock.pass(.seconds(11))
        }
    }

    @Test func stopDeliveredAgainAfterAStartChangesNothing() async throws {
        #expect(try await text("STOP", id: "SM1").isEmpty)
        #expect(try await text("START", id: "SM2") == TextReply.started.text)
        #expect(try await text("STOP", id: "SM1").isEmpty)
        #expect(try await text("START", id: "SM3").isEmpty)
    }

    @Test(arguments: [(Duration.seconds(10), "Dan"), (.milliseconds(10_001), "Ada")])
    func furtherTwoRefusesTheOtherAlert(pause: Duration, name: String) async throws {
        #expect(try await text("2").contains("can't help Dan"))
        server.clock.pass(pause)
        #expect(try await text("2").contains("can't help \(name)"))
        let history = try await server.alert(first, seenBy: ada).history
        #expect(history.map(\.kind) == (name == "Ada" ? [.declined] : []))
    }

    /// Within ten seconds Ben hasn't read the reply, so "2" corrects "1".
    @Test(arguments: [(Duration.seconds(10), "Dan"), (.milliseconds(10_001), "Ada")])
    func twoAfterOneIsAboutTheNamedAlert(pause: Duration, name: String) async throws {
        #expect(try await text("1").contains("Ada's alert is open, too"))
        server.clock.pass(pause)
        #expect(try await text("2").contains("can't help \(name)"))
        #expect(try await taken() == (name == "Ada" ? ["Dan"] : []))
        let history = try await server.alert(first, seenBy: ada).history
        #expect(history.map(\.kind) == (name == "Ada" ? [.declined] : []))
    }

    @Test(arguments: [(Duration.seconds(10), "Dan"), (.milliseconds(10_001), "Ada")])
    func oneAfterTwoIsAboutTheNamedAlert(pause: Duration, name: String) async throws {
        #expect(try await text("2").contains("Ada's alert is open, too"))
        server.clock.pass(pause)
        #expect(try await text("1").contains("\(name) is being told"))
        #expect(try await taken() == [name])
    }

    /// Before Ben answers the reply that names Ada's alert, Cleo acknowledges it, or Ada ends it.
    @Test(arguments: [true, false], ["1", "2"])
    func answerToTheNamedAlertLeavesTheOther(isEnded: Bool, answer: String) async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        #expect(try await text(answer).contains("Ada's alert is open, too"))
        if isEnded {
            _ = try await server.endAlert(first, ada)
        } else {
            _ = try await server.acknowledge(first, cleo)
        }
        server.clock.pass(.seconds(11))
        let reply = try await text(answer == "1" ? "2" : "1")
        if isEnded {
            #expect(reply == TextReply.changedNothing(hasEnded: true, next: "Dan").text)
        } else if answer == "1" {
            #expect(reply.contains("can't help Ada"))
        } else {
            #expect(reply == TextReply.isTaken(responder: "Cleo", name: "Ada").text)
        }
        #expect(try await taken() == (answer == "1" ? ["Dan"] : []))
        guard isEnded else { return }
        // The reply has named Dan's alert, so the same answer again is about that.
        server.clock.pass(.seconds(11))
        let named = answer == "1" ? "can't help Dan" : "Dan is being told"
        #expect(try await text(answer == "1" ? "2" : "1").contains(named))
        #expect(try await taken() == (answer == "1" ? [] : ["Dan"]))
    }

    /// Within ten seconds Ben hasn't read that Dan's alert is open.
    @Test func repeatOfAnAnswerToAnEndedAlertChangesNothing() async throws {
        #expect(try await text("1").contains("Ada's alert is open, too"))
        _ = try await server.endAlert(first, ada)
        server.clock.pass(.seconds(11))
        #expect(try await text("2").contains("has ended"))
        server.clock.pass(.seconds(10))
        let reply = TextReply.changedNothing(hasEnded: false, next: "Dan").text
        #expect(try await text("2") == reply)
        #expect(try await taken() == ["Dan"])
        server.clock.pass(.milliseconds(1))
        #expect(try await text("2").contains("can't help Dan"))
    }

    @Test func answerToAnEndedAlertConfirmsNoDrill() async throws {
        let eve = try await server.person("Eve")
        try await server.connect(ben, watchesOver: eve)
        let drills = server.network.drills
        _ = try await drills.startDrill(server.environment.id(), by: eve.caller)
        _ = try await server.send(.sms)
        server.clock.pass(.seconds(1))
        #expect(try await text("1").contains("Ada's alert is open, too"))
        _ = try await server.endAlert(first, ada)
        server.clock.pass(.seconds(11))
        let reply = TextReply.changedNothing(hasEnded: true, next: "Dan").textNotAboutDrill
        #expect(try await text("1") == reply)
        let drill = try #require(try await drills.drills(of: eve.caller).own)
        #expect(drill.answers.allSatisfy { $0.answeredAt == nil })
    }

    /// Ben is on Eve's alert. Cleo takes Dan's on before Ben's second "1", and the reply to that
    /// names Ada's.
    @Test(arguments: ["1", "2"])
    func quickAnswerAfterATakenAlertLeavesTheOthers(answer: String) async throws {
        let cleo = try await server.person("Cleo")
        let eve = try await server.person("Eve")
        try await server.connect(ben, watchesOver: eve)
        server.clock.pass(.seconds(1))
        let third = try await server.raiseAlert(eve)
        _ = try await server.send(.sms)
        #expect(try await text("1").contains("Eve is being told. Dan's alert is open, too"))
        try await server.connect(cleo, watchesOver: dan)
        _ = try await server.acknowledge(second, cleo)
        server.clock.pass(.seconds(11))
        #expect(
            try await text("1")
                == TextReply.isTaken(responder: "Cleo", name: "Dan", next: "Ada").text)
        server.clock.pass(.seconds(4))
        let reply = TextReply.changedNothing(hasEnded: false, next: "Ada").text
        #expect(try await text(answer) == reply)
        #expect(try await server.alert(third, seenBy: eve).acknowledgement?.name == "Ben")
        #expect(try await taken() == [])
        // Ben has read the reply to the second "1" by then.
        server.clock.pass(.milliseconds(6_001))
        let named = answer == "1" ? "Ada is being told" : "can't help Ada"
        #expect(try await text(answer).contains(named))
    }

    @Test(arguments: [
        (TextAnswers.answersEndedAlert - .milliseconds(1), ["Dan"]),
        (TextAnswers.answersEndedAlert, [] as [String]),
    ])
    func endOfTheNamedAlertHoldsForTenMinutes(pause: Duration, owners: [String]) async throws {
        #expect(try await text("1").contains("Ada's alert is open, too"))
        _ = try await server.endAlert(first, ada)
        server.clock.pass(pause)
        #expect(try await text("2").contains("can't help Dan") == owners.isEmpty)
        #expect(try await taken() == owners)
    }

    /// Ben has read that Ada's alert has ended.
    @Test func answerAfterTheSMSOfAnEndIsAboutTheOther() async throws {
        #expect(try await text("1").contains("Ada's alert is open, too"))
        server.clock.pass(.seconds(1))
        _ = try await server.endAlert(first, ada)
        #expect(try await server.send(.sms).contains("Ben"))
        server.clock.pass(.seconds(11))
        #expect(try await text("2").contains("can't help Dan"))
        #expect(try await taken() == [])
    }

    /// The last answer, which the other one corrects, isn't always the first one.
    @Test(arguments: [
        (["2", "+11", "2", "+4", "1"], ["Ada"]),
        (["1", "+11", "2", "+4", "1"], ["Ada", "Dan"]),
        (["1", "+5", "2", "+7", "1"], ["Dan"]),
    ])
    func otherAnswerCorrectsTheLastOne(steps: [String], owners: [String]) async throws {
        var reply = ""
        for step in steps {
            if step.hasPrefix("+"), let seconds = Int(step.dropFirst()) {
                server.clock.pass(.seconds(seconds))
            } else {
                reply = try await text(step)
            }
        }
        #expect(reply.contains("\(owners[0]) is being told"))
        #expect(try await taken() == owners)
    }

    /// Each "2" takes back the newest of the answers by SMS.
    @Test func twoTakesBackTheAlertTakenOnLast() async throws {
        for name in ["Dan", "Ada"] {
            #expect(try await text("1").contains("\(name) is being told"))
            server.clock.pass(.seconds(11))
        }
        for (name, rest) in [("Ada", ["Dan"]), ("Dan", [])] {
            #expect(try await text("2").contains("can't help \(name)"))
            #expect(try await taken() == rest)
            server.clock.pass(.seconds(11))
        }
    }

    /// The SMS about Dan's next round left after "I'm on it" for Ada.
    @Test func twoIsAboutANewerSMSThanTheAnswers() async throws {
        _ = try await text("1")
        server.clock.pass(.seconds(11))
        _ = try await text("1")
        _ = try await server.engine.write(about: .none) { [ben, dan] in
            try $0.execute(
                """
                UPDATE deliveries SET sent_at = $1 WHERE user_id = $2 AND channel = 'sms'
                    AND alert_user_id = $3
                """, [.date($0.now.adding(.seconds(1))), .id(ben.id), .id(dan.id)])
        }
        server.clock.pass(.seconds(11))
        #expect(try await text("2").contains("can't help Dan"))
        #expect(try await taken() == ["Ada"])
    }

    /// Ben has said "I can't" to Ada, so a further "1" isn't about her alert.
    @Test func furtherOneLeavesARefusedAlert() async throws {
        _ = try await server.network.responding.declineAlert(try first.typedID, by: ben.caller)
        server.clock.pass(.seconds(1))
        #expect(try await text("1") == TextReply.isYours(name: "Dan").text)
        server.clock.pass(.seconds(11))
        #expect(try await text("1") == TextReply.isYours(name: "Dan").text)
        #expect(try await taken() == ["Dan"])
    }

    /// The repeat of Dan's alert asks Ben again, so his second "2" is about that.
    @Test func answerToANewerSMSStaysWithIt() async throws {
        #expect(try await text("2").contains("Ada's alert is open, too"))
        for minutes in [4, 1] {
            try await server.pass(.minutes(minutes))
            _ = try await server.send(.sms)
        }
        server.clock.pass(.seconds(1))
        #expect(try await text("2").contains("can't help Dan"))
        #expect(try await server.alert(first, seenBy: ada).history.isEmpty)
    }

    /// Cleo's SMS arrives between two deliveries of the same answer.
    @Test(arguments: ["1", "2"])
    func repeatStaysWithItsAlertAfterANewerSMS(answer: String) async throws {
        _ = try await text(answer)
        let cleo = try await server.person("Cleo")
        try await server.connect(ben, watchesOver: cleo)
        let third = try await server.raiseAlert(cleo)
        _ = try await server.send(.sms)
        server.clock.pass(.seconds(3))
        #expect(try await text(answer).contains("Dan"))
        #expect(try await server.alert(third, seenBy: cleo).history.isEmpty)
    }

    /// Cleo's alert opened before the reply, and its SMS left after it.
    @Test func newerSMSComesBeforeTheOffer() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(ben, watchesOver: cleo)
        server.clock.pass(.seconds(1))
        _ = try await server.raiseAlert(cleo)
        server.clock.pass(.seconds(10))
        #expect(try await text("1").contains("Ada's alert is open, too"))
        server.clock.pass(.milliseconds(1))
        _ = try await server.send(.sms)
        server.clock.pass(.seconds(15))
        #expect(try await text("1").contains("Cleo is being told"))
    }

    /// Without the reply, Ben hasn't read that a further "1" is about Ada.
    @Test func withheldReplyOffersNoAlert() async throws {
        try await server.engine.write(about: Subjects([ben.id])) { [ben] transaction in
            while try transaction.spend(.alertNews, on: .sms, by: ben.id, Self.budgets) {}
        }
        #expect(try await text("1") == "")
        server.clock.pass(.minutes(1))
        #expect(try await text("1") == "")
        #expect(try await taken() == ["Dan"])
    }

    /// Ben reads of each stored offer, also if the database then fails.
    @Test func nothingIsReadAfterTheOffer() async throws {
        let database = OfferedDatabase(engine: server.engine, person: ben.id)
        let answers = try server.another(on: database).textAnswers
        let reply = try await answers.receiveText("1", from: ben.number)
        #expect(reply?.contains("Ada's alert is open, too") == true)
        await #expect(throws: (any Error).self) {
            try await answers.receiveText("1", from: ben.number)
        }
    }

    @Test func takenAlertOffersTheOther() async throws {
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: dan)
        _ = try await server.acknowledge(second, cleo)
        server.clock.pass(.seconds(1))
        #expect(
            try await text("1")
                == TextReply.isTaken(responder: "Cleo", name: "Dan", next: "Ada").text)
        server.clock.pass(.seconds(11))
        #expect(try await text("1") == TextReply.isYours(name: "Ada").text)
    }

    /// A further "2" doesn't withdraw "I'm on it" for the other alert.
    @Test func furtherTwoLeavesAnAlertInHand() async throws {
        _ = try await server.acknowledge(first, ben)
        server.clock.pass(.seconds(1))
        #expect(try await !text("2").contains("Ada"))
        server.clock.pass(.seconds(11))
        #expect(try await text("2").contains("can't help Dan"))
        #expect(try await taken() == ["Ada"])
    }
}

/// A database whose reads fail once the person has been offered another alert.
private struct OfferedDatabase: WrappingDatabase {
    let engine: any DatabaseEngine
    let person: UserID

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let isOffered = try await engine.read { [person] in
            try $0.newestRequest(RequestKeyRow.offerForEither, of: person) != nil
        }
        guard !isOffered else { throw DatabaseError.closed }
        return try await engine.read(body)
    }
}
