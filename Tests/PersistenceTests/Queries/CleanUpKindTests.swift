import Domain
import Foundation
import Testing

@testable import Persistence

private let zeroes = Data(repeating: 0, count: 32)

@Suite struct CleanUpKindTests {
    private typealias Insertion = @Sendable (Transaction, UInt8) throws -> Void

    /// Each kind, how long its rows are kept, and what inserts a row with a number.
    private static let kinds: [(CleanUp, Duration, Insertion)] = [
        (
            .requestKeys, .days(30),
            { transaction, number in
                let key: CheckInID = id(number)
                try transaction.insert(
                    RequestKeyRow(request: "updateProfile"), key: key.uuid, of: ada)
            }
        ),
        (
            .emailCodes, .days(3_650),
            { transaction, number in
                let code: CheckInID = id(number)
                try transaction.insert(
                    EmailCodeRow(
                        id: code.uuid, mailboxHash: zeroes, userHash: zeroes, addressHash: zeroes,
                        networkHash: nil))
            }
        ),
        (
            .invitationMessages, .days(3_650),
            { transaction, number in
                try transaction.insert(
                    InvitationMessageRow(
                        id: id(number), numberHash: zeroes, userHash: zeroes, wasSent: true))
            }
        ),
        (
            .spending, .days(7),
            { transaction, _ in
                _ = try transaction.execute(
                    "INSERT INTO spending (day, channel, used) VALUES ($1, 'sms', 1)",
                    [.date(transaction.now)])
            }
        ),
        (
            .userSpending, .days(7),
            { transaction, _ in
                _ = try transaction.execute(
                    """
                    INSERT INTO user_spending (user_id, day, channel, used)
                    VALUES ($1, $2, 'sms', 1)
                    """, [.id(ada), .date(transaction.now)])
            }
        ),
        (
            .providerIDs, .days(30),
            { transaction, number in
                try transaction.note("SM\(number)", of: id(number), ada)
            }
        ),
        (
            .drills, .days(30),
            { transaction, number in
                try transaction.insert(
                    DrillRecord(id: id(number), startedAt: transaction.now),
                    of: number == 1 ? ada : ben, named: "", [], nextDue: transaction.now)
            }
        ),
    ]

    @Test func eachRowExpiresAtItsTime() async throws {
        for (kind, kept, insert) in Self.kinds {
            try await withDatabase { engine in
                try await engine.moveIn(ada, ben)
                try await engine.write(at: noon) { try insert($0, 1) }
                try await engine.write(at: noon.aMillisecondAfter) { try insert($0, 2) }
                let end = noon.adding(kept)
                var deleted: [Int] = []
                for time in [end.aMillisecondBefore, end, end, end.aMillisecondAfter] {
                    deleted.append(
                        try await engine.write(at: time) { try $0.cleanUp(kind, limit: 10) })
                }
                #expect(deleted == [0, 1, 0, 1], "\(kind)")
            }
        }
    }

    @Test func answersOfADrillExpireWithIt() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            try await engine.write(about: .none) {
                try $0.insert(
                    DrillRecord(id: id(1), startedAt: noon), of: ada, named: "Ada",
                    [NewDrillAnswer(person: ben, name: "Ben", notification: nil)], nextDue: noon)
            }
            let end = noon.adding(.days(30))
            for (time, number) in [(end.aMillisecondBefore, 0), (end, 2), (end, 0)] {
                let deleted = try await engine.write(at: time) {
                    try $0.cleanUp(.drillAnswers, limit: 10)
                }
                #expect(deleted == number)
            }
        }
    }

    /// A session renewed meanwhile stays, and so do its owner's other sessions.
    @Test func onlyTheExpiredSessionIsDeleted() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            for (user, number) in [(ada, 1), (ada, 2), (ben, 1)] as [(UserID, UInt8)] {
                let caller = Caller(userID: user, sessionID: id(number))
                let hash = Data([number, user.uuid.uuid.15])
                let end = user == ada && number == 1 ? noon : noon.aMillisecondAfter
                try await engine.write(about: .none) {
                    try $0.insertSession(
                        caller, deviceName: "Phone",
                        TokenHashes(
                            access: hash, refresh: hash, family: nil, accessExpiresAt: noon,
                            refreshExpiresAt: end))
                }
            }
            let deleted = try await engine.write(about: .none) {
                try $0.cleanUp(.sessions, limit: 10)
            }
            #expect(deleted == 1)
            let left = try await engine.read {
                [
                    try $0.hasSession(Caller(userID: ada, sessionID: id(1))),
                    try $0.hasSession(Caller(userID: ada, sessionID: id(2))),
                    try $0.hasSession(Caller(userID: ben, sessionID: id(1))),
                ]
            }
            #expect(left == [false, true, true])
        }
    }
}
