import API
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// Reads answers, refusals, events and stored rows that come from a newer version.
@Suite struct NewerServerTests {
    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encoder().encode(value), as: UTF8.self)
    }

    @Test func unknownElementDoesNotLoseTheList() async throws {
        let ping = PingRecord(
            id: id(1), responderID: id(2), dependentID: id(3), createdAt: noon, state: .pending,
            settledAt: nil)
        let known = try json(ping)
        let future = known.replacing("\"pending\"", with: "\"snoozed\"")
        let body = "{\"items\":[\(known),{\"kind\":\"group\"},\(future)]}"
        let list = try APIReply.decode(
            List<PingRecord>.self, from: TransportResponse(status: 200, body: Data(body.utf8)))
        #expect(list.items.map(\.state) == [.pending, .expired])
    }

    @Test(arguments: [
        (403, ErrorCode.unknown), (422, .unknown), (401, .unauthenticated), (429, .rateLimited),
        (500, .internal), (503, .unavailable), (507, .internal),
    ])
    func unknownErrorCodeFollowsTheStatus(status: Int, code: ErrorCode) throws {
        let body = """
            {"type":"urn:x","title":"T","status":\(status),"detail":"D","code":"too-sunny",
            "requestID":"1","shade":false}
            """
        let failure = APIReply.failure(
            of: TransportResponse(status: status, body: Data(body.utf8)))
        #expect(failure.code == code)
        let words = UserFacingError(failure, during: .action(.changeRoles))
        #expect(!words.message.isEmpty && !words.recoverySuggestion.isEmpty)
    }

    /// If the client ignored the unknown refusal, it would resend the action forever.
    @Test func unknownRefusalEndsQueuedAction() async throws {
        let body = """
            {"type":"urn:x","title":"T","status":409,"detail":"D","code":"too-sunny",
            "requestID":"1"}
            """
        let transport = FakeTransport { _, _ in
            TransportResponse(status: 409, body: Data(body.utf8))
        }
        let folder = try TemporaryFolder()
        let files = try await AccountFiles(folder: folder.url, user: id(1))
        let queue = try QueueFile(path: folder.url.appending(path: "queue.sqlite").path)
        let clock = EagerClock()
        var options = Account.Options(limits: .device)
        options.patience = .zero
        options.storage = .init(queue: queue, copy: files.copy)
        let account = Account(
            userID: id(1),
            connection: Connection(
                transport: transport, store: MemoryTokenStore(.stage(1)), clock: clock.client),
            environment: ClientEnvironment(
                clock: clock.client, now: { noon }, makeID: { UUID() }, random: { 0 }),
            options: options)
        try await account.open()
        _ = try await account.submit(.clearPing(id(2)))
        #expect(await account.entries.count == 1)
        _ = await account.sendNext(.rest)
        #expect(await account.entries.isEmpty)
        await account.stop()
        await files.close()
    }

    @Test func eventWithUnknownValueIsDecoded() throws {
        let item = NotificationItem(id: id(1), type: .ping, title: "T", body: "B", createdAt: noon)
        let data = try json(item).replacing("\"ping\"", with: "\"weather\"")
        guard case .notification(let read) = try UserEvent(kind: .notification, data: data) else {
            Issue.record("not a notification")
            return
        }
        #expect(read.type == .system && read.title == "T")
    }
}
