import Cryptography
import Domain
import Foundation
import SafetyNetwork

/// A person who was moved out, as their export and the observer have them.
struct MovedPerson: Sendable {
    var file: AccountExport
    var account: Truth.Account
}

/// Moves people to another server and back. Sessions, secrets, contacts and pictures stay behind
/// (Docs/operations.md, "Help people").
extension Simulator {
    /// Exports a person, and checks the file.
    func exportPerson(_ person: Int) async -> AccountExport? {
        guard let (number, reason) = command(about: person) else { return nil }
        let answer = await reach("the export of \(name(person))") {
            try await $0.personTransfers.export(number, reason: reason, by: Self.administrator)
        }
        if case .refused(let error) = answer { refused("the export", person, error) }
        guard let json = answer.value else { return nil }
        let file = try? WireJSON.decoder().decode(AccountExport.self, from: json)
        if let file {
            check(file, String(decoding: json, as: UTF8.self), of: person)
        } else {
            note("transfer", "the export of \(name(person)) can't be read")
        }
        // The file was complete before the log had this act.
        enter(reason, about: person, telling: "Your data was exported")
        return file
    }

    private func check(_ file: AccountExport, _ text: String, of person: Int) {
        guard let account = truth.accounts[person] else { return }
        var wrong: [String] = []
        if file.profile.phoneNumber.text != (try? phoneNumber(of: person))?.text
            || file.profile.name != name(person)
        {
            wrong.append("the profile")
        }
        if !account.checkIns.isSubset(of: file.checkIns.map(\.id)) { wrong.append("check-ins") }
        if (file.administration ?? []).map(\.reason).sorted() != account.acts.sorted() {
            wrong.append("acts")
        }
        if Set((file.sources ?? []).map(\.id)) != Set(account.sources.map(\.id)) {
            wrong.append("sources")
        }
        let responders = truth.roles.keys.filter { $0.owner == person }
            .compactMap { truth.userID(of: $0.responder) }
        if Set(file.contacts.filter(\.isResponder).map(\.id)) != Set(responders) {
            wrong.append("responders")
        }
        if file.blocks.count != truth.blocks.keys.count(where: { $0.blocker == person }) {
            wrong.append("blocks")
        }
        if truth.stops[person] != nil, file.textMessagesStoppedAt == nil { wrong.append("STOP") }
        if !wrong.isEmpty {
            note(
                "transfer",
                "the export of \(name(person)) has \(wrong.joined(separator: " and ")) wrong")
        }
        let secrets =
            [account.refreshToken.text] + account.sources.map(\.secret) + account.recovery.unused
        if secrets.contains(where: text.contains) {
            note("transfer", "the export of \(name(person)) has secrets")
        }
    }

    /// Exports and deletes an account.
    func moveOut(_ person: Int) async {
        guard let file = await exportPerson(person), let account = truth.accounts[person] else {
            return
        }
        await deleteByAdministrator(person)
        guard truth.accounts[person] == nil else { return }
        exports[person] = MovedPerson(file: file, account: account)
    }

    /// Imports a person who was moved out, and lets them sign in. With an account, nothing changes.
    func moveIn(_ person: Int) async throws {
        guard let server, server.disk.condition == .fine, isOnline(person),
            let exported = exports[person],
            exported.file.profile.phoneNumber.text == (try? phoneNumber(of: person))?.text
        else { return }
        let serverNow = server.clock.now()
        let past = exported.file.checkIns.filter {
            $0.occurredAt <= serverNow && $0.receivedAt <= serverNow
        }
        var file = exported.file
        let future = addFuture(to: &file, at: serverNow)
        let wanted = file
        let reason = newReason()
        let isTaken = truth.userID(of: person) != nil
        let mayBeGuest = hearing.invitations.keys.contains { $0.responder == person }
        let answer = await reach("the import of \(name(person))") {
            try await $0.personTransfers.importPerson(
                wanted, reason: reason, by: Self.administrator)
        }
        switch answer {
        case .unreachable: return
        case .refused(let error):
            if isTaken { sights.insert("person: there already") }
            if !isTaken, !mayBeGuest { refused("the import", person, error) }
            return
        case .answered: break
        }
        let hasRole = truth.roles.keys.contains { $0.responder == person }
        guard truth.accounts[person] == nil, !hasRole else {
            return note("transfer", "\(name(person)) was imported beside another account")
        }
        truth.log.append(reason)
        truth.guests[person] = nil
        guard let tokens = try await signInByCode(person, deviceName: "Phone") else {
            return await undoImport(of: person)
        }
        try await check(wanted, tokens, of: person, Set(past.map(\.id)), future, server.network)
        try await welcome(person, tokens, server.network)
        adopt(exported, of: person, Set(past.map(\.id)), reason)
    }

