/// A mail server's negative reply.
struct MailReply {
    var code: Int
    /// The reply's last line.
    var line: String
    /// Whether it answers RCPT, the only command that names the recipient.
    var isAboutRecipient: Bool

    /// Nil if the reply isn't negative.
    var error: MailError? {
        switch code {
        // The server closes the connection, in reply to any command (RFC 5321).
        case 421: .later(code)
        // The server takes no mail from this sender for now (RFC 4954), even in reply to RCPT.
        case 454: .later(code)
        // The server requires TLS or a sign-in (RFC 3207, RFC 4954).
        case 530: .later(code)
        case 400..<500: isAboutRecipient ? .mailboxLater(code) : .later(code)
        case 500..<600: isAboutRecipient ? permanentRejection : .later(code)
        default: nil
        }
    }

    /// A server that rejects the sender may say so only in reply to RCPT, for every recipient.
    private var permanentRejection: MailError {
        let isMailboxUnavailable = code == 550
        guard let status else { return isMailboxUnavailable ? .noMailbox(code) : .refused(code) }
        return switch (status.subject, status.detail) {
        // The sender's address is invalid, or the sender has reached a quota.
        case (1, 7), (1, 8), (4, 5): .later(code)
        case (7, _): .mailboxLater(code)
        // 5.2.1: the mailbox is disabled.
        case (1, _), (2, 1): isMailboxUnavailable ? .noMailbox(code) : .refused(code)
        default: .refused(code)
        }
    }

    /// The subject and the detail of the enhanced status code (RFC 3463), such as 1 and 1 of
    /// `5.1.1`; nil without one.
    private var status: (subject: Int, detail: Int)? {
        guard let match = line.prefixMatch(of: #/(\d{3})[ \-]5\.(\d{1,3})\.(\d{1,3})(?!\d)/#),
            Int(match.1) == code, let subject = Int(match.2), let detail = Int(match.3)
        else { return nil }
        return (subject, detail)
    }
}
