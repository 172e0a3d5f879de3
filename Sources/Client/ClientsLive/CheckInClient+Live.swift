import Clients
import Domain
import Foundation

extension CheckInClient {
    static func live(_ controller: SessionController) -> CheckInClient {
        CheckInClient(
            checkIn: { id, moment in try await controller.checkIn(id, occurredAt: moment) },
            history: { before in
                try await controller.with(.loadCheckIns) {
                    try await $0.checkInHistory(before: before)
                }
            },
            updateSettings: { settings, only in
                try await controller.submit(
                    .updateSettings(settings, only: only), \.profile)
            },
            pause: { end in try await controller.submit(.pause(until: end), \.profile) },
            endPause: { try await controller.submit(.endPause, \.profile) }
        )
    }
}

extension SessionController {
    /// Checks in. If the device's clock is behind, the check-in may be older than the last one and
    /// move no deadline. In that case, checks in again with the server's time from the answer.
    fileprivate nonisolated func checkIn(
        _ id: CheckInID, occurredAt moment: Date
    ) async throws -> Submission<CheckInRecord> {
        let start = environment.clock.now()
        let submission = try await submit(.checkIn(id, occurredAt: moment), \.checkIn)
        guard let record = submission.confirmed, record.isFromSlowClock,
            let last = await account?.lastCheckInTime, record.occurredAt < last
        else { return submission }
        let pressed = record.receivedAt.adding(.zero - (environment.clock.now() - start))
        let again = QueuedAction.checkIn(CheckInID(environment.makeID()), occurredAt: pressed)
        return try await submit(again, \.checkIn)
    }
}

extension Account {
    fileprivate var lastCheckInTime: Date? { mirror.model.profile?.lastCheckInTime }
}
