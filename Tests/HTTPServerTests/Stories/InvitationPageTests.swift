import Cryptography
import Domain
import Foundation
import Persistence
import SafetyNetwork
import Testing

@testable import HTTPServer

/// The page behind the link of an invitation.
@Suite struct InvitationPageTests {
    private let server: TestServer
    private let ana: Person

    init() async throws {
        server = try TestServer()
        ana = try await server.person("Ana", number: "+4915100000001")
        let invitation = Invitation(
            id: id(210), name: "Mia", recipient: .number(try PhoneNumber("+442071838750")),
            createdAt: server.clock.now())
        try await server.database.write(about: .none) { [ana] in
            try $0.save(invitation, of: ana.id)
        }
    }

    private func page(_ action: String = "show") async throws -> String {
        let invitation: InvitationID = id(210)
        let token = LinkToken(owner: ana.id.uuid, subject: invitation.uuid)
        let secret = token.text(.invitation, key: try TestServer.key())
        let form = Content(
            type: "application/x-www-form-urlencoded",
            bytes: Data("secret=\(secret)&action=\(action)".utf8))
        let answer = try await server.send("POST", LinkPath.invitation, form)
        #expect(answer.status == 200)
        return answer.text
    }

    private func buttons(_ page: String) -> [String] {
        ["Yes, tell me", "Yes, tell me after all", "No", "Try again"]
            .filter { page.contains(">\($0)</button>") }
    }

    @Test func oldInvitationWorksAgainAfterANewOne() async throws {
        server.clock.advance(by: InvitationRules.lifetime)
        let old = try await page()
        #expect(old.contains("Ask Ana to invite you again: this link then works again."))
        #expect(buttons(old) == ["No"])
        let invitation = Invitation(
            id: id(210), name: "Mia", recipient: .number(try PhoneNumber("+442071838750")),
            createdAt: server.clock.now())
        try await server.database.write(about: .none) { [ana] in
            try $0.save(invitation, of: ana.id)
        }
        #expect(buttons(try await page()) == ["Yes, tell me", "No"])
    }

    @Test func lockedInvitersPageTakesANo() async throws {
        #expect(buttons(try await page()) == ["Yes, tell me", "No"])
        _ = try await server.network.administration.lock(
            "+4915100000001", reason: "Spam", by: "root")
        #expect(buttons(try await page()) == ["No", "Try again"])
        let declined = try await page("no")
        #expect(declined.contains("You said no") && !declined.contains("change your mind"))
        #expect(buttons(declined) == [])
        _ = try await server.network.administration.unlock(
            "+4915100000001", reason: "Settled", by: "root")
        let shown = try await page()
        #expect(shown.contains("You can still change your mind."))
        #expect(buttons(shown) == ["Yes, tell me after all"])
    }
}
