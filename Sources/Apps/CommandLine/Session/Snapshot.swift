import Clients
import Domain
import Features
import Foundation

/// The client's data at one moment, including queued actions.
struct Snapshot: Equatable, Sendable {
    var profile: UserProfile?
    var contacts: [ContactData] = []
    var alerts: [AlertRecord] = []
    var pings: [PingRecord] = []
    var notifications: [NotificationItem] = []
    var connectivity = Connectivity(isOnline: false)
    var lastCheckIn: CheckInRecord?
    /// True if the server's last answer asked to wait.
    var isRateLimited = false
    /// True while a watch that has just begun waits for the server's first answer.
    var isConnecting = false
    /// Drills of others that wait for the user's answer. They are loaded separately, and never
    /// stored.
    var drills: [DrillQuestion] = []
}

extension Snapshot {
    var ownAlert: AlertRecord? { openAlerts.first { $0.kind == .manual && isOwn($0) } }

    /// Open alerts: the user's own first, then the newest.
    var openAlerts: [AlertRecord] {
        let open = alerts.filter(\.isActive)
        return open.filter(isOwn) + open.filter { !isOwn($0) }
    }

    /// What continues after a sign-out.
    var unfinished: Unfinished {
        Unfinished(profile, alerts: openAlerts.filter(isOwn).map(\.kind))
    }

    func isOwn(_ alert: AlertRecord) -> Bool { profile.map { "\($0.id)" == alert.userId } ?? false }

    /// Returns true for the user's own call for help while it is queued. A call that joins an open
    /// alert on the server has another time.
    func isUnsent(_ alert: AlertRecord) -> Bool {
        guard alert.isActive, alert.kind == .manual, isOwn(alert) else { return false }
        return connectivity.waiting.contains {
            $0.kind == .raiseAlert && abs($0.createdAt.timeIntervalSince(alert.startTime)) < 1
        }
    }

    /// Returns true if the user reads reports on the alert: the owner, and responders who have
    /// accepted the role.
    func seesReports(on alert: AlertRecord) -> Bool {
        isOwn(alert) || contacts.contains { "\($0.id)" == alert.userId && $0.isDependent }
    }

    /// The name of the source that made the user's last check-in; nil if the user did.
    var lastSource: String? {
        guard let lastCheckIn, lastCheckIn.occurredAt == profile?.lastCheckInTime else {
            return nil
        }
        return lastCheckIn.source
    }

    var pingsToAnswer: [PingRecord] {
        pings.filter { $0.state == .pending && $0.dependentID == profile?.id }
    }

    var pingsSent: [PingRecord] {
        pings.filter { $0.state == .pending && $0.responderID == profile?.id }
    }

    var drillsToAnswer: [DrillQuestion] { drills.besideAlerts(of: contacts) }

    var unread: [NotificationItem] { notifications.filter { $0.readAt == nil } }

    func name(of id: UserID) -> String {
        if id == profile?.id { return "You" }
        return contacts.first { $0.id == id }.map { Plain.name($0.name) } ?? "Someone"
    }

    func name(of id: String) -> String { UserID(id).map { name(of: $0) } ?? "Someone" }

    /// All contacts. People who need help come first, then people with a ping, each group by name.
    var contactsInOrder: [ContactData] {
        func rank(_ contact: ContactData) -> Int {
            if alerts.contains(where: { $0.isActive && $0.userId == "\(contact.id)" }) { return 0 }
            return contact.hasPendingPing ? 1 : 2
        }
        return contacts.sorted {
            (rank($0), $0.name.lowercased(), $0.id) < (rank($1), $1.name.lowercased(), $1.id)
        }
    }

    /// Returns the contact that the typed text names: by an id, a name, or a unique beginning of a
    /// name. Throws `CommandFailure`.
    func contact(_ text: String) throws -> ContactData {
        if let id = UserID(text), let found = contacts.first(where: { $0.id == id }) {
            return found
        }
        let typed = text.trimmingCharacters(in: .whitespaces).lowercased()
        let exact = contacts.filter { $0.name.lowercased() == typed }
        let found =
            exact.isEmpty && !typed.isEmpty
            ? contacts.filter { $0.name.lowercased().hasPrefix(typed) } : exact
        guard let contact = found.first else {
            throw CommandFailure(
                .usage, "no-such-contact", title: "There is no such contact",
                "None of your contacts is called \(Plain.line(text)).",
                "See `lifesignal contacts list`.")
        }
        guard found.count == 1 else {
            let choices = found.map { "\(Plain.name($0.name)) \($0.id)" }.joined(separator: ", ")
            throw CommandFailure(
                .usage, "ambiguous-contact", title: "More than one contact matches", "\(choices).",
                "Give the id.")
        }
        return contact
    }
}

extension ContactData {
    /// Returns true if the typed text is the contact's id or whole name.
    func isNamed(_ text: String) -> Bool {
        UserID(text) == id
            || name.lowercased() == text.trimmingCharacters(in: .whitespaces).lowercased()
    }
}

extension ClientOptions {
    /// Returns the contact that the typed text names. Asks about a beginning of a name: after the
    /// removal of Ben, "Ben" means Benjamin. Throws `CommandFailure`.
    /// - Parameters:
    ///   - question: such as "Remove"; the name follows.
    ///   - title: the failure's title without a yes.
    func contact(
        _ text: String, in snapshot: Snapshot, yes: Bool, _ question: String, orElse title: String
    ) async throws -> ContactData {
        let contact = try snapshot.contact(text)
        guard !yes, !contact.isNamed(text) else { return contact }
        let name = Plain.name(contact.name)
        try await confirm(
            "\(Plain.line(text)) is the beginning of a name: \(name).", "\(question) \(name)?",
            orElse: title)
        return contact
    }
}
