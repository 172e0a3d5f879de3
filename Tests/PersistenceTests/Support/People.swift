import Domain
import Foundation

@testable import Persistence

/// 1 March 2026, 12:00 UTC.
let noon = Date(milliseconds: 1_772_366_400_000)

extension Date {
    var aMillisecondBefore: Date { adding(.milliseconds(-1)) }
    var aMillisecondAfter: Date { adding(.milliseconds(1)) }
}

/// Returns an id that is easy to recognise in a test's failure.
func id<Tag>(_ number: UInt8, _ series: UInt8 = 0) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, series, number)))
}

let ada: UserID = id(1)
let ben: UserID = id(2)
let cleo: UserID = id(3)

let names: [UserID: String] = [ada: "Ada Lovelace", ben: "Ben Nevis", cleo: "Cleo Patra"]

func number(of user: UserID) throws -> PhoneNumber {
    try PhoneNumber("+1555010\(1000 + Int(user.uuid.uuid.15))")
}

extension DatabaseEngine {
    /// Inserts users with names and phone numbers.
    func moveIn(_ users: UserID...) async throws {
        for user in users {
            let number = try number(of: user)
            try await write(about: .none) { transaction in
                try transaction.insertUser(user, phoneNumber: number)
                try transaction.updateUser(
                    user, name: names[user] ?? "User \(user)", emergencyNote: "")
            }
        }
    }

    func connect(_ responder: UserID, watchesOver dependent: UserID, at time: Date = noon)
        async throws
    {
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        try await write(at: time) { try $0.insertContact(dependent, of: responder, roles: roles) }
    }

    func recipient(_ user: UserID) async throws -> Recipient? {
        try await read { try $0.user(user).map(Recipient.init) }
    }

    func rows(in table: String) async throws -> Int {
        try await read { try $0.count("SELECT COUNT(*) FROM \(table)", []) }
    }
}

func missedAlert(_ number: UInt8, of user: UserID, at time: Date = noon) -> AlertRow {
    AlertRow(
        id: id(number), userID: user, kind: .missedCheckIn, startedAt: time, deadlineAt: time,
        toldLate: false, repeats: 1)
}

func manualAlert(_ number: UInt8, of user: UserID, at time: Date = noon) -> AlertRow {
    AlertRow(
        id: id(number), userID: user, kind: .manual, startedAt: time, deadlineAt: nil,
        toldLate: false, repeats: 1)
}

func ping(_ number: UInt8, from responder: UserID, to dependent: UserID, at time: Date = noon)
    -> PingRecord
{
    PingRecord(
        id: id(number), responderID: responder, dependentID: dependent, createdAt: time,
        state: .pending, settledAt: nil)
}

func checkIn(_ number: UInt8, at time: Date) -> CheckInRecord {
    CheckInRecord(
        id: id(number), occurredAt: time, receivedAt: time, nextCheckInTime: time.adding(.hours(24))
    )
}

func notification(
    _ number: UInt8, _ type: NotificationType = .alert, at time: Date = noon,
    about user: UserID? = nil, alert: AlertID? = nil
) -> NotificationItem {
    NotificationItem(
        id: id(number), type: type, title: "Title \(number)", body: "Body \(number)",
        createdAt: time, aboutUserID: user, alertID: alert
    )
}
