import Domain
import Foundation
import Persistence
import SafetyNetwork

/// What an app reads, and what of it must be true (product.md, "Who may see what", "Notifications",
/// "The month").
extension Simulator {
    func browse(_ person: Int, _ shelf: Step.Shelf) async {
        guard truth.accounts[person] != nil else { return }
        switch shelf {
        case .notifications: await browseNotifications(person)
        case .events: await browseEvents(person)
        case .contacts: await browseContacts(person)
        case .invitations: await browseInvitations(person)
        case .code: await browseCode(person)
        case .pings: await browsePings(person)
        case .alerts: await browseAlerts(person)
        case .drills: await browseDrills(person)
        case .profile: await browseProfile(person)
        case .endpoints: await browseEndpoints(person)
        case .sources: await browseSources(person)
        case .sessions: await browseSessions(person)
        case .month: await browseMonth(person)
        case .blocks: await browseBlocks(person)
        case .acts: await readActs(person)
        }
    }

    /// Reports a list that does not show what is known.
    func misread(_ person: Int, _ text: String) { note("shelf", "\(name(person)) \(text)") }

    /// Reports that a person reads what isn't theirs.
    func pries(_ person: Int, _ text: String) { note("privacy", "\(name(person)) \(text)") }

    /// Returns another person; the same one in a world of one person.
    func another(than person: Int, _ salt: Int) -> Int {
        (person + 1 + luck(person, salt, below: max(1, options.people - 1))) % options.people
    }

    /// Whether no wrong clock may have moved the expiry of anything.
    var isTimeSure: Bool {
        isClockSound && !moments.startedWrong && now.since(moments.clockWrongUntil) > .hours(2)
    }

    /// False if the server may have corrected a stored time.
    var areTimesUntouched: Bool { moments.clockWrongFor == .zero && !moments.startedWrong }

    /// Reads a list page by page, each after the last item of the previous one. Returns nil if a
    /// page can't be read.
    func readPages<Item: Sendable>(
        _ person: Int, limit: Int,
        _ fetch: (SafetyNetwork, Caller, Page) async throws -> [Item],
        _ cursor: (Item) -> Page.Cursor?
    ) async -> [Item]? {
        var items: [Item] = []
        var before: Page.Cursor?
        while items.count < 20_000 {
            guard let page = try? Page(before: before, limit: limit),
                let next = await ask(person, { try await fetch($0, $1, page) }).value
            else { return nil }
            items += next
            guard next.count == limit, let last = next.last, let end = cursor(last) else { break }
            // A client sends the cursor as text.
            before = try? Page.Cursor(end.description)
        }
        return items
    }

    // MARK: Notifications

    /// Records a notification that the person's lists and stream must show.
    func shelve(_ item: NotificationItem, _ event: StoredEvent, for person: Int) {
        guard truth.accounts[person]?.caller.userID == event.userID else { return }
        truth.accounts[person]?.reading.add(item, event.sequence, at: now)
    }

    private func readNotifications(_ person: Int, limit: Int) async -> [NotificationItem]? {
        await readPages(
            person, limit: limit,
            { try await $0.notifications.notifications(of: $1, page: $2) },
            { (item: NotificationItem) in Page.Cursor(time: item.createdAt, id: item.id.uuid) })
    }

    private func browseNotifications(_ person: Int) async {
        let limit = 5 + luck(person, 101, below: 40)
        guard let list = await readNotifications(person, limit: limit) else { return }
        checkNotifications(list, of: person)
        switch luck(person, 103, below: 6) {
        case 0: await deleteOne(of: list, person)
        case 1: await deleteOld(of: list, person)
        default: await readOne(of: list, person)
        }
        await touchForeignNotification(person)
    }

    private func checkNotifications(_ list: [NotificationItem], of person: Int) {
        guard let account = truth.accounts[person] else { return }
        for (newer, older) in zip(list, list.dropFirst())
        where (newer.createdAt, newer.id) <= (older.createdAt, older.id) {
            misread(person, "reads \"\(newer.title)\" before the newer \"\(older.title)\"")
        }
        let own = hearing.notices[account.caller.userID] ?? []
        for item in list {
            if !own.contains(item.id) { pries(person, "reads \"\(item.title)\" of another") }
            if account.reading.deleted.contains(item.id) {
                misread(person, "reads \"\(item.title)\" again after deleting it")
            }
            if account.reading.read.contains(item.id), item.readAt == nil {
                misread(person, "has read \"\(item.title)\", and it is unread")
            }
        }
        guard isTimeSure else { return }
        let listed = Set(list.map(\.id))
        let lost = account.reading.recent.count {
            now.since($0.madeAt) < .hours(1) && !account.reading.deleted.contains($0.id)
                && !listed.contains($0.id)
        }
        if lost > 0 { misread(person, "does not read \(lost) notifications of the last hour") }
    }

