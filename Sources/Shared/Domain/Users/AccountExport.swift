import Foundation

/// Everything about one user, in one file (product.md, "Leaving").
public struct AccountExport: Codable, Equatable, Sendable {
    /// The most check-ins that an import takes, the newest first.
    public static let importedCheckIns = 20_000

    public var exportedAt: Date
    public var profile: UserProfile
    /// Absent from a server without e-mail.
    public var email: EmailStatus?
    public var notificationPreferences: NotificationPreferences
    public var qrCodeID: String?
    public var contacts: [ContactData]
    public var blocks: [BlockedPerson]
    /// Absent from a server without invitations.
    public var invitations: [Invitation]?
    /// The user's newest drill, and all drills that asked the user, even ended ones. Absent from a
    /// server without drills.
    public var drills: DrillOverview?
    /// Absent from a server without sources.
    public var sources: [CheckInSource]?
    /// The administrators' acts about the account. Absent from a server without administration.
    public var administration: [AdminAct]?
    /// Absent from a server without the sign-in lock.
    public var signInSecurity: SignInSecurity?
    /// Absent from a server without passkeys.
    public var passkeys: [Passkey]?
    public var checkIns: [CheckInRecord]
    public var alerts: [AlertRecord]
    /// The user's acts on other people's alerts. Absent from a server that doesn't export them.
    public var answers: [AlertAnswer]?
    public var pings: [PingRecord]
    public var notifications: [NotificationItem]
    public var sessions: [Session]
    public var devices: [PushEndpoint]
    /// When the user answered STOP; nil if they accept text messages.
    public var textMessagesStoppedAt: Date?
    /// The IANA name of the time zone that a device last reported.
    public var timeZone: String?
    /// The newest journey, until 24 hours after its end.
    public var journey: JourneyRecord?
    /// The stored profile picture; base64 in JSON.
    public var picture: Data?

    public init(
        exportedAt: Date, profile: UserProfile, notificationPreferences: NotificationPreferences,
        qrCodeID: String?, contacts: [ContactData],
        blocks: [BlockedPerson], checkIns: [CheckInRecord], alerts: [AlertRecord],
        pings: [PingRecord], notifications: [NotificationItem], sessions: [Session],
        devices: [PushEndpoint], timeZone: String? = nil,
        picture: Data?
    ) {
        self.exportedAt = exportedAt
        self.profile = profile
        email = nil
        self.notificationPreferences = notificationPreferences
        self.qrCodeID = qrCodeID
        self.contacts = contacts
        self.blocks = blocks
        invitations = nil
        drills = nil
        sources = nil
        administration = nil
        signInSecurity = nil
        passkeys = nil
        self.checkIns = checkIns
        self.alerts = alerts
        answers = nil
        self.pings = pings
        self.notifications = notifications
        self.sessions = sessions
        self.devices = devices
        textMessagesStoppedAt = nil
        self.timeZone = timeZone
        self.picture = picture
    }

    /// The parts that an import uses. The whole export of a long history is larger than the
    /// commands that a server takes.
    public var forImport: AccountExport {
        let newest = checkIns.sorted { $0.occurredAt > $1.occurredAt }
        var export = AccountExport(
            exportedAt: exportedAt, profile: profile,
            notificationPreferences: notificationPreferences, qrCodeID: nil, contacts: [],
            blocks: [], checkIns: Array(newest.prefix(Self.importedCheckIns)), alerts: [],
            pings: [], notifications: [], sessions: [], devices: [], timeZone: timeZone,
            picture: nil)
        export.textMessagesStoppedAt = textMessagesStoppedAt
        return export
    }
}
