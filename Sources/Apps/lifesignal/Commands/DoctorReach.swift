import Domain
import Foundation
import Mail

extension Examination {
    /// Connects to the mail server and signs in, if there is one.
    static func mail(_ settings: MailSettings) async -> Examination {
        let subject = "e-mail"
        switch settings {
        case .server(let server, _, let sender):
            return await mail(server, as: sender, subject)
        case .console:
            return .init(
                grade: .note, subject: subject,
                finding: "messages are only printed in the terminal; no one gets them",
                mend: "For real people: --mail-server smtp://HOST:587")
        case .none: return .init(grade: .note, subject: subject, finding: "none is sent")
        }
    }

    private static func mail(
        _ server: MailServer, as sender: String, _ subject: String
    ) async -> Examination {
        let place = "\(server.host):\(server.port)"
        do throws(MailError) {
            try await MailClient(server).check(as: sender)
        } catch .unresolved {
            // `hosts` says more.
            return .init(grade: .note, subject: subject, finding: "\(place) was not tried")
        } catch {
            return .init(
                grade: .bad, subject: subject, finding: "\(place) can't be used: \(words(error))",
                mend: error == .signInRefused
                    ? "Check LIFESIGNAL_MAIL_USER and LIFESIGNAL_MAIL_PASSWORD."
                    : "Check --mail-server.")
        }
        guard server.security != .loopbackOnly else {
            return .init(
                grade: .note, subject: subject,
                finding: "goes to this machine without TLS, for development")
        }
        return .init(
            grade: .good, subject: subject,
            finding: server.login == nil ? "\(place) answers" : "\(place) lets the server sign in")
    }

    private static func words(_ error: MailError) -> String {
        switch error {
        case .signInRefused: "it refuses the user or the password"
        case .timedOut: "it did not answer in time"
        case .unresolved: "its name has no address"
        case .offline: "this machine is offline"
        case .connectionRefused: "the connection was refused"
        case .insecure: "TLS is missing, or its certificate is not trusted"
        case .interrupted, .unconfirmed: "the connection broke"
        case .refused(let code), .noMailbox(let code), .later(let code), .mailboxLater(let code):
            "it answered \(code)"
        case .failed(let reason): reason
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
