import API
import Clients
import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct SendingTests {
    typealias Hook = @Sendable (TransportRequest) async throws -> TransportResponse?

    let app: TestApp
    let ada, ben: Person
    let folder: TemporaryFolder

    init() async throws {
        app = try TestApp(.memory)
        ada = try await app.person("Ada", "+15550100001")
        ben = try await app.person("Ben", "+15550100002")
        folder = try TemporaryFolder()
    }

    private func phone(
        clock: EagerClock = EagerClock(), patience: Duration? = .zero,
        _ hook: @escaping Hook = { _ in nil }
    ) async throws -> Phone {
        try await Phone(
            of: ada, in: folder, over: HookedTransport(transport: app.transport, before: hook),
            app: app, clock: clock, patience: patience)
    }

    private static let refusingNames: Hook = {
        $0.method == .patch ? try .problem(.invalidArgument, field: "name") : nil
    }

    private func until(_ condition: () async -> Bool) async {
        while await !condition() { await Task.yield() }
    }

    // MARK: Refusals

    @Test func sendAllKeepsRefusalNotices() async throws {
        let phone = try await phone(patience: nil, Self.refusingNames)
        let account = phone.account
        let refusals = account.refusals.stream()
        let doing = Task {
            try await account.submit(.updateProfile(name: "Ada L.", emergencyNote: nil))
        }
        await until { await account.waitingCallers == 1 }
        await account.receive(.disconnected)
        for entry in await account.entries { await account.settle(entry.id, .postponed) }
        #expect(try await doing.value == nil)

        let sending = Task { try await account.sendAll() }
        await until { await account.waitingCallers == 1 }
        _ = await account.sendNext(.rest)
        try await sending.value
        account.refusals.finish()
        #expect(await first(refusals)?.action.kind == .updateProfile)
        await phone.die()
    }

    @Test func refusalIsReportedAfterTheCallerLeft() async throws {
        let phone = try await phone(patience: nil, Self.refusingNames)
        let account = phone.account
        let refusals = account.refusals.stream()
        let doing = Task {
            try await account.submit(.updateProfile(name: "Ada L.", emergencyNote: nil))
        }
        await until { await account.waitingCallers == 1 }
        doing.cancel()
        #expect(try await doing.value == nil)
        _ = await account.sendNext(.rest)
        account.refusals.finish()
        #expect(await first(refusals)?.action.kind == .updateProfile)
        await phone.die()
    }

    /// Error codes that don't explain why an alert, its end or a check-in can't succeed.
    static let unexplained: [ErrorCode] = [
        .alreadyExists, .permissionDenied, .methodNotAllowed, .payloadTooLarge,
        .unsupportedMediaType, .unknown, .internal, .unavailable, .rateLimited,
    ]

    @Test(arguments: unexplained, [ErrorCode.notFound, .invalidArgument])
    func alertsAreNeverGivenUp(first: ErrorCode, second: ErrorCode) async throws {
        let codes = Answers([first, second])
        let phone = try await phone { _ in try codes.next().map { try .problem($0) } }
        #expect(try await phone.account.submit(.raiseAlert(id(3))) == nil)
        for _ in 0..<3 { _ = await phone.account.sendNext(.alerts) }
        #expect(await phone.account.entries == [])
        #expect(try await ada.connection.call(Routes.alerts).items.map(\.isActive) == [true])
        await phone.die()
    }

    @Test(
        arguments: unexplained, [QueuedAction.endAlert(id(3)), .checkIn(id(2), occurredAt: noon)])
    func unexplainedRefusalKeepsTheAction(code: ErrorCode, action: QueuedAction) async throws {
        let phone = try await phone { _ in try .problem(code) }
        #expect(try await phone.account.submit(action) == nil)
        _ = await phone.account.sendNext(action.lane)
        #expect(await phone.account.entries.map(\.action) == [action])
        await phone.die()
    }

    @Test func missingAlertAndImpossibleCheckInLeaveTheQueue() async throws {
        let gone = try await phone { _ in try .problem(.notFound) }
        _ = await gone.queue([.endAlert(id(3))])
        _ = await gone.account.sendNext(.alerts)
        #expect(await gone.account.entries == [])
        await gone.die()
        let late = try await phone { _ in try .problem(.invalidArgument, field: "occurredAt") }
        _ = await late.queue([.checkIn(id(2), occurredAt: noon)])
        _ = await late.account.sendNext(.rest)
        #expect(await late.account.entries == [])
        await late.die()
    }

    @Test func refusedAlertDoesNotBlockCheckIns() async throws {
        let phone = try await phone {
            $0.path.hasPrefix("/v1/alerts/") ? try .problem(.alreadyExists) : nil
        }
        _ = await phone.queue([.raiseAlert(id(3)), .checkIn(id(2), occurredAt: noon)])
        _ = await phone.account.sendNext(.alerts)
        _ = await phone.account.sendNext(.rest)
        #expect(await phone.account.entries.map(\.action) == [.raiseAlert(id(3))])
        await phone.die()
    }

    // MARK: Rate limits

    private static let limitingPauses: Hook = {
        $0.path == "/v1/me/pause" ? try .problem(.rateLimited, retryAfter: 300) : nil
    }

    @Test func rateLimitedPauseIsRefusedWhileItsCallerWaits() async throws {
        let phone = try await phone(patience: nil, Self.limitingPauses)
        let account = phone.account
        let doing = Task { try await account.submit(.pause(until: noon.adding(.days(1)))) }
        await until { await account.waitingCallers == 1 }
        _ = await account.sendNext(.rest)
        let error = await refusal { try await doing.value }
        #expect(error?.code == "rate-limited")
        #expect(error?.message.hasSuffix("Please wait 5 minutes.") == true)
        #expect(await account.entries == [])
        await phone.die()
    }

    @Test func rateLimitedQueuedPauseBlocksNoOthers() async throws {
        let phone = try await phone(Self.limitingPauses)
        let pause = QueuedAction.pause(until: noon.adding(.days(1)))
        _ = await phone.queue([pause, .updateProfile(name: "Ada L.", emergencyNote: nil)])
        for _ in 0..<2 {
            guard case .more = await phone.account.sendNext(.rest) else {
                return #expect(Bool(false), "the others wait, too")
            }
        }
        #expect(await phone.account.entries.map(\.action) == [pause])
        guard case .pause = await phone.account.sendNext(.rest) else {
            return #expect(Bool(false), "the pause is sent again at once")
        }
        await phone.die()
    }

    /// The clock's pauses last until the end of the test.
    @Test(arguments: [ErrorCode.rateLimited, .internal])
    func queuedPauseBacksOff(code: ErrorCode) async throws {
        let tries = Mutex(0)
        let phone = try await phone(clock: EagerClock(limit: .milliseconds(1))) { request in
            guard request.path == "/v1/me/pause" else { return nil }
            tries.withLock { $0 += 1 }
            return try .problem(code, retryAfter: 300)
        }
        _ = await phone.queue([.pause(until: noon.adding(.days(1)))])
        await phone.account.start()
        await until { tries.withLock { $0 } > 0 }
        for _ in 0..<2_000 { await Task.yield() }
        // Queueing the pause and the beginning of the stream each cause another try.
        let count = tries.withLock { $0 }
        #expect(count < 10)
        await phone.die()
    }

    @Test(arguments: [ErrorCode.rateLimited, .unavailable])
    func onlyARateLimitSaysThatTheServerAsksToWait(code: ErrorCode) async throws {
        let phone = try await phone(patience: nil) { _ in try .problem(code) }
        let account = phone.account
        #expect(await !account.isRateLimited)
        let doing = Task { try await account.submit(.markAsRead(id(6))) }
        await until { await account.waitingCallers == 1 }
        _ = await account.sendNext(.rest)
        #expect(try await doing.value == nil)
        #expect(await account.isRateLimited == (code == .rateLimited))
        let sending = Task { try await account.sendAll() }
        await until { await account.waitingCallers == 1 }
        _ = await account.sendNext(.rest)
        let error = await refusal { try await sending.value }
        #expect(error?.code == "unsent")
        #expect(error?.message.hasSuffix("asks you to wait.") == (code == .rateLimited))
        await phone.die()
    }

    // MARK: Order

    /// The server would refuse an end without its alert, and the alert would then stay open.
    @Test func alertEndWaitsForItsFailingAlert() async throws {
        let isFirst = Flag()
        let phone = try await phone { request in
            guard request.method == .put, request.path.hasPrefix("/v1/alerts/"), isFirst.raise()
            else { return nil }
            return try .problem(.internal)
        }
        _ = await phone.queue([.raiseAlert(id(3)), .endAlert(id(3))])
        for _ in 0..<3 { _ = await phone.account.sendNext(.alerts) }
        #expect(await phone.account.entries == [])
        #expect(try await ada.connection.call(Routes.alerts).items.map(\.isActive) == [false])
        await phone.die()
    }

    @Test func failingCheckInDoesNotBlockOthers() async throws {
        let bad: CheckInID = id(2)
        let phone = try await phone { $0.path.hasSuffix("\(bad)") ? try .problem(.internal) : nil }
        _ = await phone.queue([.checkIn(bad, occurredAt: noon), .checkIn(id(5), occurredAt: noon)])
        for _ in 0..<2 { _ = await phone.account.sendNext(.rest) }
        #expect(try await ada.connection.call(Routes.checkIns).items.map(\.id) == [id(5)])
        await phone.die()
    }

    @Test(arguments: [0, 12]) func alertRetriesWithinHalfAMinuteDespiteRetryAfter(
        failures: Int
    ) async throws {
        let line = HookedTransport(
            transport: app.transport,
            before: { _ in try .problem(.rateLimited, retryAfter: 86_400) })
        let account = Account(
            userID: ada.id, connection: Connection(transport: line, store: ada.store),
            environment: .live,
            options: .init(
                patience: .zero, limits: .device,
                storage: try await AccountFiles(folder: folder.url, user: ada.id).storage))
        _ = try await account.submit(.raiseAlert(id(3)))
        for _ in 0..<failures { _ = await account.sendNext(.alerts) }
        guard case .pause(let pause, _) = await account.sendNext(.alerts) else {
            return #expect(Bool(false), "it is not tried again")
        }
        #expect(pause <= .seconds(30))
        await account.stop()
    }

    /// Returns the pause after an attempt to send; nil if it succeeds.
    private func pause(of phone: Phone) async -> Duration? {
        guard case .pause(let pause, _) = await phone.account.sendNext(.alerts) else {
            return nil
        }
        return pause
    }

    @Test func waitThatTheServerAsksForIsObeyed() async throws {
        let phone = try await phone { _ in try .problem(.rateLimited, retryAfter: 7) }
        _ = await phone.queue([.raiseAlert(id(3))])
        #expect(await pause(of: phone) == .seconds(7))
        await phone.die()
    }

    @Test func successEndsTheBackOff() async throws {
        let isBroken = Mutex(true)
        let phone = try await phone { _ in
            isBroken.withLock { $0 } ? try .problem(.internal) : nil
        }
        _ = await phone.queue([.raiseAlert(id(3))])
        #expect(await pause(of: phone) == .milliseconds(50))
        #expect(await pause(of: phone) == .milliseconds(100))
        isBroken.withLock { $0 = false }
        #expect(await pause(of: phone) == nil)
        isBroken.withLock { $0 = true }
        _ = await phone.queue([.endAlert(id(3))])
        #expect(await pause(of: phone) == .milliseconds(50))
        await phone.die()
    }

    // MARK: Two processes

    /// `alert start` runs offline, while a `watch` process has been running for days.
    @Test func otherProcessesEntriesAreSentOnReconnect() async throws {
        let watch = try await phone()
        let other = try await phone { _ in throw ClientFailure.unreachable(.offline) }
        _ = await other.queue([.raiseAlert(id(3))])
        await other.die()
        await watch.account.start()
        await watch.account.wait { model, status in
            status.waiting.isEmpty && model.alerts.contains(where: \.isActive)
        }
        #expect(
            try await ada.connection.call(Routes.alerts).items.map(\.id) == ["\(id(3) as AlertID)"])
        await watch.die()
    }

    // MARK: Disk

    /// Ben's local copy can't be opened at first. The copy on disk is Ada's, so Ben's data must not
    /// be written there.
    @Test func unreadableCopyIsNotMixedWithAnotherUsers() async throws {
        let files = try await AccountFiles(folder: folder.url, user: ben.id)
        _ = try await files.copy.load(of: ada.id)
        let environment = ClientEnvironment.live
        let account = Account(
            userID: ben.id, connection: ben.connection,
            environment: environment,
            options: .init(
                limits: .device,
                storage: .init(queue: files.storage.queue, copy: BusyCopy(file: files.copy))))
        try await account.open()
        try await account.refresh()
        while case .more = await account.save() {}
        #expect(try await files.copy.load(of: ada.id) == CopyContents())
        await account.stop()
        await files.close()
    }

    private struct BusyCopy: CopyStore {
        struct Busy: Error {}
        let file: LocalCopy
        let isFirst = Flag()

        func load(of user: UserID) async throws -> CopyContents {
            if isFirst.raise() { throw Busy() }
            return try await file.load(of: user)
        }
        func save(_ new: CopyContents, replacing old: CopyContents) async throws {
            try await file.save(new, replacing: old)
        }
        func setting(_ key: String) async throws -> String? { try await file.setting(key) }
        func set(_ value: String?, _ key: String) async throws { try await file.set(value, key) }
    }
}

/// A scripted list of refusals; nil after the last one.
private final class Answers: Sendable {
    private let codes: Mutex<[ErrorCode]>
    init(_ codes: [ErrorCode]) { self.codes = Mutex(codes) }
    func next() -> ErrorCode? { codes.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
