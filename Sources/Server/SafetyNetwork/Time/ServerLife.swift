import Cryptography
import Domain
import Foundation
import Persistence
import Synchronization

/// The id of this state of the database. It changes with a restore, so that devices send again what
/// the database may not know. nil until `wake`.
public final class Epoch: Sendable {
    private let value = Mutex<String?>(nil)

    public init() {}

    public var text: String? { value.withLock { $0 } }

    func set(_ new: Int64?) {
        value.withLock { $0 = new.map { String(UInt64(bitPattern: $0), radix: 16) } }
    }
}

extension SafetyNetwork {
    /// How often a sign of life is written: less than `Outage.threshold` by far.
    public static let pauseBetweenSignsOfLife: Duration = .seconds(5)

    /// Takes up what the last server left: its time, how long nobody was there, and whether a
    /// backup has taken the place of the database. Awaited before anything else is done.
    public func wake() async throws {
        let known = try await database.read { try $0.serverState() }
        clock?.start(remembering: known.clock)
        try await applyClockCorrections()
        let now = now()
        let (state, pushKey) = try await database.write(about: Self.serverState) {
            [clock] transaction -> (ServerState, P256.PrivateKey) in
            let state = try transaction.updateServerState { state in
                try check(&state)
                // Another server may have come first.
                let isFirst = state.clock == known.clock
                let lastSignOfLife =
                    (isFirst ? clock?.lastSignOfLife : nil)
                    ?? state.clock.map { min($0.time, now) }
                if let backup = state.restoredFrom {
                    // The backup may have been incomplete itself, after an earlier restore.
                    let earlier = state.restoration.flatMap {
                        now < $0.end ? $0.incompleteSince : nil
                    }
                    state.restoration = Restoration(
                        restoredAt: now, incompleteSince: min(backup, earlier ?? backup))
                    (state.restoredFrom, state.outage) = (nil, nil)
                    // The backup's own last sign of life says nothing about the server it replaces.
                    state.lastSignOfLife = nil
                    state.epoch = newEpoch()
                } else {
                    state.lastSignOfLife = lastSignOfLife
                    if let lastSignOfLife,
                        let outage = Outage(from: lastSignOfLife, to: now, after: state.outage)
                    {
                        state.outage = outage
                    }
                }
                if state.epoch == nil { state.epoch = newEpoch() }
                state.startedAt = now
                state.clock = clock?.memory ?? ClockMemory(now)
            }
            if let outage = state.outage, now < outage.graceEnd {
                try transaction.grantGrace(after: outage)
            }
            return (state, try loadPushKey(in: transaction))
        }
        signsOfLife.note(now)
        epoch.set(state.epoch)
        self.pushKey.set(pushKey)
    }

    /// Several servers on one database need one key. Throws `WrongKey`.
    private func check(_ state: inout ServerState) throws(WrongKey) {
        if database.isShared, !options.acceptsNewKey, let known = state.keyFingerprint,
            known != key.fingerprint
        {
            throw WrongKey()
        }
        state.keyFingerprint = key.fingerprint
    }

    /// Writes down that a server runs, and by which time. After more than a minute in which no
    /// server could do that, the database was away from all of them: an outage like one of the
    /// servers. Returns when to do it again.
    @discardableResult
    public func giveSignOfLife() async throws -> Date? {
        let now = now()
        // The deadline monitor corrects the rows first: a server that dies meanwhile has to begin
        // with that.
        if clock?.correction == nil {
            try await database.write(about: Self.serverState) { [clock, database] transaction in
                var found: Outage?
                try transaction.updateServerState { state in
                    if database.isShared, let last = state.clock?.time {
                        found = Outage(from: last, to: transaction.now, after: state.outage)
                    }
                    state.outage = found ?? state.outage
                    state.clock = clock?.memory ?? ClockMemory(now)
                }
                if let found { try transaction.grantGrace(after: found) }
            }
            signsOfLife.note(now)
        }
        return now.adding(Self.pauseBetweenSignsOfLife)
    }

    /// Awaited before deadlines are handled: corrects the rows after a step of the clock, and finds
    /// an outage of the database before anybody is alerted for it.
    func prepareForDeadlines() async throws {
        try await applyClockCorrections()
        guard isOverdue(by: Self.pauseBetweenSignsOfLife * 2, at: now()) else { return }
        try await giveSignOfLife()
    }

    /// True if the next sign of life may find an outage of the database.
    func mayFindOutage(at now: Date) -> Bool { isOverdue(by: Outage.threshold, at: now) }

    private func isOverdue(by pause: Duration, at now: Date) -> Bool {
        guard database.isShared, let last = signsOfLife.last else { return false }
        return now.since(last) > pause
    }

    /// The rows in which the servers keep what they know about themselves.
    static let serverState = Subjects(names: ["server state"], isRepeatable: true)

    private func newEpoch() -> Int64 { random.integer() }
}

/// When this server has written its last sign of life; nil before `wake`.
final class SignsOfLife: Sendable {
    private let time = Mutex<Date?>(nil)

    var last: Date? { time.withLock { $0 } }
    func note(_ new: Date) { time.withLock { $0 = new } }
}

/// The server's key is not the one by which the rows of its database were made.
public struct WrongKey: Error, CustomStringConvertible {
    public let description = """
        the key of this server is not the one of its database: copy the key file of another \
        server, or start with --accept-new-key if that key is lost
        """
}

extension ClockMemory {
    /// The reading of a server whose time is given, and not counted.
    fileprivate init(_ now: Date) {
        self.init(time: now, since: now, trust: .full, boot: .zero, bootID: nil)
    }
}
