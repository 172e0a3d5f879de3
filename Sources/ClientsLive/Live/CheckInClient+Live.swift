import Clients
import Domain

extension CheckInClient {
    static func live(_ desk: Desk) -> CheckInClient {
        CheckInClient(
            checkIn: { id, moment in try await desk.submit(.checkIn, .checkIn(id, occurredAt: moment), \.checkIn) },
            history: { before in try await desk.with(.loadCheckIns) { try await $0.checkInHistory(before: before) } },
            updateSettings: { settings in try await desk.submit(.updateCheckInSettings, .updateSettings(settings), \.profile) }
        )
    }
}
