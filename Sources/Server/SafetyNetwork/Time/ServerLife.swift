import Cryptography
import Domain
import Foundation
import Persistence
import Synchronization

/// Identifies the database's contents between two restores from a backup; nil until
/// `ServerLife.wake`. After a restore, devices see a new epoch and resend what the database may
/// have lost.
public final class Epoch: Sendable {
    private let value = Mutex<String?>(nil)

    public init() {}

    public var text: String? { value.withLock { $0 } }

    func set(_ new: Int64?) {
        value.withLock { $0 = new.map { String(UInt64(bitPattern: $0), radix: 16) } }
    }
}

/// Starts a server, records that it is running, and detects outages.
public struct ServerLife: Commands {
    public let core: Core
    let clockCorrections: ClockCorrections
    let restoredWaits: RestoredWaits

    /// How often a server records that it is running; far less than `Outage.threshold`.
    public static let pauseBetweenSignsOfLife: Duration = .seconds(5)
    /// How often an idle server leaves a note. After a kill an outage seems longer by up to this
    /// time, which must stay far less than `Outage.threshold`.
    public static let pauseBetweenNotes: Duration = .seconds(15)
    /// The longest time without a transaction. It bounds how late an idle server notices that its
    /// disk refuses transactions.
    static let longestPauseBetweenTransactions: Duration = .minutes(15)
    /// How many people one transaction tells that their recovery codes ended.
    private static let page = 100

