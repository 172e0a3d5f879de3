import Domain
import Foundation

/// The people and times that several features' tests share.
enum Fixture {
    /// 14 November 2023, 22:13:20 UTC.
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let ana: UserID = id(1)
    static let ben: UserID = id(2)
    static let cleo: UserID = id(3)

    static func id<Tag>(_ number: UInt8) -> ID<Tag> {
        ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)))
    }

    /// One window with the default opening on each day.
    static func daily(
        at deadline: TimeOfDay, in timeZone: String = "Europe/Berlin"
    ) -> CheckInTimes {
        CheckInTimes(
            timeZone: timeZone, windows: [CheckInWindow(days: .everyDay, deadline: deadline)])
    }

    static func contact(
        _ id: UserID, _ name: String, isResponder: Bool = false, isDependent: Bool = false,
        dateAdded: Date = now, hasPendingPing: Bool = false,
        pingedAt: Date? = nil, next: Date? = nil, status: UserStatus = .active
    ) throws -> ContactData {
        ContactData(
            id: id, name: name, phoneNumber: try PhoneNumber("+15550100"), profilePictureURL: nil,
            roles: try ContactRoles(isResponder: isResponder, isDependent: isDependent),
            dateAdded: dateAdded, hasPendingPing: hasPendingPing,
            pingedAt: pingedAt,
            watch: isDependent
                ? ContactData.WatchedState(
                    emergencyNote: "", lastCheckInTime: next.map { $0.addingTimeInterval(-86_400) },
                    nextCheckInTime: next,
                    checkInIntervalSeconds: 86_400, status: status) : nil
        )
    }

    static func profile(
        name: String = "Ana", emergencyNote: String = "", settings: CheckInSettings = .standard,
        last: Date? = nil, next: Date? = nil,
        status: UserStatus = .active
    ) throws -> UserProfile {
        UserProfile(
            id: ana, name: name, phoneNumber: try PhoneNumber("+15550100"),
            emergencyNote: emergencyNote, profilePictureURL: nil,
            settings: settings, lastCheckInTime: last, nextCheckInTime: next, status: status,
            createdAt: now
        )
    }
}
