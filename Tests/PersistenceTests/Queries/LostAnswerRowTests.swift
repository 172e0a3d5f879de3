import Domain
import Foundation
import Testing

@testable import Persistence

/// The reason of a message whose provider may have accepted an attempt.
@Suite struct LostAnswerRowTests {
    private let alert = manualAlert(1, of: cleo)
    private let key = AlertKey(owner: cleo, id: id(1))

    /// What withdraws a message to Ada.
    enum Withdrawal: CaseIterable, Sendable {
        case newerMessage, opening, newAlert, removal, checkIn

        var purpose: DeliveryPurpose {
            switch self {
            case .newerMessage, .opening, .removal: .alertBegin
            case .newAlert: .alertEnd
            case .checkIn: .reminder
            }
        }
    }

    private func withdraw(
        by withdrawal: Withdrawal, _ engine: any DatabaseEngine
    ) async throws {
        try await engine.write(about: .none) { [key] transaction in
            switch withdrawal {
            case .newerMessage:
                try transaction.supersedeDeliveries(ofAlert: id(1), owner: cleo, reason: "ended")
            case .opening: try transaction.withdrawSteps(about: key, for: [ada], reason: .opened)
            case .newAlert: _ = try transaction.supersedeEnds(for: [cleo: [ada]])
            case .removal: try transaction.supersedeDeliveries(ofAlertsOf: cleo, to: ada)
            case .checkIn: try transaction.supersedeReminders(of: ada)
            }
        }
    }

    @Test(
        arguments: Withdrawal.allCases,
        [
            DeliveryReason.timeout, .http(504), DeliveryReason(.interrupted), .http(503),
            DeliveryReason(.connectionRefused),
        ])
    func withdrawnMessageIsUnconfirmedAfterALostAnswer(
        withdrawal: Withdrawal, failure: DeliveryReason
    ) async throws {
        try await withLedger { engine, ledger in
            let about = withdrawal == .checkIn ? nil : alert
            let tried = "attempts = 2, reason = '\(failure)', next_try_at = \(noon.milliseconds)"
            try await ledger.add(
                1, withdrawal.purpose, about: about, with: "state = 'retrying', \(tried)")
            try await ledger.add(
                2, withdrawal.purpose, about: about, with: "state = 'sending', \(tried)")
            try await withdraw(by: withdrawal, engine)
            #expect(try await ledger.numbers(where: "superseded = 1") == [1, 2])
            #expect(try await ledger.state(1) == .superseded)
            #expect(try await ledger.state(2) == .sending)
            let unconfirmed = try await ledger.numbers(where: "reason = 'unconfirmed'")
            #expect(unconfirmed == (failure.isUncertain ? [1, 2] : []))
        }
    }

    /// A later attempt, which the provider has surely not accepted, doesn't undo the first one.
    @Test(arguments: [
        (DeliveryReason.timeout, DeliveryState.retrying, "timeout"),
        (.timeout, .givenUp, "timeout"), (.timeout, .failed, "http-503"),
        (.http(429), .retrying, "http-503"),
    ])
    func messageKeepsTheReasonOfALostAnswerUnlessRefused(
        first: DeliveryReason, state: DeliveryState, stored: String
    ) async throws {
        try await withLedger { engine, ledger in
            try await ledger.enter(1)
            for update in [
                DeliveryUpdate(.retrying, reason: first, nextTry: noon, at: noon),
                DeliveryUpdate(state, reason: .http(503), at: noon),
            ] {
                let leased = try #require(try await ledger.lease(at: noon).first)
                try await engine.write(about: .none) {
                    try $0.settleDelivery(leased.record, update)
                }
            }
            #expect(try await ledger.numbers(where: "reason = '\(stored)'") == [1])
            #expect(try await ledger.state(1) == state)
        }
    }

    @Test(arguments: [
        ("state = 'superseded', attempts = 1, reason = 'unconfirmed'", true),
        ("state = 'givenUp', attempts = 1, reason = 'timeout'", true),
        ("state = 'superseded', attempts = 1, reason = 'newer-news'", false),
        ("state = 'superseded', attempts = 0, reason = 'newer-news'", false),
        ("state = 'failed', attempts = 1, reason = 'other'", false),
    ])
    func reportOfSendingSettlesAPerhapsSentMessage(columns: String, isSettled: Bool) async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(
                1, .alertBegin, about: alert, with: "\(columns), next_try_at = NULL")
            let isChanged = try await engine.write(about: .none) {
                try $0.reportDelivery(
                    id(1), of: ada, attempt: 1, ProviderReport(state: .accepted, providerID: "SM1"))
            }
            #expect(isChanged == isSettled)
            let sent = try await ledger.numbers(where: "state = 'accepted' AND reason IS NULL")
            #expect(sent == (isSettled ? [1] : []))
        }
    }
}
