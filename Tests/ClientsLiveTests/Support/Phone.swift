import Clients
import Domain
import Foundation
import TestApp

@testable import ClientsLive

/// One process of the app on a device. The next process opens the same files.
struct Phone: Sendable {
    let account: Account
    let files: AccountFiles
    let faults: FaultInjector

    /// - Parameters:
    ///   - patience: how long a caller waits for an answer. With zero, the caller learns at once
    ///     that its action is queued.
    ///   - clockOffset: how far the device's clock is ahead of the right time; nil if requests
    ///     don't carry the device's time.
    init(
        of person: Person, in folder: TemporaryFolder, over transport: any Transport, app: TestApp,
        faults: FaultInjector = FaultInjector(),
        clock: EagerClock = EagerClock(),
        patience: Duration? = .zero, limits: AccountModel.Limits = .device,
        clockOffset: Duration? = nil
    ) async throws {
        let queue = try QueueFile(
            path: folder.url.appending(path: "queue-\(person.id).sqlite").path)
        files = try await AccountFiles(folder: folder.url, user: person.id)
        self.faults = faults
        let now: @Sendable () -> Date = { [time = app.time] in
            time.now.adding(clockOffset ?? .zero)
        }
        let environment = ClientEnvironment(
            clock: clock.client, now: now, makeID: { UUID() }, random: { 0 })
        var connectionOptions = Connection.Options()
        if clockOffset != nil { connectionOptions.deviceTime = now }
        let connection = Connection(
            transport: MortalTransport(transport: transport, faults: faults), store: person.store,
            clock: clock.client, random: { 0 }, options: connectionOptions)
        var options = Account.Options(limits: limits)
        options.patience = patience
        options.backoff = Backoff(first: .milliseconds(100), longest: .seconds(10))
        options.storage = .init(
            queue: MortalQueue(file: queue, faults: faults),
            copy: MortalCopy(file: files.copy, faults: faults))
        account = Account(
            userID: person.id, connection: connection, environment: environment, options: options)
        try await account.open()
    }

    /// Performs actions offline. Returns the actions that were acknowledged before the process
    /// ended.
    func queue(_ actions: [QueuedAction]) async -> [QueuedAction] {
        var acknowledged: [QueuedAction] = []
        for action in actions {
            guard (try? await account.submit(action) as Any) != nil else { continue }
            acknowledged.append(action)
        }
        return acknowledged
    }

    /// Sends the queue in order, in the current task, until the queue is empty or the process has
    /// ended.
    func pump() async {
        while !faults.isDead, await !account.entries.isEmpty {
            for lane in QueuedAction.Lane.allCases { _ = await account.sendNext(lane) }
        }
    }

    func die() async {
        await account.stop()
        await files.close()
    }
}

extension Account {
    var entries: [QueuedEntry] { outbox.entries }
    var waitingCallers: Int { outbox.waitingCallers }

    func wait(for isThere: @escaping @Sendable (AccountModel, Connectivity) -> Bool) async {
        for await connectivity in connectivity.stream() where isThere(shown, connectivity) {
            return
        }
    }
}
