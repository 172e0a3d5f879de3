import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    public func export(of caller: Caller) async throws -> AccountExport {
        try await database.read { connection in
            let user = caller.userID
            let now = now()
            guard let row = try connection.user(user) else { throw Self.noSuchUser }
            let alerts = try Self.all {
                try connection.alerts(visibleTo: user, page: $0)
            } cursor: {
                Page.Cursor(time: $0.startedAt, id: $0.id.uuid)
            }
            return AccountExport(
                exportedAt: now,
                profile: try profile(of: user, at: now, in: connection),
                notificationPreferences: row.preferences,
                qrCodeID: try connection.qrCode(of: user)?.id.description,
                contacts: try connection.contactData(of: user, at: now, pictureURL: pictureURL),
                checkIns: try Self.all {
                    try connection.checkIns(of: user, page: $0)
                } cursor: {
                    $0.cursor
                },
                alerts: try alerts.filter { $0.userID == user }.map { try connection.record(of: $0, for: viewer(user), withLedger: true) },
                pings: try Self.all {
                    try connection.pings(of: user, page: $0)
                } cursor: {
                    $0.cursor
                },
                notifications: try Self.all {
                    try connection.notifications(of: user, page: $0)
                } cursor: {
                    $0.cursor
                },
                sessions: try connection.sessions(of: caller),
                devices: try connection.devices(of: user),
                picture: try row.pictureID.flatMap { try connection.picture($0, for: user)?.bytes }
            )
        }
    }

    private static func all<Item>(_ load: (Page) throws -> [Item], cursor: (Item) -> Page.Cursor) throws -> [Item] {
        var items: [Item] = []
        var page = try Page(limit: Page.limits.upperBound)
        while true {
            let next = try load(page)
            items += next
            guard next.count == page.limit, let last = next.last else { return items }
            page.before = cursor(last)
        }
    }
}

extension CheckInRecord { public var cursor: Page.Cursor { Page.Cursor(time: occurredAt, id: id.uuid) } }
extension PingRecord { public var cursor: Page.Cursor { Page.Cursor(time: createdAt, id: id.uuid) } }
extension NotificationItem { public var cursor: Page.Cursor { Page.Cursor(time: createdAt, id: id.uuid) } }
extension AlertRecord {
    public var cursor: Page.Cursor? { AlertID(id).map { Page.Cursor(time: startTime, id: $0.uuid) } }
}
