import Domain
import Foundation
import Persistence

/// The open alerts of a person besides the one that a message is about. The message names those
/// that concern its reader, because an end or "Ben is on it" would seem to hold for all.
struct OtherAlerts {
    private struct Other {
        let alert: AlertRow
        /// The name of the responder who is on it; nil without one.
        let helper: String?
    }

    private let owner: UserRow
    private var others: [Other]

    /// - Parameter leaver: a responder who is losing the role and counts as on none of them; nil
    ///   without one.
    init(
        besides alert: AlertRow, of owner: UserRow, without leaver: UserID? = nil,
        in connection: any SQLConnection
    ) throws {
        self.owner = owner
        others = try connection.openAlerts(of: owner.id)
            .filter { $0.id != alert.id }
            .sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
            .map { other in
                var other = other
                if other.acknowledgedBy == leaver { other.acknowledgedBy = nil }
                let helper = try other.acknowledgedBy.map { try connection.displayName(of: $0) }
                return Other(alert: other, helper: helper)
            }
    }

    /// The alerts that a responder is on.
    var helped: Self {
        var helped = self
        helped.others = others.filter { $0.helper != nil }
        return helped
    }

    /// Returns the text as this reader gets it.
    func text(_ text: NotificationText, for reader: UserID) -> NotificationText {
        let isOwner = reader == owner.id
        return others.filter { isOwner || $0.alert.concerns(reader) }.reduce(text) { text, other in
            text.besides(
                other.alert.kind, of: isOwner ? nil : owner.displayName,
                helper: helper(of: other, for: reader))
        }
    }

    /// Returns who is on an alert; nil for an alert with only a report, which responders who
    /// haven't accepted the role don't see.
    private func helper(of other: Other, for reader: UserID) -> NotificationText.Helper? {
        if other.alert.acknowledgedBy == reader { return .reader }
        if let name = other.helper { return .another(name) }
        return other.alert.report == nil ? .noOne : nil
    }

    /// Returns an announcement for each text that these readers get.
    func announcements(
        _ text: NotificationText, to readers: [Recipient],
        _ notice: (NotificationText) -> Notice
    ) -> [Announcement] {
        guard !others.isEmpty else { return [Announcement(to: readers, notice(text))] }
        var groups: [(text: NotificationText, readers: [Recipient])] = []
        for reader in readers {
            let own = self.text(text, for: reader.id)
            if let index = groups.firstIndex(where: { $0.text == own }) {
                groups[index].readers.append(reader)
            } else {
                groups.append((text: own, readers: [reader]))
            }
        }
        return groups.map { Announcement(to: $0.readers, notice($0.text)) }
    }
}
