import Foundation

public struct UserProfile: Codable, Equatable, Sendable, Identifiable {
    public var id: UserID
    /// Empty until the user sets a name.
    public var name: String
    public var phoneNumber: PhoneNumber
    /// Only responders see the emergency note. Notifications never contain it.
    public var emergencyNote: String
    public var profilePictureURL: URL?
    public var settings: CheckInSettings
    public var lastCheckInTime: Date?
    /// The deadline; nil before the first check-in.
    public var nextCheckInTime: Date?
    public var status: UserStatus
    public var createdAt: Date
    /// The present pause; nil without one.
    public var pause: CheckInPause?
    /// The last pause, after its end and until a newer check-in: a new schedule's deadlines depend
    /// on it. nil during a pause, and from earlier servers.
    public var endedPause: CheckInPause?
    /// The first deadline after the last change of schedule or pause; nil if there was none.
    public var start: FirstDeadline?
    /// The IANA name of the time zone that a device last reported; nil if unknown.
    public var timeZone: String?
    /// The running journey; nil without one.
    public var journey: JourneyRecord?
    /// True if the server keeps a copy of profiles and alerts with Google. Earlier servers keep no
    /// copy and send no value.
    public var copiesToGoogle: Bool?
    /// True if the person leaves the emergency note out of that copy.
    public var leavesNoteOutOfCopy: Bool?
    /// When an administrator locked the account; nil unless it is locked.
    public var lockedAt: Date?
    /// The change of the number that an administrator has begun; nil without one.
    public var numberMove: NumberMove?
    /// The announced maintenance of the server, until its end; nil without one.
    public var maintenance: Maintenance?
    /// True until a former guest has finished the onboarding. Guests have a name, but no schedule.
    /// nil for other people, and from earlier servers.
    public var isSettingUp: Bool?

    public init(
        id: UserID, name: String, phoneNumber: PhoneNumber, emergencyNote: String,
        profilePictureURL: URL?,
        settings: CheckInSettings, lastCheckInTime: Date?, nextCheckInTime: Date?,
        status: UserStatus, createdAt: Date, pause: CheckInPause? = nil,
        start: FirstDeadline? = nil, timeZone: String? = nil
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
        self.pause = pause
        self.start = start
        self.timeZone = timeZone
    }
}

extension UserProfile {
    /// The schedule in force, without the messages that were sent about its deadline.
    public var schedule: CheckInSchedule {
        CheckInSchedule(
            settings: settings, lastCheckIn: lastCheckInTime, start: start,
            pause: pause ?? endedPause)
    }
}

/// Derived, never stored (product.md, "Users").
public enum UserStatus: String, GrowingEnum, Sendable, CaseIterable {
    /// With an unknown status, the deadline determines what is shown (`WatchedState.status(at:)`).
    public static let fallback = active

    case active, nonResponsive, alertActive

    /// During an open missed-check-in alert, the user is non-responsive even before the deadline. A
    /// longer interval can move the deadline, but only a check-in proves that the person is fine.
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

/// A profile picture. The server re-encodes it on arrival, which removes metadata such as GPS.
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
