import API
import Clients
import ComposableArchitecture
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// A device with its folder, its connection and its app, as a person has it.
struct Home: Sendable {
    let clients: LiveClients
    let values: DependencyValues
    let cable: Cable
    let clock: EagerClock
    let folder: TemporaryFolder
    let tokens: MemoryTokenStore

    init(
        in app: TestApp, folder: TemporaryFolder? = nil,
        tokens: MemoryTokenStore = MemoryTokenStore(), clock: EagerClock = EagerClock(),
        isSession: Bool = false
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.tokens = tokens
        self.clock = clock
        cable = Cable(app.transport)
        var options = LiveClients.Options(deviceName: "Phone")
        options.patience = nil
        options.deviceModel = "Model 7"
        options.appVersion = "2.5"
        options.backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
        options.connection.retry = .once
        clients = LiveClients(
            transport: cable, tokens: tokens,
            storage: isSession ? .session : .device(folder: self.folder.url), options: options,
            environment: ClientEnvironment(
                clock: clock.client, now: { [time = app.time] in time.now }, makeID: { UUID() },
                random: { 0 }))
        var values = DependencyValues()
        clients.install(in: &values)
        self.values = values
    }

    /// Signs in as a person does, and waits until everything shows.
    @discardableResult
    func signIn(_ number: String, in app: TestApp) async throws -> SignedIn {
        // The newest code counts, and two of one moment are none.
        app.time.pass(.milliseconds(1))
        try await values.authClient.sendCode(phoneNumber: number)
        let user = try await values.authClient.signIn(
            phoneNumber: number, code: app.code(for: number))
        await isInStep()
        return user
    }

    func isInStep() async {
        for await status in values.connectivityClient.status()
        where status.isOnline && status.lastSynced != nil { return }
    }

    /// The connection is gone, and nobody tries anything by themselves.
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

    /// Returns when the server has said yes or no to everything.
    func isSent() async {
        for await status in values.connectivityClient.status() where status.waiting.isEmpty {
            return
        }
    }

    var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()) ?? []
    }
}

/// The first value of a stream that is as it should be.
func first<Value>(_ stream: AsyncStream<Value>, where isRight: (Value) -> Bool = { _ in true })
    async -> Value?
{
    for await value in stream where isRight(value) { return value }
    return nil
}

/// The words for a failure; nil when there was none.
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
