import Domain
import Persistence

/// News of a person's schedule: to the person's other devices, and to the people who watch over
/// them.
struct ScheduleNews: Commands {
    let core: Core
    let notifier: Notifier
    let accountNews: AccountNews

    /// Announces a saved schedule.
    /// - Parameter change: what accepted responders are told, even if muted; nil for a change that
    ///   delays no alarm. Somebody else who holds the phone can't delay alarms unnoticed.
    func announce(
        _ change: ScheduleChange?, doneBy caller: Caller, in transaction: Transaction
    ) throws {
        let user = caller.userID
        try transaction.append(.profileChanged, to: user)
        transaction.noteStaleDevices(of: user, besides: caller.sessionID)
        let event = try EncodedEvent(.contactChanged(.init(contactID: user)))
        for watcher in try transaction.responderIDs(of: user) {
            try transaction.append(event, to: watcher)
        }
        try accountNews.announce(.scheduleChanged, doneBy: caller, in: transaction)
        guard let change, let owner = try transaction.user(user) else { return }
        let responders = try transaction.responders(of: user).filter(\.isAccepted)
        try notifier.notify(
            responders,
            Notice(
                text: .schedule(change, name: owner.displayName), about: user, cannotBeMuted: true),
            in: transaction)
    }
}
