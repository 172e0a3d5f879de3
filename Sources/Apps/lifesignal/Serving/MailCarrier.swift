import Cryptography
import Delivery
import Domain
import Foundation
import HTTPServer
import Logging
import Mail

/// Sends this server's e-mail: codes and last messages directly, notifications through the delivery
/// queue.
struct MailCarrier: Sendable {
    private static let triesPerCode = 3

    /// Sends the e-mails; nil if e-mail is turned off.
    let mailer: (any Mailer)?
    /// The mail server's health; nil if e-mails are only printed or not sent.
    let health: ProviderHealth?
    private let messages: DirectMessages
    private let now: @Sendable () -> Date
    private let logger: Logger
    private let logLimit = LogLimit()

    /// - Parameters:
    ///   - messages: what is sent without the delivery queue.
    ///   - printer: shows the messages of a server without a mail server.
    init(
        _ settings: MailSettings, _ messages: DirectMessages,
        now: @escaping @Sendable () -> Date, logger: Logger,
        printer: @escaping @Sendable (String) -> Void
    ) {
        self.messages = messages
        self.now = now
        self.logger = logger
        switch settings {
        case .none:
            mailer = nil
            health = nil
        case .console:
            mailer = ConsoleMailer(print: printer)
            health = nil
        case .server(let server, let name, let address):
            let observed = ProviderHealth(
                name: "e-mail", of: "the mail server", now: now, logger: logger)
            mailer = ObservedMailer(
                SMTPMailer(client: MailClient(server), sender: (name, address)), health: observed)
            health = observed
        }
    }

    /// Sends a code in the background. Bypasses the delivery queue, because codes are never stored.
    var sendCode:
        @Sendable (EmailAddress, String, _ fail: @escaping @Sendable () async -> Void) -> Void
    {
        { address, code, fail in
            messages.send {
                let email = Email.code(
                    code, to: address, id: UUID.random().uuidString.lowercased(), at: now())
                return await send(email, as: "a code for an e-mail address")
            } orElse: {
                await fail()
            }
        }
    }

    /// Sends a last message to a former address in the background. The delivery queue knows only
    /// the present address.
    var sendMail: @Sendable (EmailAddress, _ subject: String, _ paragraphs: [String]) -> Void {
        { address, subject, paragraphs in
            messages.send {
                let email = Email(
                    recipient: address, subject: subject, paragraphs: paragraphs,
                    id: UUID.random().uuidString.lowercased(), date: now())
                return await send(email, as: "a message to a former e-mail address")
            }
        }
    }

    /// Sends an invitation in the background. The recipient may be a person without an account.
    func sendInvitation(
        to address: EmailAddress, subject: String, paragraphs: [String], refusal: URL,
        fail: @escaping @Sendable () async -> Void
    ) {
        messages.send {
            let email = Email(
                recipient: address, subject: subject, paragraphs: paragraphs,
                id: UUID.random().uuidString.lowercased(), date: now(), unsubscribe: refusal)
            return await send(email, as: "an invitation")
        } orElse: {
            await fail()
        }
    }

    /// Returns false if a mail server refused the e-mail, or if every try failed. The cancellation
    /// of the task ends the tries.
    private func send(_ email: Email, as name: String) async -> Bool {
        guard let mailer else { return false }
        for attempt in 1...Self.triesPerCode {
            switch await mailer.send(email) {
            case .accepted: return true
            case .refused(let reason), .gone(let reason), .ended(let reason, _):
                logger.log(
                    level: .info, "\(name) was refused", metadata: ["reason": "\(reason)"],
                    as: "refused \(name) \(reason)", within: logLimit)
                return false
            case .failed(let reason, _, _):
                logger.log(
                    level: .warning, "\(name) could not be sent",
                    metadata: ["attempt": "\(attempt)", "reason": "\(reason)"],
                    as: "failed \(name) \(reason)", within: logLimit)
                // The mail server may have accepted the e-mail. A retry could send it twice.
                if reason == .unconfirmed { return true }
                guard attempt < Self.triesPerCode else { return false }
                do {
                    try await Task.sleep(
                        for: DeliveryRules.pause(afterAttempt: attempt, jitter: 0))
                } catch {
                    return false
                }
            }
        }
        return false
    }

    func channel(
        key: ServerKey, publicURL: URL, pages: PageLinks
    ) -> EmailChannel? {
        mailer.map { mailer in
            EmailChannel(
                mailer: mailer, key: key,
                links: .init(app: publicURL, pages: pages) {
                    UnsubscribePath.url(publicURL, token: $0)
                })
        }
    }
}
