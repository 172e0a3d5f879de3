import Clients
import Domain
import Foundation
import Synchronization
import Testing

@testable import ClientsLive

@Suite struct OutboxTests {
    private let alert = QueuedEntry(
        id: UUID(), position: 3, action: .raiseAlert(id(3)), createdAt: noon)
    private let ping = QueuedEntry(
        id: UUID(), position: 1, action: .clearPing(id(2)), createdAt: noon - 60)

    /// Returns the actions that are sent without a question, and the question about the held
    /// alerts.
    private func restored(
        heldUntil time: Date?, isSignIn: Bool, for account: isolated Account
    ) async -> (active: [WaitingAction.Kind], question: UnsentAlert?) {
        let outbox = Outbox(file: nil)
        outbox.restore(QueueContents(entries: [ping, alert]))
        #expect(outbox.active == outbox.entries && outbox.entries == [ping, alert])
        await outbox.takeUpHeld([alert.id: time], isSignIn: isSignIn, for: account)
        return (outbox.active.map(\.action.kind), outbox.unsentAlert)
    }

    @Test func heldAlertWaitsForTheAnswer() async {
        let (active, question) = await restored(
            heldUntil: nil, isSignIn: true, for: .unreachable())
        #expect(active == [.clearPing])
        #expect(
            question
                == UnsentAlert(raisedAt: noon, sendsAt: noon.adding(UnsentAlert.timeToAnswer)))
    }

    @Test func heldAlertIsSentAfterItsTime() async {
        for (time, expected) in [(noon, [.clearPing, .raiseAlert]), (noon + 1, [.clearPing])]
            as [(Date, [WaitingAction.Kind])]
        {
            let (active, question) = await restored(
                heldUntil: time, isSignIn: false, for: .unreachable())
            #expect(active == expected)
            #expect((question == nil) == expected.contains(.raiseAlert))
        }
    }

    @Test func signInBeginsTheTimeToAnswerAgain() async {
        let (active, question) = await restored(
            heldUntil: noon, isSignIn: true, for: .unreachable())
        #expect(active == [.clearPing])
        #expect(question?.sendsAt == noon.adding(UnsentAlert.timeToAnswer))
    }

    /// The device's clock was set back.
    @Test func heldAlertWaitsNoLongerThanTheTimeToAnswer() async {
        let (_, question) = await restored(
            heldUntil: noon.adding(.hours(1)), isSignIn: false, for: .unreachable())
        #expect(question?.sendsAt == noon.adding(UnsentAlert.timeToAnswer))
    }

    /// The answer to an earlier request was lost. There is no queue, as in a web session.
    @Test func alertThatIsGoneHasEnded() async throws {
        let account = Account.answering(.stage(1)) { _, _ in try .problem(.notFound) }
        #expect(try await account.submit(.endAlert(id(3))) == .done)
        await #expect(throws: UserFacingError.self) {
            _ = try await account.submit(.raiseAlert(id(4)))
        }
    }

    @Test func actionWithoutFileFailsAtOnce() async {
        let account = Account.unreachable()
        await #expect(throws: UserFacingError.self) {
            _ = try await account.submit(.clearPing(id(2)))
        }
        #expect(await account.entries.isEmpty)
        #expect(await account.waitingCallers == 0)
    }

    /// Ends the session while a write runs. Returns the queue.
    private func endSession(
        of account: isolated Account, _ finishWrite: @Sendable () -> Void
    ) async -> [WaitingAction.Kind] {
        // This task is first in the actor's queue: `submit` continues only after it.
        let unsent = Task { await account.sessionHasEnded() }
        finishWrite()
        return await unsent.value.map(\.kind)
    }

    /// `SessionController` deletes the file if the queue is empty.
    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func endOfTheSessionWaitsForRunningWrites(isWritten: Bool) async {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let account = Account.unreachable(queue: SlowQueue(begin: begin, ends: ends))
        let call = Task { try await account.submit(.raiseAlert(id(3))) }
        _ = await first(begun)
        let unsent = await endSession(of: account) { end.yield(isWritten) }
        #expect(unsent == (isWritten ? [.raiseAlert] : []))
        await #expect(throws: UserFacingError.self) { _ = try await call.value }
        #expect(await account.entries.map(\.action.kind) == unsent)
    }

    /// The connection returns while the person answers "Don't send it".
    @Test(.timeLimit(.minutes(1))) func readDoesNotBringADiscardedAlertBack() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let account = Account.unreachable(
            queue: SlowReads(alert: alert, ping: ping, begin: begin, ends: ends))
        try await account.open(isSignIn: true)
        #expect(await account.unsentAlert != nil)
        await account.receive(.connected)
        _ = await first(begun)
        await account.answerHeldAlerts(isToBeSent: false)
        end.yield()
        while await account.entries.isEmpty { await Task.yield() }
        #expect(await account.entries == [ping])
    }

    /// The disk fails while the person discards an entry, and works again later.
    @Test func failedRemovalDoesNotBringAnEntryBack() async throws {
        let queue = FullQueue([ping, alert])
        let account = Account.unreachable(queue: queue)
        try await account.open()
        await account.discard([ping.id])
        await account.readQueue()
        #expect(await account.entries == [alert])
        #expect(await account.undiscarded.map(\.kind) == [.clearPing])
        #expect(queue.entries == [ping, alert])

        let other = QueuedEntry(
            id: UUID(), position: 4, action: .clearPing(id(5)), createdAt: noon)
        try await queue.append(other)
        queue.makeRoom()
        await account.readQueue()
        #expect(await account.entries == [alert, other])
        #expect(await account.undiscarded == [])
        #expect(queue.entries == [alert, other])
    }

    @Test func failedRemovalDoesNotBringAHeldAlertBack() async throws {
        let queue = FullQueue([ping, alert], held: [alert.id: nil])
        let account = Account.unreachable(queue: queue)
        try await account.open(isSignIn: true)
        await account.answerHeldAlerts(isToBeSent: false)
        await account.readQueue()
        #expect(await account.entries == [ping])
        #expect(await account.undiscarded.map(\.kind) == [.raiseAlert])
        queue.makeRoom()
        await account.stop()
        #expect(queue.entries == [ping])
    }

    /// The disk fails to note the server's answer: a refusal, or a deleted message.
    @Test(arguments: [ErrorCode.permissionDenied, .notFound])
    func answeredEntryIsNotSentAgain(answer: ErrorCode) async throws {
        let read = QueuedEntry(
            id: UUID(), position: 1, action: .markAsRead(id(6)), createdAt: noon)
        let account = Account.answering(.stage(1), queue: FullQueue([read])) { _, _ in
            try .problem(answer)
        }
        try await account.open()
        #expect(await account.entries == [read])
        _ = await account.sendNext(.rest)
        #expect(await account.entries == [])
        await account.readQueue()
        #expect(await account.entries == [])
        #expect(await account.undiscarded == [])
    }

    @Test func nothingIsQueuedAfterTheEndOfTheSession() async {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let account = Account.unreachable(
            queue: SlowQueue(begin: AsyncStream.makeStream(of: Void.self).continuation, ends: ends))
        end.yield(true)
        #expect(await account.sessionHasEnded() == [])
        await #expect(throws: UserFacingError.self) {
            _ = try await account.submit(.raiseAlert(id(3)))
        }
        #expect(await account.entries.isEmpty)
    }
}

