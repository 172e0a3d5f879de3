import API
import Domain
import Foundation

/// The server's answer to an action.
enum ServerReply: Equatable, Sendable {
    case alert(AlertRecord)
    case checkIn(CheckInRecord)
    case ping(PingRecord)
    case profile(UserProfile)
    case contact(ContactData)
    case preferences(NotificationPreferences)
    case done

    /// The id that the server uses instead of the entry's own.
    func alias(for entry: QueuedEntry) -> Alias? {
        switch (entry.action, self) {
        case (.raiseAlert(let own), .alert(let record)):
            guard let server = AlertID(record.id), server != own else { return nil }
            return Alias(own: own.uuid, server: server.uuid)
        case (.ping(let own, _), .ping(let record)):
            return record.id == own ? nil : Alias(own: own.uuid, server: record.id.uuid)
        default: return nil
        }
    }
}

extension Connection {
    /// Asks the server for what the person did. Throws like every call.
    /// - Parameter aliases: the ids by which the server knows alerts and pings that were made here
    ///   under others.
    func send(_ entry: QueuedEntry, aliases: [UUID: UUID], retry: RetryPolicy?) async throws
        -> ServerReply
    {
        func known(_ id: UUID) -> UUID { aliases[id] ?? id }
        switch entry.action {
        case .raiseAlert(let id):
            let request = RaiseAlertRequest(raisedAt: entry.createdAt)
            return .alert(try await call(Routes.raiseAlert, request, id: id.uuid, retry: retry))
        case .endAlert(let id):
            return .alert(try await call(Routes.endAlert, id: known(id.uuid), retry: retry))
        case .checkIn(let id, let moment):
            return .checkIn(
                try await call(
                    Routes.checkIn, CheckInRequest(occurredAt: moment), id: id.uuid, retry: retry))
        case .ping(let id, let dependent):
            return .ping(
                try await call(
                    Routes.ping, PingRequest(dependentID: dependent), id: id.uuid, retry: retry))
        case .respondToPing(let id):
            return .ping(try await call(Routes.respondToPing, id: id.uuid, retry: retry))
        case .clearPing(let id):
            return .ping(try await call(Routes.clearPing, id: known(id.uuid), retry: retry))
        case .updateProfile(let name, let note):
            let request = UpdateProfileRequest(name: name, emergencyNote: note)
            return .profile(
                try await call(Routes.updateProfile, request, key: entry.id, retry: retry))
        case .updateSettings(let settings):
            return .profile(
                try await call(Routes.updateSettings, settings, key: entry.id, retry: retry))
        case .changeRoles(let id, let roles):
            return .contact(
                try await call(Routes.changeRoles, roles, id: id.uuid, key: entry.id, retry: retry))
        case .updatePreferences(let new):
            return .preferences(
                try await call(Routes.updatePreferences, new, key: entry.id, retry: retry))
        case .markAsRead(let id): try await call(Routes.readNotification, id: id.uuid, retry: retry)
        case .deleteNotification(let id):
            try await call(Routes.deleteNotification, id: id.uuid, retry: retry)
        }
        return .done
    }
}

extension ServerReply {
    var alert: AlertRecord? { if case .alert(let record) = self { record } else { nil } }
    var checkIn: CheckInRecord? { if case .checkIn(let record) = self { record } else { nil } }
    var ping: PingRecord? { if case .ping(let record) = self { record } else { nil } }
    var profile: UserProfile? { if case .profile(let profile) = self { profile } else { nil } }
    var contact: ContactData? { if case .contact(let contact) = self { contact } else { nil } }
    var preferences: NotificationPreferences? {
        if case .preferences(let preferences) = self { preferences } else { nil }
    }
}
