import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

struct Person: Sendable {
    var id: UserID
    var session: SessionID
    var token: String
    var refreshToken: String
    var number: PhoneNumber
    var name: String

    var caller: Caller { Caller(userID: id, sessionID: session) }
}

extension TestServer {
    /// Signs in through the routes, as a device does, and sets a name.
    func person(_ name: String, number: String) async throws -> Person {
        var person = try await signIn(number, device: "\(name)'s phone")
        person.name = name
        _ = try await call(Routes.updateProfile, UpdateProfileRequest(name: name), by: person)
        return person
    }

    func signIn(_ number: String, device: String = "Phone") async throws -> Person {
        let phone = try PhoneNumber(number)
        _ = try await call(Routes.sendCode, SendCodeRequest(phoneNumber: number), by: nil)
        let code = try #require(codes[phone])
        let tokens = try await call(
            Routes.signIn, SignInRequest(phoneNumber: number, code: code, deviceName: device),
            by: nil)
        return Person(
            id: tokens.userID, session: tokens.sessionID, token: tokens.accessToken,
            refreshToken: tokens.refreshToken, number: phone, name: ""
        )
    }

    func connect(responder: Person, dependent: Person) async throws {
        let code = try await call(Routes.qrCode, by: dependent)
        _ = try await call(
            Routes.addContact,
            AddContactRequest(code: code.payload, isResponder: false, isDependent: true),
            by: responder)
    }
}
