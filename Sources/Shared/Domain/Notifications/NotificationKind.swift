/// Identifies a message for rules, because its title may change or be translated.
public enum NotificationKind: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = other

    /// A message that no rule has to recognise.
    case other
    /// The question whether the responder is still on it (`NotificationText.doesItGoOn`).
    case helpQuestion
    /// News of a responder's report on an alert.
    case report
    /// News that alarms come later.
    case scheduleDelay
    /// News that such a delay was undone.
    case scheduleUndone
    case pause
    /// News of a journey, for its responders.
    case journey
    /// News of a change whose effect outlives the session that made it. The session's own device
    /// shows the news, too, because a thief may have used it.
    case lastingChange
}

extension NotificationItem {
    /// Returns true for a message of this kind, or an older one with the kind's former title.
    public func isOf(_ kind: NotificationKind) -> Bool {
        self.kind.map { $0 == kind } ?? kind.hasOldTitle(title)
    }
}

/// The titles of messages without a kind, as they were before servers stored kinds. A device may
/// keep such a message longer than the server.
extension NotificationKind {
    fileprivate func hasOldTitle(_ title: String) -> Bool {
        switch self {
        case .helpQuestion: title.hasPrefix("Are you still helping ") && title.hasSuffix("?")
        case .lastingChange: Self.oldLastingTitles.contains(title)
        case .other, .report, .scheduleDelay, .scheduleUndone, .pause, .journey: false
        }
    }

    private static let oldLastingTitles: Set<String> = [
        "A source can check in for you", "A source has a new address",
        "An e-mail address was removed", "Your phone number will change", "A passkey was added",
        "A passkey was renamed", "A passkey was removed", "You have new recovery codes",
        "A recovery code was used", "The sign-in lock was turned on",
        "The sign-in lock was turned off", "The waiting sign-in was stopped",
        "A person was unblocked",
    ]
}

/// News that a rule looks up among the stored messages.
public struct StoredNews: Equatable, Sendable {
    public let kinds: [NotificationKind]
    /// The end of the title, which tells one journey's news from another's; nil for any title.
    public let ending: String?
    /// The titles of this news in messages without a kind.
    public let oldTitles: [String]

    private init(_ kinds: [NotificationKind], ending: String? = nil, oldTitles: [String]) {
        self.kinds = kinds
        self.ending = ending
        self.oldTitles = oldTitles
    }

    public func contains(_ item: NotificationItem) -> Bool {
        guard let kind = item.kind else { return oldTitles.contains(item.title) }
        return kinds.contains(kind) && ending.map { item.title.hasSuffix($0) } ?? true
    }

    /// News that alarms come later.
    public static func delays(name: String) -> Self {
        Self(
            [.scheduleDelay],
            oldTitles: [
                "\(name) has no deadlines any more", "\(name) checks in less often",
                "\(name) may check in later",
            ])
    }

    /// News of a changed schedule. Newer news replaces older news that is unsent.
    public static func schedule(name: String) -> Self {
        Self(
            [.scheduleDelay, .scheduleUndone],
            oldTitles: delays(name: name).oldTitles + ["\(name) changed their schedule again"])
    }

    /// News of a pause. Newer news replaces older news that is unsent.
    public static func pause(name: String) -> Self {
        Self(
            [.pause],
            oldTitles: [
                "\(name) has paused check-ins", "\(name) has changed their pause",
                "\(name)'s pause has ended",
            ])
    }

    /// News of a schedule, pause or journey, which only responders get. The end of the role
    /// withdraws it.
    public static func forResponders(name: String) -> Self {
        let parts = [Self.schedule(name: name), Self.pause(name: name)]
        return Self(
            parts.flatMap(\.kinds) + [.journey], oldTitles: parts.flatMap(\.oldTitles))
    }

    /// News of the recipient's own schedule or pause. Newer news replaces older news that is
    /// unsent.
    public static let ownPause = Self(
        [.pause], oldTitles: [NotificationText.scheduleChanged.title])
    public static let ownSchedule = Self(
        [.scheduleDelay], oldTitles: [NotificationText.scheduleChanged.title])

    /// News of a journey. Newer news replaces older news that is unsent.
    public static func journey(_ journey: String, name: String) -> Self {
        let old = ["is on the way", "comes back later", "wanted to come back later", "has arrived"]
        return Self(
            [.journey], ending: ": \(journey)",
            oldTitles: old.map { "\(name) \($0): \(journey)" })
    }

    /// News of a report, to the person in need and to the other responders.
    public static func report(_ report: AlertReport, by responder: String, name: String) -> Self {
        let readers: [String?] = [name, nil]
        return Self(
            [.report],
            oldTitles: readers.map { AlertWords.reported(report, by: responder, about: $0) })
    }
}