/// A queue whose appends wait for the test.
private struct SlowQueue: QueueStore {
    let begin: AsyncStream<Void>.Continuation
    /// True for each append that succeeds, false for each that fails.
    let ends: AsyncStream<Bool>

    func load() async throws -> QueueContents { QueueContents() }
    func append(_ entry: QueuedEntry) async throws {
        begin.yield()
        guard await first(ends) == true else { throw CocoaError(.fileWriteOutOfSpace) }
    }
    func prepend(_ entry: QueuedEntry) async throws {}
    func remove(_ id: UUID, noting alias: Alias?) async throws {}
    func hold(_ ids: Set<UUID>, until time: Date?) async throws {}
    func release(_ ids: Set<UUID>) async throws {}
    func refuse(_ id: UUID, _ error: UserFacingError) async throws {}
}

/// A queue with a held alert. Its second read waits for the test, and also finds a ping of another
/// process.
private final class SlowReads: QueueStore {
    let alert, ping: QueuedEntry
    let begin: AsyncStream<Void>.Continuation
    let ends: AsyncStream<Void>
    private let isRead = Mutex(false)

    init(
        alert: QueuedEntry, ping: QueuedEntry, begin: AsyncStream<Void>.Continuation,
        ends: AsyncStream<Void>
    ) {
        (self.alert, self.ping, self.begin, self.ends) = (alert, ping, begin, ends)
    }