    /// Reads one notification. The others stay as they are.
    private func readOne(of list: [NotificationItem], _ person: Int) async {
        let unread = list.filter { $0.readAt == nil }
        guard !unread.isEmpty else { return }
        let item = unread[luck(person, 107, below: unread.count)]
        hearing.acts[person] = now
        guard
            await ask(person, { try await $0.notifications.markRead(item.id, of: $1) }).value
                != nil
        else { return }
        hearing.read(person)
        truth.accounts[person]?.reading.read.insert(item.id)
        sights.insert("shelf: one read")
        guard let after = await readNotifications(person, limit: 200) else { return }
        let left = after.filter { $0.readAt == nil }.map(\.id)
        if left != unread.map(\.id).filter({ $0 != item.id }) {
            misread(
                person,
                "read \"\(item.title)\" and has \(left.count) unread, after \(unread.count)")
        }
    }

    private func deleteOne(of list: [NotificationItem], _ person: Int) async {
        guard let item = list.last, item.alertID == nil, item.pingID == nil,
            let serverNow = server?.clock.now(), serverNow.since(item.createdAt) > .hours(1)
        else { return }
        hearing.acts[person] = now
        guard
            await ask(person, { try await $0.notifications.deleteNotification(item.id, of: $1) })
                .value != nil
        else { return }
        await checkDeleted([item], of: list, person)
    }

    /// Deletes what is older than an hour. The person hasn't seen newer ones.
    private func deleteOld(of list: [NotificationItem], _ person: Int) async {
        guard let serverNow = server?.clock.now() else { return }
        let bound = serverNow.adding(.hours(-1))
        guard let until = list.first(where: { $0.createdAt < bound })?.createdAt else { return }
        hearing.acts[person] = now
        guard
            await ask(
                person,
                { try await $0.notifications.deleteAllNotifications(of: $1, until: until) }
            ).value != nil
        else { return }
        hearing.read(person)
        await checkDeleted(list.filter { $0.createdAt <= until }, of: list, person)
    }

    private func checkDeleted(
        _ gone: [NotificationItem], of list: [NotificationItem], _ person: Int
    ) async {
        let ids = Set(gone.map(\.id))
        truth.accounts[person]?.reading.deleted.formUnion(ids)
        sights.insert("shelf: deleted")
        guard let after = await readNotifications(person, limit: 200) else { return }
        let expected = list.map(\.id).filter { !ids.contains($0) }
        if after.map(\.id) != expected {
            misread(
                person,
                "deleted \(gone.count) of \(list.count) notifications, and reads \(after.count)")
        }
    }

    /// Tries to read another person's notification, whose id the person can't know.
    private func touchForeignNotification(_ person: Int) async {
        let other = another(than: person, 109)
        guard other != person, let user = truth.accounts[other]?.caller.userID,
            let id = hearing.newestNotice[user]
        else { return }
        let answer = await ask(person) { try await $0.notifications.markRead(id, of: $1) }
        switch answer {
        case .answered: pries(person, "reads a notification of \(name(other))")
        case .refused(.notFound), .unreachable: break
        case .refused(let error):
            pries(person, "learns of a notification of \(name(other)): \(error)")
        }
    }

    // MARK: Events

    /// Opens the stream where it was last closed, and reads all events since.
    private func browseEvents(_ person: Int) async {
        let opening = await ask(person) {
            try await $0.events.streamStart(for: $1, lastEventID: nil)
        }
        guard let first = opening.value else { return }
        guard case .resume(after: let newest) = first else {
            return misread(person, "opens a first stream, which must reload everything")
        }
        guard let before = truth.accounts[person]?.reading.stream else {
            truth.accounts[person]?.reading.stream = .init(sequence: newest, at: now)
            return
        }
        let last = before.sequence
        let answer = await ask(person) {
            try await $0.events.streamStart(for: $1, lastEventID: last)
        }
        guard let start = answer.value else { return }
        let passed = newest - last
        switch start {
        case .reload(after: let number):
            let mayReload =
                passed > 900 || now.since(before.at) > .days(6) || !isTimeSure
                || truth.deletedAt >= before.at
            if !mayReload || number != newest {
                misread(person, "must reload everything after \(passed) events")
            }
        case .resume(after: let number):
            if number != last {
                misread(person, "resumes the stream after event \(number), not \(last)")
            }
            guard let events = await readEvents(person, after: last) else { return }
            check(events, since: before, until: newest, of: person)
            sights.insert("shelf: stream resumed")
        }
        truth.accounts[person]?.reading.stream = .init(sequence: newest, at: now)
    }

    private func readEvents(_ person: Int, after sequence: Int64) async -> [StoredEvent]? {
        let limit = 7 + luck(person, 113, below: 60)
        var events: [StoredEvent] = []
        while events.count < 5_000 {
            let last = events.last?.sequence ?? sequence
            let answer = await ask(person) {
                try await $0.events.eventsIfOpen(of: $1, after: last, limit: limit)
            }
            guard let answered = answer.value, let page = answered else { return nil }
            events += page.events
            guard !page.isLast else { break }
        }
        return events
    }