    /// Continues after the last server: adopts its time, measures the outage, and detects a
    /// restored backup. Must finish before anything else starts.
    public func wake() async throws {
        if database.isShared { try await waitForOthers() }
        let (known, formerKeys) = try await database.read {
            (try $0.serverState(), try $0.sealed(.formerKeys))
        }
        if let formerKeys { key.takeFormerKeys(formerKeys) }
        let memory = database.clockMemory(known)
        clock?.start(remembering: memory)
        let isCorrected = try await clockCorrections.applyClockCorrections()
        try await endCodes(ofKey: known.keyFingerprint)
        let now = now()
        let (state, pushKey, texts) = try await database.write(about: .serverState) {
            [clock] transaction -> (ServerState, P256.PrivateKey, [RestoredWaits.Text]) in
            var texts: [RestoredWaits.Text] = []
            let state = try transaction.updateServerState { state in
                try check(&state)
                if state.signUp == nil {
                    let isNew = try state.startedAt == nil && !transaction.hasPeople()
                    state.signUp = isNew ? .invited : .open
                }
                // Another server may have started before this one. A correction has also stored the
                // clock's state.
                let isFirst = isCorrected || state.clock == known.clock
                let lastSignOfLife =
                    (isFirst ? clock?.lastSignOfLife : nil)
                    ?? (isFirst ? memory : state.clock).map { min($0.time, now) }
                if let backup = state.restoredFrom {
                    texts = try beginAgain(after: backup, at: now, &state, in: transaction)
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
            return (state, try loadPushKey(in: transaction), texts)
        }
        signsOfLife.begin(at: now)
        signsOfLife.note(now, state.clock)
        epoch.set(state.epoch)
        self.pushKey.set(pushKey)
        for (number, text) in texts { sendText(number, text) }
    }

    /// Waits for a sign of life of another server if the database's clock has moved further than
    /// in a restart. A server that runs meanwhile shows that the clock was set. Otherwise, no
    /// server ran.
    private func waitForOthers() async throws {
        guard let clock, let memory = try await database.read({ try $0.serverState().clock }),
            clock.mayHaveJumped(since: memory)
        else { return }
        // A second for the others' transaction.
        try await core.environment.pause(Self.pauseBetweenSignsOfLife + .seconds(1))
    }

    /// Notes that the database was restored from a backup, and tells everyone.
    /// - Parameter backup: until when the backup's data is complete.
    /// - Returns: the text messages to send once the transaction is stored.
    private func beginAgain(
        after backup: Date, at now: Date, _ state: inout ServerState, in transaction: Transaction
    ) throws -> [RestoredWaits.Text] {
        // An earlier restore may have left the backup itself incomplete.
        let earlier = state.restoration.flatMap { now < $0.end ? $0.incompleteSince : nil }
        state.restoration = Restoration(
            restoredAt: now, incompleteSince: min(backup, earlier ?? backup))
        (state.restoredFrom, state.outage) = (nil, nil)
        // The backup doesn't know when the server of the replaced database last ran.
        state.lastSignOfLife = nil
        state.epoch = newEpoch()
        // The copy in Firestore is newer than the backup.
        try transaction.forgetCopiesFilled()
        let texts = try restoredWaits.beginAgain(after: backup, in: transaction)
        let end = now.adding(Restoration.grace)
        try holdOpenAlerts(until: end, in: transaction)
        // As in `holdOpenAlerts`, a row must not stop the start.
        _ = try transaction.isolated {
            try transaction.holdJourneys(endingAfter: backup, until: end)
        }
        // Asks everyone to check what the restore has undone.
        let news = AnnouncementRow(
            id: newID(), text: AdminRules.restored(to: backup, at: now), maintenance: nil,
            createdAt: now)
        try transaction.insert(news)
        state.restoreNews = news.number
        return texts
    }

    /// Delays open alerts and their unsent messages after a restore. Devices may have ended the
    /// alerts since the backup, and send the end again. What responders did may have been taken
    /// back, so it pauses the repeats no longer than that.
    private func holdOpenAlerts(until time: Date, in transaction: Transaction) throws {
        // Releases the leases before the messages are held. Otherwise, `prepareStart` would make
        // leased messages due at once. No other server is running.
        try transaction.releaseLeases()
        let batch = 50
        var last: UserID?
        repeat {
            let page = try transaction.openAlerts(after: last, limit: batch)
            last = page.count < batch ? nil : page.last?.userID
            // A page may end between the alerts of one person.
            let users = Set(page.map(\.userID)).sorted()
            for alert in try users.flatMap({ try transaction.openAlerts(of: $0) }) {
                // A row that can't be saved must neither stop the start nor lose its wait.
                _ = try transaction.isolated {
                    var unconfirmed = alert
                    unconfirmed.endPauses(by: time)
                    if unconfirmed != alert { try transaction.update(unconfirmed) }
                }
                _ = try transaction.isolated { try transaction.hold(alert, until: time) }
            }
        } while last != nil
    }

    /// Continues the last server's work on copies and deliveries. Must finish before the loops of
    /// both begin.
    /// - Parameter keepsCopy: whether this server keeps the copy in Firestore.
    public func prepareStart(keepsCopy: Bool) async throws {
        // Changes without a copy aren't noted, so a later server has to copy everyone.
        if !keepsCopy, try await database.read({ try $0.filledCopies() }) != nil {
            try await database.write(about: .none) { try $0.forgetCopiesFilled() }
        }
        // The file lock excludes other servers from this database. So deliveries that the previous
        // server was trying when it died are due now.
        guard !database.isShared else { return }
        try await database.write(about: .none) { try $0.releaseLeases() }
    }

    /// Checks the server's key. A database belongs to one key, which its first server sets and all
    /// its servers have. Throws `WrongKey`.
    private func check(_ state: inout ServerState) throws(WrongKey) {
        if !options.acceptsNewKey, let known = state.keyFingerprint, known != key.fingerprint {
            throw WrongKey()
        }
        // With the same key, another server may have forgotten the former ones since they were
        // read. `followKey` then forgets them here, too.
        guard state.keyFingerprint != key.fingerprint else { return }
        state.keyRotatedAt = nil
        state.keyFingerprint = key.fingerprint
        state.formerKeys = key.formerKeys == 0 ? nil : Int64(key.formerKeys)
    }

    /// Ends the recovery codes of a lost key, and tells their owners: without the key the codes
    /// can't be verified. After a crash, the next start continues, because the database's key
    /// changes later.
    private func endCodes(ofKey known: Int64?) async throws {
        guard options.acceptsNewKey, let known, known != key.fingerprint, key.formerKeys == 0
        else { return }
        let mark = key.recoveryCodeMark
        var told = 0
        while true {
            let people = try await database.read {
                try $0.peopleWithRecoveryCodes(without: mark, limit: Self.page)
            }
            guard !people.isEmpty else { break }
            try await database.write(about: Subjects(people)) { [restoredWaits] transaction in
                for id in people {
                    try transaction.deleteRecoveryCodes(of: id, without: mark)
                    guard let user = try transaction.user(id) else { continue }
                    let notice = Notice(text: .recoveryCodesEnded, cannotBeMuted: true)
                    try restoredWaits.notifier.notify(
                        Recipient(user).whateverIsMuted, notice, in: transaction)
                }
            }
            told += people.count
        }
        core.environment.noteNewKey(told)
    }

    private func followKey(_ state: ServerState) async throws {
        guard hasOtherKeys(state) else { return key.setBehind(false) }
        try await database.read { try followKey(in: $0) }
    }

    /// Notes that this process runs. On a database file, a longer time than `Outage.threshold`
    /// between two calls counts as an outage: the process was stopped, or its machine slept. The
    /// caller may not wait for the database between two calls.
    /// Without a call, only a start detects an outage of a database file.
    public func noteAwake() {
        guard !database.isShared, let boot = clock?.memory.boot else { return }
        signsOfLife.noteAwake(boot)
    }

    /// Records that this server is running, and its time. If no server could do that for more than
    /// a minute, the database was unreachable, or the only server slept. That counts as an outage.
    /// Moves this server's time forward if it is behind that of the others. Returns when the next
    /// record is due.
    @discardableResult
    public func giveSignOfLife() async throws -> Date? {
        let now = now()
        // The deadline monitor must correct the rows before the new time is recorded. If this
        // server dies before that, the next one must find the correction.
        if clock?.correction == nil {
            let sleptFrom = unrecordedSleep.map { now.adding(.zero - $0) }
            let state = try await database.write(about: .serverState) {
                [clock, database] transaction -> ServerState in
                var found: Outage?
                let state = try transaction.updateServerState { state in
                    if let last = database.isShared ? state.clock?.time : sleptFrom {
                        found = Outage(from: last, to: transaction.now, after: state.outage)
                    }
                    state.outage = found ?? state.outage
                    state.clock = clock?.memory(replacing: state.clock) ?? ClockMemory(now)
                    if database.isShared { state.note(options.channels, at: transaction.now) }
                }
                if let found { try transaction.grantGrace(after: found) }
                return state
            }
            signsOfLife.note(now, state.clock)
            if sleptFrom != nil, let boot = clock?.memory.boot { signsOfLife.endSleep(boot) }
            if database.isShared {
                signsOfLife.note(othersChannels: othersChannels(state, at: now))
                try await followKey(state)
            }
        }
        return now.adding(Self.pauseBetweenSignsOfLife)
    }

    /// Returns the channels that other servers have and this one lacks. Ignores what was stored
    /// before this server's start, perhaps by itself with other settings.
    private func othersChannels(_ state: ServerState, at now: Date) -> Set<DeliveryChannel> {
        guard let start = signsOfLife.startedAt else { return [] }
        return state.runningChannels(since: start, at: now).subtracting(options.channels)
    }

    /// Warns that other servers of the database have channels that this one lacks; nil if not.
    /// Messages outside of the ledger, such as codes, would not use them.
    public var channelWarning: String? {
        let channels = signsOfLife.othersChannels
        guard !channels.isEmpty else { return nil }
        let clause = Self.sentByOthers(channels)
        return "\(clause); this one doesn't: give all servers the same channels"
    }

    /// Returns the clause that names channels of another server, for a warning.
    public static func sentByOthers(_ channels: Set<DeliveryChannel>) -> String {
        let names = DeliveryChannel.allCases.filter(channels.contains).map(name)
        return "another server of this database sends \(names.joined(separator: ", "))"
    }

    private static func name(_ channel: DeliveryChannel) -> String {
        switch channel {
        case .apns: "APNs pushes"
        case .fcm: "FCM pushes"
        case .sms: "SMS"
        case .email: "e-mail"
        case .voice: "calls"
        case .stream, .console, .webhook, .webPush, .unknown: channel.rawValue
        }
    }

    /// Like `giveSignOfLife`, but with a `LifeNote` instead of a transaction if that suffices: only
    /// time has passed since the last transaction, which is recent and has not failed.
    /// - Parameter isIdle: true if the server has stored no event since the last sign of life. The
    ///   next event takes the time into the database, and so into its backups.
    @discardableResult
    public func giveCheapSignOfLife(isIdle: Bool) async throws -> Date? {
        let now = now()
        guard isIdle, unrecordedSleep == nil, database.health.lastFailure == nil,
            let clock, clock.correction == nil,
            let last = signsOfLife.last, let stored = signsOfLife.stored,
            (Duration.zero..<Self.longestPauseBetweenTransactions).contains(now.since(last)),
            let note = LifeNote(from: stored, to: clock.memory), database.leave(note)
        else { return try await giveSignOfLife() }
        return now.adding(clock.isUneven ? Self.pauseBetweenSignsOfLife : Self.pauseBetweenNotes)
    }

    /// Corrects the rows after a step of the clock, and detects an outage of the database or this
    /// machine's sleep. Must finish before deadlines are handled, because an undetected outage
    /// would cause false alerts.
    func prepareForDeadlines() async throws {
        try await clockCorrections.applyClockCorrections()
        guard unrecordedSleep != nil || isOverdue(by: Self.pauseBetweenSignsOfLife * 2, at: now())
        else { return }
        try await giveSignOfLife()
    }

    /// Returns true if `giveSignOfLife` may detect an outage.
    func mayFindOutage(at now: Date) -> Bool {
        unrecordedSleep != nil || isOverdue(by: Outage.threshold, at: now)
    }

    /// The time since the last moment before an unrecorded sleep; nil without one. Measured by the
    /// time since boot, because a correction of the server's time isn't a sleep.
    private var unrecordedSleep: Duration? {
        guard !database.isShared, let boot = clock?.memory.boot else { return nil }
        return signsOfLife.sleep(at: boot)
    }

    private func isOverdue(by pause: Duration, at now: Date) -> Bool {
        guard database.isShared, let last = signsOfLife.last else { return false }
        return now.since(last) > pause
    }

    private func newEpoch() -> Int64 { random.integer() }
}

/// The last stored sign of life and the clock in it; nil before `ServerLife.wake`. Also detects
/// that the process slept, and holds the channels of other servers.
final class SignsOfLife: Sendable {
    private struct Sign {
        var time: Date
        var clock: ClockMemory?
    }

    /// The last times, counted from boot, at which the process ran.
    private struct Wakefulness {
        var awakeAt: Duration?
        /// The start of a sleep that isn't recorded yet.
        var asleepSince: Duration?
    }

    private let sign = Mutex<Sign?>(nil)
    private let wakefulness = Mutex(Wakefulness())
    private let startTime = Mutex<Date?>(nil)
    private let othersChannelsSeen = Mutex<Set<DeliveryChannel>>([])

    var last: Date? { sign.withLock { $0?.time } }
    var stored: ClockMemory? { sign.withLock { $0?.clock } }

    /// When this server started; nil before `ServerLife.wake`.
    var startedAt: Date? { startTime.withLock { $0 } }
    /// The channels that other running servers have and this one lacks.
    var othersChannels: Set<DeliveryChannel> { othersChannelsSeen.withLock { $0 } }

    func note(_ time: Date, _ clock: ClockMemory?) {
        sign.withLock { $0 = Sign(time: time, clock: clock) }
    }

    func noteAwake(_ boot: Duration) {
        wakefulness.withLock { state in
            if let last = state.awakeAt, boot - last > Outage.threshold, state.asleepSince == nil {
                state.asleepSince = last
            }
            state.awakeAt = boot
        }
    }

    /// Returns the time since the start of an unrecorded sleep; nil without one.
    func sleep(at boot: Duration) -> Duration? {
        wakefulness.withLock { state in
            if let start = state.asleepSince { return boot - start }
            guard let last = state.awakeAt, boot - last > Outage.threshold else { return nil }
            return boot - last
        }
    }

    /// Notes that the sleep is recorded.
    func endSleep(_ boot: Duration) {
        wakefulness.withLock { $0 = Wakefulness(awakeAt: boot) }
    }

    func begin(at time: Date) {
        startTime.withLock { $0 = time }
        othersChannelsSeen.withLock { $0 = [] }
    }

    func note(othersChannels channels: Set<DeliveryChannel>) {
        othersChannelsSeen.withLock { $0 = channels }
    }
}

public struct WrongKey: Error, CustomStringConvertible {
    public let description = """
        the key of this server is not the one of its database: put the database's present key \
        file there (it lies beside each backup since the last rotation, and on the other servers \
        of the database). After an interrupted rotation rename KEYFILE.next to KEYFILE. Start with \
        --accept-new-key only if that key is lost
        """
}

extension ClockMemory {
    /// Creates the memory of a server without a `ServerClock`.
    fileprivate init(_ now: Date) {
        self.init(time: now, since: now, trust: .full, boot: .zero, bootID: nil)
    }
}
