import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Foundation
import Synchronization

/// The live clients of whoever is signed in, for one command.
final class ClientSession: Sendable {
    let home: Home
    let live: LiveClients
    let values: DependencyValues
    private let reached = Mutex<Bool?>(nil)

    /// - Parameters:
    ///   - follows: whether it hears of changes.
    ///   - deviceName: how the person finds this device among their sessions.
    init(
        _ home: Home, server: URL, follows: Bool = false,
        deviceName: String = ClientProcess.deviceName
    ) {
        self.home = home
        var options = LiveClients.Options(deviceName: deviceName)
        options.follows = follows
        options.deviceModel = ClientProcess.deviceModel
        // Somebody sits before the terminal: what can't be sent waits, and what can't be asked is
        // told soon.
        options.backoff = Backoff(first: .milliseconds(500), longest: .seconds(30))
        options.connection.timeout = .seconds(10)
        options.connection.retry = RetryPolicy(
            backoff: Backoff(first: .milliseconds(200), longest: .seconds(1)), attempts: 2,
            deadline: .seconds(10))
        live = LiveClients(
            transport: HTTPTransport(base: server), tokens: home.tokens,
            storage: .device(folder: home.folder), options: options)
        var values = DependencyValues()
        live.install(in: &values)
        self.values = values
    }

    /// Takes up the session that is kept. Throws `CommandFailure` when nobody is signed in.
    static func open(_ home: Home, follows: Bool = false) async throws -> ClientSession {
        guard try home.isSignedIn() else { throw CommandFailure.notSignedIn }
        let session = ClientSession(home, server: try home.server(), follows: follows)
        guard try await session.live.start() != nil else { throw CommandFailure.notSignedIn }
        return session
    }

    /// Ends the work; what is on disk is whole then.
    func close() async { await live.stop() }

    // MARK: Connection

    /// True if the server has answered; nil when it was not asked.
    var isOnline: Bool? { reached.withLock { $0 } }

    /// Sends what waits from earlier, as far as it goes now. Throws only when the session has
    /// ended.
    func sendWaiting() async throws {
        guard isOnline != false, let waiting = await connectivity()?.waiting, !waiting.isEmpty
        else { return }
        do {
            try await live.sendWaiting()
            reached.withLock { $0 = true }
        } catch let error as UserFacingError where ExitStatus(error) == .notSignedIn {
            throw error
        } catch {
            reached.withLock { $0 = false }
        }
    }

    func connectivity() async -> Connectivity? { await values.connectivityClient.status().first() }

    /// True while an entry of this kind is in the queue.
    func isWaiting(_ kind: WaitingAction.Kind) async -> Bool {
        await connectivity()?.waiting.contains { $0.kind == kind } ?? false
    }

    /// Notes whether the client queued the action.
    func note<Value>(_ submission: Submission<Value>) -> Submission<Value> {
        reached.withLock { $0 = !submission.isWaiting }
        return submission
    }

    // MARK: What is known

    /// Asks the server for everything; without a connection, what this device knows. Throws
    /// `UserFacingError`, also when it knows nothing.
    func loadSnapshot() async throws -> Snapshot {
        do {
            guard isOnline != false else { throw UserFacingError.unavailable }
            try await live.refresh()
            reached.withLock { $0 = true }
        } catch let error as UserFacingError
            where ExitStatus(error) == .unreachable || error.code == "rate-limited"
        {
            reached.withLock { $0 = false }
            guard await connectivity()?.lastSynced != nil else { throw error }
        }
        return try await snapshot()
    }

    /// The local data, without a request. Throws `CommandFailure` when nobody is signed in any
    /// more.
    func snapshot() async throws -> Snapshot {
        guard var connectivity = await connectivity() else { throw CommandFailure.notSignedIn }
        if let isOnline { connectivity.isOnline = isOnline }
        guard connectivity.lastSynced != nil else { return Snapshot(connectivity: connectivity) }
        return Snapshot(
            profile: await values.userClient.profileStream().first(),
            contacts: await values.contactClient.contactsStream().first() ?? [],
            alerts: await values.alertClient.alertsStream().first() ?? [],
            pings: await values.pingClient.pingsStream().first() ?? [],
            notifications: await values.notificationClient.notificationStream().first() ?? [],
            connectivity: connectivity)
    }

    /// The local data; loads everything from the server when there is none.
    func known() async throws -> Snapshot {
        let snapshot = try await snapshot()
        return snapshot.profile == nil ? try await loadSnapshot() : snapshot
    }

    /// The contact that a person typed; the server is asked where this device knows none. Throws
    /// `CommandFailure`, `UserFacingError`.
    func contact(_ text: String) async throws -> ContactData {
        do {
            return try await known().contact(text)
        } catch let failure as CommandFailure where failure.error.code == "no-such-contact" {
            return try await loadSnapshot().contact(text)
        }
    }

    /// The refusals that nobody was told of.
    func refusals() async -> [Refusal] {
        // The stream begins with them, and does not end by itself.
        let stream = values.connectivityClient.refusals()
        let collected = Mutex<[Refusal]>([])
        let reading = Task {
            for await refusal in stream { collected.withLock { $0.append(refusal) } }
        }
        await live.stop()
        await reading.value
        return collected.withLock { $0 }
    }
}

extension AsyncSequence {
    func first() async rethrows -> Element? {
        for try await element in self { return element }
        return nil
    }
}
