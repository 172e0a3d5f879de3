import Delivery
import Domain
import Foundation
import Persistence
import SafetyNetwork
import Synchronization

/// What the observer knows of the copy in the document store.
struct CopyWatch: Sendable {
    /// The accounts that were deleted. A restore may bring some back.
    var deleted: Set<UserID> = []
    /// The true time of the last comparison.
    var comparedAt: Date = .distantPast
}

/// The copy of profiles and alerts (Deploy/firestore/README.md).
extension Simulator {
    /// Failed copies become due without a commit. A server looks more often.
    private static let pauseBetweenLooks: Duration = .seconds(30)
    /// The longest back-off of a failing service. The store never asks for more.
    private static let longestPause: Duration = .minutes(5)
    /// Two back-offs, with time for the passes.
    private static let patience: Duration = .minutes(20)
    private static let pauseBetweenComparisons: Duration = .hours(3)
    /// The server warns when a change has waited for five minutes.
    private static let timeForAWarning: Duration = .minutes(6)
    private static let userFields: Set<String> = [
        "name", "phoneNumber", "emergencyNote", "profilePictureURL", "isAlertActive",
        "alertStartTime", "alertEndTime",
    ]
    private static let alertFields: Set<String> = [
        "id", "userId", "startTime", "endTime", "isActive",
    ]

    /// Makes a pass of the loop that copies, and checks its result.
    func copyDocuments(_ server: Server) async throws {
        guard let worker = server.copies, let store = world.documents else { return }
        let due = try await worker.work()
        let (waiting, filled) = try await server.disk.read {
            (try $0.copyBacklog(), try $0.filledCopies())
        }
        guard waiting.people == 0, filled != nil else {
            let pause = due.map { $0.since(server.clock.now()) } ?? Self.pauseBetweenLooks
            let rest = min(max(pause, .seconds(1)), Self.longestPause)
            chores.plan(.copies, at: now.adding(rest))
            return checkLag(waiting, worker, store, server)
        }
        guard now >= copyWatch.comparedAt.adding(Self.pauseBetweenComparisons) else { return }
        copyWatch.comparedAt = now
        try await compareDocuments(store, server)
        checkDocuments(store)
        sights.insert("copy: compared")
    }

    private func checkLag(
        _ waiting: CopyBacklog, _ worker: FirestoreWorker, _ store: DocumentStore, _ server: Server
    ) {
        guard let oldest = waiting.oldest, isClockSound else { return }
        let age = server.clock.now().since(oldest)
        let settled = max(moments.runningSince, moments.diskFullUntil, moments.clockWrongUntil)
        if age > Self.timeForAWarning, now.since(settled) > Self.timeForAWarning {
            sights.insert("copy: warning")
            if worker.warning == nil {
                note("copy", "a change waits for \(age.milliseconds) ms, without a warning")
            }
        }
        let sound = max(settled, store.lastTrouble ?? .distantPast)
        if age > Self.patience, now.since(sound) > Self.patience {
            note("copy", "\(waiting.people) people wait for \(age.milliseconds) ms to be copied")
        }
    }

    /// Compares all documents with the server's rows.
    private func compareDocuments(_ store: DocumentStore, _ server: Server) async throws {
        let people = try await server.disk.read { connection in
            var people: [UserID: CopiedPerson] = [:]
            for user in try connection.copiedAccounts(after: nil, limit: 1_000) {
                people[user] = try connection.copiedPerson(user)
            }
            return people
        }
        let ids = people.keys.sorted()
        let found = Mutex<[FirestoreDifference]>([])
        let comparison = FirestoreComparison(
            client: store.client(isHonest: true), pictureURL: server.pictureURL,
            accounts: { last, limit in
                Array(ids.filter { user in last.map { user > $0 } ?? true }.prefix(limit))
            },
            read: { users in people.filter { users.contains($0.key) } })
        let result = try await comparison.run { difference in
            found.withLock { $0.append(difference) }
        }
        if result.people != people.count { note("copy", "the comparison left out people") }
        for difference in found.withLock({ $0 })
        where difference.kind != .extra || !store.isLateCreation(difference.path) {
            note("copy", "with nobody waiting, the copy differs: \(difference)")
        }
    }

    /// Compares the documents with the server's answers.
    private func checkDocuments(_ store: DocumentStore) {
        for (person, account) in truth.accounts.enumerated() {
            guard let account, account.move == nil, let number = try? phoneNumber(of: person)
            else { continue }
            guard let fields = store.fields("users/\(account.caller.userID)") else {
                note("copy", "\(name(person)) has no document")
                continue
            }
            if fields["name"] != .text(name(person)) || fields["phoneNumber"] != .text(number.text)
            {
                note("copy", "\(name(person))'s document has another name or number")
            }
            if account.leavesNoteOut, fields["emergencyNote"] != .null {
                note("copy", "\(name(person))'s document has the note that was left out")
            }
        }
        var present = Set(truth.guests.values)
        present.formUnion(truth.accounts.compactMap { $0?.caller.userID })
        for path in store.paths {
            let parts = path.split(separator: "/")
            let known = parts.count == 2 ? Self.userFields : Self.alertFields
            let fields = store.fields(path) ?? [:]
            if !known.isSuperset(of: fields.keys) {
                note("copy", "\(path) has more fields than are named: \(fields.keys.sorted())")
            }
            if parts.count > 1, let user = UserID(String(parts[1])), !fields.isEmpty,
                copyWatch.deleted.contains(user), !present.contains(user)
            {
                note("copy", "\(path) is left of a deleted account")
            }
        }
    }

    // MARK: Steps

    /// Decides whether the copy has the person's note. A locked account may take it away.
    func leaveNoteOut(_ person: Int, _ leavesOut: Bool) async {
        guard let account = truth.accounts[person], world.documents != nil else { return }
        let answer = await ask(person) {
            try await $0.profiles.updateProfile(
                name: nil, emergencyNote: nil, leavesNoteOutOfCopy: leavesOut, of: $1)
        }
        switch answer {
        case .answered(let profile):
            truth.accounts[person]?.leavesNoteOut = leavesOut
            sights.insert("copy: note left out, or in")
            if profile.leavesNoteOutOfCopy != leavesOut || profile.copiesToGoogle != true {
                note("copy", "\(name(person))'s profile says something else about the copy")
            }
        case .refused(let error):
            if leavesOut || !account.isLocked {
                note("copy", "\(name(person)) could not decide about the note: \(error)")
            }
        case .unreachable: break
        }
    }

    /// Lets everyone be copied again, as `lifesignal firestore --fill` does.
    func fillCopies() async throws {
        guard let server, world.documents != nil, server.disk.condition == .fine else { return }
        try await server.disk.write(about: .none) { try $0.forgetCopiesFilled() }
        chores.plan(.copies, at: now.adding(.seconds(5)))
    }
}
