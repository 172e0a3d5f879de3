import Cryptography
import Domain
import Foundation
import Persistence
import SafetyNetwork
import Testing

@testable import HTTPServer

/// The page behind the unsubscribe link in an e-mail.
@Suite struct UnsubscribePageTests {
    private let server: TestServer
    private let ana: Person
    private let address: EmailAddress

    init() async throws {
        server = try TestServer()
        ana = try await server.person("Ana", number: "+4915100000001")
        address = try EmailAddress("mia@example.org")
        _ = try await server.network.profiles.updateProfile(
            name: "Ana & Co", emergencyNote: nil, of: ana.caller)
    }

    /// Returns the path of the link in a mail to the user.
    private func link(of user: UserID) throws -> String {
        let key = try TestServer.key()
        let token = UnsubscribeToken(
            user: user.uuid, address: address.text, verifiedAt: server.clock.now(), key: key)
        return "\(UnsubscribePath.path)?token=\(token.text(key: key))"
    }

    @Test func pageSaysWhomAGuestStopsHelping() async throws {
        let mia: UserID = id(200)
        try await server.database.write(about: .none) { [ana, address] transaction in
            try transaction.insertUser(mia, phoneNumber: nil)
            try transaction.setQRCode(id(201), of: mia)
            try transaction.setGuest(since: transaction.now, mia)
            try transaction.insertEmailAddress(address, of: mia)
            try transaction.insertContact(
                ana.id, of: mia,
                relation: Relation(dependent: .inForce(since: transaction.now)))
        }
        let link = try link(of: mia)
        let asked = try await server.send("GET", link)
        #expect(asked.status == 200 && asked.text.contains("Stop e-mails</button>"))
        #expect(asked.text.contains("You will then no longer help Ana &amp; Co, and"))
        #expect(try await server.network.contacts.contacts(of: ana.caller).count == 1)
        let ended = try await server.send("POST", link)
        #expect(ended.status == 200 && ended.text.contains("You no longer help Ana &amp; Co."))
        #expect(try await server.network.contacts.contacts(of: ana.caller).isEmpty)
        let again = try await server.send("POST", link)
        #expect(again.status == 200 && again.text.contains("no longer writes to this address"))
        #expect(!again.text.contains("Ana") && !again.text.contains("profile"))
    }

    @Test func userOfAnAccountIsPointedToTheProfile() async throws {
        let user = ana.id
        try await server.database.write(about: .none) { [address] in
            try $0.insertEmailAddress(address, of: user)
        }
        let link = try link(of: user)
        #expect(try await server.send("GET", link).text.contains("Stop e-mails</button>"))
        #expect(try await server.send("POST", link).text.contains("in your profile"))
        #expect(try await server.send("POST", link + "x").status == 404)
    }
}
