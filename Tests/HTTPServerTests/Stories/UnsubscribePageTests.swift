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

    /// The link ends no e-mails about other people.
    @Test func linkOfAnInvitationNamesItsInviter() async throws {
        _ = try await server.network.profiles.updateProfile(
            name: "Ana", emergencyNote: nil, of: ana.caller)
        let invitation = Invitation(
            id: id(210), name: "Mia", recipient: .address(address), createdAt: server.clock.now())
        try await server.database.write(about: .none) { [ana] in
            try $0.save(invitation, of: ana.id)
        }
        let token = LinkToken(owner: ana.id.uuid, subject: invitation.id.uuid)
        let text = token.text(.refusal, key: try TestServer.key())
        let link = "\(UnsubscribePath.path)?token=\(text)"
        let asked = try await server.send("GET", link)
        #expect(asked.status == 200 && asked.text.contains("no longer write to you about Ana."))
        let ended = try await server.send("POST", link)
        #expect(ended.status == 200 && ended.text.contains("You get no more e-mails about Ana."))
        for page in [asked, ended] { #expect(!page.text.contains("to this address")) }
        let state = try await server.network.invitations.invitations(of: ana.caller).map(\.state)
        #expect(state == [.declined])
        try await server.network.invitations.withdrawInvitation(invitation.id, by: ana.caller)
        for method in ["GET", "POST"] {
            let gone = try await server.send(method, link)
            #expect(gone.status == 404 && gone.text.contains("There is nothing to stop"))
        }
    }

    @Test func linkFromBeforeAChangeSaysSo() async throws {
        let (user, link) = (ana.id, try link(of: ana.id))
        server.clock.advance(by: .seconds(1))
        try await server.database.write(about: .none) { [address] in
            try $0.insertEmailAddress(address, of: user)
        }
        for method in ["GET", "POST"] {
            let page = try await server.send(method, link)
            #expect(page.status == 410 && page.text.contains("This link is outdated"))
            #expect(!page.text.contains("Stop e-mails</button>"))
        }
    }

    /// A mail program may repeat its POST. Once the address is back, the same POST ends nothing.
    @Test func repeatedPostIsAcceptedUntilTheAddressIsBack() async throws {
        let user = ana.id
        func addAddress() async throws {
            try await server.database.write(about: .none) { [address] in
                try $0.insertEmailAddress(address, of: user)
            }
        }
        try await addAddress()
        let link = try link(of: user)
        for _ in 0..<2 { #expect(try await server.send("POST", link).status == 200) }
        server.clock.advance(by: .seconds(1))
        try await addAddress()
        #expect(try await server.send("POST", link).status == 410)
        #expect(try await server.send("POST", try self.link(of: user)).status == 200)
    }

    @Test func deletedAccountHasNoProfile() async throws {
        let ended = try await server.send("POST", try link(of: id(250)))
        #expect(ended.status == 200 && ended.text.contains("no longer writes to this address"))
        #expect(!ended.text.contains("profile"))
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
