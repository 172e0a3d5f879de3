import API
import Clients
import Domain
import Foundation

/// A queued action: its payload, order, request and preview. `WaitingAction.Kind` has its texts. To
/// add an action, add a case to both types.
///
/// The queue's file contains the synthesised JSON, so cases and their labels must not be renamed.
enum QueuedAction: Codable, Equatable, Sendable {
    case raiseAlert(AlertID)
    case endAlert(AlertID)
    case checkIn(CheckInID, occurredAt: Date)
    case ping(PingID, dependent: UserID)
    case respondToPing(PingID)
    case clearPing(PingID)
    case updateProfile(name: String?, emergencyNote: String?)
    case leaveNoteOutOfCopy(Bool)
    /// `only` has what the person changed. It is nil for everything, and in queues of older
    /// versions.
    case updateSettings(CheckInSettings, only: Set<CheckInSettings.Part>? = nil)
    /// `only` is the role that the person changed. It is nil for both, and in queues of older
    /// versions.
    case changeRoles(UserID, ContactRoles, only: ContactRole? = nil)
    /// `only` is the type that the person muted or unmuted. It is nil for all, and in queues of
    /// older versions.
    case updatePreferences(NotificationPreferences, only: NotificationType? = nil)
    case markAsRead(NotificationID)
    case deleteNotification(NotificationID)
    case pause(until: Date)
    case endPause
    /// `isLater` is nil for a chosen return, and in queues of older versions.
    case extendJourney(JourneyID, expectedReturn: Date, isLater: Bool? = nil)
    case endJourney(JourneyID)
    /// A journey as this device knows it, after a restore of a backup.
    case resendJourney(JourneyRecord, endTime: Date?)
}

// MARK: Order

extension QueuedAction {
    /// The order of sending: alerts first, then check-ins, then the rest (product.md, "Offline").
    enum Rank: Int { case alert, checkIn, other }

    /// Alerts have their own lane, so that they never wait for another action's back-off.
    enum Lane: Hashable, Sendable, CaseIterable { case alerts, rest }

    /// A series of actions that always stay in order, because later ones build on earlier ones or
    /// undo them.
    enum Series: Hashable {
        case alerts, checkIn(CheckInID), pings, pauses, journeys, edits(WaitingAction.Kind)
    }

    struct Traits {
        var kind: WaitingAction.Kind
        var rank = Rank.other
        /// nil for an edit, because all edits of one kind are a series.
        var series: Series?
        var contact: UserID?
        /// True if "not found" means success: an item that is gone counts as read, deleted or
        /// ended.
        var isDoneWhenGone = false
    }

    var traits: Traits {
        switch self {
        case .raiseAlert: Traits(kind: .raiseAlert, rank: .alert, series: .alerts)
        case .endAlert:
            Traits(kind: .endAlert, rank: .alert, series: .alerts, isDoneWhenGone: true)
        // Each check-in is its own series, because a late check-in never moves the deadline back.
        case .checkIn(let id, _): Traits(kind: .checkIn, rank: .checkIn, series: .checkIn(id))
        case .ping(_, let dependent): Traits(kind: .ping, series: .pings, contact: dependent)
        case .respondToPing: Traits(kind: .respondToPing)
        case .clearPing: Traits(kind: .clearPing, series: .pings)
        case .updateProfile, .leaveNoteOutOfCopy: Traits(kind: .updateProfile)
        case .updateSettings: Traits(kind: .updateSettings)
        case .changeRoles(let contact, _, _): Traits(kind: .changeRoles, contact: contact)
        case .updatePreferences: Traits(kind: .updatePreferences)
        case .markAsRead: Traits(kind: .markAsRead, isDoneWhenGone: true)
        case .deleteNotification: Traits(kind: .deleteNotification, isDoneWhenGone: true)
        case .pause: Traits(kind: .pause, series: .pauses)
        case .endPause: Traits(kind: .endPause, series: .pauses)
        // A late press leaves people alarmed, as a late check-in does.
        case .extendJourney:
            Traits(kind: .extendJourney, rank: .checkIn, series: .journeys, isDoneWhenGone: true)
        case .endJourney:
            Traits(kind: .endJourney, rank: .checkIn, series: .journeys, isDoneWhenGone: true)
        // An older server doesn't have the route.
        case .resendJourney:
            Traits(kind: .resendJourney, rank: .checkIn, series: .journeys, isDoneWhenGone: true)
        }
    }

