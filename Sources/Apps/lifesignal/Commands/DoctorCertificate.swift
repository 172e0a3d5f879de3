import Domain
import Foundation

extension Examination {
    private static let shortestValidity: Duration = .days(14)

    /// Returns nil if another program speaks TLS.
    static func certificate(_ settings: ServeSettings, now: Date) -> Examination? {
        guard let tls = settings.tls else { return nil }
        let subject = "certificate"
        let expiry: Date
        do {
            expiry = try tls.load().expiry
        } catch {
            return .init(grade: .bad, subject: subject, finding: "\(error)")
        }
        let left = expiry.since(now)
        let days = Int(left / .days(1))
        let name = tls.certificatePath
        guard left > .zero else {
            return .init(
                grade: .bad, subject: subject, finding: "\(name) has expired",
                mend: "Renew it; the server notices the new files within a minute.")
        }
        return left < shortestValidity
            ? .init(
                grade: .note, subject: subject, finding: "\(name) expires in \(days) days",
                mend: "Check why it isn't renewed.")
            : .init(grade: .good, subject: subject, finding: "\(name) is valid for \(days) days")
    }
}
