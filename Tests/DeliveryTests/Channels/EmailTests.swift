import Cryptography
import Domain
import Foundation
import Mail
import Persistence
import Synchronization
import Testing

@testable import Delivery

@Suite struct EmailTests {
    private final class Outbox: Mailer {
        let emails = Mutex<[Email]>([])
        func send(_ email: Email) async -> DeliveryResult {
            emails.withLock { $0.append(email) }
            return .accepted(providerID: nil)
        }
    }

    private func mailer() throws -> SMTPMailer {
        SMTPMailer(
            client: MailClient(try MailServer(url: "smtps://mail.example.org")),
            sender: ("LifeSignal", "alerts@example.org"))
    }

    private func sent(
        _ title: String = "Ben needs help", confirmedAt: Date = noon,
        _ change: (inout LeasedDelivery) -> Void = { _ in }
    ) async throws -> Email {
        let outbox = Outbox()
        let app = try #require(URL(string: "https://lifesignal.example"))
        let channel = EmailChannel(
            mailer: outbox, key: try serverKey(),
            links: .init(
                app: app,
                pages: PageLinks(
                    alert: { app.appendingPathComponent("a/\($0)/\($1)") },
                    drill: { app.appendingPathComponent("d/\($0)/\($1)") },
                    session: { app.appendingPathComponent("s/\($0)/\($1)") }),
                unsubscribe: { app.appendingPathComponent("stop/\($0)") }))
        var delivery = try delivery(.email, device: nil, url: nil, title: title)
        change(&delivery)
        delivery.email = ConfirmedEmail(address: "ada@example.org", verifiedAt: confirmedAt)
        #expect(await channel.send(delivery) == .accepted(providerID: nil))
        return try #require(outbox.emails.withLock { $0.first })
    }

    @Test func alertEmailHasAnUnsubscribeLink() async throws {
        let email = try await sent()
        #expect(email.recipient.text == "ada@example.org")
        #expect(email.subject == "LifeSignal: Ben needs help")
        #expect(email.paragraphs[0] == "Ben needs help. Ben raised an alert at 12:00 UTC.")
        let drill = try await sent("DRILL: would you hear Ben?")
        #expect(drill.paragraphs[0].hasPrefix("DRILL: would you hear Ben? Ben raised"))
        #expect(email.paragraphs[1].hasSuffix("https://lifesignal.example"))
        let token = try #require(email.unsubscribe?.lastPathComponent)
        let link = try #require(UnsubscribeToken(token, key: try serverKey()))
        #expect(link.user == (id(1) as UserID).uuid)
        let key = try serverKey()
        #expect(link.isAbout("ada@example.org", verifiedAt: noon, key: key))
        #expect(!link.isAbout("ben@example.org", verifiedAt: noon, key: key))
        let again = noon.adding(.milliseconds(1))
        #expect(!link.isAbout("ada@example.org", verifiedAt: again, key: key))
    }

    @Test func signInNewsHasALinkToEndTheSession() async throws {
        let week = noon.adding(.zero - .days(7))
        let email = try await sent("New sign-in", confirmedAt: week) {
            $0.record.notification.sessionID = id(7)
        }
        let words = "End its session without signing in: https://lifesignal.example/s/"
        #expect(email.paragraphs.contains { $0.hasPrefix(words) })
        let other = try await sent(confirmedAt: week)
        #expect(!other.paragraphs.contains { $0.hasPrefix(words) })
    }

    /// Somebody with the unlocked phone could end the owner's sessions by an own address.
    @Test func newAddressGetsNoLinkToEndASession() async throws {
        let confirmedAt = noon.adding(.milliseconds(1) - .days(7))
        let email = try await sent("New sign-in", confirmedAt: confirmedAt) {
            $0.record.notification.sessionID = id(7)
        }
        #expect(email.paragraphs.count == 2)
        #expect(email.paragraphs.last == "Open LifeSignal: https://lifesignal.example")
    }

    @Test(arguments: [
        (DeliveryPurpose.alertBegin, "Answer"), (.alertRepeat, "Answer"),
        (.alertNews, "See the alert"), (.alertEnd, "See the alert"),
    ])
    func responderEmailHasALinkToTheAlert(purpose: DeliveryPurpose, words: String) async throws {
        let email = try await sent {
            $0.alertOwner = id(2)
            $0.purpose = purpose
        }
        let link = "https://lifesignal.example/a/\(id(1) as UserID)/\(id(7) as AlertID)"
        #expect(email.paragraphs[1] == "\(words) without signing in: \(link)")
        #expect(email.paragraphs[2].hasSuffix("https://lifesignal.example"))
    }