    func load() async throws -> QueueContents {
        var contents = QueueContents(entries: [alert], held: [alert.id: noon])
        let isSecond = isRead.withLock { isRead in
            defer { isRead = true }
            return isRead
        }
        guard isSecond else { return contents }
        begin.yield()
        _ = await first(ends)
        contents.entries.append(ping)
        return contents
    }
    func append(_ entry: QueuedEntry) async throws {}
    func prepend(_ entry: QueuedEntry) async throws {}
    func remove(_ id: UUID, noting alias: Alias?) async throws {}
    func hold(_ ids: Set<UUID>, until time: Date?) async throws {}
    func release(_ ids: Set<UUID>) async throws {}
    func refuse(_ id: UUID, _ error: UserFacingError) async throws {}
}

/// A queue in memory. Until there is room, entries can be neither removed nor refused.
private final class FullQueue: QueueStore {
    private let contents: Mutex<QueueContents>
    private let isFull = Mutex(true)

    init(_ entries: [QueuedEntry], held: [UUID: Date?] = [:]) {
        contents = Mutex(QueueContents(entries: entries, held: held))
    }

    var entries: [QueuedEntry] { contents.withLock { $0.entries } }

    func makeRoom() { isFull.withLock { $0 = false } }

    private func checkRoom() throws {
        guard !isFull.withLock({ $0 }) else { throw CocoaError(.fileWriteOutOfSpace) }
    }

    func load() async throws -> QueueContents { contents.withLock { $0 } }
    func append(_ entry: QueuedEntry) async throws {
        contents.withLock { $0.entries.append(entry) }
    }
    func prepend(_ entry: QueuedEntry) async throws {}
    func remove(_ id: UUID, noting alias: Alias?) async throws {
        try checkRoom()
        contents.withLock { contents in contents.entries.removeAll { $0.id == id } }
    }
    func hold(_ ids: Set<UUID>, until time: Date?) async throws {}
    func release(_ ids: Set<UUID>) async throws {}
    func refuse(_ id: UUID, _ error: UserFacingError) async throws { try checkRoom() }
}

/// A local copy that stores nothing.
private struct NoCopy: CopyStore {
    func load(of user: UserID) async throws -> CopyContents { CopyContents() }
    func save(_ new: CopyContents, replacing old: CopyContents) async throws {}
    func setting(_ key: String) async throws -> String? { nil }
    func set(_ value: String?, _ key: String) async throws {}
}

extension Account {
    fileprivate func readQueue() async { await outbox.takeUpWhatOthersLeft(for: self) }

    static func unreachable(queue: (any QueueStore)? = nil) -> Account {
        answering(nil, queue: queue) { _, _ in throw ClientFailure.unreachable(.offline) }
    }

    /// - Parameter queue: nil for an account without a disk.
    static func answering(
        _ tokens: SessionTokens?, queue: (any QueueStore)? = nil,
        _ rule: @escaping FakeTransport.Rule
    ) -> Account {
        let clock = EagerClock()
        var options = Account.Options(limits: .session)
        options.storage = queue.map { Account.Storage(queue: $0, copy: NoCopy()) }
        return Account(
            userID: id(1),
            connection: Connection(
                transport: FakeTransport(rule), store: MemoryTokenStore(tokens),
                clock: clock.client, random: { 0 }),
            environment: ClientEnvironment(
                clock: clock.client, now: { noon }, makeID: { UUID() }, random: { 0 }),
            options: options)
    }
}
