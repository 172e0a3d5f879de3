import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Delivery

@Suite(.timeLimit(.minutes(5))) struct DeliveryWorkerTests {
    private let channel = FakeChannel()
    private let harness: WorkerHarness

    init() async throws { harness = WorkerHarness([channel], database: try await .withAda()) }

    @Test func rowIsLeasedBeforeItsTry() async throws {
        let database = try await FaultyDatabase.withAda()
        let rows = Box<WorkerHarness.Row>()
        let channel = FakeChannel(during: { _ in
            if let row = try? await database.row(1) { rows.keep(row) }
        })
        let harness = WorkerHarness([channel], database: database)
        try await harness.queue(1)
        #expect(try await harness.row(1) == .init(state: .queued, attempts: 0, nextTry: noon))
        try await harness.work(finishing: 1)
        #expect(
            rows.all == [.init(state: .sending, attempts: 1, nextTry: noon.adding(.seconds(60)))])
        #expect(try await harness.row(1) == .init(state: .accepted, attempts: 1, nextTry: nil))
        #expect(harness.reports == [.accepted])
    }

    @Test func tryHasTheRecipientsAddresses() async throws {
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        let sent = try #require(channel.tries.first)
        #expect(sent.url?.absoluteString == "https://example.org/hook")
        #expect(sent.phoneNumber?.text == "+4915110000001")
        #expect(
            sent.record.id == id(1) && sent.record.pushEndpointID == id(9)
                && sent.record.attempts == 1)
        #expect(sent.record.notification.title == "Title")
    }

    @Test func failuresAreRetriedAfterTwoFourAndEightSeconds() async throws {
        channel.answer(.failed(.timeout), .failed(.http(503)), .failed(.http(401)))
        try await harness.queue(1)
        var now = noon
        for (attempt, pause) in [(1, 2), (2, 4), (3, 8)] {
            try await harness.work(finishing: 1)
            let next = now.adding(.seconds(pause))
            #expect(
                try await harness.row(1)
                    == .init(state: .retrying, attempts: attempt, nextTry: next))
            harness.clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(try await harness.worker.work() == next)
            #expect(channel.tries.count == attempt)
            harness.clock.advance(by: .milliseconds(1))
            now = next
        }
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1) == .init(state: .accepted, attempts: 4, nextTry: nil))
        #expect(Set(channel.tries.map(\.record.id)).count == 1)
        #expect(harness.reports == [.retrying, .retrying, .retrying, .accepted])
        #expect(harness.reasons == [.timeout, .http(503), .http(401), nil])
    }

    @Test func permanentFailureIsNotRetried() async throws {
        channel.answer(.refused(.http(400)))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1) == .init(state: .failed, attempts: 1, nextTry: nil))
        harness.clock.advance(by: .days(1))
        #expect(try await harness.worker.work() == nil)
        #expect(channel.tries.count == 1)
        #expect(try await harness.hasDevice())
        #expect(try await harness.database.reason(1) == "http-400")
    }

    @Test(arguments: [
        (NotificationType.alert, Duration.hours(24)), (.ping, .hours(6)), (.system, .hours(6)),
    ])
    func deliveryIsGivenUpBeforeARetryTooLate(type: NotificationType, useful: Duration)
        async throws
    {
        channel.answer(.failed(.timeout), .failed(.timeout))
        try await harness.queue(1, type)
        harness.clock.advance(by: useful - .milliseconds(2_001))
        try await harness.work(finishing: 1)
        let last = noon.adding(useful - .milliseconds(1))
        #expect(try await harness.row(1) == .init(state: .retrying, attempts: 1, nextTry: last))
        harness.clock.advance(by: .seconds(2))
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1) == .init(state: .givenUp, attempts: 2, nextTry: nil))
        #expect(harness.reports == [.retrying, .givenUp])
    }

    @Test func workReturnsWhenTheNextRetryIsDue() async throws {
        #expect(try await harness.worker.work() == nil)
        channel.answer(.failed(.timeout))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(try await harness.worker.work() == noon.adding(.seconds(2)))
    }

    @Test func acknowledgementDuringATryIsKept() async throws {
        let database = harness.database
        let channel = FakeChannel(during: { _ in
            try? await database.write(about: .none) {
                try $0.markAcknowledged(alert: id(200), owner: id(50), by: id(1))
            }
        })
        channel.answer(.failed(.timeout))
        let harness = WorkerHarness([channel], database: database)
        try await harness.queue(1, alertOwner: id(50))
        try await harness.work(finishing: 1)
        #expect(try await harness.row(1) == .init(state: .acknowledged, attempts: 1, nextTry: nil))
    }

    @Test func providersLaterReportUpdatesItsDelivery() async throws {
        channel.answer(.accepted(providerID: "SM1"))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        let (known, unknown) = try await harness.database.write(about: .none) { transaction in
            let (known, unknown) = (
                ProviderReport(state: .seen, providerID: "SM1"),
                ProviderReport(state: .seen, providerID: "SM2")
            )
            return (
                try transaction.reportDelivery(known),
                try transaction.reportDelivery(unknown)
            )
        }
        #expect(known && !unknown)
        #expect(try await harness.row(1).state == .seen)
    }
}

final class Box<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    var all: [Value] { values.withLock { $0 } }
    func keep(_ value: Value) { values.withLock { $0.append(value) } }
}
