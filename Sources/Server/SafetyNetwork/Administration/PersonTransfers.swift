import Domain
import Foundation
import Persistence

/// Moves a person between servers: an export on the one, an import on the other. Sessions, secrets,
/// contacts and pictures are not moved.
public struct PersonTransfers: Commands {
    public let core: Core
    let administration: Administration
    let accountExport: Export

    /// Returns the JSON of an `AccountExport`. Logs the export and tells the person as soon as the
    /// JSON is complete. Throws `rateLimited` while another such export of the person runs.
    public func export(
        _ number: String, reason: String, by administrator: String
    ) async throws -> Data {
        let reason = try AdminRules.reason(reason)
        let id = try await administration.find(number)
        var json = Data()
        try await accountExport.export(ofPerson: id).write { json += $0 }
        try await database.write(about: Subjects([id])) { transaction in
            guard let user = try transaction.user(id) else { throw Administration.noSuchPerson }
            try administration.change(
                user, .export, reason, .accountExported(reason: reason), by: administrator,
                in: transaction)
        }
        return json
    }

    /// Makes an account from another server's export. The person signs in with their number, and
    /// their first check-in sets the deadline. Throws `alreadyExists` if the number has an account.
    public func importPerson(
        _ file: AccountExport, reason: String, by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        let profile = file.profile
        let number = profile.phoneNumber
        let name = profile.name.isEmpty ? "" : try ProfileRules.form(profile.name)
        let note = try ProfileRules.emergencyNote(profile.emergencyNote)
        try options.intervalLimits.check(profile.settings)
        try file.checkIns.lazy.compactMap(\.source).forEach(Self.checkSource)
        let id: UserID = newID()
        let count = try await database.write(
            about: Subjects([id], names: [number.text])
        ) { transaction in
            guard try transaction.owner(ofNumber: number) == nil else {
                throw CommandError.alreadyExists(
                    """
                    \(number) has an account on this server, or has accepted an invitation. \
                    Nothing was imported.
                    """)
            }
            try transaction.insertUser(id, phoneNumber: number)
            try transaction.setQRCode(newID(), of: id)
            try transaction.revokeSignUpTokens(for: [number.text])
            try transaction.updateUser(id, name: name, emergencyNote: note)
            if profile.leavesNoteOutOfCopy == true {
                try transaction.setLeavesNoteOutOfCopy(true, of: id)
            }
            try transaction.updatePreferences(file.notificationPreferences, of: id)
            if let zone = file.timeZone.flatMap({ ClockZone($0) }) {
                try transaction.updateTimeZone(zone.name, of: id)
            }
            guard let user = try transaction.user(id),
                var schedule = try transaction.schedule(of: id)
            else { throw Administration.noSuchPerson }
            if file.textMessagesStoppedAt != nil { try transaction.stopTexts(to: user) }
            schedule.settings = profile.settings
            try transaction.save(schedule, of: id)
            let records = Self.history(file, at: transaction.now)
            for record in records { try transaction.insert(record, of: id) }
            try administration.record(
                .importPerson, reason, about: id, by: administrator, in: transaction)
            return records.count
        }
        return AdminDone(
            message: """
                Imported with \(count) check-ins. The person signs in with the number, checks in, \
                and connects with contacts again.
                """)
    }

    /// Throws `invalidArgument` for a name that no server would have stored.
    private static func checkSource(_ name: String) throws(CommandError) {
        guard SourceRules.isStorable(name) else {
            throw .invalidArgument(field: "checkIns.source", RefusalWords.sourceName.message)
        }
    }

    /// Returns the check-ins to import: none of the future, each id once.
    private static func history(_ file: AccountExport, at now: Date) -> [CheckInRecord] {
        var known: Set<CheckInID> = []
        let past = file.checkIns.filter { record in
            record.occurredAt <= now && record.receivedAt <= now
                && known.insert(record.id).inserted
        }
        let newest = past.sorted { $0.occurredAt > $1.occurredAt }
        return Array(newest.prefix(AccountExport.importedCheckIns))
    }
}
