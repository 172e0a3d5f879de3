import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A responder who loses sight of an alert is told of its end. This happens by removal, a block, a
/// role change, or the deletion of the owner's account.
@Suite struct PartingTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        try await server.takeSMS()
    }

    enum Parting: CaseIterable, Sendable {
        case removal, block, roleChange, deletion
    }

    private func part(by parting: Parting) async throws {
        let network = server.network
        switch parting {
        case .removal: try await network.contacts.removeContact(ben.id, by: ada.caller)
        case .block: _ = try await network.blocks.block(ben.id, by: ada.caller)
        case .roleChange:
            let roles = try ContactRoles(isResponder: false, isDependent: true)
            _ = try await network.contacts.changeRoles(of: ben.id, to: roles, by: ada.caller)
        case .deletion: try await server.deleteAccount(ada)
        }
    }

    /// Raises and ends four alerts within ten minutes. The limit then delays the SMS about the last
    /// end.
    private func storm() async throws {
        for _ in 1...4 {
            let alert = try await server.raiseAlert(ada)
            try await server.takeSMS()
            _ = try await server.endAlert(alert, ada)
            try await server.takeSMS()
        }
    }

    /// Sends the due SMS with a budget of 100 messages, `spent` of them used. Returns the titles.
    private func takeSMS(ofHundred spent: Int) async throws -> [String] {
        let budget = Budget(total: 100, perUser: nil)
        let budgets = Budgets(sms: budget, voice: budget)
        return try await server.engine.write(about: .none) { transaction in
            for _ in 0..<spent {
                _ = try transaction.spend(.alertEnd, on: .sms, budgets)
            }
            let due = try transaction.dueDeliveries(
                .sms, priority: 0, at: transaction.now, limit: 100)
            return try transaction.leaseDeliveries(due, lease: .seconds(60), budgets: budgets)
                .taken.map(\.record.notification.title)
        }
    }

    @Test(arguments: Parting.allCases)
    func partingMessageIsChargedAsAnEnd(parting: Parting) async throws {
        _ = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == ["Ada needs help"])
        try await part(by: parting)
        #expect(try await takeSMS(ofHundred: 85).count == 1)
    }

    @Test(arguments: Parting.allCases)
    func partingReplacesAHeldEnd(parting: Parting) async throws {
        try await storm()
        try await part(by: parting)
        let texts = try await server.takeSMS()
        #expect(texts.count == 1 && !texts.contains("Ada ended the alert"), "\(texts)")
        if parting == .deletion { #expect(texts == ["Ada has left LifeSignal"]) }
        server.clock.pass(.minutes(10))
        #expect(try await server.takeSMS() == [])
    }

    @Test(arguments: Parting.allCases)
    func partingReplacesARetriedEnd(parting: Parting) async throws {
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        _ = try await server.endAlert(alert, ada)
        let now = server.clock.now
        try await server.engine.write(about: .none) { transaction in
            for delivery in try transaction.leaseDeliveries(
                channels: [.sms], lease: .seconds(60), limit: 10)
            {
                try transaction.settleDelivery(
                    delivery.record,
                    DeliveryUpdate(
                        .retrying, reason: .timeout, nextTry: now.adding(.minutes(1)), at: now))
            }
        }
        try await part(by: parting)
        #expect(try await server.takeSMS().count == 1)
        server.clock.pass(.minutes(1))
        #expect(try await server.takeSMS() == [])
    }

    /// Ben only reports. Cleo stays, or Ada has only Ben.
    @Test(arguments: [AlertReport.foundSafe, .withThem], [true, false])
    func departingReporterWasNotOnIt(report: AlertReport, hasOthers: Bool) async throws {
        let cleo = try await server.person("Cleo")
        if hasOthers { try await server.connect(cleo, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.responding.report(
            report, on: try alert.typedID, by: ben.caller)
        for person in [ada, cleo] { _ = try await server.news(of: person) }
        server.clock.pass(.seconds(1))
        try await part(by: .removal)
        let toOwner = try await server.alertNews(of: ada)
        #expect(toOwner.map(\.title) == ["Your alert is still on"])
        let next =
            hasOthers ? "LifeSignal is alerting your responders" : "You have no other responders."
        let ended = "What Ben reported no longer counts."
        #expect(toOwner.first?.body.hasPrefix("\(ended) \(next)") == true)
        guard hasOthers else { return }
        let toCleo = try await server.alertNews(of: cleo)
        #expect(toCleo.map(\.title) == ["Ada still needs help"])
        #expect(toCleo.first?.body.hasPrefix(ended) == true)
    }

    /// A responder who has been told of the end gets no second SMS about it.
    @Test(arguments: Parting.allCases)
    func deliveredEndNeedsNoText(parting: Parting) async throws {
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
        try await part(by: parting)
        #expect(try await server.takeSMS() == [])
    }

    /// Cleo has an e-mail address and was asked to be a responder, but hasn't accepted.
    @Test(arguments: Parting.allCases)
    func unacceptedResponderGetsNoMail(parting: Parting) async throws {
        let server = try TestServer(options: { $0.isEmailAvailable = true })
        let (ada, cleo) = (try await server.person("Ada"), try await server.person("Cleo"))
        _ = try await server.network.emailAddresses.setEmailAddress(
            EmailAddress("cleo@example.org"), from: "192.0.2.1", of: cleo.caller)
        let code = try #require(server.environment.emails.last?.code)
        _ = try await server.network.emailAddresses.confirmEmailAddress(code: code, of: cleo.caller)
        try await server.ask(cleo, toWatchOver: ada)
        _ = try await server.raiseAlert(ada)
        let id = cleo.id
        func mails() async throws -> Int {
            try await server.engine.read {
                try $0.count(
                    "SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'email'",
                    [.id(id)])
            }
        }
        let before = try await mails()
        switch parting {
        case .removal: try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        case .block: _ = try await server.network.blocks.block(cleo.id, by: ada.caller)
        case .roleChange:
            try await server.network.contacts.endRequest(.responder, with: cleo.id, by: ada.caller)
        case .deletion: try await server.deleteAccount(ada)
        }
        #expect(try await mails() == before)
        #expect(try await server.network.contacts.contacts(of: cleo.caller).isEmpty)
    }
}