    var kind: WaitingAction.Kind { traits.kind }
    var rank: Rank { traits.rank }
    var lane: Lane { rank == .alert ? .alerts : .rest }
    var series: Series { traits.series ?? .edits(kind) }
    var contact: UserID? { traits.contact }
    var isDoneWhenGone: Bool { traits.isDoneWhenGone }
    var operation: ClientOperation { .action(kind) }

    /// Returns the return of this journey after the action. "30 minutes more" never moves it
    /// earlier.
    func expectedReturn(of journey: JourneyRecord) -> Date {
        guard case .extendJourney(journey.id, let new, let isLater) = self else {
            return journey.expectedReturn
        }
        return isLater == true ? max(new, journey.expectedReturn) : new
    }
}

// MARK: Request

extension Connection {
    /// Sends the request of the action. Throws the errors of `Connection`.
    /// - Parameter aliases: the server's ids of alerts and pings that have a different id here.
    func send(_ entry: QueuedEntry, aliases: [UUID: UUID], retry: RetryPolicy?) async throws
        -> ServerReply
    {
        func known(_ id: UUID) -> UUID { aliases[id] ?? id }
        switch entry.action {
        case .raiseAlert(let id):
            let request = RaiseAlertRequest(raisedAt: entry.createdAt)
            return .alert(try await call(Routes.raiseAlert, request, id: id.uuid, retry: retry))
        case .endAlert(let id):
            let known = known(id.uuid)
            // Another device may have raised that alert after this press.
            let pressedAt = known == id.uuid ? nil : entry.createdAt
            let wait = options.deviceTime()?.since(entry.createdAt) ?? .zero
            let endedAt = wait.isLate ? entry.createdAt.adding(serverClock.offset) : nil
            return .alert(
                try await call(
                    Routes.endAlert, EndAlertRequest(pressedAt: pressedAt, endedAt: endedAt),
                    or: EndAlertRequest(pressedAt: pressedAt), ifUnknown: "endedAt", id: known,
                    retry: retry))
        case .checkIn(let id, let moment):
            return .checkIn(
                try await call(
                    Routes.checkIn, CheckInRequest(occurredAt: moment), id: id.uuid, retry: retry))
        case .ping(let id, let dependent):
            return .ping(
                try await call(
                    Routes.ping, PingRequest(dependentID: dependent), id: id.uuid, retry: retry))
        case .respondToPing(let id):
            let request = RespondToPingRequest(pressedAt: entry.createdAt)
            return .ping(try await call(Routes.respondToPing, request, id: id.uuid, retry: retry))
        case .clearPing(let id):
            return .ping(try await call(Routes.clearPing, id: known(id.uuid), retry: retry))
        case .updateProfile(let name, let note):
            let request = UpdateProfileRequest(name: name, emergencyNote: note)
            return .profile(
                try await call(Routes.updateProfile, request, key: entry.id, retry: retry))
        case .leaveNoteOutOfCopy(let leavesOut):
            let request = UpdateProfileRequest(leavesNoteOutOfCopy: leavesOut)
            return .profile(
                try await call(Routes.updateProfile, request, key: entry.id, retry: retry))
        case .updateSettings(let new, let parts):
            let settings = try await merged(new, parts, retry: retry)
            return .profile(
                try await call(Routes.updateSettings, settings, key: entry.id, retry: retry))
        case .changeRoles(let id, let new, let role):
            let roles = try await merged(new, role, of: id, retry: retry)
            return .contact(
                try await call(Routes.changeRoles, roles, id: id.uuid, key: entry.id, retry: retry))
        case .updatePreferences(let new, let type):
            let all = try await merged(new, type, retry: retry)
            return .preferences(
                try await call(Routes.updatePreferences, all, key: entry.id, retry: retry))
        case .pause(let end):
            let request = PauseRequest(until: end, pressedAt: entry.createdAt)
            return .profile(
                try await call(
                    Routes.pause, request, or: PauseRequest(until: end), ifUnknown: "pressedAt",
                    key: entry.id, retry: retry))
        case .endPause:
            // Older servers ignore the body.
            let request = EndPauseRequest(pressedAt: entry.createdAt)
            return .profile(try await call(Routes.endPause, request, key: entry.id, retry: retry))
        case .extendJourney(let id, let time, let isLater):
            let request = ExtendJourneyRequest(
                expectedReturn: time, pressedAt: entry.createdAt, isLater: isLater)
            return .profile(
                try await call(
                    Routes.extendJourney, request,
                    or: ExtendJourneyRequest(expectedReturn: time, pressedAt: entry.createdAt),
                    ifUnknown: "isLater", id: id.uuid, retry: retry))
        case .endJourney(let id):
            let request = EndJourneyRequest(pressedAt: entry.createdAt)
            return .profile(
                try await call(Routes.endJourney, request, id: id.uuid, retry: retry))
        case .resendJourney(let journey, let endTime):
            let request = ResendJourneyRequest(journey, endTime: endTime)
            return .profile(
                try await call(Routes.resendJourney, request, id: journey.id.uuid, retry: retry))
        case .markAsRead(let id): try await call(Routes.readNotification, id: id.uuid, retry: retry)
        case .deleteNotification(let id):
            try await call(Routes.deleteNotification, id: id.uuid, retry: retry)
        }
        return .done
    }

