import Cryptography
import Delivery
import Domain
import Foundation
import HTTPServer
import Logging
import SafetyNetwork

/// The running copy of profiles and alerts in Firestore, with its metrics and its log.
struct FirestoreCopying: Sendable {
    let worker: FirestoreWorker

    /// Returns nil if the operator has not turned it on.
    init?(
        _ settings: ServeSettings, _ network: SafetyNetwork, metrics: Metrics,
        now: @escaping @Sendable () -> Date, logger: Logger
    ) {
        guard let firestore = settings.firestore else { return nil }
        let options = SafetyNetwork.Options(publicURL: settings.publicURL)
        let logLimit = LogLimit()
        let worker = FirestoreWorker(
            database: network.database, client: firestore.client(now: now),
            pictureURL: { options.pictureURL($0) },
            makeLease: { RandomBytes.system.integer() },
            report: { report in
                switch report {
                case .copied: metrics.count(.firestoreCopies, labels: "result=\"copied\"")
                case .failed(let reason):
                    metrics.count(.firestoreCopies, labels: "result=\"\(reason.group)\"")
                    logger.log(
                        level: .warning, "a copy to Firestore failed",
                        metadata: ["reason": "\(reason)"], as: "\(reason)", within: logLimit)
                }
            })
        metrics.add(.init(.firestoreWaiting) { Double(worker.backlog.people) })
        metrics.add(
            .init(.firestoreLag) {
                worker.backlog.oldest.map { max(0, now().since($0) / .seconds(1)) } ?? 0
            })
        self.worker = worker
    }
}
