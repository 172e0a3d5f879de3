import Domain
import Foundation
import Synchronization

/// Keeps a push service that fails from taking the places of the others. No answer that a single
/// subscription earns (4xx) counts against its service.
final class PushServiceGate: Sendable {
    /// So many failures in a row, whoever they were for, are the service's.
    static let failureLimit = 16
    /// While a service fails, so often one message finds out whether it is back.
    static let pauseBetweenProbes: Duration = .seconds(1)

    /// Failures of so many services are remembered.
    private static let memory = 1_000

    private struct Service {
        var underWay = 0
        /// In a row.
        var failures = 0
        var probedAt: Date?
    }

    private let share: Int
    private let now: @Sendable () -> Date
    private let services = Mutex<[String: Service]>([:])

    /// - Parameter share: how many messages may be under way to one service.
    init(share: Int, now: @escaping @Sendable () -> Date) {
        self.share = share
        self.now = now
    }

    /// Returns false if a message to this origin has to wait. Else `leave` follows.
    func enter(_ origin: String) -> Bool {
        let now = now()
        return services.withLock { services in
            var service = services[origin] ?? Service()
            guard service.underWay < share else { return false }
            if service.failures >= Self.failureLimit {
                if let last = service.probedAt, now >= last,
                    now.since(last) < Self.pauseBetweenProbes
                {
                    return false
                }
                service.probedAt = now
            }
            service.underWay += 1
            services[origin] = service
            return true
        }
    }

    /// - Parameter isAnswered: false for 5xx and for no answer.
    func leave(_ origin: String, isAnswered: Bool) {
        services.withLock { services in
            guard var service = services[origin] else { return }
            service.underWay -= 1
            service.failures = isAnswered ? 0 : service.failures + 1
            // Users can make up any number of origins.
            let isNeeded =
                service.underWay > 0 || service.failures > 0 && services.count <= Self.memory
            services[origin] = isNeeded ? service : nil
        }
    }
}
