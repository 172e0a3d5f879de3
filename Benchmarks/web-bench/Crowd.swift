import API
import ClientsLive
import Cryptography
import Domain
import Foundation
import TestApp

/// A few people with the maximum of 200 responders, who each have ten browsers.
struct Crowd: Sendable {
    static let (callers, browsers, checkIns) = (5, 10, 20)
    /// The number of responders. The first argument can set a smaller number.
    static let responders = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200

    /// The number of alerts per caller. The second argument can set a larger number.
    static let rounds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1

    var callers: [(name: String, connection: Connection)] = []
    var cookies: [Token] = []

    static func settle(_ app: TestApp) async throws -> Crowd {
        var crowd = Crowd()
        for number in 0..<callers {
            let name = "Caller \(number) of five"
            crowd.callers.append((name, try await arrive(name, "+1555\(1_000_000 + number)", app)))
        }
        for number in 0..<responders {
            crowd.cookies += try await watch(over: crowd.callers.map(\.connection), number, app)
        }
        return crowd
    }

    private static func arrive(_ name: String, _ phone: String, _ app: TestApp) async throws
        -> Connection
    {
        let (connection, _) = try await signIn(phone, app)
        _ = try await connection.call(
            Routes.updateProfile,
            UpdateProfileRequest(
                name: name, emergencyNote: "Allergic to nuts. Spare key at the neighbour's."))
        // Sends the newest check-in first, so that the older ones only add history.
        for day in 0..<checkIns {
            let time = app.time.now.adding(.zero - .hours(day * 22))
            _ = try await connection.call(
                Routes.checkIn, CheckInRequest(occurredAt: time), id: UUID())
        }
        return connection
    }

    private static func watch(over callers: [Connection], _ number: Int, _ app: TestApp)
        async throws -> [Token]
    {
        let phone = "+1555\(2_000_000 + number)"
        let person = try await arrive("Person \(number)", phone, app)
        let code = try await person.call(Routes.qrCode).id
        for caller in callers {
            _ = try await caller.call(
                Routes.addContact,
                AddContactRequest(code: code, isResponder: true, isDependent: false))
            guard let asking = try await caller.signedInUser() else { continue }
            _ = try await person.call(Routes.acceptRequest(.dependent), id: asking.uuid)
        }
        var cookies: [Token] = []
        for _ in 0..<browsers {
            let cookie = RandomBytes.system.token()
            try await app.network.webSessions.bindWebSession(
                cookie, to: try await signIn(phone, app).caller)
            cookies.append(cookie)
        }
        return cookies
    }

    private static func signIn(_ phone: String, _ app: TestApp) async throws -> (
        connection: Connection, caller: Caller
    ) {
        // Advances the clock between two codes: with the same time, the server couldn't tell which
        // code is newer.
        app.time.pass(.milliseconds(1))
        let connection = Connection(transport: app.transport, store: MemoryTokenStore())
        try await connection.call(Routes.sendCode, SendCodeRequest(phoneNumber: phone))
        let answer = try await connection.signIn(
            SignInRequest(
                phoneNumber: phone, code: try app.code(for: phone), deviceName: "Web browser"))
        return (connection, Caller(userID: answer.userID, sessionID: answer.sessionID))
    }
}
