import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(5))) struct ContactRemovalTests {
    private let app: TestApp
    private let ben, cleo: Person

    init() async throws {
        app = try TestApp(.memory)
        ben = try await app.person("Ben", "+15550100002")
        cleo = try await app.person("Cleo", "+15550100003")
    }

    /// Signs Ada in. Ben and Cleo are her responders.
    /// - Parameter isOlder: true for a server without removals that tell no one.
    private func ada(isOlder: Bool) async throws -> Home {
        let home = try Home(
            in: app,
            before: { request in
                guard isOlder, request.path.hasSuffix("/quietly") else { return nil }
                return try TransportResponse.problem(.notFound)
            })
        let ada = try await home.signIn("+15550100001", in: app).userID
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        for person in [ben, cleo] {
            let code = try await person.connection.call(Routes.qrCode).payload
            _ = try await home.values.contactClient.addContact(
                code: code, roles: ContactRoles(isResponder: true, isDependent: false))
            _ = try await person.connection.call(Routes.acceptRequest(.dependent), id: ada.uuid)
        }
        return home
    }

    /// Somebody in danger must not believe that a person is removed who still is a responder.
    @Test(arguments: [true, false])
    func quietRemovalByAnOlderServerIsNotClaimed(isOlder: Bool) async throws {
        let home = try await ada(isOlder: isOlder)
        let client = home.values.contactClient
        let error = await refusal { try await client.removeContactQuietly(id: ben.id) }
        let expected: UserFacingError? = isOlder ? .noQuietRemoval : nil
        #expect(error == expected)
        let left: Set<UserID> = isOlder ? [ben.id, cleo.id] : [cleo.id]
        #expect(try await Set(client.loadedContacts().map(\.id)) == left)
        let stranger = await refusal { try await client.removeContactQuietly(id: id(9)) }
        #expect(stranger?.code == "not-found")
        await home.clients.stop()
    }
}
