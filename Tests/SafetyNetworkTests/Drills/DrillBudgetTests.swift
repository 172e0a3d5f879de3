import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The budgets of the day may not cover a drill.
@Suite struct DrillBudgetTests {
    private func scene(
        _ budgets: Budgets
    ) async throws -> (server: TestServer, ada: Person) {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
            $0.budgets = budgets
        })
        let ada = try await server.person("Ada")
        for name in ["Ben", "Cleo"] {
            try await server.connect(try await server.person(name), watchesOver: ada)
        }
        return (server, ada)
    }

    private func reason(_ server: TestServer, _ ada: Person) async -> InvalidInputReason? {
        await refusal {
            try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
        }?.reason
    }

    /// Everyday messages may use 8 of 10, and 4 of a user's 5. Two responders are asked.
    @Test(arguments: [
        (DeliveryChannel.sms, 2, false), (.sms, 3, true), (.voice, 2, false), (.voice, 3, true),
    ])
    func drillBeyondTheShareIsRefused(
        channel: DeliveryChannel, used: Int, isRefused: Bool
    ) async throws {
        let budget = Budget(total: 100, perUser: 5)
        let budgets = Budgets(sms: budget, voice: budget)
        let (server, ada) = try await scene(budgets)
        try await server.engine.write(about: .none) { transaction in
            for _ in 0..<used {
                _ = try transaction.spend(.alertBegin, on: channel, by: ada.id, budgets)
            }
        }
        #expect(await reason(server, ada) == (isRefused ? .drillOverBudget : nil))
        // The refused drill isn't that of the day.
        server.clock.pass(.days(1))
        #expect(await reason(server, ada) == nil)
    }

    @Test func usedUpTotalRefusesADrill() async throws {
        let budgets = Budgets(sms: Budget(total: 10, perUser: nil), voice: .unlimited)
        let (server, ada) = try await scene(budgets)
        try await server.engine.write(about: .none) { transaction in
            for _ in 0..<7 { _ = try transaction.spend(.alertBegin, on: .sms, budgets) }
        }
        #expect(await reason(server, ada) == .drillOverBudget)
    }
}
