import Cryptography
import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Delivery

/// The end of an SMS: the link, how to answer, and how to STOP.
@Suite struct TextChoiceTests {
    private final class Book: SMSProvider {
        private let kept = Mutex<[TextMessage]>([])
        let result: DeliveryResult
        var texts: [String] { kept.withLock { $0.map(\.text) } }

        init(_ result: DeliveryResult = .accepted(providerID: nil)) { self.result = result }

        func send(_ message: TextMessage) async -> DeliveryResult {
            kept.withLock { $0.append(message) }
            return result
        }
    }

    private func text(
        _ purpose: DeliveryPurpose, owner: UserID?, takesAnswers: Bool = true
    ) async throws -> String {
        let book = Book()
        var leased = try delivery(.sms, device: nil, url: nil)
        leased.purpose = purpose
        leased.alertOwner = owner
        _ = await SMSChannel(
            provider: book, validity: .minutes(1), takesAnswers: takesAnswers
        ).send(leased)
        return try #require(book.texts.first)
    }

    @Test func alarmTextSaysHowToAnswer() async throws {
        let words = "Answer 1 if you take it on, 2 if you can't."
        for purpose in [DeliveryPurpose.alertBegin, .alertRepeat, .alertUntaken] {
            #expect(try await text(purpose, owner: id(2)).hasSuffix(words))
        }
        #expect(try await !text(.alertBegin, owner: id(1)).contains("Answer"))
        #expect(try await !text(.alertEnd, owner: id(2)).contains("Answer"))
        #expect(try await !text(.alertBegin, owner: id(2), takesAnswers: false).contains("Answer"))
        #expect(try await text(.drill, owner: nil).hasSuffix("Answer 1 to say that you got it."))
    }

    /// "1" would be about the alert.
    @Test func drillBesideAnAlertAsksForNoAnswerByText() async throws {
        let book = Book()
        var leased = try delivery(.sms, device: nil, url: nil)
        leased.purpose = .drill
        leased.isAnswerAboutAlert = true
        for links in [PageLinks.none, Self.links] {
            _ = await SMSChannel(
                provider: book, validity: .minutes(1), takesAnswers: true, links: links
            ).send(leased)
        }
        #expect(book.texts.allSatisfy { !$0.contains("Answer 1") })
        #expect(book.texts.first?.hasSuffix(TextChoice.byApp) == true)
        #expect(book.texts.last?.contains("/d#") == true)
    }

    @Test func questionToTheHelperSaysHowToAnswer() async throws {
        let question = NotificationText.doesItGoOn(name: "Maximiliane Mustermann")
        let body = question.body(in: nil, at: Date(milliseconds: 0))
        let words = "Answer 1 if you are still on it, 2 if you can't."
        let asked = try await text(
            .alertNews, isGuest: false, title: question.title, body: body)
        #expect(asked.hasSuffix(words) && TextLength.parts(of: asked) == 2)
        for title in ["Ben is on it", "Are you still helping"] {
            let news = try await text(.alertNews, isGuest: false, title: title, body: body)
            #expect(!news.contains("Answer"))
        }
        let reworded = try await text(
            .alertNews, isGuest: false, title: "Title", body: body, kind: .helpQuestion)
        #expect(reworded.hasSuffix(words))
        let other = try await text(
            .alertNews, isGuest: false, title: question.title, body: body, kind: .other)
        #expect(!other.contains("Answer"))
    }

    @Test func drillTextWithoutALinkPointsToTheApp() async throws {
        let words = "Open LifeSignal to answer."
        #expect(try await text(.drill, owner: nil, takesAnswers: false).hasSuffix(words))
        #expect(try await !text(.drill, owner: nil).contains(words))
        #expect(try await !text(.drill, isGuest: true, body: "B.").contains(words))
        let body = NotificationText.drill(name: "Ada").body(in: nil, at: Date(milliseconds: 0))
        #expect(body.hasSuffix("Please let Ada know that this reached you."))
    }

    private static let links = pageLinks(to: "lifesignal.example")

    private static func pageLinks(to host: String) -> PageLinks {
        // The secret has its real length, so the links do, too.
        let secret = String(repeating: "s", count: LinkToken.textLength)
        return PageLinks(
            alert: { _, _ in URL(string: "https://\(host)/a#\(secret)") },
            drill: { _, _ in URL(string: "https://\(host)/d#\(secret)") })
    }

    private func text(
        _ purpose: DeliveryPurpose, isGuest: Bool, title: String = "Ada needs help", body: String,
        kind: NotificationKind? = nil, host: String = "lifesignal.example"
    ) async throws -> String {
        let book = Book()
        var leased = try delivery(.sms, device: nil, url: nil, title: title)
        leased.record.notification.body = body
        leased.record.notification.kind = kind
        leased.purpose = purpose
        leased.alertOwner = purpose == .drill ? nil : id(2)
        leased.isGuest = isGuest
        _ = await SMSChannel(
            provider: book, validity: .minutes(1), takesAnswers: true,
            links: Self.pageLinks(to: host)
        ).send(leased)
        return try #require(book.texts.first)
    }

