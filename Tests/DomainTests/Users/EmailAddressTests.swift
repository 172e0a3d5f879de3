import Foundation
import Testing

@testable import Domain

@Suite struct EmailAddressTests {
    @Test(arguments: [
        ("ana@example.org", "ana@example.org"), (" Ana.B+x@Example.ORG\n", "Ana.B+x@example.org"),
        ("a@b.co", "a@b.co"), ("mailto:ana@example.org?subject=x", "ana@example.org"),
        ("MAILTO:ana@example.org", "ana@example.org"),
        ("\u{202A}ana\u{200B}@example\u{AD}.org\u{FEFF}", "ana@example.org"),
        ("ana\u{FF20}example.org", "ana@example.org"),
        ("ana@exämple.org", "ana@xn--exmple-cua.org"),
        ("ana@EXA\u{308}MPLE.org", "ana@xn--exmple-cua.org"),
        ("ana@bücher.de", "ana@xn--bcher-kva.de"), ("ana@例え.jp", "ana@xn--r8jz45g.jp"),
        // The examples of RFC 3492, section 7.1.
        ("ana@他们为什么不说中文.cn", "ana@xn--ihqwcrb4cv8a8dqg056pqjye.cn"),
        ("ana@ひとつ屋根の下2.jp", "ana@xn--2-u9tlzr9756bt3uc0v.jp"),
        ("o'hara_1-2@mail-1.example.museum", "o'hara_1-2@mail-1.example.museum"),
    ])
    func anAddressIsKeptAsItIs(typed: String, text: String) throws {
        #expect(try EmailAddress(typed).text == text)
    }

    @Test(arguments: [
        "", "ana", "ana@", "@example.org", "ana@example", "ana@@example.org", "a@b@c.org",
        "ana@exa mple.org", "ana@-example.org", "ana@example-.org", "ana@example..org",
        "ana@.example.org", ".ana@example.org", "ana.@example.org", "a..b@example.org",
        "ana@example.1", "ana@[127.0.0.1]", "ana@127.0.0.1", "\"a b\"@example.org",
        "änä@example.org", "ana@ex😀mple.org", "ana@ex\u{2028}ample.org", "mailto:",
        "ana@" + String(repeating: "ä", count: 64) + ".org",
        "ana\r\nBcc: ben@example.org@example.org",
        "ana@example.org\r\nRCPT TO:<x@y.org>", "ana@example.org>", "<ana@example.org", "a\0@b.co",
        String(repeating: "a", count: 65) + "@example.org",
        "ana@" + String(repeating: "a", count: 64) + ".org",
        "ana@" + String(repeating: "abc.", count: 70) + "org",
    ])
    func whatIsNoAddressIsRefused(typed: String) {
        #expect(throws: CommandError.self) { try EmailAddress(typed) }
    }

    @Test func longestAddressIsTaken() throws {
        let domain = String(repeating: "abc.", count: 60) + "org"
        let room = EmailAddress.longest - domain.utf8.count - 1
        for (length, isTaken) in [(room, true), (room + 1, false)] {
            let typed = String(repeating: "a", count: length) + "@" + domain
            #expect((try? EmailAddress(typed))?.text == (isTaken ? typed : nil))
        }
    }

    @Test(arguments: [
        ("Ana@example.org", "ana@example.org"), ("ana+1@example.org", "ana@example.org"),
        ("a.na+x+y@gmail.com", "ana@gmail.com"), ("a.n.a@GoogleMail.com", "ana@gmail.com"),
        ("a.na@example.org", "a.na@example.org"),
    ])
    func oneMailboxIsOneKeyOfTheLimits(typed: String, mailbox: String) throws {
        #expect(try EmailAddress(typed).mailbox == mailbox)
    }

    @Test func descriptionHidesTheAddress() throws {
        let address = try EmailAddress("ana@example.org")
        #expect(!"\(address)".contains("ana"))
    }

    @Test func secondMessageAfterAMonthIsFinal() {
        let later = noon.adding(.days(30))
        #expect(EmailRules.mayWrite(unanswered: [], at: noon))
        #expect(!EmailRules.mayWrite(unanswered: [noon], at: later.adding(.zero - .seconds(1))))
        #expect(EmailRules.mayWrite(unanswered: [noon], at: later))
        #expect(!EmailRules.mayWrite(unanswered: [noon, later], at: later.adding(.days(365))))
    }

    @Test func formerMailboxGetsAMessageADay() {
        let later = noon.adding(.days(1))
        let times = [noon, noon.adding(.days(-1))]
        #expect(EmailRules.mayWriteToFormer(unanswered: [], at: noon))
        let early = later.adding(.zero - .seconds(1))
        #expect(!EmailRules.mayWriteToFormer(unanswered: times, at: early))
        #expect(EmailRules.mayWriteToFormer(unanswered: times, at: later))
    }

    @Test(
        arguments: [
            (\SentEmailCodes.byUser, 5), (\SentEmailCodes.fromAddress, 20),
            (\SentEmailCodes.fromNetwork, 100), (\SentEmailCodes.inAll, 1_000),
        ] as [(WritableKeyPath<SentEmailCodes, [Date]> & Sendable, Int)])
    func theRequestAfterTheLastOneWaits(
        path: WritableKeyPath<SentEmailCodes, [Date]> & Sendable, limit: Int
    ) {
        let limits = EmailCodeLimits()
        var sent = SentEmailCodes()
        sent[keyPath: path] = Array(repeating: noon, count: limit - 1)
        #expect(limits.wait(after: sent, at: noon) == nil)
        sent[keyPath: path].append(noon)
        #expect(limits.wait(after: sent, at: noon.adding(.hours(1))) == .hours(23))
        #expect(limits.wait(after: sent, at: noon.adding(.hours(24))) == nil)
    }

    @Test func theLongestWaitCounts() {
        let (limits, earlier) = (EmailCodeLimits(), noon.adding(.hours(-5)))
        var sent = SentEmailCodes()
        sent.byUser = Array(repeating: noon, count: limits.perUser)
        sent.fromAddress = Array(repeating: earlier, count: limits.perAddress)
        #expect(limits.wait(after: sent, at: noon) == .hours(24))
        sent.byUser = Array(repeating: earlier, count: limits.perUser)
        sent.fromAddress = Array(repeating: noon, count: limits.perAddress)
        #expect(limits.wait(after: sent, at: noon) == .hours(24))
    }
}
