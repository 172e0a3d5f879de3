import Domain
import Foundation
import Persistence

/// What `lifesignal admin` shows and does. The server's local socket and the program itself call
/// it; no route of the API does. Every change needs a reason, which the same transaction logs.
public struct Administration: Commands {
    public let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords
    let accountDeletion: AccountDeletion
    let signUpTokens: SignUpTokens

    static let noSuchPerson = CommandError.notFound("No account has this number or id.")
    /// The most people read at once by `stuck`.
    private static let page = 500

    // MARK: People

    /// Returns a page of the people whose number or name begins like the search. Throws
    /// `invalidArgument`.
    /// - Parameters:
    ///   - search: nil for everyone, in the order of the numbers.
    ///   - after: `next` of the previous page; nil for the first page.
    public func people(
        _ search: String?, after: String? = nil, limit: Int = AdminRules.standardPage
    ) async throws -> AdminPeople {
        guard AdminRules.pageLimits.contains(limit) else {
            throw CommandError.invalidArgument(
                field: "limit", "A page has 1 to \(AdminRules.pageLimits.upperBound) people.")
        }
        let cursor = try after.map { try Self.cursor($0) }
        let search = search?.trimmingCharacters(in: .whitespaces) ?? ""
        let number = try Self.beginningOfNumber(search)
        let channels = options.channels
        return try await database.read { connection in
            let found =
                if let number {
                    try connection.people(withNumber: number, after: cursor, limit: limit)
                } else {
                    try connection.people(
                        named: NameSearch.prefix(search), after: cursor, limit: limit)
                }
            var seen: Set<UserID> = []
            // Several words of one name may begin alike.
            let ids = found.map(\.user).filter { seen.insert($0).inserted }
            return AdminPeople(
                people: try connection.adminPeople(ids, by: channels),
                next: found.count == limit ? found.last.map(Self.text) : nil)
        }
    }

