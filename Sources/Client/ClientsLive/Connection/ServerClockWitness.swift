import Domain
import Foundation
import Synchronization

/// Measures from a server's answers how far its clock is ahead of this device's clock.
final class ServerClockWitness: Sendable {
    private let seen = Mutex(Duration.zero)

    /// How far the server's clock is ahead; zero before the first answer. Also zero within
    /// `CheckInRules.clockSkew`, because the header has whole seconds and answers take time.
    var offset: Duration {
        let offset = seen.withLock { $0 }
        let isForgiven =
            offset <= CheckInRules.clockSkew && offset >= .zero - CheckInRules.clockSkew
        return isForgiven ? .zero : offset
    }

    /// - Parameter deviceTime: when the answer arrived, by this device's clock.
    func see(_ headers: [String: String], at deviceTime: Date?) {
        guard let deviceTime, let date = headers["date"].flatMap(HTTPDate.date) else { return }
        seen.withLock { $0 = date.since(deviceTime) }
    }
}
