import API
import Clients
import ComposableArchitecture
import Domain
import Foundation
import GRDB
import TestApp
import Testing

@testable import ClientsLive

struct Home: Sendable {
    let clients: LiveClients
    let values: DependencyValues
    let cable: Cable
    let clock: EagerClock
    let folder: TemporaryFolder
    let tokens: MemoryTokenStore

    /// - Parameters:
    ///   - clockOffset: returns how far the device's clock is ahead of the right time.
    ///   - uptime: see `ClientEnvironment`.
    ///   - timeZone: returns the device's time zone.
    ///   - before: see `HookedTransport`.
    init(
        in app: TestApp, folder: TemporaryFolder? = nil,
        tokens: MemoryTokenStore = MemoryTokenStore(), clock: EagerClock = EagerClock(),
        isSession: Bool = false, clockOffset: @escaping @Sendable () -> Duration = { .zero },
        uptime: @escaping @Sendable () -> Uptime? = { nil },
        timeZone: @escaping @Sendable () -> String? = { nil },
        before: @escaping @Sendable (TransportRequest) async throws -> TransportResponse? = { _ in
            nil
        }
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.tokens = tokens
        self.clock = clock
        cable = Cable(HookedTransport(transport: app.transport, before: before))
        var options = LiveClients.Options(deviceName: "Phone")
        options.patience = nil
        options.deviceModel = "Model 7"
        options.appVersion = "2.5"
        options.backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
        options.connection.retry = .once
        var environment = ClientEnvironment(
            clock: clock.client, now: { [time = app.time] in time.now.adding(clockOffset()) },
            makeID: { UUID() },
            random: { 0 })
        environment.uptime = uptime
        environment.timeZone = timeZone
        clients = LiveClients(
            transport: cable, tokens: tokens,
            storage: isSession ? .session : .device(folder: self.folder.url), options: options,
            environment: environment)
        var values = DependencyValues()
        clients.install(in: &values)
        self.values = values
    }

    /// Signs in as a person would, and waits until everything is shown.
    @discardableResult
    func signIn(_ number: String, in app: TestApp) async throws -> SignedIn {
        // Only the newest code is valid, so codes must have different times.
        app.time.pass(.milliseconds(1))
        _ = try await values.authClient.sendCode(phoneNumber: number, isConfirmed: false)
        let user = try await values.authClient.signIn(
            phoneNumber: number, code: app.code(for: number))
        await isInStep()
        return user
    }

    func isInStep() async {
        for await status in values.connectivityClient.status()
        where status.isOnline && status.lastSynced != nil { return }
    }

    /// Cuts the connection, and stops all retries.
    func goOffline() async {
        clock.hold()
        cable.isPlugged = false
        await clients.controller.account?.receive(.disconnected)
    }

    func goOnline() {
        cable.isPlugged = true
        clock.release()
    }

    func waiting() async -> [WaitingAction.Kind] {
        for await status in values.connectivityClient.status() { return status.waiting.map(\.kind) }
        return []
    }

    /// Waits until the queue is empty.
    func isSent() async { await waits(for: []) }

    /// Waits until the queue has only these actions.
    func waits(for kinds: [WaitingAction.Kind]) async {
        for await status in values.connectivityClient.status()
        where status.waiting.map(\.kind) == kinds { return }
    }

    /// Changes the queue's file, as a fault of the disk would.
    func changeQueue(_ sql: String) throws {
        let name = try #require(
            files.first { $0.hasPrefix("queue-") && $0.hasSuffix(".sqlite") })
        let queue = try DatabaseQueue(path: folder.url.appending(path: name).path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()) ?? []
    }
}

func first<Value>(_ stream: AsyncStream<Value>, where isRight: (Value) -> Bool = { _ in true })
    async -> Value?
{
    for await value in stream where isRight(value) { return value }
    return nil
}

func refusal(_ work: () async throws -> some Any) async -> UserFacingError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? UserFacingError
            ?? UserFacingError(
                title: "Not in words", message: "\(error)", recoverySuggestion: "", code: "bare")
    }
}
