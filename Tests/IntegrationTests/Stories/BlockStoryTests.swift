import Clients
import ComposableArchitecture
import Domain
import Features
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct BlockStoryTests {
    private func client(_ user: TestUser) -> ContactClient {
        var values = DependencyValues()
        user.clients.install(in: &values)
        return values.contactClient
    }

    @Test func blockedPersonIsRemovedAndCannotReturn() async throws {
        let both = try await AnaAndBen()
        let (anas, bens) = (client(both.ana), client(both.ben))
        let person = try await anas.block(id: try await both.ben.id)
        #expect(person.name == "Ben")
        for user in [both.ana, both.ben] {
            try await user.tabs(
                "no contact", that: { $0.responders.contacts.contacts.isEmpty })
        }
        #expect(try await anas.blocked().map(\.id) == [person.id])
        let code = try await both.ana.showCode().qrCodeID
        let roles = ContactRoles.shown(isResponder: false, isDependent: true)
        var refusal = await #expect(throws: UserFacingError.self) {
            try await bens.addContact(code: code, roles: roles)
        }
        #expect(refusal?.code == "not-found")
        let bensCode = try await both.ben.showCode().qrCodeID
        refusal = await #expect(throws: UserFacingError.self) {
            try await anas.addContact(code: bensCode, roles: roles)
        }
        #expect(refusal?.message == "You blocked this person.")
        try await anas.unblock(id: person.id)
        #expect(try await anas.blocked().isEmpty)
        #expect(try await bens.addContact(code: code, roles: roles).name == "Ana")
    }

    @Test func requestCanBeWithdrawnOnce() async throws {
        let both = try await AnaAndBen()
        let ana = try await both.ben.contact("Ana")
        let bens = client(both.ben)
        let asked = try await bens.changeRoles(
            id: ana.id, roles: .shown(isResponder: true, isDependent: true), only: nil)
        #expect(asked.confirmed?.request(.responder)?.isMine == true)
        try await both.ana.contact("Ben", "who asks", isAs: { !$0.requests.isEmpty })
        try await bens.withdrawRequest(id: ana.id, role: .responder)
        try await both.ben.contact("Ana", "asked for nothing", isAs: { $0.requests.isEmpty })
        try await both.ana.contact("Ben", "who asks nothing", isAs: { $0.requests.isEmpty })
        let error = await #expect(throws: UserFacingError.self) {
            try await bens.acceptRequest(id: ana.id, role: .responder)
        }
        #expect(error?.code == "not-found")
    }
}
