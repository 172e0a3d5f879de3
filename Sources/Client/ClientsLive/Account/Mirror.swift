import API
import Domain
import Foundation

/// This device's copy of the server's state, in memory and on disk.
///
/// Belongs to one account, and runs in its isolation.
final class Mirror {
    /// A change that the server reported, other than a loaded list.
    enum Change: Sendable {
        /// `at` is by the server's clock.
        case event(UserEvent, at: Date)
        case reply(ServerReply)
        /// The server has carried out this entry and answered without content.
        case done(QueuedEntry)
    }

    /// nil for each slice that was not requested.
    struct Loaded: Sendable {
        var profile: UserProfile?
        var contacts: [ContactData]?
        var alerts: [AlertRecord]?
        var pings: [PingRecord]?
        var checkIns: [CheckInRecord]?
        var notifications: [NotificationItem]?
        var preferences: NotificationPreferences?
    }

    private let userID: UserID
    private let limits: AccountModel.Limits
    /// The file of the local copy; nil for a web session on the server.
    private let file: (any CopyStore)?
    let wakeup = TaskWakeup()

    /// The server's state as last received.
    private(set) var model = AccountModel()
    private(set) var lastSynced: Date?
    /// The content of the local copy on disk.
    private var saved = CopyContents()
    /// True once the local copy on disk holds this user's data. Before that, it may hold another
    /// person's data, or old data.
    private var isCopyOurs = false

    init(of userID: UserID, limits: AccountModel.Limits, file: (any CopyStore)?) {
        self.userID = userID
        self.limits = limits
        self.file = file
    }

    // MARK: Changes

    /// - Parameter time: by the server's clock.
    func markSynced(at time: Date) { lastSynced = time }

    func noteJourney(at now: Date) { model.noteJourney(at: now) }

    /// Returns true if the change is about a contact that the list lacks. The contact is either new
    /// or was just removed by the other person, so the list has to be loaded.
    func lacksContact(of change: Change) -> Bool {
        guard case .reply(.contact(let contact)) = change else { return false }
        return !model.contacts.contains { $0.id == contact.id }
    }

    func apply(_ change: Change, aliases: [UUID: UUID]) {
        model = applying(change, to: model, aliases: aliases)
    }

    /// Applies a change that arrived during a load, and returns the loaded model with that change.
    func applying(
        _ change: Change, to loaded: AccountModel, aliases: [UUID: UUID]
    ) -> AccountModel {
        var model = loaded
        switch change {
        case .event(.checkIn(let summary), let now): model.apply(summary, at: now)
        case .event(.alert(let record), _), .reply(.alert(let record)):
            model.apply(record, limit: limits.alerts)
        case .event(.ping(let record), _), .reply(.ping(let record)):
            model.apply(record, limit: limits.pings)
        case .event(.contactRemoved(let reference), _): model.removeContact(reference.contactID)
        case .event(.notification(let item), _): model.apply(item, limit: limits.notifications)
        case .event(.notificationsChanged(let change), _): model.apply(change)
        case .event(.contactChanged, _), .event(.profileChanged, _): break
        case .reply(.checkIn(let record)): model.apply(record, limit: limits.checkIns)
        case .reply(.profile(let profile)): model.profile = profile
        case .reply(.contact(let contact)): model.apply(contact)
        case .reply(.preferences(let preferences)): model.preferences = preferences
        case .reply(.done): break
        case .done(let entry): model = model.showing([entry], aliases: aliases, me: userID)
        }
        model.showOpenJourneys()
        return model
    }

    func merge(_ loaded: Loaded, _ slices: Set<AccountModel.Slice>) {
        let overdue = model.overdueUsers
        if slices.contains(.profile), let profile = loaded.profile { model.profile = profile }
        if slices.contains(.contacts), let contacts = loaded.contacts { model.contacts = contacts }
        if slices.contains(.alerts), let alerts = loaded.alerts { model.alerts = alerts }
        if slices.contains(.pings), let pings = loaded.pings { model.pings = pings }
        if slices.contains(.checkIns), let checkIns = loaded.checkIns { model.checkIns = checkIns }
        if slices.contains(.notifications), let notifications = loaded.notifications {
            model.notifications = notifications
        }
        if slices.contains(.preferences), let preferences = loaded.preferences {
            model.preferences = preferences
        }
        model.showEndedJourneys(since: overdue)
        model.showOpenJourneys()
    }

    func dropWhatIsNotToBeSeen() { model.dropWhatIsNotToBeSeen() }

    // MARK: The copy on disk

    /// Loads the local copy. If that fails, screens show less, but the queue is still sent.
    func load(for account: isolated Account) async {
        guard let file, let copy = try? await file.load(of: userID) else { return }
        model = copy.model
        lastSynced = copy.lastSynced
        saved = copy
        isCopyOurs = true
    }

    func save(for account: isolated Account) async -> Account.Next {
        guard let file else { return .rest }
        if !isCopyOurs {
            guard let copy = try? await file.load(of: userID) else { return .rest }
            (saved, isCopyOurs) = (copy, true)
        }
        let present = CopyContents(model: model, lastSynced: lastSynced)
        guard present != saved else { return .rest }
        // If the write fails, the next change retries.
        guard (try? await file.save(present, replacing: saved)) != nil else { return .rest }
        saved = present
        return .more
    }
}

extension Mirror.Loaded {
    init(_ model: AccountModel) {
        self.init(
            profile: model.profile, contacts: model.contacts, alerts: model.alerts,
            pings: model.pings, checkIns: model.checkIns, notifications: model.notifications,
            preferences: model.preferences)
    }
}
