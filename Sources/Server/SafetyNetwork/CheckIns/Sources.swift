import Cryptography
import Domain
import Foundation
import Persistence

/// Buttons, tags and programs that check in without the app (product.md, "Sources").
public struct Sources: Commands {
    public let core: Core
    let checkIns: CheckIns
    let notifier: Notifier
    let accountNews: AccountNews

    /// The most sources in one look for silent ones.
    private static let page = 500
    private static let noSuchSource = CommandError.notFound("There is no such source.")
    private static let unknownAddress = CommandError.notFound(
        "No source has this address. It may have been removed.")

    public func sources(of caller: Caller) async throws -> [CheckInSource] {
        try await database.read { try $0.sources(of: caller.userID) }
    }

    /// Adds a source. Throws `invalidArgument` for a bad name, and beyond the limit.
    /// - Parameter key: idempotency key. A repeat replaces the secret, because the answer with the
    ///   first one was lost. The key is the source's id, which other sessions see, so each new
    ///   secret is announced. Throws `alreadyExists` for a repeat after the source's first use, and
    ///   for the key of a source with another name.
    public func add(
        _ typedName: String, of caller: Caller, key: UUID? = nil
    ) async throws -> NewSource {
        let name = try SourceRules.name(typedName)
        let secret = random.token()
        return try await database.write(about: Subjects([caller.userID])) { transaction in
            guard try transaction.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            try checkSession(of: caller, in: transaction)
            let isRepeat = try isRepeat("addSource", key, of: caller, in: transaction)
            // The server forgets keys before sources (`RequestKeyRules`).
            if let key,
                try isRepeat || transaction.source(SourceID(key), of: caller.userID) != nil
            {
                return try replaceSecret(
                    of: SourceID(key), named: name, with: secret, of: caller, in: transaction)
            }
            guard try transaction.sources(of: caller.userID).count < SourceRules.limit else {
                throw CommandError.invalidArgument(
                    field: "name", RefusalWords.sourcesFull.detail, reason: .sourcesFull)
            }
            let source = CheckInSource(
                id: key.map { SourceID($0) } ?? newID(), name: name, createdAt: transaction.now)
            try transaction.insert(
                SourceRow(source: source, hash: secret.hash), of: caller.userID)
            try accountNews.announce(
                .sourceAdded(name: name), doneBy: caller, isOncePerWindow: false, in: transaction)
            return new(source, secret)
        }
    }

    private func replaceSecret(
        of id: SourceID, named name: String, with secret: Token, of caller: Caller,
        in transaction: Transaction
    ) throws -> NewSource {
        guard let row = try transaction.source(id, of: caller.userID) else {
            throw Self.noSuchSource
        }
        guard row.source.name == name else { throw Self.keyOfSomethingElse }
        guard row.source.lastUsedAt == nil else {
            throw CommandError.alreadyExists("This source was added, and is in use.")
        }
        try transaction.delete(row, of: caller.userID)
        try transaction.insert(
            SourceRow(source: row.source, hash: secret.hash), of: caller.userID)
        try accountNews.announce(
            .sourceReplaced(name: row.source.name), doneBy: caller, isOncePerWindow: false,
            in: transaction)
        return new(row.source, secret)
    }

    /// The path contains the secret, because many buttons can send no other part of a URL. The log
    /// and the metrics name only the route.
    private func new(_ source: CheckInSource, _ secret: Token) -> NewSource {
        NewSource(
            source: source,
            address: options.publicURL.appendingPathComponent("s/\(secret.text)"))
    }

    /// Removes a source. Its address stops working as soon as the transaction commits.
    public func remove(_ id: SourceID, of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard let row = try transaction.source(id, of: caller.userID) else {
                throw Self.noSuchSource
            }
            try transaction.delete(row, of: caller.userID)
            try accountNews.announce(
                .sourceRemoved(name: row.source.name), doneBy: caller, in: transaction)
        }
    }

    // MARK: Use

    /// Checks in the owner of a source, and returns the answer in words. Throws `notFound` for an
    /// unknown secret, and `rateLimited` for the second use in a minute. Look-ups take turns
    /// (`turns`), so that a flood of guesses occupies at most two database readers.
    /// - Parameter refusal: the error of the request limit. Beyond that limit, the server accepts
    ///   the first use in a minute, throws `refusal` for an unknown secret, and opens a transaction
    ///   only for a use that it may accept.
    public func checkIn(
        bySource secret: String, unlessRefused refusal: CommandError? = nil
    ) async throws -> String {
        guard let token = Token(secret) else { throw refusal ?? Self.unknownAddress }
        let lookUps = try turns(core.secretLookUps, unlessRefused: refusal)
        let hash = token.hash
        let owner = try await lookUps.run {
            try await database.read { connection -> UserRow? in
                guard let id = try connection.owner(ofSource: hash) else { return nil }
                if refusal != nil, let source = try connection.source(hash: hash, of: id)?.source,
                    let wait = SourceRules.wait(
                        lastUsedAt: source.lastUsedAt, at: connection.now)
                {
                    throw CommandError.rateLimited(retryAfter: wait)
                }
                return try connection.user(id)
            }
        }
        guard let owner else { throw refusal ?? Self.unknownAddress }
        let zone = owner.timeZone.flatMap { ClockZone($0) }
        // Acts without a session.
        let caller = Caller(userID: owner.id, sessionID: newID())
        let record = try await checkIns.checkIn(newID(), occurredAt: now(), by: caller) {
            transaction in
            try use(hash, of: owner.id, in: zone, transaction)
        }
        return SourceRules.answer(to: record).text(in: zone, at: record.receivedAt)
    }

    /// Returns the source's name.
    private func use(
        _ hash: Data, of owner: UserID, in zone: ClockZone?, _ transaction: Transaction
    ) throws -> String {
        guard var row = try transaction.source(hash: hash, of: owner) else {
            throw Self.unknownAddress
        }
        let now = transaction.now
        if let wait = SourceRules.wait(lastUsedAt: row.source.lastUsedAt, at: now) {
            throw CommandError.rateLimited(retryAfter: wait)
        }
        let habit = SourceHabit.after(row.habit, useAt: now, in: zone)
        row.source.lastUsedAt = now
        row.habit = habit
        row.silentAt = habit.silentAt(lastUsedAt: now)
        try transaction.save(row, of: owner)
        return row.source.name
    }

    // MARK: Silence

    /// Tells the owners of silent sources, once for each silence. Returns how many were told.
    public func tellOfSilence() async throws -> Int {
        var (told, isOver) = (0, false)
        while !isOver {
            let silent = try await database.read { try $0.silentSources(limit: Self.page) }
            for (user, id) in silent { told += try await tellOfSilence(of: id, to: user) ? 1 : 0 }
            isOver = silent.count < Self.page
        }
        return told
    }

    private func tellOfSilence(of id: SourceID, to owner: UserID) async throws -> Bool {
        try await database.write(about: Subjects([owner], isRepeatable: true)) { transaction in
            // Reads the row again, because the source may have been used.
            guard var row = try transaction.source(id, of: owner),
                let time = row.silentAt, time <= transaction.now,
                let user = try transaction.user(owner)
            else { return false }
            row.silentAt = nil
            try transaction.save(row, of: owner)
            try notifier.notify(
                Recipient(user), Notice(text: .sourceIsSilent(name: row.source.name)),
                in: transaction)
            return true
        }
    }
}