    /// Returns nil for a name. The plus sign may be left out. Throws `invalidArgument` for a number
    /// without a country code.
    private static func beginningOfNumber(_ search: String) throws(CommandError) -> String? {
        guard !search.isEmpty else { return "+" }
        var digits = search.filter { !$0.isWhitespace && $0 != "-" }
        if digits.hasPrefix("00") { digits = "+" + digits.dropFirst(2) }
        let isNumber = digits.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "+") }
        guard isNumber else { return nil }
        if let first = digits.first, ("1"..."9").contains(first) { digits = "+" + digits }
        guard digits.hasPrefix("+"), digits.utf8.count <= 16,
            !digits.dropFirst().contains("+")
        else {
            throw .invalidArgument(
                field: "search", "Write a number with its country code, as +49 151.")
        }
        return digits
    }

    private static func text(_ cursor: AdminCursor) -> String {
        "\(cursor.key.base64EncodedString()).\(cursor.user)"
    }

    private static func cursor(_ text: String) throws(CommandError) -> AdminCursor {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = Data(base64Encoded: String(parts[0])),
            !key.contains(0), let user = UserID(String(parts[1]))
        else {
            throw .invalidArgument(field: "after", "Give the `next` value of the previous page.")
        }
        return AdminCursor(key: key, user: user)
    }

    /// - Parameter number: a phone number or an account's id.
    public func person(_ number: String) async throws -> AdminPersonDetails {
        let id = try await find(number)
        let channels = options.channels
        return try await database.read { connection in
            guard let person = try connection.adminPeople([id], by: channels).first else {
                throw Self.noSuchPerson
            }
            let responders = try connection.responderIDs(of: id)
            let reachability = try connection.reachability(of: responders, by: channels)
            let open = try AlertKind.allCases.compactMap {
                try connection.openAlert($0, of: id)?.id
            }
            let move = try connection.numberMove(of: id)
            let holder = try move.flatMap { try connection.user(phoneNumber: $0.phoneNumber) }
            return AdminPersonDetails(
                person: person, responders: responders.count,
                reachableResponders: responders.count {
                    reachability[$0].map { $0.state != .unreachable } ?? false
                },
                sessions: try connection.sessionCount(of: id), openAlerts: open,
                move: move,
                isNewNumberTaken: holder.map { $0.guestSince == nil && $0.id != id },
                acts: try connection.adminActs(
                    about: id, limit: AdminRules.pageLimits.upperBound
                ).map(\.act))
        }
    }

    /// Returns the account with this number or id. Throws `invalidArgument` or `notFound`.
    func find(_ text: String) async throws -> UserID {
        if let id = UserID(text) {
            let user = try await database.read { try $0.user(id) }
            guard let user, user.guestSince == nil else { throw Self.noSuchPerson }
            return id
        }
        let number = try PhoneNumber(typed: text, field: "number")
        let user = try await database.read { try $0.user(phoneNumber: number) }
        guard let user, user.guestSince == nil else { throw Self.noSuchPerson }
        return user.id
    }

    // MARK: What needs help

    /// Returns what may need an administrator's help. Examines a bounded number of people.
    /// - Parameter after: `next` of the previous answer; nil to begin.
    public func stuck(after: String? = nil) async throws -> AdminStuck {
        let start = try after.map { text throws(CommandError) in
            guard let id = UserID(text) else {
                throw .invalidArgument(
                    field: "after", "Give the `next` value of the previous answer.")
            }
            return id
        }
        let time = now().adding(.zero - AdminRules.patience)
        let limit = AdminRules.stuckLimit
        let (people, next) = try await peopleWithoutHelp(after: start)
        return try await database.read { connection in
            let open = try AlertKind.allCases.flatMap {
                try connection.openAlerts($0, of: people).keys
            }
            return AdminStuck(
                alerts: try connection.unheardAlerts(olderThan: time, limit: limit),
                people: people, peopleWithAlert: people.filter(Set(open).contains),
                endpoints: try connection.failingEndpoints(limit: limit),
                queues: try connection.lateQueues(dueBefore: time), next: next?.description)
        }
    }

    /// Returns people with a deadline and without a reachable responder, and where to continue.
    private func peopleWithoutHelp(
        after start: UserID?
    ) async throws -> (people: [UserID], next: UserID?) {
        let channels = options.channels
        var (found, last, examined): ([UserID], UserID?, Int) = ([], start, 0)
        while examined < AdminRules.examinedPeople, found.count < AdminRules.stuckLimit {
            let page = try await database.read { [last] connection in
                let people = try connection.peopleWithDeadline(after: last, limit: Self.page)
                return try people.map { person -> (id: UserID, hasHelp: Bool) in
                    let responders = try connection.responderIDs(of: person)
                    let reachability = try connection.reachability(of: responders, by: channels)
                    return (
                        id: person,
                        hasHelp: reachability.values.contains { $0.state != .unreachable }
                    )
                }
            }
            found += page.filter { !$0.hasHelp }.map(\.id)
            examined += page.count
            guard page.count == Self.page, let end = page.last?.id else { return (found, nil) }
            last = end
        }
        return (found, last)
    }

    /// Returns an alert with its whole ledger, without what people wrote or did.
    public func alert(_ text: String) async throws -> AlertRecord {
        guard let id = AlertID(text) else {
            throw CommandError.invalidArgument(field: "id", "An alert's id is a UUID.")
        }
        return try await database.read { connection in
            guard let owner = try connection.owners(ofAlert: id).first,
                let alert = try connection.alert(id, of: owner)
            else { throw CommandError.noSuchAlert }
            var record = try alertRecords.record(
                of: alert, for: viewer(owner), withLedger: true, in: connection)
            // An administrator sees no notes, no history, and not where somebody goes.
            (record.note, record.journey) = (nil, nil)
            (record.acknowledgement, record.report, record.ending) = (nil, nil, nil)
            (record.refusals, record.isRefusedByAll, record.history) = (nil, nil, [])
            return record
        }
    }

    // MARK: The log

    /// - Parameter number: nil for the acts about everyone.
    public func log(about number: String?, limit: Int = AdminRules.standardPage) async throws
        -> AdminLog
    {
        guard AdminRules.pageLimits.contains(limit) else {
            throw CommandError.invalidArgument(
                field: "limit", "A page has 1 to \(AdminRules.pageLimits.upperBound) acts.")
        }
        var person: UserID?
        if let number { person = try await find(number) }
        return try await database.read { [person] in
            AdminLog(entries: try $0.adminActs(about: person, limit: limit))
        }
    }

    /// Returns the acts about the caller.
    public func acts(about caller: Caller) async throws -> [AdminAct] {
        try await database.read {
            try $0.adminActs(about: caller.userID, limit: AdminRules.pageLimits.upperBound)
                .map(\.act)
        }
    }

    /// Logs an act that concerns no account and changes no row, such as a test message.
    public func record(
        _ kind: AdminAct.Kind, reason: String, by administrator: String
    ) async throws {
        let reason = try AdminRules.reason(reason)
        try await database.write(about: .none) { transaction in
            try record(kind, reason, about: nil, by: administrator, in: transaction)
        }
    }

    func record(
        _ kind: AdminAct.Kind, _ reason: String, about person: UserID?,
        by administrator: String, in transaction: Transaction
    ) throws {
        try transaction.insert(
            AdminLogEntry(
                act: AdminAct(
                    id: newID(), time: transaction.now, kind: kind, reason: reason,
                    doneBy: administrator),
                person: person))
    }

    // MARK: Tests

    /// Sends a test message to all endpoints of a person, and returns what became of it, in words.
    /// Looks for the providers' answers `looksAtTest` times.
    public func testPush(
        to number: String, pause: Duration = .milliseconds(500)
    ) async throws -> AdminDone {
        let id = try await find(number)
        let notification: NotificationID? = try await database.write(about: Subjects([id])) {
            transaction in
            guard let user = try transaction.user(id) else { throw Self.noSuchPerson }
            guard try !transaction.pushEndpoints(of: id).isEmpty else { return nil }
            var notice = Notice(text: .endpointTest, cannotBeMuted: true, purpose: .test)
            notice.onlyByPush = true
            let items = try notifier.notify(
                [Announcement(to: [Recipient(user).whateverIsMuted], notice)], in: transaction)
            return items.first?.item.id
        }
        guard let notification else {
            return AdminDone(
                message: "No message was sent: this person has no app, browser or webhook.",
                isRefused: true)
        }
        for _ in 0..<Self.looksAtTest {
            let states = try await database.read {
                try $0.pushStates(of: notification, to: id)
            }
            if states.allSatisfy(\.state.isSettled) { return Self.done(states) }
            try await Task.sleep(for: pause)
        }
        return Self.done(
            try await database.read { try $0.pushStates(of: notification, to: id) })
    }

    /// How often a test looks for the providers' answers.
    private static let looksAtTest = 20

    private static func done(
        _ states: [(channel: DeliveryChannel, state: DeliveryState, reason: String?)]
    ) -> AdminDone {
        let words = states.map { one in
            "\(one.channel.rawValue): \(one.state.rawValue)"
                + (one.reason.map { " (\($0))" } ?? "")
        }
        let taken: Set<DeliveryState> = [.accepted, .received, .seen, .acknowledged]
        let isAccepted = states.contains { taken.contains($0.state) }
        return AdminDone(message: words.joined(separator: ", ") + ".", isRefused: !isAccepted)
    }

    // MARK: Tokens

    /// Makes a token for signing up. If the number has an account, tells its owner. Throws
    /// `invalidArgument`, also for a token that can't admit anybody, and `alreadyExists` if another
    /// account moves to the number.
    /// - Parameter number: nil for a token that opens accounts.
    public func invite(
        _ number: PhoneNumber?, uses: Int, days: Int, note: String, reason: String,
        by administrator: String
    ) async throws -> AdminInvitation {
        let reason = try AdminRules.reason(reason)
        let lifetime = try SignUpRules.lifetime(days: days)
        guard number != nil || options.sendsCodes else {
            throw CommandError.invalidArgument(
                field: "number",
                """
                This server sends no codes, so a link without a number admits nobody. Give the \
                number that the link signs in.
                """)
        }
        let made = try await signUpTokens.make(
            uses: uses, expires: lifetime, note: note, number: number
        ) { transaction in
            if let user = try account(of: number, in: transaction) {
                try change(
                    user, .invite, reason, .signInLinkMade(reason: reason), by: administrator,
                    in: transaction)
            } else {
                if let number { try checkNoMove(to: number, in: transaction) }
                // A token is useless while sign-up is closed.
                guard try signUpTokens.mode(in: transaction) != .closed else {
                    throw SignUpTokens.refusal(.signUpClosed)
                }
                try record(.invite, reason, about: nil, by: administrator, in: transaction)
            }
        }
        return AdminInvitation(id: made.id, link: signUpTokens.link(for: made.secret))
    }

    /// Throws `alreadyExists` if the account of another number moves to this one. An account that
    /// the link opens would end the move.
    private func checkNoMove(to number: PhoneNumber, in transaction: Transaction) throws {
        guard let move = try transaction.awaitedMove(to: number),
            let user = try transaction.user(move.user)
        else { return }
        let words: TimedText = """
            \(user.displayName)'s account moves to this number at \(clock: move.time). Make the \
            link for its present number.
            """
        throw CommandError.alreadyExists(words.text(in: nil, at: transaction.now))
    }

    /// Ends a token. Throws `invalidArgument` or `notFound`.
    public func revoke(
        _ text: String, reason: String, by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        guard let id = SignUpTokenID(text) else {
            throw CommandError.invalidArgument(field: "id", "A token's id is a UUID.")
        }
        try await signUpTokens.revoke(id) { transaction in
            let number = try transaction.signUpToken(id)?.phoneNumber
            let user = try account(of: number, in: transaction)
            try record(.revoke, reason, about: user?.id, by: administrator, in: transaction)
        }
        return AdminDone(message: "Revoked. Accounts that it has opened stay.")
    }

    private func account(
        of number: PhoneNumber?, in connection: any SQLConnection
    ) throws -> UserRow? {
        guard let number, let user = try connection.user(phoneNumber: number),
            user.guestSince == nil
        else { return nil }
        return user
    }

    // MARK: Locks and deletion

    /// Locks an account. Throws `alreadyExists` if it is locked.
    public func lock(
        _ number: String, reason: String, by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        let id = try await find(number)
        try await database.write(about: Subjects([id])) { transaction in
            guard let user = try transaction.user(id) else { throw Self.noSuchPerson }
            guard user.lockedAt == nil else {
                throw CommandError.alreadyExists("This account is locked already.")
            }
            try transaction.lock(id, at: transaction.now)
            try change(
                user, .lock, reason, .accountLocked(reason: reason), by: administrator,
                in: transaction)
        }
        return AdminDone(
            message: """
                Locked. Invitations, requests and changes of the profile are stopped; check-ins \
                and alerts work as before. The person was told.
                """)
    }

    /// Unlocks an account. Throws `notFound` if it isn't locked.
    public func unlock(
        _ number: String, reason: String, by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        let id = try await find(number)
        try await database.write(about: Subjects([id])) { transaction in
            guard let user = try transaction.user(id) else { throw Self.noSuchPerson }
            guard user.lockedAt != nil else {
                throw CommandError.notFound("This account is not locked.")
            }
            try transaction.lock(id, at: nil)
            try change(
                user, .unlock, reason, .accountUnlocked(reason: reason), by: administrator,
                in: transaction)
        }
        return AdminDone(message: "Unlocked. The person was told.")
    }

    /// Logs a change of an account, tells the person, and makes their pages load it.
    func change(
        _ user: UserRow, _ kind: AdminAct.Kind, _ reason: String, _ text: NotificationText,
        by administrator: String, in transaction: Transaction
    ) throws {
        try record(kind, reason, about: user.id, by: administrator, in: transaction)
        try transaction.append(.profileChanged, to: user.id)
        try notifier.notify(
            Recipient(user).whateverIsMuted, Notice(text: text, cannotBeMuted: true),
            in: transaction)
    }

    /// Deletes an account as the person's own deletion does it, and tells the person.
    public func delete(
        _ number: String, reason: String, by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        let id = try await find(number)
        let mode = try await accountDeletion.deleteAccount(of: id, reason: reason) { transaction in
            // The deletion removes the person from this entry, too.
            try record(.delete, reason, about: id, by: administrator, in: transaction)
        }
        let words =
            switch mode {
            case .open: ", and the number can sign up again."
            case .invited: ", and the number needs an invitation to sign up again."
            case .closed: ", and the number can't sign up again while sign-up is closed."
            case nil: "."
            }
        return AdminDone(message: "Deleted. The contacts were told\(words)")
    }
}

/// Locks of accounts by administrators.
public struct AccountLocks: Commands {
    public let core: Core

    /// Throws `accountLocked` if the caller's account is locked.
    public func check(_ caller: Caller) async throws {
        let user = try await database.read { try $0.user(caller.userID) }
        if user?.lockedAt != nil { throw CommandError.accountLocked }
    }
}
