import Domain
import Persistence

/// News of a person's schedule: to the person's other devices, and to the people who watch over
/// them.
struct ScheduleNews: Commands {
    let core: Core
    let notifier: Notifier
    let accountNews: AccountNews

    /// Announces a saved schedule.
    /// - Parameters:
    ///   - change: what accepted responders are told, even if muted; nil for a change that
    ///     delays no alarm. Somebody else who holds the phone can't delay alarms unnoticed.
    ///   - undone: what those are told whose last news of the schedule was of a delay, or is
    ///     unsent; used if `change` is nil.
    func announce(
        _ change: ScheduleChange?, else undone: ScheduleChange? = nil, doneBy caller: Caller,
        in transaction: Transaction
    ) throws {
        let user = caller.userID
        let responders = try transaction.responders(of: user).filter(\.isAccepted)
        transaction.noteStaleDevices(of: user, besides: caller.sessionID)
        try publish(user, to: responders.map(\.id), in: transaction)
        try announceToDevices(change, isUndoing: undone != nil, doneBy: caller, in: transaction)
        guard let news = change ?? undone, let owner = try transaction.user(user) else { return }
        let told =
            try change == nil
            ? toldOfDelays(responders, of: owner, in: transaction) : responders
        guard !told.isEmpty else { return }
        try notifier.notify(told, notice(news, of: owner), in: transaction)
    }

    /// Announces the change to the person's other devices. A pause, and a schedule without
    /// deadlines, silence all alarms. Each is announced, so that the last news of them is true.
    private func announceToDevices(
        _ change: ScheduleChange?, isUndoing: Bool, doneBy caller: Caller,
        in transaction: Transaction
    ) throws {
        let text = NotificationText.ownSchedule(change)
        let noDeadlines = NotificationText.ownSchedule(.longerSilence(nil, before: nil))
        let isEachAnnounced =
            try text.kind != .other
            || isUndoing && accountNews.hasAnnounced(noDeadlines, doneBy: caller, in: transaction)
        // Another change, such as of a reminder, leaves a schedule without deadlines as it is.
        let changesDeadlines = text.kind == .scheduleDelay || isUndoing
        try accountNews.announce(
            text, doneBy: caller, isOncePerWindow: !isEachAnnounced,
            replacing: text.kind == .pause ? .ownPause : changesDeadlines ? .ownSchedule : nil,
            in: transaction)
    }

    /// Tells the person that the last call now takes answers, or has lost its message or call. Both
    /// changes outlive the session, so the session's own device shows the news, too.
    func announce(
        _ lastCall: LastCall, after old: LastCall, doneBy caller: Caller,
        in transaction: Transaction
    ) throws {
        if lastCall.takesAnswers, !old.takesAnswers {
            try accountNews.announce(.lastCallTakesAnswers, doneBy: caller, in: transaction)
        }
        if lastCall.isQuieter(than: old) {
            try accountNews.announce(.lastCallTurnedOff, doneBy: caller, in: transaction)
        }
    }

    /// Returns the people whose last news of the schedule was that alarms come later, or is unsent:
    /// it would arrive with an outdated time.
    private func toldOfDelays(
        _ people: [Recipient], of owner: UserRow, in transaction: Transaction
    ) throws -> [Recipient] {
        let name = owner.displayName
        let last = try transaction.lastNews(
            .schedule(name: name), about: owner.id, to: people.map(\.id).sorted())
        let delays = StoredNews.delays(name: name)
        let waiting = try transaction.recipients(
            ofUnsent: .schedule(name: name), about: owner.id, among: last.keys.sorted())
        return people.filter { person in
            waiting.contains(person.id) || last[person.id].map { delays.contains($0) } ?? false
        }
    }

    /// Makes the pages of the person and of these responders load the schedule again.
    func publish(
        _ user: UserID, to responders: [UserID], in transaction: Transaction
    ) throws {
        try transaction.append(.profileChanged, to: user)
        let event = try EncodedEvent(.contactChanged(.init(contactID: user)))
        for responder in responders { try transaction.append(event, to: responder) }
    }

    /// Makes all devices of the person, and the pages of these responders, load a schedule that the
    /// server itself has changed.
    func publishCorrection(
        of user: UserID, to responders: [UserID], in transaction: Transaction
    ) throws {
        transaction.noteStaleDevices(of: user, besides: nil)
        try publish(user, to: responders, in: transaction)
    }

    /// The message to the responders.
    func notice(_ change: ScheduleChange, of owner: UserRow) -> Notice {
        var notice = Notice(
            text: .schedule(change, name: owner.displayName), about: owner.id, cannotBeMuted: true)
        let name = owner.displayName
        notice.superseded = notice.text.kind == .pause ? .pause(name: name) : .schedule(name: name)
        return notice
    }
}
