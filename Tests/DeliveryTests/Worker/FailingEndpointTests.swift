import Domain
import Foundation
import HTTPClient
import Persistence
import TCPListener
import TestDatabase
import Testing

@testable import Delivery

/// The worker retries an endpoint that answers 404 or 410 for a week, and notifies its owner.
@Suite(.timeLimit(.minutes(5))) struct FailingEndpointTests {
    private let clock = TestClock()
    private let database: FaultyDatabase
    private let channel = FakeChannel()
    private let notices = Box<EndpointNotice>()

    init() async throws { database = try await .withAda(clock) }

    private func harness(fails: Bool = false) -> WorkerHarness {
        WorkerHarness([channel], database: database) { [notices] notice, _ in
            notices.keep(notice)
            if fails { throw DatabaseError.uniqueViolation }
        }
    }

    private var news: [EndpointNews] { notices.all.map(\.news) }

    @Test(arguments: [404, 410])
    func missingEndpointIsRetriedAndReportedOnce(status: Int) async throws {
        let harness = harness()
        channel.answer(.gone(.http(status)), .gone(.http(status)), .failed(.timeout))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1).state == .retrying)
        let device = try #require(try await database.device())
        #expect(device.failingSince == noon && device.lastFailure == "http-\(status)")
        #expect(news == [.gone])
        #expect(notices.all.first?.reason == .http(status))
        // The owner gets another notice only after the endpoint has worked.
        for pause in [2, 4] {
            clock.advance(by: .seconds(pause))
            try await harness.work(finishing: 1)
        }
        #expect(news == [.gone])
        clock.advance(by: .seconds(8))
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1).state == .accepted)
        let working = try #require(try await database.device())
        #expect(working.failingSince == nil && working.lastFailure == nil)
        #expect(working.lastSuccessAt == clock.now())

        channel.answer(.gone(.http(status)))
        try await harness.queue(2)
        try await harness.work(finishing: 1)
        #expect(news == [.gone, .gone])
    }

    /// Lets a first message fail. After `pause`, sends a second message with the given result.
    private func fail(after pause: Duration, _ result: DeliveryResult, attempts: Int = 1)
        async throws
    {
        let harness = harness()
        channel.answer(.failed(.timeout))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        clock.advance(by: pause)
        // The first message has expired, so this pass settles it without an attempt.
        try await harness.work(finishing: 1)
        try await harness.queue(2)
        for _ in 0..<attempts {
            channel.answer(result)
            try await harness.work(finishing: 1)
            clock.advance(by: .minutes(11))
        }
    }

    @Test func endpointIsRemovedAfterSevenDaysOfFailures() async throws {
        try await fail(after: .days(7), .refused(.http(400)))
        #expect(try await database.device() == nil)
        #expect(news == [.givenUp])
        #expect(try await database.reason(2) == "http-400")
    }

    @Test func endpointIsKeptUntilSevenDaysHavePassed() async throws {
        try await fail(after: .days(7) - .milliseconds(1), .refused(.http(400)))
        #expect(try await database.device() != nil)
        #expect(news == [])
    }

    @Test(arguments: [(4, true), (5, false)])
    func endpointIsRemovedOnlyAfterFiveTriesOfAMessage(attempts: Int, isThere: Bool) async throws {
        try await fail(after: .days(7), .failed(.timeout), attempts: attempts)
        #expect(try await (database.device() != nil) == isThere)
        #expect(news == (isThere ? [] : [.givenUp]))
        if !isThere { #expect(try await database.row(2).state == .failed) }
    }

    @Test func failedNoticeToTheOwnerKeepsTheOutcome() async throws {
        let harness = harness(fails: true)
        channel.answer(.gone(.http(404)))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1).state == .retrying)
        #expect(news == [.gone])
    }

    @Test func ourOwnOutageDoesNotCountAgainstAnEndpoint() async throws {
        let harness = harness()
        channel.answer(.failed(DeliveryReason(.offline)))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1).state == .retrying)
        #expect(try await database.device()?.failingSince == nil)
    }

    /// The transaction locks the owner's row. Without the lock, the account could be deleted
    /// meanwhile, and the notice would remain.
    @Test(.enabled(if: TestDatabase.isPostgreSQL))
    func ownerIsLockedDuringTheNotice() async throws {
        let isLocked = Box<Bool>()
        let harness = WorkerHarness([channel], database: database) { notice, transaction in
            isLocked.keep(
                try transaction.hasRow(
                    "SELECT 1 FROM users WHERE id = $1 AND xmax = pg_current_xact_id()::xid",
                    [.id(notice.userID)]))
        }
        channel.answer(.gone(.http(404)))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(isLocked.all == [true])
    }

    @Test(arguments: [
        DeliveryResult.gone(.http(404)), .refused(.http(400)), .accepted(providerID: nil),
    ])
    func resultsOfTheOldURLDontAffectTheNewOne(result: DeliveryResult) async throws {
        var moved = try #require(try await database.device())
        moved.url = try #require(URL(string: "https://example.org/other"))
        let channel = FakeChannel(during: { [database, moved] delivery in
            guard delivery.url != moved.url else { return }
            try? await database.write(about: .none) {
                try $0.save(moved, of: id(1), session: id(3))
            }
        })
        let harness = WorkerHarness([channel], database: database) { [notices] notice, _ in
            notices.keep(notice)
        }
        channel.answer(result)
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(try await database.device() == moved)
        #expect(news == [])
    }

    @Test func newURLClearsTheFailures() async throws {
        let harness = harness()
        channel.answer(.gone(.http(404)))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        var device = try #require(try await database.device())
        try await database.write(about: .none) { [device] in
            try $0.save(device, of: id(1), session: id(3))
        }
        #expect(try await database.device()?.failingSince == noon)
        device.url = try #require(URL(string: "https://example.org/other"))
        try await database.write(about: .none) { [device] in
            try $0.save(device, of: id(1), session: id(3))
        }
        #expect(try await database.device()?.failingSince == nil)
    }
}

