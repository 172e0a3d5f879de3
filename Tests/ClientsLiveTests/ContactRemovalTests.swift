import API
import Clients
import Domain
import Foundation
import Synchronization
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
    /// - Parameters:
    ///   - isOlder: true for a server that can't remove a contact quietly.
    ///   - listFails: whether the server refuses to list the contacts now.
    private func ada(
        isOlder: Bool = false, listFails: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Home {
        let home = try Home(
            in: app,
            before: { request in
                if listFails(), request.method == .get, request.path.hasPrefix("/v1/contacts") {
                    return try TransportResponse.problem(.unavailable)
                }
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

    @Test func actionHoldsWhenTheListCannotBeLoaded() async throws {
        let fails = Mutex(false)
        let home = try await ada(listFails: { fails.withLock { $0 } })
        let client = home.values.contactClient
        _ = try await client.changeRoles(
            id: ben.id, roles: ContactRoles(isResponder: true, isDependent: true), only: nil)
        _ = try await client.contacts()
        fails.withLock { $0 = true }
        let order = [cleo.id, ben.id]
        let ordered = try await client.orderResponders(order)
        #expect(ordered.sorted { $0.isCalledBefore($1) }.map(\.id) == order)
        try await client.withdrawRequest(id: ben.id, role: .dependent)
        fails.withLock { $0 = false }
        let shown = try await client.loadedContacts().first { $0.id == ben.id }
        #expect(shown?.relation.dependent == .absent && shown?.isResponder == true)
        #expect(shown?.position == 1)
        await home.clients.stop()
    }
}
