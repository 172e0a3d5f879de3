import Domain
import Foundation
import Persistence

public struct Export: Commands {
    public let core: Core
    let profiles: Profiles

    /// Returns the JSON of an `AccountExport`, to be written page by page. Throws `rateLimited`
    /// while another export of the caller is in progress.
    public func export(of caller: Caller) async throws -> ExportStream {
        try await stream(of: caller, exports.begin(for: caller.userID))
    }

    private func stream(
        of caller: Caller, _ ticket: ExportLimiter.Ticket
    ) async throws -> ExportStream {
        let beginning = try await exports.pages.run {
            let beginning = try await database.read { try exportBeginning(of: caller, in: $0) }
            return try WireJSON.encoder().encode(beginning)
        }
        return ExportStream(export: self, caller: caller, beginning: beginning, ticket: ticket)
    }

    /// The export of a person, for an administrator who moves them to another server. Throws
    /// `rateLimited` while another such export of the person is in progress.
    func export(ofPerson person: UserID) async throws -> ExportStream {
        // Names no session as the caller's.
        var stream = try await stream(
            of: Caller(userID: person, sessionID: newID()),
            exports.begin(for: person, byAdministrator: true))
        stream.needsSession = false
        return stream
    }

    fileprivate struct Beginning: Encodable, Sendable {
        var exportedAt: Date
        var profile: UserProfile
        var email: EmailStatus
        var notificationPreferences: NotificationPreferences
        var qrCodeID: String?
        var contacts: [ContactData]
        var blocks: [BlockedPerson]
        var invitations: [Invitation]
        var drills: DrillOverview
        var sources: [CheckInSource]
        var administration: [AdminAct]
        var signInSecurity: SignInSecurity
        var passkeys: [Passkey]
        var sessions: [Session]
        var devices: [PushEndpoint]
        var textMessagesStoppedAt: Date?
        var timeZone: String?
        var journey: JourneyRecord?
        var picture: Data?
    }

    private func exportBeginning(of caller: Caller, in connection: any SQLConnection) throws
        -> Beginning
    {
        let user = caller.userID
        let now = connection.now
        guard let row = try connection.user(user) else { throw CommandError.noSuchUser }
        return Beginning(
            exportedAt: now, profile: try profiles.profile(of: user, in: connection),
            email: try connection.emailStatus(of: user),
            notificationPreferences: row.preferences,
            qrCodeID: try connection.qrCode(of: user)?.id.description,
            contacts: try connection.contactData(
                of: user, by: availableChannels, pictureURL: pictureURL),
            blocks: try connection.blocks(of: user),
            invitations: try connection.invitations(of: user),
            drills: DrillOverview(
                own: try connection.drill(of: user),
                asked: try connection.allDrillQuestions(to: user)),
            sources: try connection.sources(of: user),
            administration: try connection.adminActs(
                about: user, limit: AdminRules.pageLimits.upperBound
            ).map(\.act),
            signInSecurity: try connection.signInSecurity(of: user),
            passkeys: try connection.passkeys(of: user).map(\.passkey),
            sessions: try connection.sessions(of: caller),
            devices: try connection.pushEndpoints(of: user),
            textMessagesStoppedAt: row.smsStoppedAt, timeZone: row.timeZone,
            journey: try connection.journey(of: user).map { JourneyRecord($0) },
            picture: try row.pictureID.flatMap { try connection.picture($0, for: user)?.bytes })
    }
}

/// An export. It is in progress until it is written, or until this value is released.
public struct ExportStream: Sendable {
    fileprivate let export: Export
    fileprivate let caller: Caller
    fileprivate let beginning: Data
    fileprivate let ticket: ExportLimiter.Ticket
    /// Whether the export ends with the caller's session.
    fileprivate var needsSession = true

    /// A small number, because each alert includes its ledger, which can be long.
    private static let alertsAPage = 10
    /// A large number, because SQLite reads and sorts the whole history for each page.
    private static let checkInsAPage = 2_000
    /// How many items are encoded before other tasks get a turn.
    private static let encodedAtOnce = 200

    /// Writes the export once, in pieces of UTF-8. Throws `unauthenticated` if the session ends
    /// during the export, and leaves the output incomplete.
    public func write(_ out: (Data) async throws -> Void) async throws {
        defer { ticket.end() }
        let user = caller.userID
        let viewer = export.viewer(user)
        try await out(beginning.dropLast())
        try await list("alerts", limit: Self.alertsAPage, out) {
            connection, page -> [AlertRecord] in
            let responders = try connection.responders(of: user)
            return try connection.ownAlerts(of: user, page: page).map { alert -> AlertRecord in
                var record = try connection.record(of: alert, for: viewer, withLedger: true)
                record.hideStrangers(besides: responders)
                return record
            }
        } cursor: {
            $0.cursor
        }
        try await list("answers", out) {
            try $0.answers(of: user, page: $1, formerContact: Blocks.formerContact)
        } cursor: {
            $0.cursor
        }
        try await list("checkIns", limit: Self.checkInsAPage, out) {
            try $0.checkIns(of: user, page: $1)
        } cursor: {
            $0.cursor
        }
        try await list("pings", out, { try $0.pings(of: user, page: $1) }, cursor: { $0.cursor })
        try await list(
            "notifications", out, { try $0.notifications(of: user, page: $1) },
            cursor: { $0.cursor })
        // A client that has read the last piece may start another export at once.
        ticket.end()
        try await out(Data("}".utf8))
    }

    private func list<Item: Encodable & Sendable>(
        _ name: String, limit: Int = Page.limits.upperBound, _ out: (Data) async throws -> Void,
        _ load: @escaping @Sendable (any SQLConnection, Page) throws -> [Item],
        cursor: (Item) -> Page.Cursor?
    ) async throws {
        var page = try Page()
        page.limit = limit
        var start = Data(",\"\(name)\":[".utf8)
        while true {
            let (last, count, bytes) = try await export.exports.pages.run { [page] in
                let items = try await export.database.read { [caller, needsSession] connection in
                    guard try !needsSession || connection.hasSession(caller) else {
                        throw CommandError.sessionOver
                    }
                    return try load(connection, page)
                }
                var json = Data()
                for first in stride(from: 0, to: items.count, by: Self.encodedAtOnce) {
                    if first > 0 {
                        json += Data(",".utf8)
                        await Task.yield()
                    }
                    let part = Array(items[first...].prefix(Self.encodedAtOnce))
                    // Drops the brackets, because all parts form one array.
                    json += try WireJSON.encoder().encode(part).dropFirst().dropLast()
                }
                return (items.last, items.count, json)
            }
            if !bytes.isEmpty {
                try await out(start + bytes)
            } else if page.before == nil {
                try await out(start)
            }
            guard count >= limit, let next = last.flatMap(cursor) else { break }
            page.before = next
            start = Data(",".utf8)
        }
        try await out(Data("]".utf8))
    }
}

extension CheckInRecord {
    public var cursor: Page.Cursor { Page.Cursor(time: occurredAt, id: id.uuid) }
}
extension PingRecord {
    public var cursor: Page.Cursor { Page.Cursor(time: createdAt, id: id.uuid) }
}
extension NotificationItem {
    public var cursor: Page.Cursor { Page.Cursor(time: createdAt, id: id.uuid) }
}
extension AlertAnswer {
    public var cursor: Page.Cursor { Page.Cursor(time: time, id: alertID.uuid) }
}
extension AlertRecord {
    public var cursor: Page.Cursor? {
        AlertID(id).map { Page.Cursor(time: startTime, id: $0.uuid) }
    }
}
