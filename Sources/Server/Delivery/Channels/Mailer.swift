import Domain
import Foundation
import Mail
import WebText

public struct Email: Sendable, Equatable {
    public var recipient: EmailAddress
    public var subject: String
    /// Lines of plain text. Each becomes a paragraph in HTML.
    public var paragraphs: [String]
    /// The message id's part before the @. Retries use the same id.
    public var id: String
    public var date: Date
    /// The unsubscribe link; nil for the message that verifies an address.
    public var unsubscribe: URL?

    public init(
        recipient: EmailAddress, subject: String, paragraphs: [String], id: String, date: Date,
        unsubscribe: URL? = nil
    ) {
        self.recipient = recipient
        self.subject = subject
        self.paragraphs = paragraphs
        self.id = id
        self.date = date
        self.unsubscribe = unsubscribe
    }

    /// Returns the message that verifies an address.
    public static func code(
        _ code: String, to address: EmailAddress, id: String, at date: Date
    ) -> Email {
        Email(
            recipient: address, subject: NotificationText.emailCodeSubject(code),
            paragraphs: NotificationText.emailCode(code), id: id, date: date)
    }
}

public protocol Mailer: Sendable {
    func send(_ email: Email) async -> DeliveryResult
}

/// Prints messages in the terminal, for development.
public struct ConsoleMailer: Mailer {
    private let print: @Sendable (String) -> Void

    public init(print: @escaping @Sendable (String) -> Void) { self.print = print }

    public func send(_ email: Email) async -> DeliveryResult {
        print(
            """
            e-mail to \(email.recipient.text): \(email.subject). \
            \(email.paragraphs.joined(separator: " "))
            """)
        return .accepted(providerID: nil)
    }
}

public struct SMTPMailer: Mailer {
    private let client: MailClient
    private let sender: (name: String, address: String)

    /// - Parameter sender: the name and the address in the From header.
    public init(client: MailClient, sender: (name: String, address: String)) {
        self.client = client
        self.sender = sender
    }

    public func send(_ email: Email) async -> DeliveryResult {
        let rejection = MailRejection()
        do {
            try await client.send(message(email), noting: rejection)
            return .accepted(providerID: nil)
        } catch {
            ProviderAnswer.note(rejection.line)
            return Self.result(of: error)
        }
    }

    func message(_ email: Email) -> MailMessage {
        var lines = email.paragraphs
        if let link = email.unsubscribe {
            lines.append("To stop these e-mails: \(link.absoluteString)")
        }
        let html = email.paragraphs.map { "<p>\(Markup.escaped($0))</p>" }.joined(separator: "\n")
        let footer = email.unsubscribe.map {
            "\n<p><small><a href=\"\(Markup.escaped($0.absoluteString))\">"
                + "Stop these e-mails</a></small></p>"
        }
        var message = MailMessage(
            sender: sender, recipient: email.recipient.text, subject: email.subject,
            text: lines.joined(separator: "\n\n") + "\n",
            html: "<!doctype html><html lang=\"en\"><body>\n\(html)\(footer ?? "")\n</body></html>")
        message.date = email.date
        let domain = sender.address.split(separator: "@").last.map(String.init) ?? "localhost"
        message.id = "\(email.id)@\(domain)"
        // Suppresses out-of-office replies (RFC 3834).
        message.headers = [("Auto-Submitted", "auto-generated")]
        if let link = email.unsubscribe {
            message.headers += [
                ("List-Unsubscribe", "<\(link.absoluteString)>"),
                ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
            ]
        }
        return message
    }

    static func result(of error: MailError) -> DeliveryResult {
        switch error {
        case .noMailbox(let code): .gone(.smtp(code))
        case .refused(let code): .refused(.smtp(code))
        case .later(let code): .failed(.smtp(code))
        case .mailboxLater(let code): .failed(.smtp(code), isAboutRecipient: true)
        // A retry may succeed after the operator has fixed the credentials.
        case .signInRefused: .failed(.signInRefused)
        case .timedOut: .failed(.timeout)
        case .unresolved: .failed(.init(.unresolved))
        case .offline: .failed(.init(.offline))
        case .connectionRefused: .failed(.init(.connectionRefused))
        case .insecure: .failed(.init(.insecure))
        case .interrupted: .failed(.init(.interrupted))
        case .unconfirmed: .failed(.unconfirmed)
        case .failed: .failed(.other)
        }
    }
}
