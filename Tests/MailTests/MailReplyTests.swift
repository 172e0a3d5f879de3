import Testing

@testable import Mail

@Suite struct MailReplyTests {
    @Test(
        arguments: [
            ("550 No such user", MailError.noMailbox(550)),
            ("550 5.1.1 No such user", .noMailbox(550)),
            ("550-5.1.1 No such user", .noMailbox(550)), ("550 5.2.1 Disabled", .noMailbox(550)),
            ("550 5.2.2 Full", .refused(550)), ("550 5.1.8 Bad sender", .later(550)),
            ("550 5.7.1 Relaying denied", .mailboxLater(550)),
            ("554 5.7.1 Relay access denied", .mailboxLater(554)),
            ("550 5.4.5 Daily limit exceeded", .later(550)), ("550 5.4.4 No route", .refused(550)),
            ("530 5.7.0 Authentication required", .later(530)), ("554 No", .refused(554)),
            ("553 5.1.3 Bad address", .refused(553)), ("450 4.2.1 Busy", .mailboxLater(450)),
            ("421 4.7.0 Closing", .later(421)), ("454 4.7.1 Relaying denied", .later(454)),
            ("550 15.1.1", .noMailbox(550)), ("550 5.7.1234", .noMailbox(550)),
        ] as [(String, MailError)])
    func replyAboutARecipientIsRead(line: String, error: MailError) throws {
        let code = try #require(Int(line.prefix(3)))
        #expect(MailReply(code: code, line: line, isAboutRecipient: true).error == error)
    }

    /// MAIL, DATA and the end of the message are about the sender or the server.
    @Test(arguments: ["550 5.1.1 No such user", "553 Bad sender", "554 5.7.1 Denied", "451 Later"])
    func otherRejectionIsRetried(line: String) throws {
        let code = try #require(Int(line.prefix(3)))
        #expect(
            MailReply(code: code, line: line, isAboutRecipient: false).error == .later(code))
    }

    /// The line may belong to an earlier reply.
    @Test func lineOfAnotherReplyIsIgnored() {
        let reply = MailReply(code: 550, line: "554 5.7.1 Denied", isAboutRecipient: true)
        #expect(reply.error == .noMailbox(550))
    }

    @Test(arguments: [0, 250, 354])
    func positiveReplyIsNoError(code: Int) {
        #expect(MailReply(code: code, line: "", isAboutRecipient: false).error == nil)
    }
}
