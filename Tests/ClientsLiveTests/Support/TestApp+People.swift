import API
import Domain
import Foundation
import TestApp

@testable import ClientsLive

/// 1 March 2026, 12:00 UTC.
let noon = TestTime.noon

/// A signed-in person, with a connection that never fails.
struct Person: Sendable {
    var id: UserID
    var name: String
    var connection: Connection
    var store: MemoryTokenStore
}

extension TestApp {
    func person(_ name: String, _ number: String) async throws -> Person {
        let store = MemoryTokenStore()
        let connection = connection(store: store)
        try await connection.call(Routes.sendCode, SendCodeRequest(phoneNumber: number))
        let tokens = try await connection.signIn(
            SignInRequest(
                phoneNumber: number, code: try code(for: number), deviceName: "\(name)'s phone"))
        try await connection.call(Routes.updateProfile, UpdateProfileRequest(name: name))
        return Person(id: tokens.userID, name: name, connection: connection, store: store)
    }

    /// Makes the two people watch over each other.
    func connect(_ one: Person, _ other: Person) async throws {
        let code = try await other.connection.call(Routes.qrCode).payload
        try await one.connection.call(
            Routes.addContact, AddContactRequest(code: code, isResponder: true, isDependent: true))
        _ = try await other.connection.call(Routes.acceptRequest(.dependent), id: one.id.uuid)
    }

    func events(of person: Person, after sequence: Int64 = 0) async throws -> [UserEvent] {
        try await network.events.events(of: person.id, after: sequence, limit: 1_000).events
            .map { try UserEvent(kind: $0.kind, data: $0.data) }
    }

    func notes(of person: Person) async throws -> [String] {
        try await person.connection.all(Routes.notifications, upTo: 500).map(\.title)
    }
}