    @Test func allRecipientsGetALinkToThePage() async throws {
        let asking: [DeliveryPurpose] = [.alertBegin, .alertRepeat, .alertNews, .alertUntaken]
        for isGuest in [true, false] {
            for purpose in asking {
                let text = try await text(purpose, isGuest: isGuest, body: "B.")
                #expect(text.contains("https://lifesignal.example/a#"))
            }
            let drill = try await text(.drill, isGuest: isGuest, body: "B.")
            #expect(drill.contains("https://lifesignal.example/d#"))
        }
    }

    @Test func alarmWithLinkFitsTwoParts() async throws {
        let body =
            "Ada raised an alert at 12:00 UTC on Wednesday. "
            + "Emergency number where Ada's phone is registered: 911."
        let text = try await text(.alertBegin, isGuest: false, body: body)
        #expect(TextLength.parts(of: text) == 2)
        #expect(text.contains("/a#") && text.hasSuffix("2 if you can't."))
    }

    @Test(arguments: [
        NotificationText.alertReleased(responder: "Ben", name: "Ada"),
        .alertReleased(responder: "Ben", name: "Ada", wasOnIt: false),
        .alertResumed(responder: "Ben", name: "Ada"),
        .alertLapsed(name: "Ada", responder: "Ben"), .alertLapsed(name: "Ada", responder: nil),
        .pauseIsOver(name: "Ada"), .alertedAgain(name: "Ada"),
    ])
    func newsThatHelpIsMissingFitsTwoParts(news: NotificationText) async throws {
        let number = try PhoneNumber("+4915112345678")
        let body = news.withEmergencyNumber(of: "Ada", number)
            .body(in: nil, at: Date(milliseconds: 0))
        let text = try await text(
            .alertUntaken, isGuest: false, title: news.title, body: body)
        #expect(TextLength.parts(of: text) == 2)
        #expect(text.contains("registered: 112.") && text.hasSuffix("2 if you can't."))
    }

    private static let longName = "Maximiliane Musterma"
    private static let time = Date(milliseconds: 0)

    @Test(arguments: [
        NotificationText.alertRaised(name: longName, at: time, receivedAt: time.adding(.hours(1))),
        .missedCheckIn(name: longName, deadline: time, at: time.adding(.hours(1)), late: true),
        .mayHaveMissed(name: longName, deadline: time, incompleteSince: time, askedAt: time),
        .notBack(name: longName, journey: "Zugspitze", expected: time, late: true),
        .mayNotBeBack(
            name: longName, journey: "Zugspitze", expected: time, incompleteSince: time),
        .missedAgain(name: longName, deadline: time),
        .alertRepeated(name: longName, kind: .missedCheckIn, since: time),
        .everyoneRefused(name: longName), .chosenRefused(name: longName),
    ])
    func alarmWithLongNamesSaysHowToAnswer(alarm: NotificationText) async throws {
        let number = try PhoneNumber("+4915112345678")
        let body = alarm.withEmergencyNumber(of: Self.longName, number)
            .body(in: nil, at: Self.time.adding(.days(40)))
        for purpose in [DeliveryPurpose.alertBegin, .alertRepeat, .alertUntaken] {
            let text = try await text(
                purpose, isGuest: false, title: alarm.title, body: body,
                host: "alerts.lifesignal.example.info")
            #expect(text.contains("registered: 112. https://alerts.lifesignal.example.info/a#"))
            #expect(text.hasSuffix("Answer 1 if you take it on, 2 if you can't."))
        }
    }

    /// The text about an alert's end omits the link if it would cost another part. People with an
    /// account see the end in the app.
    @Test func endTextHasALinkIfItIsFree() async throws {
        let short = "The alert ended at 12:00 UTC."
        #expect(try await text(.alertEnd, isGuest: false, body: short).contains("/a#"))
        let long = "The alert ended at 12:00 UTC on 30 September 2025."
        #expect(try await !text(.alertEnd, isGuest: false, body: long).contains("/a#"))
        #expect(try await text(.alertEnd, isGuest: true, body: long).contains("/a#"))
    }

    @Test func typographicQuotesBecomePlain() async throws {
        let book = Book()
        let asked = try delivery(.sms, device: nil, url: nil, title: "Would you hear “Zoë’s”?")
        _ = await SMSChannel(provider: book, validity: .minutes(1)).send(asked)
        #expect(book.texts[0].hasPrefix("LifeSignal: Would you hear \"Zoë's\"? "))
    }

    @Test(arguments: [(DeliveryReason.twilio(21_610), true), (.twilio(21_211), false)])
    func stopAtTheProviderIsReported(reason: DeliveryReason, isStopped: Bool) async throws {
        let stopped = Mutex<[PhoneNumber]>([])
        let provider = StopNoticingProvider(Book(.refused(reason))) { number in
            stopped.withLock { $0.append(number) }
        }
        let number = try PhoneNumber("+4915100000001")
        let message = TextMessage(recipient: number, text: "T", validity: .minutes(1))
        #expect(await provider.send(message) == .refused(reason))
        #expect(stopped.withLock { $0 } == (isStopped ? [number] : []))
    }

    @Test func replyIsValidTwiML() {
        #expect(TextScript.reply("A & B").hasSuffix("<Message>A &amp; B</Message></Response>"))
        #expect(TextScript.reply(nil).hasSuffix("<Response></Response>"))
    }
}
