import Domain
import Foundation

extension Examination {
    static func mail(_ settings: MailSettings) -> Examination {
        let subject = "e-mail"
        return switch settings {
        case .server(let server, _, _) where server.security == .loopbackOnly:
            .init(
                grade: .note, subject: subject,
                finding: "goes to this machine without TLS, for development")
        case .server: .init(grade: .good, subject: subject, finding: "a mail server is configured")
        case .console:
            .init(
                grade: .note, subject: subject,
                finding: "messages are only printed in the terminal; no one gets them",
                mend: "For real people: --mail-server smtp://HOST:587")
        case .none: .init(grade: .note, subject: subject, finding: "none is sent")
        }
    }

    static func budgets(_ budgets: Budgets, _ spent: [DeliveryChannel: Int]) -> [Examination] {
        Budgets.channels.compactMap { channel in
            guard let budget = budgets.limited(channel), let total = budget.total else {
                return nil
            }
            let used = spent[channel] ?? 0
            let level = BudgetLevel(budget, used: used)
            let finding = "\(used) of \(total) are used today"
            let option = channel == .voice ? "--call-budget" : "--sms-budget"
            return Examination(
                grade: level == .enough ? .good : .note,
                subject: channel == .voice ? "budget of calls" : "budget of text messages",
                finding: level == .enough
                    ? finding : "\(finding): \(BudgetWatch.words(level, channel))",
                mend: level == .enough ? nil : "Raise \(option), or wait until midnight UTC.")
        }
    }
}
