import API
import Domain
import Foundation
import SchemaValidation
import Synchronization
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
    let server: TestServer
    let ada, ben: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
    }

    private func checkIn(_ number: UInt8) async throws {
        server.clock.advance(by: .seconds(1))
        try await server.call(
            Routes.checkIn, CheckInRequest(occurredAt: server.clock.now()),
            id: "\(id(number) as CheckInID)", by: ada)
    }

    private func newest(of person: Person) async throws -> Int64 {
        try await server.database.read { try $0.eventRange(of: person.id) }?.upperBound ?? 0
    }

    @Test func streamStartsWithReadyAndTheLastNumber() async throws {
        let stream = try await OpenStream(server, ben)
        #expect(stream.answer.status == 200)
        #expect(stream.answer.header("Content-Type") == "text/event-stream")
        #expect(stream.answer.header("Cache-Control") == "no-store, no-transform")
        #expect(stream.answer.header("Content-Length") == nil)
        let newest = try await newest(of: ben)
        #expect(newest > 0)
        #expect(
            await stream.next()
                == Frame(id: newest, event: "ready", data: #"{"sequence":\#(newest)}"#))
        try await stream.end()
    }

    @Test func streamWithoutEventsStartsAtZero() async throws {
        let sam = try await server.signIn("+4915100000003")
        let stream = try await OpenStream(server, sam)
        #expect(await stream.next() == Frame(id: 0, event: "ready", data: #"{"sequence":0}"#))
        let resumed = try await OpenStream(server, sam, lastEventID: "0")
        #expect(await resumed.next()?.event == "ready")
    }

    @Test func eventsArriveInOrderWithoutGaps() async throws {
        let stream = try await OpenStream(server, ben)
        let start = try #require(await stream.next()?.id)
        for number in 1...5 as ClosedRange<UInt8> { try await checkIn(number) }
        let frames = await stream.frames(5)
        #expect(frames.map(\.id) == (1...5).map { start + $0 })
        #expect(frames.map(\.event) == Array(repeating: "checkIn", count: 5))
        let event = try UserEvent(kind: .checkIn, data: try #require(frames.last?.data))
        #expect(
            event
                == .checkIn(
                    .init(
                        userID: ada.id, lastCheckInTime: server.clock.now(),
                        nextCheckInTime: server.clock.now().adding(.hours(24)))))
    }

    @Test func sentNotificationIsRecordedAsDelivered() async throws {
        let stream = try await OpenStream(server, ben)
        _ = await stream.next()
        try await server.call(Routes.raiseAlert, id: "\(id(1) as AlertID)", by: ada)
        let frames = await stream.frames(2)
        #expect(Set(frames.compactMap(\.event)) == ["alert", "notification"])
        let told = try #require(frames.first { $0.event == "notification" }?.data)
        guard case .notification(let item) = try UserEvent(kind: .notification, data: told) else {
            throw Unexpected()
        }
        server.hub.keepAlive()
        #expect(await stream.next()?.isComment == true)
        #expect(server.notedAsStreamed == [item.id])
    }

    /// The web app's session keeps its stream for a while after its last page has closed.
    @Test func deliveryIsRecordedOnlyAfterAPageConfirms() async throws {
        let page = ConfirmingPage()
        let stream = try await OpenStream(server, ben, whenSeen: page.whenSeen)
        _ = await stream.next()
        try await server.call(Routes.raiseAlert, id: "\(id(1) as AlertID)", by: ada)
        let frames = await stream.frames(2)
        #expect(Set(frames.compactMap(\.event)) == ["alert", "notification"])
        server.hub.keepAlive()
        #expect(await stream.next()?.isComment == true)
        #expect(server.notedAsStreamed == [])
        page.confirm()
        #expect(server.notedAsStreamed.count == 1)
        server.hub.keepAlive()
        #expect(await stream.next()?.isComment == true)
        #expect(server.notedAsStreamed.count == 1)
    }

    @Test func streamResumesAfterTheLastEventID() async throws {
        let first = try await OpenStream(server, ben)
        let start = try #require(await first.next()?.id)
        try await checkIn(1)
        #expect(await first.next()?.id == start + 1)
        try await first.end()
        for number in 2...4 as ClosedRange<UInt8> { try await checkIn(number) }
        let second = try await OpenStream(server, ben, lastEventID: "\(start + 1)")
        #expect(
            await second.next()
                == Frame(id: start + 1, event: "ready", data: #"{"sequence":\#(start + 1)}"#))
        #expect(await second.frames(3).map(\.id) == [start + 2, start + 3, start + 4])
    }

    @Test func manyMissedEventsAreReadPageByPage() async throws {
        let start = try await newest(of: ben)
        for number in 1...230 as ClosedRange<UInt8> { try await checkIn(number) }
        let stream = try await OpenStream(server, ben, lastEventID: "\(start)")
        #expect(await stream.next()?.event == "ready")
        #expect(await stream.frames(230).map(\.id) == (1...230).map { start + $0 })
    }

    @Test(arguments: [1, 999_999_999_999_999_000] as [Int64])
    func lastEventIDFromTheFutureCausesAReload(ahead: Int64) async throws {
        let newest = try await newest(of: ben)
        let stream = try await OpenStream(server, ben, lastEventID: "\(newest + ahead)")
        #expect(
            await stream.next()
                == Frame(id: newest, event: "reload", data: #"{"sequence":\#(newest)}"#))
        try await checkIn(1)
        #expect(await stream.next()?.id == newest + 1)
    }

    @Test func deletedEventsCauseAReload() async throws {
        let old = try await newest(of: ben)
        server.clock.advance(by: .days(8))
        for number in 1...40 as ClosedRange<UInt8> {
            let again = try await server.signIn("+4915100000001")
            _ = try await server.call(
                Routes.checkIn, CheckInRequest(occurredAt: server.clock.now()),
                id: "\(id(number) as CheckInID)", by: again)
            server.clock.advance(by: .seconds(1))
        }
        let stream = try await OpenStream(
            server, try await server.signIn("+4915100000002"), lastEventID: "\(old - 1)")
        let newest = try await newest(of: ben)
        #expect(
            await stream.next()
                == Frame(id: newest, event: "reload", data: #"{"sequence":\#(newest)}"#))
    }

    @Test func gapInTheRowsCausesAReload() async throws {
        let stream = try await OpenStream(server, ben)
        let start = try #require(await stream.next()?.id)
        try await server.database.write(about: .none) { [ben] in
            _ = try $0.execute(
                """
                INSERT INTO events (user_id, sequence, kind, happened_at, data)
                VALUES ($1, $2, 'profileChanged', 0, '{}')
                """, [.id(ben.id), .integer(start + 10)])
        }
        server.hub.keepAlive()
        #expect(
            await stream.next()
                == Frame(id: start + 9, event: "reload", data: #"{"sequence":\#(start + 9)}"#))
        #expect(await stream.next()?.id == start + 10)
    }

    /// For instance an event of a kind that only newer servers know.
    @Test(arguments: [1, 2, 3] as [UInt8])
    func eventThatCannotBeReadCausesAReload(number: UInt8) async throws {
        let start = try await newest(of: ben)
        for number in 1...3 as ClosedRange<UInt8> { try await checkIn(number) }
        let damaged = start + Int64(number)
        try await server.database.write(about: .none) { [ben] in
            _ = try $0.execute(
                "UPDATE events SET kind = 'later' WHERE user_id = $1 AND sequence = $2",
                [.id(ben.id), .integer(damaged)])
        }
        let stream = try await OpenStream(server, ben, lastEventID: "\(start)")
        #expect(await stream.next()?.event == "ready")
        let frames = await stream.frames(3)
        #expect(frames.map(\.id) == [start + 1, start + 2, start + 3])
        #expect(frames.map { $0.event == "reload" } == frames.map { $0.id == damaged })
        try await checkIn(4)
        #expect(await stream.next()?.id == start + 4)
    }

    /// The stream cannot read any event of the first two pages.
    @Test func streamGoesOnBehindManyUnreadableEvents() async throws {
        let start = try await newest(of: ben)
        for number in 1...230 as ClosedRange<UInt8> { try await checkIn(number) }
        try await server.database.write(about: .none) { [ben] in
            _ = try $0.execute(
                "UPDATE events SET kind = 'later' WHERE user_id = $1 AND sequence < $2",
                [.id(ben.id), .integer(start + 230)])
        }
        let stream = try await OpenStream(server, ben, lastEventID: "\(start)")
        #expect(await stream.next()?.event == "ready")
        let frames = await stream.frames(4)
        #expect(frames.map(\.id) == [start + 100, start + 200, start + 229, start + 230])
        #expect(frames.map(\.event) == ["reload", "reload", "reload", "checkIn"])
    }

    @Test(arguments: ["", "x", "-1", "+1", "1.5", "1234567890123456789", "1 2", "１"])
    func malformedLastEventIDIs422(text: String) async throws {
        let stream = try await OpenStream(server, ben, lastEventID: text)
        #expect(stream.answer.status == 422)
        #expect(server.hub.streamCount == 0)
    }

    @Test func strangerReceivesNoEvents() async throws {
        let sam = try await server.person("Sam", number: "+4915100000003")
        let stream = try await OpenStream(server, sam)
        let start = try #require(await stream.next()?.id)
        try await checkIn(1)
        try await server.call(Routes.raiseAlert, id: "\(id(1) as AlertID)", by: ada)
        server.hub.keepAlive()
        #expect(await stream.next()?.isComment == true)
        #expect(try await newest(of: sam) == start)
    }
}

struct Unexpected: Error {}

private final class ConfirmingPage: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    @Sendable func whenSeen(_ act: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(act) }
    }

    func confirm() {
        let acts = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for act in acts { act() }
    }
}
