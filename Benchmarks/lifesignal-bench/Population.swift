import Cryptography
import Domain
import Foundation
import Persistence

/// People inserted directly into a database, some of them with sessions.
struct Population {
    struct Person: Sendable {
        var id: UserID
        var token: String
    }

    /// The people with a session.
    var people: [Person] = []

    /// - Parameters:
    ///   - count: the number of users. Their deadlines are days ahead.
    ///   - sessions: how many of them are signed in.
    static func settle(_ path: String, count: Int, sessions: Int) async throws -> Population {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        defer { try? engine.close() }
        return try await settle(engine, count: count, sessions: sessions)
    }

    static func settle(
        _ engine: any DatabaseEngine, count: Int, sessions: Int, chunk: Int = 5_000
    ) async throws -> Population {
        var population = Population()
        let now = Date()
        let expiry = now.adding(.days(1))
        for start in stride(from: 0, to: count, by: chunk) {
            let numbers = start..<min(start + chunk, count)
            let made = try await engine.write(about: .none) { transaction in
                var made: [Person] = []
                for number in numbers {
                    let id = UserID(UUID())
                    try transaction.insertUser(
                        id, phoneNumber: PhoneNumber("+1\(2_000_000_000 + number)"))
                    try transaction.updateUser(id, name: "Person \(number)", emergencyNote: "")
                    let settings = CheckInSettings(
                        intervalSeconds: 604_800, remindTwoHoursBefore: true,
                        remindThirtyMinutesBefore: true)
                    let last = now.adding(.zero - .seconds(number % 86_400))
                    try transaction.save(
                        CheckInSchedule(settings: settings, lastCheckIn: last), of: id)
                    guard number < sessions else { continue }
                    let access = RandomBytes.system.token()
                    try transaction.insertSession(
                        Caller(userID: id, sessionID: SessionID(UUID())), deviceName: "bench",
                        TokenHashes(
                            access: access.hash, refresh: RandomBytes.system.token().hash,
                            family: nil, accessExpiresAt: expiry, refreshExpiresAt: expiry))
                    made.append(Person(id: id, token: access.text))
                }
                return made
            }
            population.people += made
        }
        return population
    }

    static func connect(_ path: String, _ pairs: [(dependent: UserID, responder: UserID)])
        async throws
    {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        defer { try? engine.close() }
        try await connect(engine, pairs)
    }

    static func connect(
        _ engine: any DatabaseEngine, _ pairs: [(dependent: UserID, responder: UserID)]
    ) async throws {
        let roles = try ContactRoles(isResponder: true, isDependent: false)
        for start in stride(from: 0, to: pairs.count, by: 2_000) {
            let part = Array(pairs[start..<min(start + 2_000, pairs.count)])
            try await engine.write(about: .none) { transaction in
                for pair in part {
                    try transaction.insertContact(
                        pair.responder, of: pair.dependent, roles: roles)
                }
            }
        }
    }

    /// Moves the deadlines of these people.
    /// - Parameter hasReminders: whether a reminder is due two hours before the deadline.
    static func setDeadline(
        _ path: String, of people: [(user: UserID, deadline: Date)], hasReminders: Bool = false
    ) async throws {
        let engine = try SQLiteEngine(path: path, now: { Date() })
        defer { try? engine.close() }
        try await setDeadline(engine, of: people, hasReminders: hasReminders)
    }

    static func setDeadline(
        _ engine: any DatabaseEngine, of people: [(user: UserID, deadline: Date)],
        hasReminders: Bool = false
    ) async throws {
        try await engine.write(about: .none) { transaction in
            for person in people {
                let settings = CheckInSettings(
                    intervalSeconds: 86_400, remindTwoHoursBefore: hasReminders,
                    remindThirtyMinutesBefore: false)
                try transaction.save(
                    CheckInSchedule(
                        settings: settings,
                        lastCheckIn: person.deadline.adding(.zero - .hours(24))),
                    of: person.user
                )
            }
        }
    }
}