    private func check(
        _ events: [StoredEvent], since before: Truth.Reading.Stream, until newest: Int64,
        of person: Int
    ) {
        let numbers = (0..<max(0, newest - before.sequence)).map { before.sequence + 1 + $0 }
        if events.map(\.sequence) != numbers {
            misread(
                person,
                "reads \(events.count) of \(numbers.count) events since event "
                    + "\(before.sequence)")
        }
        let user = truth.accounts[person]?.caller.userID
        if events.contains(where: { $0.userID != user }) {
            pries(person, "reads events of another")
        }
        let notices = Dictionary(
            events.compactMap { event in event.notificationID.map { (event.sequence, $0) } },
            uniquingKeysWith: { one, _ in one })
        if notices != before.notices {
            misread(
                person,
                "reads \(notices.count) notifications in the stream, and was told "
                    + "\(before.notices.count)")
        }
        // A restore forgets who left.
        guard (truth.restore?.at ?? .distantPast) < before.at else { return }
        for event in events { checkContent(of: event, for: person) }
    }

    private func checkContent(of event: StoredEvent, for person: Int) {
        guard let content = try? UserEvent(kind: event.kind, data: event.data) else {
            return misread(person, "can't read event \(event.sequence) (\(event.kind))")
        }
        let user = truth.accounts[person]?.caller.userID
        switch content {
        case .alert(let record):
            if record != record.withoutDetails {
                pries(person, "reads the details of an alert in the stream")
            }
            guard let owner = UserID(record.userId).flatMap({ identities[$0] }), owner != person
            else { return }
            let edge = Edge(responder: person, owner: owner)
            if truth.listeners[edge] == nil, hearing.left[edge] == nil {
                pries(person, "reads of the alert of \(name(owner)) in the stream")
            }
        case .checkIn(let summary):
            guard let owner = identities[summary.userID], owner != person else { return }
            let edge = Edge(responder: person, owner: owner)
            if truth.listeners[edge] == nil, hearing.left[edge] == nil {
                pries(person, "reads of the check-in of \(name(owner)) in the stream")
            }
        case .ping(let ping):
            if ping.responderID != user, ping.dependentID != user {
                pries(person, "reads of a ping between others in the stream")
            }
        case .contactChanged, .contactRemoved, .notification, .notificationsChanged,
            .profileChanged:
            break
        }
    }

    // MARK: The code

    private func browseCode(_ person: Int) async {
        guard let info = await ask(person, { try await $0.qrCodes.qrCode(of: $1) }).value,
            let code = QRCodeID(info.id)
        else { return }
        if let known = truth.codes[person], known != code {
            misread(person, "sees another code than before")
        }
        let bare = info.id.replacing("-", with: "").uppercased()
        let texts = QRCodeKind.allCases.map { info.text(for: $0) } + [info.id, " \(bare)\n"]
        for text in texts where (try? QRCodeRules.id(in: text)) != code {
            misread(person, "shows a code that a scanner reads wrong: \(text)")
        }
        for text in ["{}", "https://lifesignal.example/other/\(info.id)", String(bare.dropLast())]
        where (try? QRCodeRules.id(in: text)) != nil {
            misread(person, "scans \(text), which is no code")
        }
        await lookUp(code, of: person)
        guard let old = truth.worthless.min() else { return }
        let answer = await reach("a look at an old code") {
            try await $0.qrCodes.name(ofCode: old)
        }
        if answer.value != nil { note("oldCode", "a worthless code shows a name") }
    }

    /// Lets a visitor and another person look a code up.
    private func lookUp(_ code: QRCodeID, of owner: Int) async {
        let shown = await reach("a look at the code of \(name(owner))") {
            try await $0.qrCodes.name(ofCode: code)
        }
        if case .refused(let error) = shown {
            misread(owner, "shows a code that nobody can look up: \(error)")
        } else if let shown = shown.value, shown != name(owner) {
            misread(owner, "shows a code with the name \(shown)")
        }
        let other = another(than: owner, 127)
        guard other != owner else { return }
        let found = await ask(other) { try await $0.qrCodes.owner(ofCode: code, for: $1) }
        let isBlocked = truth.blocks[Truth.Block(blocker: owner, blocked: other)] != nil
        switch found {
        case .unreachable: break
        case .answered(let found):
            if isBlocked { pries(other, "looks up the code of \(name(owner)), who blocked them") }
            if found.name != name(owner) || found.id != truth.userID(of: owner) {
                misread(other, "looks up the code of \(name(owner)), and it is \(found.name)'s")
            }
        case .refused(let error):
            if !isBlocked {
                misread(other, "can't look up the code of \(name(owner)): \(error)")
            }
        }
    }
}
