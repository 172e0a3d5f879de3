import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct AlertOutcomeTests {
    private let alert = manualAlert(1, of: cleo)

    private func withAlert(
        _ story: (Ledger, () async throws -> AlertOutcomes) async throws -> Void
    ) async throws {
        try await withLedger { engine, ledger in
            let alert = alert
            try await engine.write(about: .none) { try $0.insert([alert]) }
            try await story(ledger) {
                try await engine.read {
                    try $0.outcomes(
                        of: AlertKey(owner: alert.userID, id: alert.id), to: [ada, ben])
                }
            }
        }
    }

    @Test func onlyFailedMessagesAreLost() async throws {
        try await withAlert { ledger, outcomes in
            try await ledger.add(1, .alertBegin, to: ben, about: alert)
            for state in DeliveryState.allCases where state != .unknown {
                try await ledger.change(1, "state = '\(state.rawValue)'")
                let isHeard = [.accepted, .received, .seen, .acknowledged].contains(state)
                let isLost = [.failed, .givenUp].contains(state)
                let found = try await outcomes()
                #expect(found.heard == (isHeard ? [ben] : []), "\(state)")
                #expect(found.lost == (isLost ? [ben] : []), "\(state)")
            }
        }
    }

    @Test(arguments: [
        ("failed", "twilio-21211", true), ("failed", "call-failed", true),
        ("givenUp", "over-budget", true), ("failed", "no-answer", false),
        ("failed", "line-busy", false), ("givenUp", "notification-deleted", false),
        ("givenUp", "timeout", false),
    ])
    func reasonDecides(state: String, reason: String, isLost: Bool) async throws {
        try await withAlert { ledger, outcomes in
            try await ledger.add(
                1, .alertBegin, by: .voice, to: ben, about: alert,
                with: "state = '\(state)', reason = '\(reason)', attempts = 1")
            let found = try await outcomes()
            #expect(found.lost == (isLost ? [ben] : []))
            #expect(found.heard == (isLost ? [] : [ben]))
        }
    }

    /// A later alarm on its way changes nothing, and its arrival does. An unread page isn't heard.
    @Test func laterArrivalCounts() async throws {
        try await withAlert { ledger, outcomes in
            try await ledger.add(1, .alertBegin, to: ben, about: alert, with: "state = 'failed'")
            try await ledger.add(2, .alertRepeat, to: ben, about: alert)
            try await ledger.add(3, .alertBegin, by: .stream, to: ben, about: alert)
            #expect(try await outcomes().lost == [ben])
            try await ledger.change(2, "state = 'accepted'")
            #expect(try await outcomes() == AlertOutcomes(heard: [ben]))
            try await ledger.change(2, "state = 'failed'")
            try await ledger.change(3, "state = 'accepted'")
            #expect(try await outcomes() == AlertOutcomes(heard: [ben]))
        }
    }

    @Test func failedNewsLosesNoAlarm() async throws {
        try await withAlert { ledger, outcomes in
            try await ledger.add(1, .alertNews, to: ben, about: alert, with: "state = 'failed'")
            #expect(try await outcomes() == AlertOutcomes())
        }
    }
}
