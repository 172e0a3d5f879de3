import Clients
import Domain
import Foundation

@testable import CommandLine

enum Examples {
    static let now = Date(timeIntervalSince1970: 1_795_338_120)
    static let me = UserID(UUID())
    static var words: TimeWords { TimeWords(now: now, zone: .gmt) }

    static func profile() throws -> UserProfile {
        UserProfile(
            id: me, name: "Ben", phoneNumber: try PhoneNumber("+15550101"), emergencyNote: "",
            profilePictureURL: nil, settings: .standard,
            lastCheckInTime: now.addingTimeInterval(-180),
            nextCheckInTime: now.addingTimeInterval(86_220), status: .active, createdAt: now)
    }

    static func contact(
        _ name: String, id: UserID = UserID(UUID()), responder: Bool = false,
        dependent: Bool = true, left: TimeInterval? = 3_600, status: UserStatus = .active,
        asks: Bool = false
    ) throws -> ContactData {
        ContactData(
            id: id, name: name, phoneNumber: try PhoneNumber("+15550100"), profilePictureURL: nil,
            roles: try ContactRoles(isResponder: responder, isDependent: dependent), dateAdded: now,
            hasPendingPing: asks, pingedAt: nil,
            watch: .init(
                emergencyNote: "secret note", lastCheckInTime: now.addingTimeInterval(-600),
                nextCheckInTime: left.map { now.addingTimeInterval($0) },
                checkInIntervalSeconds: 86_400, status: status))
    }

    static func alert(
        of user: UserID, id: String = "\(AlertID(UUID()))", kind: AlertKind = .manual,
        isActive: Bool = true
    ) -> AlertRecord {
        AlertRecord(
            id: id, startTime: now.addingTimeInterval(-60), endTime: isActive ? nil : now,
            userId: "\(user)", isActive: isActive, kind: kind)
    }

    static func ping(
        from responder: UserID, to dependent: UserID, id: PingID = PingID(UUID()),
        state: PingRecord.State = .pending
    ) -> PingRecord {
        PingRecord(
            id: id, responderID: responder, dependentID: dependent, createdAt: now, state: state,
            settledAt: state == .pending ? nil : now)
    }

    static func snapshot() throws -> Snapshot {
        Snapshot(
            profile: try profile(), connectivity: Connectivity(isOnline: true, lastSynced: now))
    }
}
