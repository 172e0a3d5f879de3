import Domain

enum ServerReply: Equatable, Sendable {
    case alert(AlertRecord)
    case checkIn(CheckInRecord)
    case ping(PingRecord)
    case profile(UserProfile)
    case contact(ContactData)
    case preferences(NotificationPreferences)
    case done

    /// Returns the server's id, if it differs from the entry's own.
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

    /// Returns an error if the reply to a later return lacks its journey, because the journey was
    /// ended on another device; otherwise nil. A caller that waits for the reply checks it itself.
    func refusal(of entry: QueuedEntry) -> UserFacingError? {
        guard case .extendJourney(let id, _, _) = entry.action, case .profile(let profile) = self,
            profile.journey?.id != id
        else { return nil }
        return .journeyIsOver
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
