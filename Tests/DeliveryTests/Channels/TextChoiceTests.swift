import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Delivery

/// The words about how to answer, and STOP as a provider tells it.
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

    @Test func anAlarmSaysHowToAnswer() async throws {
        let words = "Answer 1 if you take it on, 2 if you can't."
        for purpose in [DeliveryPurpose.alertBegin, .alertRepeat] {
            #expect(try await text(purpose, owner: id(2)).hasSuffix(words))
        }
        #expect(try await !text(.alertBegin, owner: id(1)).contains("Answer"))
        #expect(try await !text(.alertEnd, owner: id(2)).contains("Answer"))
        #expect(try await !text(.alertBegin, owner: id(2), takesAnswers: false).contains("Answer"))
        #expect(try await text(.drill, owner: nil).hasSuffix("Answer 1 to say that you got it."))
    }

    @Test func aGuestHasALinkToThePage() async throws {
        let page = try #require(URL(string: "https://lifesignal.example/x"))
        let links = PageLinks(
            alert: { page.appendingPathComponent("a/\($0)/\($1)") },
            drill: { page.appendingPathComponent("d/\($0)/\($1)") })
        for (isGuest, count) in [(true, 1), (false, 0)] {
            let book = Book()
            for purpose in [DeliveryPurpose.drill, .alertBegin] {
                var leased = try delivery(.sms, device: nil, url: nil)
                leased.purpose = purpose
                leased.alertOwner = purpose == .drill ? nil : id(2)
                leased.isGuest = isGuest
                _ = await SMSChannel(provider: book, validity: .minutes(1), links: links)
                    .send(leased)
            }
            for place in ["/x/d/", "/x/a/"] {
                #expect(book.texts.count { $0.contains(place) } == count)
            }
        }
    }

    @Test func quotationMarksAreThoseOfShortTexts() async throws {
        let book = Book()
        let asked = try delivery(.sms, device: nil, url: nil, title: "Would you hear “Zoë’s”?")
        _ = await SMSChannel(provider: book, validity: .minutes(1)).send(asked)
        #expect(book.texts[0].hasPrefix("LifeSignal: Would you hear \"Zoë's\"? "))
    }

    @Test(arguments: [(DeliveryReason.twilio(21_610), true), (.twilio(21_211), false)])
    func stopAtTheProviderIsNoticed(reason: DeliveryReason, isStopped: Bool) async throws {
        let stopped = Mutex<[PhoneNumber]>([])
        let provider = StopNoticingProvider(Book(.refused(reason))) { number in
            stopped.withLock { $0.append(number) }
        }
        let number = try PhoneNumber("+4915100000001")
        let message = TextMessage(recipient: number, text: "T", validity: .minutes(1))
        #expect(await provider.send(message) == .refused(reason))
        #expect(stopped.withLock { $0 } == (isStopped ? [number] : []))
    }

    @Test func aReplyIsTwiML() {
        #expect(TextScript.reply("A & B").hasSuffix("<Message>A &amp; B</Message></Response>"))
        #expect(TextScript.reply(nil).hasSuffix("<Response></Response>"))
    }
}
