import Delivery
import Domain
import Foundation
import Persistence

extension Examination {
    /// Checks the copy in Firestore. Only notes, because no check-in and no alert depends on it.
    static func firestore(_ settings: ServeSettings) async -> [Examination] {
        guard let firestore = settings.firestore else { return [] }
        let subject = "Firestore"
        do {
            try await firestore.client(now: { Date() }).check()
        } catch {
            return [
                .init(
                    grade: .note, subject: subject,
                    finding: "Google refuses the project \(firestore.project): \(error)",
                    mend: "Check the project, the service account's role, and the network.")
            ]
        }
        // Without a database, or with an old schema, the backlog is empty.
        let backlog = (try? Firestore.read(settings.database) { try $0.copyBacklog() }) ?? .init()
        if let oldest = backlog.oldest, Date().since(oldest) > .minutes(5) {
            return [
                .init(
                    grade: .note, subject: subject, finding: FirestoreWorker.words(backlog),
                    mend: "journalctl -u lifesignal -p warning")
            ]
        }
        return [
            .init(
                grade: .good, subject: subject,
                finding: "\(firestore.project) gets a copy; \(backlog.people) people wait")
        ]
    }
}
