import Foundation

/// The user's own data.
public struct UserProfile: Codable, Equatable, Sendable, Identifiable {
    public var id: UserID
    /// Empty until the user has given one.
    public var name: String
    public var phoneNumber: PhoneNumber
    /// The note for responders in an emergency. Seen by responders only, never part of a
    /// notification.
    public var emergencyNote: String
    public var profilePictureURL: URL?
    public var settings: CheckInSettings
    public var lastCheckInTime: Date?
    /// The deadline; nil until the first check-in.
    public var nextCheckInTime: Date?
    public var status: UserStatus
    public var createdAt: Date

    public init(
        id: UserID, name: String, phoneNumber: PhoneNumber, emergencyNote: String,
        profilePictureURL: URL?,
        settings: CheckInSettings, lastCheckInTime: Date?, nextCheckInTime: Date?,
        status: UserStatus, createdAt: Date
    ) {
        self.id = id
        self.name = name
        self.phoneNumber = phoneNumber
        self.emergencyNote = emergencyNote
        self.profilePictureURL = profilePictureURL
        self.settings = settings
        self.lastCheckInTime = lastCheckInTime
        self.nextCheckInTime = nextCheckInTime
        self.status = status
        self.createdAt = createdAt
    }
}

/// Derived, never stored (product.md, "Users").
public enum UserStatus: String, GrowingEnum, Sendable, CaseIterable {
    /// Then the deadline decides what shows (`WatchedState.status(at:)`).
    public static let fallback = active

    case active, nonResponsive, alertActive

    /// An open missed-check-in alert means non-responsive, whatever the deadline says: after a
    /// longer interval was chosen, only a check-in says that the person is fine.
    public init(
        hasOpenManualAlert: Bool, hasOpenMissedAlert: Bool = false, deadline: Date?, at now: Date
    ) {
        if hasOpenManualAlert {
            self = .alertActive
        } else if hasOpenMissedAlert {
            self = .nonResponsive
        } else if let deadline, CheckInRules.isMissed(deadline: deadline, at: now) {
            self = .nonResponsive
        } else {
            self = .active
        }
    }
}

/// The limits of a profile (product.md, "Users").
public enum ProfileRules {
    public static let nameLength = 1...100
    public static let emergencyNoteLength = 0...4_000

    /// The name as it is kept: without white space around it, and without marks that would turn
    /// round what is written behind it. Throws `invalidArgument` for an empty or too long one, or
    /// one with control characters, which would break an SMS.
    public static func name(_ text: String) throws(CommandError) -> String {
        let name = trimmedName(text)
        guard nameLength.contains(name.count),
            name.unicodeScalars.count <= 4 * nameLength.upperBound
        else {
            throw .invalidArgument(
                field: "name",
                name.isEmpty ? "Enter your name." : "Use at most 100 characters for your name.")
        }
        guard isOnOneLine(name) else {
            throw .invalidArgument(
                field: "name", "A name has no line breaks or control characters.")
        }
        return name
    }

    /// The name as it is kept, if it is accepted: forms compare what was typed by it.
    public static func trimmedName(_ text: String) -> String {
        withoutDirections(text).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Embeddings, overrides and isolates are removed, which come along with what is copied: the
    /// letters themselves say how they are read.
    private static func withoutDirections(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter {
                    !(0x202A...0x202E).contains($0.value) && !(0x2066...0x2069).contains($0.value)
                }))
    }

    /// No control characters, and neither of the two line breaks that Unicode does not count among
    /// them.
    static func isOnOneLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    public static func emergencyNote(_ text: String) throws(CommandError) -> String {
        guard emergencyNoteLength.contains(text.count),
            text.unicodeScalars.count <= 4 * emergencyNoteLength.upperBound
        else {
            throw .invalidArgument(
                field: "emergencyNote", "An emergency note has at most 4,000 characters.")
        }
        guard !text.unicodeScalars.contains("\0") else {
            throw .invalidArgument(
                field: "emergencyNote", "An emergency note has no zero characters.")
        }
        return text
    }

    /// How a person is called in a message: their name, or "A LifeSignal user" before they gave
    /// one.
    public static func displayName(_ name: String) -> String {
        name.isEmpty ? "A LifeSignal user" : name
    }
}

/// A profile picture. Its bytes are rewritten on arrival, so that no metadata such as GPS is kept.
public struct ProfilePicture: Equatable, Sendable {
    public static let limitInBytes = 5_000_000

    public var id: PictureID
    public var contentType: String
    public var bytes: Data

    public init(id: PictureID, contentType: String, bytes: Data) {
        self.id = id
        self.contentType = contentType
        self.bytes = bytes
    }
}
