import Clients
import Domain
import Foundation

/// The user's alerts when another device ended the session, with the responders to call. The
/// sign-in page shows them, because the user can't see the alerts any more, and a sign-in may take
/// days.
public struct OpenAtSignOut: Equatable, Sendable {
    /// When this device last knew the state of the alerts, by the server's clock.
    public var asOf: Date
    /// Those that were on.
    public var alerts: [Alert]
    /// The end of an alert by another device that the user has not read about here.
    public var ended: EndElsewhere?
    /// Those who are on an alert first, then in the order of calls.
    public var responders: [Responder]
    public var emergency: EmergencyNumber?

    public struct Alert: Equatable, Sendable, Identifiable {
        public var kind: AlertKind
        /// The name of the responder who was on it; nil if none was.
        public var helper: String?
        public var isReported: Bool

        public init(kind: AlertKind, helper: String? = nil, isReported: Bool = false) {
            self.kind = kind
            self.helper = helper
            self.isReported = isReported
        }

        public var id: AlertKind { kind }
    }

    public struct Responder: Equatable, Sendable, Identifiable {
        public var id: UserID
        public var name: String
        public var number: PhoneNumber

        public init(id: UserID, name: String, number: PhoneNumber) {
            self.id = id
            self.name = name
            self.number = number
        }
    }

    public init(
        asOf: Date, alerts: [Alert], ended: EndElsewhere? = nil, responders: [Responder] = [],
        emergency: EmergencyNumber? = nil
    ) {
        self.asOf = asOf
        self.alerts = alerts
        self.ended = ended
        self.responders = responders
        self.emergency = emergency
    }
}

extension OpenAtSignOut.Alert {
    /// Precedes the time of the last known state.
    public var words: String { "\(Unfinished.subject(of: kind)) was still on as of" }

    /// Says who was on it. nil after a report, because its author may be with the user without
    /// being on the alert.
    public var helperWords: String? {
        if let helper { return "\(helper) was on it." }
        return isReported ? nil : "No responder was on it."
    }
}

extension OpenAtSignOut {
    /// Returns nil if no alert was on and no end is news, and if the user is deleting the account.
    /// - Parameters:
    ///   - isUnsent: true if the user's own alert was not sent, which another message says.
    ///   - time: the time of the last known state.
    init?(_ main: MainTabFeature.State?, isUnsent: Bool, asOf time: Date) {
        guard let main, !main.profile.isDeletingAccount else { return nil }
        let own = main.home.alert
        var alerts: [Alert] = []
        if own.isAlertActive, own.alertEndTime == nil, !isUnsent {
            alerts.append(Alert(kind: .manual, own.currentAlert))
        }
        let opened = [own.missedCheckIn, own.overdueJourney].compactMap(\.self)
        alerts += opened.filter(\.isActive).map { Alert(kind: $0.kind, $0) }
        let ended = own.isOnOrBeingRaised ? nil : own.endElsewhere
        guard !alerts.isEmpty || ended != nil else { return nil }
        let records = opened + [own.currentAlert].compactMap(\.self)
        let active = records.filter(\.isActive)
        let helpers = active.compactMap { $0.acknowledgement?.responderId }
        let contacts = main.home.respondersToCall
        let onIt = contacts.filter { helpers.contains($0.id.description) }
        let others = contacts.filter { !helpers.contains($0.id.description) }
        self.init(
            asOf: Self.newest(time, active), alerts: alerts, ended: ended,
            responders: (onIt + others).compactMap { contact in
                contact.phoneNumber.map {
                    Responder(id: contact.id, name: contact.displayName, number: $0)
                }
            },
            emergency: main.home.emergencyNumber)
    }

    /// Returns the time of the last sync, or of a later start or answer of the alerts.
    public static func newest(_ lastSync: Date, _ alerts: [AlertRecord]) -> Date {
        let times = alerts.flatMap { [$0.startTime, $0.acknowledgement?.time].compactMap(\.self) }
        return times.reduce(lastSync) { max($0, $1) }
    }
}

extension OpenAtSignOut.Alert {
    fileprivate init(kind: AlertKind, _ record: AlertRecord?) {
        let helper = record?.acknowledgement.map { ProfileRules.displayName($0.name) }
        self.init(kind: kind, helper: helper, isReported: record?.report != nil)
    }
}

extension AppFeature {
    struct SessionEnding: Equatable, Sendable {
        /// The time of the session's last sync, which the status after its end lacks.
        fileprivate var lastSync: Date?
        fileprivate var open: OpenAtSignOut?
    }
}

extension AppFeature.State {
    /// Shown until the next sign-in.
    public var openAtSignOut: OpenAtSignOut? {
        get { ending.open }
        set { ending.open = newValue }
    }

    mutating func update(_ connectivity: Connectivity) {
        self.connectivity = connectivity
        if main != nil, let time = connectivity.lastSynced { ending.lastSync = time }
    }

    /// Says that another device has ended the session, and what becomes of a journey.
    func sessionEndedWords(at now: Date) -> UserFacingError {
        guard let main, !main.profile.isDeletingAccount else { return .sessionEnded }
        var unfinished = Unfinished(alerts: main.home.alert.openKinds)
        unfinished.journey = main.home.journey.journey
        unfinished.zone = main.home.journey.timeZone.flatMap { ClockZone($0) }
        guard let journey = unfinished.journeyAfterEnd(at: { now }) else { return .sessionEnded }
        var words = UserFacingError.sessionEnded
        words.message += " \(journey)"
        return words
    }

    /// The user's open alerts, as last known.
    /// - Parameter now: by the server's clock, for a device that has not synced yet.
    func openAlerts(isUnsent: Bool, at now: Date) -> OpenAtSignOut? {
        let time = connectivity.lastSynced ?? ending.lastSync ?? now
        return OpenAtSignOut(main, isUnsent: isUnsent, asOf: time)
    }
}

extension UserFacingError {
    static let sessionEnded = UserFacingError(
        title: "You were signed out",
        message:
            """
            This session was ended on another device, or the account is gone. Your deadline keeps \
            running while the account is there.
            """,
        recoverySuggestion: "Sign in again with your phone number.",
        code: .unauthenticated
    )
}