@Suite struct ProviderHealthTests {
    private let clock = TestClock()
    private let changes = Box<DeliveryReason?>()
    private let health: ProviderHealth

    init() {
        let (clock, changes) = (clock, changes)
        health = ProviderHealth(now: { clock.now() }) { changes.keep($0?.reason) }
    }

    @Test func providerFailingForAMinuteIsInTrouble() {
        health.note(.failed(.http(401)))
        clock.advance(by: .minutes(1) - .milliseconds(1))
        health.note(.failed(.http(401)))
        #expect(health.warning == nil)
        clock.advance(by: .milliseconds(1))
        health.note(.failed(.twilio(20_003)))
        health.note(.failed(.http(401)))
        #expect(
            health.warning
                == "text messages: nothing was accepted since 2026-03-01T12:00:00.000Z (http-401)")
        #expect(changes.all == [.twilio(20_003)])
        health.note(.accepted(providerID: nil))
        #expect(health.warning == nil)
        #expect(changes.all == [.twilio(20_003), nil])
    }

    /// Sign-in codes aren't retried, so no message may follow for hours.
    @Test(arguments: [(2, false), (3, true), (5, true)])
    func failuresWithinSecondsAreATroubleAMinuteLater(failures: Int, isInTrouble: Bool) {
        for _ in 1...failures { health.note(.failed(.http(401))) }
        clock.advance(by: .minutes(1) - .milliseconds(1))
        health.look()
        #expect(!health.isFailing && health.warning == nil)
        clock.advance(by: .milliseconds(1))
        #expect(health.isFailing == isInTrouble)
        #expect((health.warning != nil) == isInTrouble)
        #expect(changes.all == [])
        for _ in 1...2 { health.look() }
        #expect(changes.all == (isInTrouble ? [.http(401)] : []))
        health.note(.accepted(providerID: nil))
        clock.advance(by: .minutes(1))
        health.look()
        #expect(!health.isFailing && health.warning == nil)
        #expect(changes.all == (isInTrouble ? [.http(401), nil] : []))
    }

    /// After an outage, a small server may send nothing for days.
    @Test func troubleWithoutANewFailureIsOnlyAWarning() {
        health.note(.failed(.http(401)))
        #expect(!health.isFailing)
        clock.advance(by: .minutes(1))
        health.note(.failed(.http(401)))
        clock.advance(by: .minutes(15) - .milliseconds(1))
        #expect(health.isFailing)
        clock.advance(by: .milliseconds(1))
        #expect(!health.isFailing)
        let words = "text messages: nothing was accepted since 2026-03-01T12:00:00.000Z"
        #expect(
            health.warning == "\(words), last failed at 2026-03-01T12:01:00.000Z (http-401)")

        health.note(.failed(.http(401)))
        #expect(health.isFailing && health.warning == "\(words) (http-401)")
        health.note(.accepted(providerID: nil))
        #expect(!health.isFailing && health.warning == nil)
        #expect(changes.all == [.http(401), nil])
    }

    @Test func rejectedRecipientSaysNothingAboutTheProvider() {
        let refusals: [DeliveryResult] = [
            .refused(.twilio(21_614)), .gone(.http(410)), .ended(.http(404)),
        ]
        for result in refusals {
            health.note(result)
            clock.advance(by: .minutes(1))
        }
        #expect(health.warning == nil)
        // A rejected recipient doesn't count as a success of the provider.
        health.note(.failed(.http(503)))
        clock.advance(by: .minutes(1))
        health.note(refusals[0])
        health.note(.failed(.http(503)))
        #expect(health.warning != nil)
    }

    private struct Answering: Mailer {
        let result: DeliveryResult
        func send(_ email: Email) async -> DeliveryResult { result }
    }

    @Test(arguments: [
        (DeliveryResult.failed(.signInRefused), true), (.refused(.smtp(550)), false),
        (.accepted(providerID: nil), false), (.failed(.smtp(451)), true),
        (.failed(.smtp(451), isAboutRecipient: true), false),
    ])
    func mailServerIsObserved(result: DeliveryResult, isInTrouble: Bool) async throws {
        let mailer = ObservedMailer(Answering(result: result), health: health)
        let email = Email(
            recipient: try EmailAddress("ben@example.org"), subject: "", paragraphs: [], id: "1",
            date: noon)
        #expect(await mailer.send(email) == result)
        clock.advance(by: .minutes(1))
        #expect(health.warning == nil)
        #expect(await mailer.send(email) == result)
        #expect((health.warning != nil) == isInTrouble)
    }

    struct Rejections: Sendable {
        var names: [String]
        /// The server accepts a message after this many rejections; nil for never.
        var accepted: Int?
        var isInTrouble: Bool
    }

    @Test(
        arguments: [
            Rejections(names: ["ada", "ben", "cleo"], isInTrouble: true),
            Rejections(names: ["ada", "ben", "ada"], isInTrouble: false),
            Rejections(names: ["ada", "ben", "cleo"], accepted: 1, isInTrouble: false),
        ],
        [
            DeliveryResult.failed(.smtp(451), isAboutRecipient: true), .refused(.smtp(554)),
            .gone(.smtp(550)),
        ])
    func serverThatRejectsThreeRecipientsIsInTrouble(
        rejections: Rejections, rejection: DeliveryResult
    ) {
        let (names, isInTrouble) = (rejections.names, rejections.isInTrouble)
        for (place, name) in names.enumerated() {
            if place == rejections.accepted {
                health.note(.accepted(providerID: nil), to: "dora")
            }
            health.note(rejection, to: name)
        }
        clock.advance(by: .minutes(1) - .milliseconds(1))
        #expect(health.warning == nil)
        clock.advance(by: .milliseconds(1))
        #expect((health.warning != nil) == isInTrouble)
        health.note(rejection, to: names[0])
        #expect((health.warning != nil) == isInTrouble)
        health.note(.accepted(providerID: nil), to: "dora")
        #expect(health.warning == nil)
    }

    @Test func rejectionsDontCountAsFailures() {
        for name in ["ada", "ben"] { health.note(.refused(.smtp(554)), to: name) }
        health.note(.failed(.http(503)))
        clock.advance(by: .minutes(1))
        health.look()
        #expect(health.warning == nil)
        #expect(changes.all == [])
    }

    private struct Refusing: SMSProvider {
        let reason: DeliveryReason
        func send(_ message: TextMessage) async -> DeliveryResult { .refused(reason) }
    }

    /// Sends a text message to each of three numbers, and a minute later to the first again.
    private func refuse(_ reason: DeliveryReason, origin: MessageOrigin?) async throws {
        let provider = ObservedProvider(Refusing(reason: reason), health: health)
        for (pause, number) in [(0, 1), (0, 2), (0, 3), (1, 1)] {
            clock.advance(by: .minutes(pause))
            let message = TextMessage(
                recipient: try PhoneNumber("+1555010\(number)"), text: "", validity: .minutes(30),
                origin: origin)
            #expect(await provider.send(message) == .refused(reason))
        }
    }

    /// A gateway whose description has become wrong answers 400 to each message.
    @Test func providerThatRefusesEachTextMessageIsInTrouble() async throws {
        try await refuse(
            .http(400), origin: .delivery(DeliveryOrigin(user: id(1), delivery: id(5), attempt: 1)))
        #expect(health.isFailing)
    }

    @Test func refusedCodesAndStopsSayNothingAboutTheProvider() async throws {
        try await refuse(.http(400), origin: nil)
        try await refuse(.http(400), origin: .invitation(id(6)))
        try await refuse(
            .twilio(21_610),
            origin: .delivery(DeliveryOrigin(user: id(1), delivery: id(5), attempt: 1)))
        #expect(health.warning == nil)
    }

    /// Notes failures to three people, and a minute later the first again.
    private func lose(
        _ reason: DeliveryReason?, _ people: [UserID?] = [id(1), id(2), id(3)],
        on other: ProviderHealth? = nil
    ) {
        let health = other ?? self.health
        let report = ProviderReport(state: .failed, reason: reason)
        for person in people { health.note(report, about: person) }
        clock.advance(by: .minutes(1))
        health.note(report, about: people[0])
    }

    /// 30034: carriers drop the messages of a sender who isn't registered.
    @Test func providerThatDeliversNothingIsInTrouble() {
        lose(.twilio(30_034))
        #expect(health.isFailing)
        health.note(ProviderReport(state: .accepted), about: id(1))
        #expect(health.isFailing)
        health.note(ProviderReport(state: .seen), about: id(1))
        #expect(!health.isFailing && health.warning == nil)
    }

    /// A provider whose carriers may send no receipts.
    private func arrivals() -> ProviderHealth {
        ProviderHealth(
            name: "accepted text messages", success: "delivered", memory: .hours(1),
            now: { [clock] in clock.now() })
    }

    @Test func lossesDaysApartAreNoTrouble() {
        let health = arrivals()
        for number in 1...4 as ClosedRange<UInt8> {
            for _ in 1...2 {
                health.note(
                    ProviderReport(state: .failed, reason: .twilio(30_034)), about: id(number))
                clock.advance(by: .minutes(1))
                health.note(ProviderReport(state: .accepted), about: id(9))
            }
            clock.advance(by: .days(2))
        }
        #expect(health.warning == nil)
    }

    @Test(arguments: [(Duration.minutes(59) - .milliseconds(1), true), (.minutes(59), false)])
    func lossesCountForAnHour(pause: Duration, isInTrouble: Bool) {
        let health = arrivals()
        let report = ProviderReport(state: .failed, reason: .twilio(30_034))
        health.note(report, about: id(1))
        clock.advance(by: pause)
        lose(.twilio(30_034), [id(2), id(3)], on: health)
        #expect(health.isFailing == isInTrouble)
    }

    @Test(arguments: [(false, "several were lost"), (true, "nothing was delivered")])
    func warningOfLossesDependsOnReceipts(hasReceipts: Bool, words: String) {
        let health = arrivals()
        if hasReceipts { health.note(ProviderReport(state: .seen), about: id(1)) }
        lose(.twilio(30_034), on: health)
        let since = "since 2026-03-01T12:00:00.000Z"
        #expect(
            health.warning == "accepted text messages: \(words) \(since) (twilio-30034)")
        clock.advance(by: .hours(1))
        #expect((health.warning != nil) == hasReceipts)
    }

    @Test func failureWithoutAReasonCounts() {
        lose(nil)
        #expect(health.isFailing)
    }

    @Test(arguments: [30_003, 30_004, 30_005, 30_006, 21_610])
    func failureOfAPhoneSaysNothingAboutTheProvider(code: Int) {
        lose(.twilio(code))
        #expect(health.warning == nil)
    }

    @Test func lostMessagesToOnePersonOrUnknownPeopleSayNothing() {
        lose(.twilio(30_034), [id(1), id(2), id(1)])
        #expect(health.warning == nil)
        health.note(ProviderReport(state: .seen), about: nil)
        lose(.twilio(30_034), [nil, nil, nil])
        #expect(health.warning == nil)
    }

    private func voiceChannel(at listener: Listener) throws -> VoiceChannel {
        let callback = try #require(URL(string: "https://lifesignal.example/v1/calls/twilio"))
        return VoiceChannel(
            TwilioAPI(
                TwilioAccount(
                    sid: "AC1", authToken: "hush", baseURL: try listener.url("127.0.0.1", "")),
                client: HTTPClient(allowsPrivateAddresses: true)),
            caller: "+15005550006", callback: callback, key: try serverKey(), health: health,
            now: { noon })
    }

    @Test func providerThatRefusesEachCallIsInTrouble() async throws {
        let listener = try await Listener(answer: Listener.http("400 Bad Request"))
        let channel = try voiceChannel(at: listener)
        for (pause, number) in [(0, 1), (0, 2), (0, 3), (1, 1)] {
            clock.advance(by: .minutes(pause))
            var call = try delivery(.voice, device: nil, url: nil)
            call.phoneNumber = try PhoneNumber("+1555010\(number)")
            _ = await channel.send(call)
        }
        #expect(health.isFailing)
        try await listener.close()
    }

    /// A relay that denies everything says "550" about each recipient.
    @Test func failingServerReportsNoMissingMailbox() async throws {
        let gone = DeliveryResult.gone(.smtp(550))
        let doubted = DeliveryResult.failed(.smtp(550), isAboutRecipient: true)
        let mailer = ObservedMailer(Answering(result: gone), health: health)
        func send(to name: String) async throws -> DeliveryResult {
            await mailer.send(
                Email(
                    recipient: try EmailAddress("\(name)@example.org"), subject: "",
                    paragraphs: [], id: "1", date: noon))
        }
        #expect(try await send(to: "ada") == gone)
        #expect(try await send(to: "ben") == gone)
        #expect(try await send(to: "ada") == gone)
        #expect(try await send(to: "cleo") == doubted)
        clock.advance(by: .hours(1))
        #expect(try await send(to: "ada") == doubted)
        health.note(.accepted(providerID: nil), to: "dora@example.org")
        #expect(try await send(to: "ada") == gone)
    }

    @Test(arguments: [(Duration.minutes(15) - .milliseconds(1), true), (.minutes(15), false)])
    func missingMailboxIsBelievedLongAfterAFailure(
        pause: Duration, isDoubted: Bool
    ) async throws {
        let gone = DeliveryResult.gone(.smtp(550))
        health.note(.failed(.timeout), to: "ben@example.org")
        clock.advance(by: pause)
        let email = Email(
            recipient: try EmailAddress("ada@example.org"), subject: "", paragraphs: [], id: "1",
            date: noon)
        let result = await ObservedMailer(Answering(result: gone), health: health).send(email)
        #expect((result == gone) == !isDoubted)
    }

    @Test(arguments: [("401 Unauthorized", true), ("400 Bad Request", false)])
    func providerOfCallsIsObserved(status: String, isInTrouble: Bool) async throws {
        let listener = try await Listener(answer: Listener.http(status))
        let channel = try voiceChannel(at: listener)
        let call = try delivery(.voice, device: nil, url: nil)
        _ = await channel.send(call)
        clock.advance(by: .minutes(1))
        #expect(health.warning == nil)
        _ = await channel.send(call)
        #expect((health.warning != nil) == isInTrouble)
        try await listener.close()
    }

    @Test func oneAcceptedMessageEndsTheTrouble() {
        health.note(.failed(.timeout))
        clock.advance(by: .seconds(59))
        health.note(.accepted(providerID: nil))
        clock.advance(by: .seconds(59))
        health.note(.failed(.timeout))
        #expect(health.warning == nil)
        #expect(changes.all == [])
    }
}
