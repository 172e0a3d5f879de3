import Foundation

/// The limits of administration (product.md, "Administrators").
public enum AdminRules {
    public static let reasonLength = 1...300
    public static let announcementLength = 1...500
    /// The most acts and people in one answer.
    public static let pageLimits = 1...200
    public static let standardPage = 50
    /// The most entries of each kind in the answer of `admin stuck`.
    public static let stuckLimit = 50
    /// How many people one `admin stuck` examines at most.
    public static let examinedPeople = 20_000
    /// An alert or a message that is younger is not stuck.
    public static let patience: Duration = .minutes(1)
    /// The longest maintenance that can be announced, and how far ahead.
    public static let longestMaintenance: Duration = .days(7)
    public static let maintenanceAhead: Duration = .days(90)

    /// Returns the reason to store. Throws `invalidArgument`.
    public static func reason(_ text: String) throws(CommandError) -> String {
        let reason = ProfileRules.trimmedName(text)
        guard reasonLength.contains(reason.count),
            reason.unicodeScalars.count <= 4 * reasonLength.upperBound,
            ProfileRules.isOnOneLine(reason), ProfileRules.isVisible(reason)
        else {
            throw .invalidArgument(
                field: "reason",
                "Give a reason of 1 to \(reasonLength.upperBound) characters on one line.")
        }
        return reason
    }

    /// Returns the text to announce. Throws `invalidArgument`.
    public static func announcement(_ text: String) throws(CommandError) -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard announcementLength.contains(text.count),
            // A push message has room for about twice as much.
            text.utf8.count <= 4 * announcementLength.upperBound,
            ProfileRules.isOnOneLine(text), ProfileRules.isVisible(text)
        else {
            throw .invalidArgument(
                field: "text",
                "An announcement has 1 to \(announcementLength.upperBound) characters on one line.")
        }
        return text
    }

    /// The beginning of `restored(to:)`.
    public static let restoredWords = "LifeSignal restored a backup"

    /// Returns the announcement after a restore.
    /// - Parameter backup: until when the data of the backup is complete.
    public static func restored(to backup: Date) -> TimedText {
        """
        \(restoredWords). What you changed after \(clock: backup) may be undone: contacts, blocks, \
        devices, sessions, QR code, sources, recovery codes and settings. Check them.
        """
    }

    /// Returns the same in UTC, as the database stores it.
    public static func restored(to backup: Date, at now: Date) -> String {
        restored(to: backup).text(in: nil, at: now)
    }

    /// Throws `invalidArgument` for a maintenance that is over, too long or too far ahead.
    public static func check(_ maintenance: Maintenance, at now: Date) throws(CommandError) {
        guard maintenance.from < maintenance.until, maintenance.until > now,
            maintenance.until.since(maintenance.from) <= longestMaintenance,
            maintenance.from <= now.adding(maintenanceAhead)
        else {
            throw .invalidArgument(
                field: "maintenance",
                "A maintenance ends after it begins and after now, lasts at most 7 days, and "
                    + "begins in the next 90 days.")
        }
    }
}
