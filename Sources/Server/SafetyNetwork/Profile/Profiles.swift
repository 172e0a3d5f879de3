import Domain
import Foundation
import Persistence

public struct Profiles: Commands {
    public let core: Core
    let notifier: Notifier
    let accountNews: AccountNews

    public func profile(of caller: Caller) async throws -> UserProfile {
        try await database.read { try profile(of: caller.userID, in: $0) }
    }

    func profile(of id: UserID, in connection: any SQLConnection) throws
        -> UserProfile
    {
        guard let user = try connection.user(id), let schedule = try connection.schedule(of: id),
            // Guests who were invited by e-mail have no number, and no profile.
            let number = user.phoneNumber
        else { throw CommandError.noSuchUser }
        let hasOpenAlert = try connection.openAlert(.manual, of: id) != nil
        let isOverdue = try connection.openAlert(.journey, of: id) != nil
        let hasMissed = try connection.openAlert(.missedCheckIn, of: id) != nil
        var profile = UserProfile(
            id: id, name: user.name, phoneNumber: number,
            emergencyNote: user.emergencyNote,
            profilePictureURL: user.pictureID.flatMap(pictureURL), settings: schedule.settings,
            lastCheckInTime: schedule.lastCheckIn, nextCheckInTime: schedule.deadline,
            status: UserStatus(
                hasOpenManualAlert: hasOpenAlert || isOverdue, hasOpenMissedAlert: hasMissed,
                deadline: schedule.deadline, at: connection.now), createdAt: user.createdAt,
            pause: schedule.isPaused(at: connection.now) ? schedule.pause : nil,
            start: schedule.start, timeZone: user.timeZone)
        profile.endedPause = schedule.endedPause(at: connection.now)
        profile.journey = try connection.journey(of: id).flatMap {
            $0.isRunning ? JourneyRecord($0) : nil
        }
        profile.copiesToGoogle = options.copiesToGoogle
        profile.leavesNoteOutOfCopy = user.leavesNoteOutOfCopy
        profile.lockedAt = user.lockedAt
        profile.numberMove = try connection.numberMove(of: id)
        profile.maintenance = try connection.announcedMaintenance()
        if user.hasGuestsProfile, schedule.lastCheckIn == nil { profile.isSettingUp = true }
        return profile
    }

    /// Changes the given values and keeps the others. Tells the contacts of another name, at most
    /// three times in 24 hours, and the user's other devices of another note. Throws
    /// `invalidArgument`, or `accountLocked` for more than taking the note back.
    /// - Parameter key: idempotency key. A repeat changes nothing and gets the present state.
    public func updateProfile(
        name: String?, emergencyNote: String?, leavesNoteOutOfCopy: Bool? = nil,
        of caller: Caller, key: UUID? = nil
    ) async throws -> UserProfile {
        let name = try name.map { text throws(CommandError) in try ProfileRules.form(text) }
        let note = try emergencyNote.map { text throws(CommandError) in
            try ProfileRules.emergencyNote(text)
        }
        let outcome = try await database.write(
            about: Subjects([caller.userID], isRepeatable: true) { connection in
                guard let name, try connection.user(caller.userID)?.name != name else { return [] }
                return try connection.contacts(of: caller.userID).map(\.contact)
            }
        ) { transaction -> Result<UserProfile, CommandError> in
            guard let user = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            guard
                user.lockedAt == nil
                    || Self.onlyTakesBack(name, note, leavesNoteOutOfCopy, from: user)
            else { throw CommandError.accountLocked }
            let newName = name == user.name ? nil : name
            let isKnown = try key.map { try transaction.requestKey($0, of: user.id) != nil }
            // Older names are kept, because earlier clients send them with each new note.
            if let newName, isKnown != true {
                _ = try ProfileRules.name(newName)
                if let refusal = try refusal(of: newName, by: user, in: transaction)
                    ?? refusalOfMoreNews(from: user, in: transaction)
                {
                    return .failure(refusal)
                }
            }
            if try isRepeat("updateProfile", key, of: caller, in: transaction) {
                return .success(try profile(of: user.id, in: transaction))
            }
            try transaction.updateUser(
                user.id, name: name ?? user.name, emergencyNote: note ?? user.emergencyNote)
            if let newName { try announce(newName, of: user, in: transaction) }
            if let note, note != user.emergencyNote {
                try accountNews.announce(
                    .noteChanged(wasEmpty: user.emergencyNote.isEmpty), doneBy: caller,
                    in: transaction)
            }
            if let leavesNoteOutOfCopy {
                try transaction.setLeavesNoteOutOfCopy(leavesNoteOutOfCopy, of: user.id)
            }
            try announceProfileChange(of: user.id, in: transaction)
            return .success(try profile(of: user.id, in: transaction))
        }
        return try outcome.get()
    }

    /// After this many refusals of others' names in 24 hours, no new name is accepted.
    static let refusedNamesPerDay = 5

