import Domain
import Foundation
import Persistence

public struct SilentEndpoints: Commands {
    public let core: Core
    let notifier: Notifier

    private static let devicesPerPass = 100
    private static let pauseBetweenPasses: Duration = .seconds(1)
    private static let pauseWhileAnotherTests: Duration = .seconds(30)
    private static let pauseAfterRound: Duration = .minutes(10)

    /// Tests browsers and apps that have confirmed nothing for a week. A dead address is thus found
    /// before an alert needs it. Returns when the next pass is due.
    public func testSilentDevices() async throws -> Date {
        guard try await isResponsible(for: .deviceTests) else {
            return now().adding(Self.pauseWhileAnotherTests)
        }
        let silentSince = now().adding(.zero - ReachabilityRules.testEvery)
        let silent = try await database.read {
            try $0.devicesToTest(silentSince: silentSince, limit: Self.devicesPerPass)
        }
        for device in silent {
            try await test(device.endpoint, of: device.user, silentSince: silentSince)
        }
        let isOver = silent.count < Self.devicesPerPass
        return now().adding(isOver ? Self.pauseAfterRound : Self.pauseBetweenPasses)
    }

    private func test(
        _ endpoint: PushEndpointID, of person: UserID, silentSince time: Date
    ) async throws {
        try await database.write(about: Subjects([person], isRepeatable: true)) { transaction in
            guard try transaction.beginTest(of: endpoint, of: person, silentSince: time),
                let user = try transaction.user(person)
            else { return }
            var notice = Notice(text: .deviceTest, cannotBeMuted: true, isRead: true)
            notice.onlyEndpoint = endpoint
            try notifier.notify(Recipient(user), notice, in: transaction)
        }
    }
}
