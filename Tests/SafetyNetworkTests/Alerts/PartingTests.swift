import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A person who is removed or blocked, or whose contact leaves, hears of the end by that message.
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

    /// The ways in which an alert ends for Ben alone, or with the account.
    enum Parting: CaseIterable, Sendable {
        case removal, block, roleChange, deletion
    }

    private func part(by parting: Parting) async throws {
        let network = server.network
        switch parting {
        case .removal: try await network.removeContact(ben.id, by: ada.caller)
        case .block: _ = try await network.block(ben.id, by: ada.caller)
        case .roleChange:
            let roles = try ContactRoles(isResponder: false, isDependent: true)
            _ = try await network.changeRoles(of: ben.id, to: roles, by: ada.caller)
        case .deletion: try await network.deleteAccount(of: ada.caller)
        }
    }

    /// The fourth alert within ten minutes: the text of its end is held back.
    private func storm() async throws {
        for _ in 1...4 {
            let alert = try await server.raiseAlert(ada)
            try await server.takeSMS()
            _ = try await server.endAlert(alert, ada)
            try await server.takeSMS()
        }
    }

    /// Of SMS that are due, those that a budget allows of which so much is spent.
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
    func aPartingThatEndsAnAlertIsPaidAsAnEnd(parting: Parting) async throws {
        _ = try await server.raiseAlert(ada)
        #expect(try await server.takeSMS() == ["Ada needs help"])
        try await part(by: parting)
        #expect(try await takeSMS(ofHundred: 85).count == 1)
    }

    @Test(arguments: Parting.allCases)
    func anEndThatIsHeldBackIsToldByTheParting(parting: Parting) async throws {
        try await storm()
        try await part(by: parting)
        let texts = try await server.takeSMS()
        #expect(texts.count == 1 && !texts.contains("Ada ended the alert"), "\(texts)")
        if parting == .deletion { #expect(texts == ["Ada has left LifeSignal"]) }
        server.clock.pass(.minutes(10))
        #expect(try await server.takeSMS() == [])
    }

    @Test(arguments: Parting.allCases)
    func soIsOneThatIsTriedAgain(parting: Parting) async throws {
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

    /// The other side of the boundary: whoever has heard of the end gets no text.
    @Test(arguments: Parting.allCases)
    func anEndThatHasArrivedNeedsNoText(parting: Parting) async throws {
        let alert = try await server.raiseAlert(ada)
        try await server.takeSMS()
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.takeSMS() == ["Ada ended the alert"])
        try await part(by: parting)
        #expect(try await server.takeSMS() == [])
    }
}
