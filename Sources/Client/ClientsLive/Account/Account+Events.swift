import Domain
import Foundation

/// How the model is kept: by events, and by the answers to what the person did.
extension Account {
    /// Something that the server has said, apart from lists.
    enum Change: Sendable {
        case event(UserEvent, at: Date)
        case outcome(Outcome)
        /// The server has done what this entry asks and has nothing to show for it.
        case done(QueuedEntry)
    }

    func take(_ signal: StreamSignal) {
        guard !isStopped else { return }
        switch signal {
        case .connected:
            isOnline = true
            for bell in bells.values { bell.ring() }
            publish()
            Task { [weak self] in await self?.takeUpWhatOthersLeft() }
        case .disconnected:
            isOnline = false
            publish()
        case .reload: want(Set(AccountModel.Slice.allCases))
        case .event(let event, _):
            let now = environment.now()
            if wanted.isEmpty, loads == 0, lastSynced != nil { lastSynced = now }
            take(.event(event, at: now))
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

    func take(_ change: Change) {
        apply(change)
        if loads > 0 { happened.append(change) }
        changed()
    }

    /// Also once more over a list that was loaded meanwhile: the list may be older.
    func apply(_ change: Change) {
        // Just added; or removed by the other one while the answer was on its way, which only the
        // list can tell.
        if case .outcome(.contact(let contact)) = change,
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
        case .event(.checkIn(let summary), let now): model.take(summary, at: now)
        case .event(.alert(let record), _), .outcome(.alert(let record)):
            model.take(record, limit: limits.alerts)
        case .event(.ping(let record), _), .outcome(.ping(let record)):
            model.take(record, limit: limits.pings)
        case .event(.contactRemoved(let reference), _): model.removeContact(reference.contactID)
        case .event(.notification(let item), _): model.take(item, limit: limits.notifications)
        case .event(.contactChanged, _), .event(.profileChanged, _): break
        case .outcome(.checkIn(let record)): model.take(record, limit: limits.checkIns)
        case .outcome(.profile(let profile)): model.profile = profile
        case .outcome(.contact(let contact)): model.take(contact)
        case .outcome(.preferences(let preferences)): model.preferences = preferences
        case .outcome(.done): break
        case .done(let entry): model = model.showing([entry], aliases: aliases, me: userID)
        }
        return model
    }

    func want(_ slices: Set<AccountModel.Slice>) {
        wanted.formUnion(slices)
        loadBell.ring()
    }
}
