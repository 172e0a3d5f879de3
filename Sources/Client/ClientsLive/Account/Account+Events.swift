import Domain
import Foundation

/// How the model is kept: by events, and by the answers to what the person did.
extension Account {
    /// Something that the server has said, apart from lists.
    enum Change: Sendable {
        case event(UserEvent, at: Date)
        case reply(ServerReply)
        /// The server has done what this entry asks and has nothing to show for it.
        case done(QueuedEntry)
    }

    func receive(_ signal: StreamSignal) {
        guard !isStopped else { return }
        switch signal {
        case .connected:
            isOnline = true
            for wakeup in wakeups.values { wakeup.wake() }
            publish()
            Task { [weak self] in await self?.takeUpWhatOthersLeft() }
        case .disconnected:
            isOnline = false
            publish()
        case .reload: want(Set(AccountModel.Slice.allCases))
        case .event(let event, _):
            let now = environment.now()
            if wanted.isEmpty, loads == 0, lastSynced != nil { lastSynced = now }
            receive(.event(event, at: now))
            switch event {
            case .profileChanged: want([.profile])
            case .contactChanged(let reference):
                // Somebody new to watch over comes with alerts and pings of their own.
                want(
                    base.contacts.contains { $0.id == reference.contactID }
                        ? [.contacts] : [.contacts, .alerts, .pings])
            default: break
            }
        }
    }

    func receive(_ change: Change) {
        apply(change)
        if loads > 0 { happened.append(change) }
        changed()
    }

    /// Also once more over a list that was loaded meanwhile: the list may be older.
    func apply(_ change: Change) {
        // Just added; or removed by the other one while the answer was on its way, which only the
        // list can tell.
        if case .reply(.contact(let contact)) = change,
            !base.contacts.contains(where: { $0.id == contact.id })
        {
            want([.contacts])
        }
        base = applying(change, to: base)
    }

    /// A model that was loaded, with what was told while it was on its way.
    func applying(_ change: Change, to loaded: AccountModel) -> AccountModel {
        let limits = options.limits
        var model = loaded
        switch change {
        case .event(.checkIn(let summary), let now): model.apply(summary, at: now)
        case .event(.alert(let record), _), .reply(.alert(let record)):
            model.apply(record, limit: limits.alerts)
        case .event(.ping(let record), _), .reply(.ping(let record)):
            model.apply(record, limit: limits.pings)
        case .event(.contactRemoved(let reference), _): model.removeContact(reference.contactID)
        case .event(.notification(let item), _): model.apply(item, limit: limits.notifications)
        case .event(.contactChanged, _), .event(.profileChanged, _): break
        case .reply(.checkIn(let record)): model.apply(record, limit: limits.checkIns)
        case .reply(.profile(let profile)): model.profile = profile
        case .reply(.contact(let contact)): model.apply(contact)
        case .reply(.preferences(let preferences)): model.preferences = preferences
        case .reply(.done): break
        case .done(let entry): model = model.showing([entry], aliases: aliases, me: userID)
        }
        return model
    }

    func want(_ slices: Set<AccountModel.Slice>) {
        wanted.formUnion(slices)
        loadWakeup.wake()
    }
}