    @Test func drillEmailHasALinkToAnswer() async throws {
        let email = try await sent { $0.purpose = .drill }
        #expect(email.paragraphs[1].hasPrefix("Answer without signing in: "))
        #expect(email.paragraphs[1].contains("/d/\(id(1) as UserID)/"))
    }

    @Test func ownAlertEmailHasNoAnswerLink() async throws {
        let email = try await sent {
            $0.alertOwner = id(1)
            $0.purpose = .alertBegin
        }
        #expect(email.paragraphs.count == 2)
    }

    @Test func guestEmailHasNoLinkToTheApp() async throws {
        let email = try await sent {
            $0.alertOwner = id(2)
            $0.isGuest = true
        }
        #expect(email.paragraphs.count == 2 && email.paragraphs[1].contains("/a/"))
    }

    @Test func messageHasHeadersForMailPrograms() async throws {
        let email = try await sent()
        let message = try mailer().message(email)
        let link = try #require(email.unsubscribe)
        let headers = Dictionary(
            message.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(
            headers == [
                "Auto-Submitted": "auto-generated", "List-Unsubscribe": "<\(link)>",
                "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            ])
        #expect(message.id == "\(id(5) as DeliveryID)@example.org")
        #expect(message.date == noon)
    }

    @Test func namesAreEscapedInHTML() async throws {
        let message = try mailer().message(try await sent("<script>\"'&</script>"))
        #expect(!message.html.contains("<script>"))
        #expect(message.html.contains("&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;"))
        #expect(message.text.contains("<script>"))
    }

    @Test func deliveryWithoutAnAddressIsRefused() async throws {
        let outbox = Outbox()
        let channel = EmailChannel(
            mailer: outbox, key: try serverKey(),
            links: .init(app: URL(fileURLWithPath: "/")) { URL(fileURLWithPath: $0) })
        let result = await channel.send(try delivery(.email, device: nil, url: nil))
        #expect(result == .refused(.endpointRemoved))
        #expect(outbox.emails.withLock { $0.isEmpty })
    }

    @Test(arguments: [
        (MailError.noMailbox(550), DeliveryResult.gone(.smtp(550))),
        (.refused(554), .refused(.smtp(554))), (.later(421), .failed(.smtp(421))),
        (.mailboxLater(450), .failed(.smtp(450), isAboutRecipient: true)),
        (.signInRefused, .failed(.signInRefused)), (.timedOut, .failed(.timeout)),
        (.unconfirmed, .failed(.unconfirmed)), (.insecure, .failed(DeliveryReason(.insecure))),
        (.failed("?"), .failed(.other)),
    ])
    func smtpReplyDecidesTheResult(error: MailError, result: DeliveryResult) {
        #expect(SMTPMailer.result(of: error) == result)
    }

    @Test func codeEmailHasTheCodeInItsSubjectAndNoLink() throws {
        let email = Email.code(
            "000042", to: try EmailAddress("ada@example.org"), id: "1", at: noon)
        #expect(email.subject == "000042 is your LifeSignal code")
        #expect(!email.paragraphs.joined().contains("http") && email.unsubscribe == nil)
    }

    @Test func tokensOfAnotherServerAreInvalid() throws {
        let key = try serverKey()
        let other = try #require(ServerKey(bytes: Data(repeating: 8, count: 32)))
        let link = UnsubscribeToken(
            user: UUID(), address: "ada@example.org", verifiedAt: noon, key: key)
        #expect(link.text(key: key).utf8.count == UnsubscribeToken.textLength)
        #expect(UnsubscribeToken(link.text(key: key), key: key) == link)
        #expect(UnsubscribeToken(link.text(key: key), key: other) == nil)
        let call = CallToken(person: UUID(), delivery: UUID(), attempt: 3, expiresAt: noon)
        #expect(call.text(key: key).utf8.count == CallToken.textLength)
        #expect(CallToken(call.text(key: key), key: key) == call)
        #expect(CallToken(call.text(key: key), key: other) == nil)
        #expect(CallToken("", key: key) == nil)
    }
}