    /// Adds what no import may take: a check-in twice, and one of the future.
    private func addFuture(to file: inout AccountExport, at serverNow: Date) -> CheckInID {
        let id = CheckInID(world.makeID())
        guard var record = file.checkIns.first else { return id }
        file.checkIns.append(record)
        record.id = id
        record.occurredAt = serverNow.adding(.hours(1))
        file.checkIns.append(record)
        return id
    }

    /// Without a code, the observer could not know the account. It is deleted again.
    private func undoImport(of person: Int) async {
        guard let number = try? phoneNumber(of: person) else { return }
        let reason = newReason()
        let answer = await reach("the end of an import") {
            try await $0.administration.delete(
                number.text, reason: reason, by: Self.administrator)
        }
        guard answer.value != nil else {
            return note("transfer", "\(name(person))'s imported account can't be deleted")
        }
        truth.log.append(reason)
    }

    /// Compares the new account with the file.
    private func check(
        _ file: AccountExport, _ tokens: IssuedTokens, of person: Int, _ past: Set<CheckInID>,
        _ future: CheckInID, _ network: SafetyNetwork
    ) async throws {
        let profile = try await network.profiles.profile(of: tokens.caller)
        let preferences = try await network.notifications.preferences(of: tokens.caller)
        let contacts = try await network.contacts.contacts(of: tokens.caller)
        let history = try await network.checkIns.checkIns(of: tokens.caller, page: try Page())
        var wrong: [String] = []
        if tokens.isNewUser { wrong.append("the account") }
        if profile.name != file.profile.name
            || profile.emergencyNote != file.profile.emergencyNote
            || profile.leavesNoteOutOfCopy ?? false != file.profile.leavesNoteOutOfCopy ?? false
        {
            wrong.append("the profile")
        }
        if profile.settings != file.profile.settings { wrong.append("the schedule") }
        if profile.timeZone != file.timeZone { wrong.append("the time zone") }
        if preferences.muted != file.notificationPreferences.muted { wrong.append("what is muted") }
        // A deadline could pass before the person knows of this server.
        if profile.nextCheckInTime != nil { wrong.append("the deadline") }
        if !contacts.isEmpty { wrong.append("contacts") }
        if history.isEmpty != past.isEmpty || history.contains(where: { $0.id == future })
            || !past.isSuperset(of: history.map(\.id))
        {
            wrong.append("check-ins")
        }
        guard !wrong.isEmpty else { return }
        let words = wrong.joined(separator: " and ")
        note("transfer", "the import of \(name(person)) has \(words) wrong")
    }

    /// Records what the import has brought back.
    private func adopt(
        _ exported: MovedPerson, of person: Int, _ past: Set<CheckInID>, _ reason: String
    ) {
        guard var account = truth.accounts[person] else { return }
        let old = exported.account
        (account.interval, account.plan) = (old.interval, old.plan)
        (account.lastCall, account.reminders) = (old.lastCall, old.reminders)
        (account.isMuted, account.shownSilence) = (old.isMuted, old.longestSilence)
        (account.checkIns, account.acts) = (past, [reason])
        truth.accounts[person] = account
        if exported.file.textMessagesStoppedAt != nil { truth.stops[person] = now }
        hearing.reminderChange[person] = now
        sights.insert("person: moved in")
    }
}
