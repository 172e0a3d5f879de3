import Domain
import Foundation

extension ContactData.WatchedState {
    fileprivate init(_ row: SQLRow, at now: Date) throws {
        let note: String = try row["emergency_note"]
        let schedule = try CheckInSchedule(row)
        self.init(
            emergencyNote: note, lastCheckInTime: schedule.lastCheckIn,
            nextCheckInTime: schedule.deadline,
            checkInIntervalSeconds: schedule.settings.intervalSeconds,
            status: UserStatus(
                hasOpenManualAlert: try row["has_manual_alert"],
                hasOpenMissedAlert: try row["has_missed_alert"], deadline: schedule.deadline,
                at: now),
            timeZone: try row["time_zone"], plan: schedule.settings.plan,
            pausedUntil: schedule.isPaused(at: now) ? schedule.pause?.until : nil)
    }
}

/// The part of a contact's profile that other users see.
private struct ContactProfile {
    let name: String
    let phoneNumber: String
    let pictureID: PictureID?
    let watch: ContactData.WatchedState
    let mutesPings: Bool
    let isGuest: Bool

    /// `$1` finds the viewer in a column `only_for`.
    static let columns = """
        u.id, u.name, u.phone_number, u.picture_id, u.emergency_note, u.muted, u.time_zone,
        u.guest_since, \(scheduleColumns),
        EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = u.id AND a.kind <> 'missedCheckIn'
            AND a.ended_at IS NULL AND (a.only_for IS NULL OR a.only_for LIKE $1))
            AS has_manual_alert,
        EXISTS (SELECT 1 FROM alerts a WHERE a.user_id = u.id AND a.kind = 'missedCheckIn'
            AND a.ended_at IS NULL) AS has_missed_alert,
        j.name AS journey_name, j.expected_return_at AS journey_return_at
        """

    init(_ row: SQLRow, at now: Date) throws {
        name = try row["name"]
        phoneNumber = try row["phone_number"]
        pictureID = try row["picture_id"]
        var watch = try ContactData.WatchedState(row, at: now)
        if let journey: String = try row["journey_name"],
            let back: Date = try row["journey_return_at"]
        {
            watch.journey = WatchedJourney(name: journey, expectedReturn: back)
        }
        self.watch = watch
        isGuest = try !row.isNull("guest_since")
        let muted: String = try row["muted"]
        mutesPings = muted.split(separator: " ").contains { $0 == NotificationType.ping.rawValue }
    }
}

extension SQLConnection {
    /// Returns what a list of contacts shows to this viewer.
    /// - Parameter channels: the channels that the server supports.
    public func contactData(
        of viewer: UserID, only: UserID? = nil, by channels: Set<DeliveryChannel> = [],
        pictureURL: (PictureID) -> URL?
    ) throws -> [ContactData] {
        let contacts =
            try only.map { try contact($0, of: viewer).map { [$0] } ?? [] }
            ?? contacts(of: viewer)
        let profiles = try contactProfiles(contacts.map(\.contact), for: viewer)
        let pings = try pendingPings(of: viewer)
        let reachability = try reachability(
            of: contacts.filter(\.roles.isResponder).map(\.contact),
            by: channels)
        // Pings go only to devices, so e-mail, SMS and calls don't count here.
        let devices = try self.reachability(
            of: contacts.filter(\.roles.isDependent).map(\.contact),
            by: channels.filter { !$0.isCarrier })
        return try contacts.compactMap { row in
            guard let profile = profiles[row.contact] else { return nil }
            let isConnected = row.relation.isConnected
            let sent = pings.first { $0.dependentID == row.contact }
            var data = ContactData(
                id: row.contact, name: profile.name,
                phoneNumber: isConnected ? try PhoneNumber(stored: profile.phoneNumber) : nil,
                profilePictureURL: isConnected ? profile.pictureID.flatMap(pictureURL) : nil,
                roles: row.roles, dateAdded: row.createdAt,
                hasPendingPing: pings.contains { $0.responderID == row.contact },
                pingedAt: sent?.createdAt, watch: profile.watch,
                requests: row.relation.requests, reachability: reachability[row.contact])
            data.position = row.position
            data.isGuest = profile.isGuest ? true : nil
            data.hearsPings = devices[row.contact].map {
                !profile.mutesPings && $0.state != .unreachable
            }
            return data
        }
    }

    private func contactProfiles(
        _ people: [UserID], for viewer: UserID
    ) throws -> [UserID: ContactProfile] {
        var profiles: [UserID: ContactProfile] = [:]
        for list in people.lists(from: 2) {
            let rows = try query(
                """
                SELECT \(ContactProfile.columns) FROM users u JOIN schedules s ON s.user_id = u.id
                    LEFT JOIN journeys j ON j.user_id = u.id AND j.ended_at IS NULL
                        AND j.tells_responders = 1
                        AND (j.only_for IS NULL OR j.only_for LIKE $1)
                WHERE u.id IN (\(list.sql))
                """, [viewer.onlyForPattern] + list.values
            ) { (try $0["id"] as UserID, try ContactProfile($0, at: now)) }
            for (id, profile) in rows { profiles[id] = profile }
        }
        return profiles
    }
}