    /// Returns the server's settings with the changed parts. Another device may have changed the
    /// other parts since the press.
    private func merged(
        _ new: CheckInSettings, _ parts: Set<CheckInSettings.Part>?, retry: RetryPolicy?
    ) async throws -> CheckInSettings {
        guard let parts else { return new }
        let present = try await call(Routes.profile, retry: retry).settings
        return new.merged(parts, into: present)
    }

    /// Returns the contact's roles on the server with the changed role. The other role may have
    /// ended since the press, and must not be requested again.
    private func merged(
        _ new: ContactRoles, _ role: ContactRole?, of id: UserID, retry: RetryPolicy?
    ) async throws -> ContactRoles {
        guard let role else { return new }
        let contacts = try await call(Routes.contacts, retry: retry).items
        return new.merged(only: role, into: contacts.first { $0.id == id })
    }

    /// Returns the server's preferences with the choice for the type. Another device may have muted
    /// other types since.
    private func merged(
        _ new: NotificationPreferences, _ type: NotificationType?, retry: RetryPolicy?
    ) async throws -> NotificationPreferences {
        guard let type else { return new }
        let present = try await call(Routes.preferences, retry: retry)
        return new.merged(only: type, into: present)
    }

    /// Calls a route with a field that older servers don't know. Such a server refuses the field,
    /// and gets the request without it.
    private func call<Input, Output>(
        _ route: Route<Input, Output>, _ request: Input, or older: Input,
        ifUnknown field: String, id: UUID? = nil, key: UUID? = nil, retry: RetryPolicy?
    ) async throws -> Output {
        do {
            return try await call(route, request, id: id, key: key, retry: retry)
        } catch ClientFailure.refused(let problem, _)
            where problem.code == .invalidArgument && problem.field == field
        {
            return try await call(route, older, id: id, key: key, retry: retry)
        }
    }
}

// MARK: Preview

extension AccountModel {
    /// Applies the queued action to the state that screens show.
    mutating func apply(_ entry: QueuedEntry, _ aliases: [UUID: UUID], _ me: UserID) {
        let time = entry.createdAt
        switch entry.action {
        case .raiseAlert(let id): raise(id, at: time, me)
        case .endAlert(let id): end("\(resolved(id, aliases))", at: time)
        case .checkIn(let id, let moment): checkIn(id, at: moment, receivedAt: time)
        case .ping(let id, let dependent): ping(id, dependent, at: time, me)
        case .respondToPing(let id): settle(id, as: .answered, at: time)
        case .clearPing(let id): settle(resolved(id, aliases), as: .cleared, at: time)
        case .updateProfile(let name, let note):
            if let name { profile?.name = name }
            if let note { profile?.emergencyNote = note }
            profile?.isSettingUp = nil
        case .leaveNoteOutOfCopy(let leavesOut): profile?.leavesNoteOutOfCopy = leavesOut
        case .updateSettings(let new, let parts):
            // The old deadline stays, because it counts for responders until the server has the new
            // interval.
            if let present = profile?.settings {
                profile?.settings = new.merged(parts, into: present)
            }
        case .changeRoles(let id, let new, let role):
            let roles = new.merged(only: role, into: contacts.first { $0.id == id })
            changeRoles(of: id, to: roles, at: time)
        case .updatePreferences(let new, let type):
            preferences = preferences.map { new.merged(only: type, into: $0) } ?? new
        case .markAsRead(let id):
            for index in notifications.indices
            where notifications[index].id == id && notifications[index].readAt == nil {
                notifications[index].readAt = time
            }
        case .deleteNotification(let id):
            notifications.removeAll { $0.id == id }
            deleted.insert(id)
        // Responders would be told of a missed check-in until the server has the pause.
        case .pause, .endPause: break
        // Responders would be told until the server has the press.
        case .extendJourney, .endJourney, .resendJourney: break
        }
    }

    private func resolved<Thing>(_ id: ID<Thing>, _ aliases: [UUID: UUID]) -> ID<Thing> {
        ID(aliases[id.uuid] ?? id.uuid)
    }
}
