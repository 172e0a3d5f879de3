import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Foundation
import Synchronization

/// The live clients of the signed-in user, for one command.
final class ClientSession: Sendable {
    let home: Home
    let live: LiveClients
    let values: DependencyValues
    private let reach = Mutex(Reach())
    private let closed = Mutex(false)

    private struct Reach {
        var isOnline: Bool?
        var isRateLimited = false
    }

    /// - Parameters:
    ///   - follows: whether to open the event stream, to receive changes.
    ///   - deviceName: this device's name in the list of sessions.
    init(
        _ home: Home, server: URL, follows: Bool = false,
        deviceName: String = ClientProcess.deviceName
    ) {
        self.home = home
        var options = LiveClients.Options(deviceName: deviceName)
        options.follows = follows
        options.deviceModel = ClientProcess.deviceModel
        // A person waits at the terminal, so requests fail early. Actions that can't be sent are
        // queued.
        options.backoff = Backoff(first: .milliseconds(500), longest: .seconds(30))
        options.signInKey = { home.keyForSignIn() }
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

    /// Resumes the stored session. Throws `CommandFailure` if there is none.
    static func open(_ home: Home, follows: Bool = false) async throws -> ClientSession {
        try await home.checkSignedIn()
        let session = ClientSession(home, server: try home.server(), follows: follows)
        guard try await session.live.start() != nil else { throw CommandFailure.notSignedIn }
        return session
    }

    /// Stops the clients and completes all writes to disk.
    func close() async {
        closed.withLock { $0 = true }
        await live.stop()
    }

    /// Whether the session is closed. The queue of a closed session is unknown.
    var isClosed: Bool { closed.withLock { $0 } }

    /// Formats times by the server's clock, because this device's clock may be wrong.
    var words: TimeWords {
        TimeWords(now: values.serverClock.time(at: Date()), zone: .current)
    }

    // MARK: Connection

    /// Whether the server has answered; nil before the first request. False also if the server has
    /// asked to wait before it sends the data.
    var isOnline: Bool? { reach.withLock { $0.isOnline } }

    /// Whether the server's last answer asked to wait.
    var isRateLimited: Bool { reach.withLock { $0.isRateLimited } }

    private func note(isOnline: Bool, isRateLimited: Bool = false) {
        reach.withLock { $0 = Reach(isOnline: isOnline, isRateLimited: isRateLimited) }
    }

    /// Sends the queue as far as possible. Throws only if the session has ended.
    /// - Parameter triesAgain: whether to try even if this command could not reach the server
    ///   before.
    func sendWaiting(triesAgain: Bool = false) async throws {
        guard triesAgain || isOnline != false, let waiting = await connectivity()?.waiting,
            !waiting.isEmpty
        else { return }
        do {
            try await live.sendWaiting()
            note(isOnline: true)
        } catch let error as UserFacingError where ExitStatus(error) == .notSignedIn {
            throw error
        } catch {
            let isReached = await live.isRateLimited()
            note(isOnline: isReached, isRateLimited: isReached)
        }
    }

    func connectivity() async -> Connectivity? { await values.connectivityClient.status().first() }

    /// Sends or discards an alert that an ended session left. Returns false if there is none.
    @discardableResult
    func answerUnsentAlert(isToBeSent: Bool) async -> Bool {
        guard await connectivity()?.unsentAlert != nil else { return false }
        await values.connectivityClient.answerUnsentAlert(isToBeSent)
        return true
    }

    func isWaiting(_ kind: WaitingAction.Kind) async -> Bool {
        await connectivity()?.waiting.contains { $0.kind == kind } ?? false
    }

    /// Records whether the server was reached. A queued action means that the server was not
    /// reached, or that it asked to wait.
    func note<Value>(_ submission: Submission<Value>) async -> Submission<Value> {
        let isRateLimited = submission.isWaiting ? await live.isRateLimited() : false
        note(isOnline: !submission.isWaiting || isRateLimited, isRateLimited: isRateLimited)
        return submission
    }

    /// Returns "LifeSignal can't be reached: as of 10:02."; nil if the data is the server's, or the
    /// server was not asked.
    func ageOfCopy() async -> String? {
        guard isOnline == false else { return nil }
        return Output.age(
            of: await connectivity()?.lastSynced, isRateLimited: isRateLimited, words)
    }

    /// Loads everything from the server, or from the local copy if the server can't be reached or
    /// asks to wait. Throws if the copy is empty, too, or if the session has ended.
    func loadSnapshot() async throws -> Snapshot {
        do {
            guard isOnline != false else { throw UserFacingError.unavailable }
            try await live.refresh()
            note(isOnline: true)
        } catch let error as UserFacingError
            where ExitStatus(error) == .unreachable || error.has(.rateLimited)
        {
            // A load that was not tried, because an earlier one failed, keeps that one's reason.
            if isOnline != false {
                note(isOnline: false, isRateLimited: error.has(.rateLimited))
            }
            guard await connectivity()?.lastSynced != nil else { throw error }
        }
        let snapshot = try await snapshot()
        // Another device may have ended the session meanwhile.
        guard snapshot.connectivity.lastSynced != nil else { throw CommandFailure.notSignedIn }
        return snapshot
    }

    /// Loads everything from the server; nil if that fails.
    func freshSnapshot() async -> Snapshot? {
        guard let snapshot = try? await loadSnapshot(), isOnline == true else { return nil }
        return snapshot
    }

    /// Returns the local data, without a request. Throws `CommandFailure` if the session has ended.
    func snapshot() async throws -> Snapshot {
        guard var connectivity = await connectivity() else { throw CommandFailure.notSignedIn }
        if let isOnline { connectivity.isOnline = isOnline }
        guard connectivity.lastSynced != nil else {
            return Snapshot(connectivity: connectivity, isRateLimited: isRateLimited)
        }
        return Snapshot(
            profile: await values.userClient.profileStream().first(),
            contacts: await values.contactClient.contactsStream().first() ?? [],
            alerts: await values.alertClient.alertsStream().first() ?? [],
            pings: await values.pingClient.pingsStream().first() ?? [],
            notifications: await values.notificationClient.notificationStream().first() ?? [],
            connectivity: connectivity, lastCheckIn: await live.lastCheckIn(),
            isRateLimited: isRateLimited)
    }

    /// Loads the drills of others that wait for the user's answer; nil if that fails.
    func drills() async -> [DrillQuestion]? {
        let now = words.now
        return try? await values.drillClient.overview().asked.filter { $0.isOpen(at: now) }
    }

    /// Returns the local data. If none is stored, loads everything from the server.
    func known() async throws -> Snapshot {
        let snapshot = try await snapshot()
        return snapshot.profile == nil ? try await loadSnapshot() : snapshot
    }

    /// Returns the profile after a change was submitted; nil if it can't be loaded. The change has
    /// succeeded nevertheless.
    func changedProfile() async -> UserProfile? { (try? await known())?.profile }

    /// Returns the contact that the typed text names. Asks the server if the local copy lacks the
    /// contact. Throws `CommandFailure` or `UserFacingError`.
    func contact(_ text: String) async throws -> ContactData {
        do {
            return try await known().contact(text)
        } catch let failure as CommandFailure where failure.error.code == "no-such-contact" {
            return try await loadSnapshot().contact(text)
        }
    }

    func refusals() async -> [RefusedAction] {
        // The stream begins with the known refusals. The stream doesn't end by itself.
        let stream = values.connectivityClient.refusals()
        let collected = Mutex<[RefusedAction]>([])
        let reading = Task {
            for await refusal in stream { collected.withLock { $0.append(refusal) } }
        }
        await close()
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
