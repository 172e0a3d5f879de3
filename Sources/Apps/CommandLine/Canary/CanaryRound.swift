import Clients
import ComposableArchitecture
import Domain
import Foundation

struct CanaryLeg: Equatable, Sendable {
    enum Name: String, Sendable, CaseIterable {
        /// From the deadline until the responder was notified.
        case told
        /// From the acknowledgement until the owner was notified.
        case acknowledged
        /// From the end until the responder was notified.
        case ended

        var words: String {
            switch self {
            case .told: "telling the responder of a missed deadline"
            case .acknowledged: "telling the owner of the acknowledgement"
            case .ended: "telling the responder of the end"
            }
        }
    }

    var name: Name
    var time: Duration?
}

/// One round of the canary: one alert, from its deadline to its end.
struct CanaryRound: Sendable {
    let accounts: CanaryAccounts
    /// The time from a check-in to its deadline, in seconds.
    let interval: Int
    /// News that takes longer counts as missing.
    let patience: Duration

    struct CheckIn: Sendable {
        var record: CheckInRecord
        /// When the request was sent, a little before the server received it.
        var sentAt: ContinuousClock.Instant

        /// The deadline on this machine's clock. The server's clock may differ.
        var deadline: ContinuousClock.Instant {
            sentAt + (record.nextCheckInTime?.since(record.receivedAt) ?? .zero)
        }
    }

    static func settings(interval: Int) -> CheckInSettings {
        CheckInSettings(
            intervalSeconds: interval, remindTwoHoursBefore: false,
            remindThirtyMinutesBefore: false)
    }

    /// Checks in, which starts the first deadline. Throws `UserFacingError` or `CommandFailure`.
    func begin() async throws -> CheckIn {
        let client = accounts.owner.values.checkInClient
        _ = try Self.confirmed(
            try await client.updateSettings(Self.settings(interval: interval), nil))
        return try await checkIn()
    }

    private func checkIn() async throws -> CheckIn {
        let sentAt = ContinuousClock.now
        let record = try Self.confirmed(
            try await accounts.owner.values.checkInClient.checkIn(CheckInID(.random()), Date()))
        return CheckIn(record: record, sentAt: sentAt)
    }

    /// Lets the deadline pass, and acknowledges the alert. Ends the alert with the check-in of the
    /// next round. Stops if news is missing. Throws `UserFacingError` or `CommandFailure` if the
    /// server rejects a request.
    func play(_ first: CheckIn) async throws -> (legs: [CanaryLeg], next: CheckIn) {
        let (owner, responder) = (accounts.owner.values, accounts.responder.values)
        let due = first.record.nextCheckInTime ?? first.record.receivedAt
        try await Task.sleep(until: first.deadline)
        let begun = try await arrival(
            in: responder, within: patience
        ) { $0.isActive && $0.kind == .missedCheckIn && $0.deadline.map { $0 >= due } ?? false }
        var legs = [CanaryLeg(name: .told, time: begun.map { $0.time - first.deadline })]
        guard let begun, let id = AlertID(begun.alert.id) else {
            return (legs, try await checkIn())
        }
        var start = ContinuousClock.now
        _ = try await responder.alertClient.acknowledge(id)
        let known = try await arrival(in: owner, within: patience) {
            $0.id == begun.alert.id && $0.acknowledgement != nil
        }
        legs.append(CanaryLeg(name: .acknowledged, time: known.map { $0.time - start }))
        start = .now
        let next = try await checkIn()
        let over = try await arrival(in: responder, within: patience) {
            $0.id == begun.alert.id && !$0.isActive
        }
        legs.append(CanaryLeg(name: .ended, time: over.map { $0.time - start }))
        return (legs, next)
    }

    /// Returns the first matching alert on a device, and when it arrived; nil after `patience`.
    private func arrival(
        in values: DependencyValues, within patience: Duration,
        where isWanted: @escaping @Sendable (AlertRecord) -> Bool
    ) async throws -> (alert: AlertRecord, time: ContinuousClock.Instant)? {
        try await withThrowingTaskGroup(
            of: (alert: AlertRecord, time: ContinuousClock.Instant)?.self
        ) { group in
            group.addTask {
                for await alerts in values.alertClient.alertsStream() {
                    if let alert = alerts.first(where: isWanted) { return (alert, .now) }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private static func confirmed<Value>(_ submission: Submission<Value>) throws -> Value {
        guard let value = submission.confirmed else {
            throw CommandFailure(
                .unreachable, "unreachable", title: "The server can't be reached",
                "It refused the canary's request.", "")
        }
        return value
    }
}