    /// Returns the error if messages about an alert could then look like another person's. Records
    /// the refusal of another person's name: each one tells who else helps a dependent.
    private func refusal(
        of name: String, by user: UserRow, in transaction: Transaction
    ) throws -> CommandError? {
        let contacts = try transaction.contacts(of: user.id)
        guard !contacts.isEmpty else { return nil }
        for kind in AlertKind.allCases {
            let open = try transaction.openAlerts(kind, of: contacts.map(\.contact).sorted())
            for alert in open.values
            where try transaction.audience(of: alert).contains(where: { $0.id == user.id }) {
                return .invalidArgument(
                    field: "name", RefusalWords.nameDuringAlert.detail, reason: .alertOpen)
            }
        }
        guard !ProfileRules.areAlike(name, user.name) else { return nil }
        let since = transaction.now.adding(Duration.zero - .days(1))
        let records = (1...Self.refusedNamesPerDay).map { RequestKeyRow.refusedName($0) }
        let free = try records.first {
            try !transaction.hasRequest($0, of: user.id, since: since)
        }
        guard let free else {
            return .invalidArgument(field: "name", RefusalWords.namesRefused.detail)
        }
        let dependents = contacts.filter(\.relation.dependent.isInForce).map(\.contact).sorted()
        let others = Set(contacts.filter(\.relation.isConnected).map(\.contact))
            .union(try transaction.responderIDs(of: dependents).values.joined())
            .subtracting([user.id])
        let names = try transaction.users(others.sorted()).values.map(\.name)
        guard names.contains(where: { ProfileRules.areAlike($0, name) }) else { return nil }
        try transaction.insert(
            RequestKeyRow(request: free), key: core.environment.makeID(), of: user.id)
        return .invalidArgument(field: "name", RefusalWords.nameOfAnother.detail)
    }

    /// Counts a new name that contacts will be told, unless it is the first. Returns the error
    /// beyond the limit. Otherwise names could carry messages to people who have muted all.
    private func refusalOfMoreNews(
        from user: UserRow, in transaction: Transaction
    ) throws -> CommandError? {
        let contacts = try transaction.contacts(of: user.id)
        guard !user.name.isEmpty, contacts.contains(where: \.relation.isConnected) else {
            return nil
        }
        let now = transaction.now
        let records = (1...ProfileRules.announcedNamesPerDay).map {
            RequestKeyRow.announcedName($0)
        }
        let times = try records.map { try transaction.newestRequest($0, of: user.id)?.time }
        if let wait = ProfileRules.wait(afterNames: times.compactMap(\.self), at: now) {
            let time = clockTime(now.adding(wait), in: user.timeZone, at: now)
            return .invalidArgument(field: "name", RefusalWords.nameWaits(until: time))
        }
        let oldest = zip(records, times).min {
            ($0.1 ?? .distantPast) < ($1.1 ?? .distantPast)
        }
        if let oldest {
            try transaction.insert(
                RequestKeyRow(request: oldest.0), key: core.environment.makeID(), of: user.id)
        }
        return nil
    }

    private func announce(
        _ name: String, of user: UserRow, in transaction: Transaction
    ) throws {
        let contacts = try transaction.contacts(of: user.id).filter(\.relation.isConnected)
        let people = try transaction.users(contacts.map(\.contact).sorted())
        let text = NotificationText.contactRenamed(
            from: user.displayName, to: ProfileRules.nameInMessages(name))
        try notifier.notify(
            contacts.compactMap { people[$0.contact].map { Recipient($0) } },
            Notice(text: text, about: user.id, cannotBeMuted: true), in: transaction)
    }

    /// Returns whether the change adds nothing that others can read.
    private static func onlyTakesBack(
        _ name: String?, _ note: String?, _ leavesNoteOut: Bool?, from user: UserRow
    ) -> Bool {
        [nil, user.name].contains(name) && [nil, "", user.emergencyNote].contains(note)
            && [nil, true, user.leavesNoteOutOfCopy].contains(leavesNoteOut)
    }

    /// Replaces or removes the picture. The server must have re-encoded the bytes, so that they
    /// contain only the image.
    public func setPicture(_ picture: (contentType: String, bytes: Data)?, of caller: Caller)
        async throws -> UserProfile
    {
        let picture = picture.map {
            ProfilePicture(id: newID(), contentType: $0.contentType, bytes: $0.bytes)
        }
        return try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard try transaction.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            try transaction.setPicture(picture, of: caller.userID)
            try announceProfileChange(of: caller.userID, in: transaction)
            return try profile(of: caller.userID, in: transaction)
        }
    }

    public func picture(_ id: PictureID, for caller: Caller) async throws -> ProfilePicture {
        guard let picture = try await database.read({ try $0.picture(id, for: caller.userID) })
        else {
            throw CommandError.notFound("There is no such picture.")
        }
        return picture
    }

    func announceProfileChange(of user: UserID, in transaction: Transaction) throws {
        try transaction.append(.profileChanged, to: user)
        let change = try EncodedEvent(.contactChanged(.init(contactID: user)))
        for contact in try transaction.contacts(of: user) {
            try transaction.append(change, to: contact.contact)
        }
    }
}
