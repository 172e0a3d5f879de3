import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct AddingTests {
    private func code(of person: Person, _ server: TestServer) async throws -> QRCodeID {
        try #require(QRCodeID(try await server.network.qrCodes.qrCode(of: person.caller).id))
    }

    private func told(_ person: Person, _ server: TestServer) async throws -> [String] {
        try await server.network.notifications.notifications(of: person.caller, page: Page()).map(
            \.title
        )
        .sorted()
    }

    @Test(arguments: [(true, false), (false, true), (true, true)])
    func theRelationIsSeenFromBothSides(isResponder: Bool, isDependent: Bool) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let roles = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
        let added = try await server.network.contacts.addContact(
            code: code(of: ada, server), roles: roles, to: ben.caller)
        #expect(added.id == ada.id && !added.isResponder && added.isDependent == isDependent)
        #expect(added.requests.map(\.role) == (isResponder ? [.responder] : []))
        #expect(added.requests.allSatisfy { $0.isMine && $0.requestedAt == noon })
        let mirrored = try #require(try await server.contact(ben, seenBy: ada))
        #expect(mirrored.isResponder == isDependent && !mirrored.isDependent)
        #expect(mirrored.requests.map(\.role) == (isResponder ? [.dependent] : []))
        #expect(mirrored.requests.allSatisfy { !$0.isMine })
        #expect(mirrored.dateAdded == noon)
        #expect(
            try await server.news(of: ada) == [
                isDependent ? "Ben is now your contact" : "Ben used your code"
            ])
        #expect(
            try await server.news(of: ben) == [
                isDependent ? "Ada is now your contact" : "You asked Ada"
            ])
        #expect(
            try await server.events(of: ada).contains(.contactChanged(.init(contactID: ben.id))))
    }

    @Test func additionIsNewsToTheOtherOnly() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        _ = try await server.network.contacts.addContact(
            code: code(of: ada, server),
            roles: try ContactRoles(isResponder: false, isDependent: true), to: ben.caller)
        let own = try await server.network.notifications.notifications(of: ben.caller, page: Page())
        #expect(own.map(\.type) == [.contactAdded] && own.map(\.readAt) == [noon])
        let others = try await server.network.notifications.notifications(
            of: ada.caller, page: Page())
        #expect(others.map(\.type) == [.contactAdded] && others.map(\.readAt) == [nil])
    }

    @Test func newResponderHearsOfAnOpenAlert() async throws {
        let server = try TestServer()
        let (ada, ben, cem) = (
            try await server.person("Ada"), try await server.person("Ben"),
            try await server.person("Cem")
        )
        let alert = try await server.raiseAlert(ada)
        let code = try await code(of: ada, server)
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await server.network.contacts.addContact(code: code, roles: roles, to: ben.caller)
        #expect(try await told(ben, server) == ["Ada is now your contact", "Ada still needs help"])
        #expect(
            try await server.alert(alert, seenBy: ben).ledger.contains {
                $0.recipientId == ben.id.description
            })
        // A new responder sees that Ben is on it, and isn't alerted.
        _ = try await server.acknowledge(alert, ben)
        _ = try await server.network.contacts.addContact(code: code, roles: roles, to: cem.caller)
        #expect(try await told(cem, server) == ["Ada is now your contact"])
        #expect(try await server.openAlert(cem)?.acknowledgement?.name == "Ben")
    }

    /// Raises Ada's alert, on which Ben reports at noon. Cem isn't a contact.
    private func reported(
        on server: TestServer, isOnIt: Bool = false
    ) async throws -> (ada: Person, cem: Person) {
        let (ada, ben, cem) = (
            try await server.person("Ada"), try await server.person("Ben"),
            try await server.person("Cem")
        )
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        if isOnIt { _ = try await server.acknowledge(alert, ben) }
        _ = try await server.network.responding.report(
            .withThem, on: try alert.typedID, by: ben.caller)
        return (ada, cem)
    }

    /// Cem becomes a responder three hours after the report.
    @Test func newResponderHearsOfAReport() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, cem) = try await reported(on: server)
        _ = try await server.send(.sms)
        server.clock.pass(.hours(3))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await server.network.contacts.addContact(
            code: try await code(of: ada, server), roles: roles, to: cem.caller)
        #expect(try await server.send(.sms) == ["Cem"])
        let toCem = try await server.alertNews(of: cem)
        #expect(toCem.map(\.title) == ["Ben says they are with Ada"])
        #expect(toCem.first?.body.contains("again until 00:00") == true)
        // After the pause, Cem is alerted like Ben.
        try await server.pass(.hours(9))
        #expect(try await server.news(of: cem).contains("Ada’s alert is still on"))
    }

    /// Without the report, an acknowledged alert sends a new responder nothing.
    @Test func newResponderHearsOfAReportByTheHelper() async throws {
        let server = try TestServer()
        let (ada, cem) = try await reported(on: server, isOnIt: true)
        _ = try await server.network.contacts.addContact(
            code: try await code(of: ada, server),
            roles: try ContactRoles(isResponder: false, isDependent: true), to: cem.caller)
        #expect(
            try await server.alertNews(of: cem).map(\.title) == ["Ben says they are with Ada"])
    }

    /// A person who hasn't accepted doesn't see what others did.
    @Test func askedResponderIsAlarmedDespiteAReport() async throws {
        let server = try TestServer()
        let (ada, cem) = try await reported(on: server)
        _ = try await server.network.contacts.addContact(
            code: try await code(of: cem, server),
            roles: try ContactRoles(isResponder: true, isDependent: false), to: ada.caller)
        #expect(try await server.alertNews(of: cem).map(\.title) == ["Ada still needs help"])
    }

    @Test func addingOneselfIsRefused() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        let refusal = await refusal {
            try await server.network.contacts.addContact(
                code: code(of: ada, server), roles: roles, to: ada.caller)
        }
        #expect(refusal?.field == "code" && refusal?.reason == .ownCode)
        #expect(try await server.network.contacts.contacts(of: ada.caller).isEmpty)
    }

    @Test func secondAddOfAPairIsRefused() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        for (adder, added) in [(ben, ada), (ada, ben)] {
            let code = try await code(of: added, server)
            #expect(
                await refusal {
                    try await server.network.contacts.addContact(
                        code: code, roles: roles, to: adder.caller)
                }?.isAlreadyExists == true)
        }
        #expect(try await server.contact(ada, seenBy: ben)?.requests == [])
        #expect(try await server.news(of: ada) == [])
    }

    @Test func renewedCodeInvalidatesTheOldOne() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let old = try await code(of: ada, server)
        let renewed = try await server.network.qrCodes.renewQRCode(of: ada.caller)
        let roles = try ContactRoles(isResponder: true, isDependent: false)
        #expect(
            await refusal {
                try await server.network.contacts.addContact(
                    code: old, roles: roles, to: ben.caller)
            }?.isNotFound == true)
        #expect(
            await refusal { try await server.network.qrCodes.owner(ofCode: old, for: ben.caller) }?
                .isNotFound
                == true)
        let current = try #require(QRCodeID(renewed.id))
        #expect(
            try await server.network.qrCodes.owner(ofCode: current, for: ben.caller).name == "Ada")
        #expect(
            try await server.network.contacts.addContact(
                code: current, roles: roles, to: ben.caller
            ).id
                == ada.id)
        #expect(try await server.events(of: ada).contains(.profileChanged))
    }

    @Test func codeContainsItsScannableText() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let info = try await server.network.qrCodes.qrCode(of: ada.caller)
        let id = try await code(of: ada, server)
        #expect(try await server.network.qrCodes.qrCode(of: ada.caller) == info)
        for text in [
            info.payload, info.id, info.id.replacing("-", with: ""), info.shareLink.absoluteString,
        ] {
            #expect(try QRCodeRules.id(in: text) == id)
        }
        let data = try WireJSON.decoder().decode(QRCodeData.self, from: Data(info.payload.utf8))
        #expect(
            data
                == QRCodeData(
                    id: info.id, userID: ada.id.description, timestamp: noon, appVersion: "1",
                    deviceModel: "server"))
    }

    /// The 201st contact is refused, whichever of the two people has 200.
    @Test func bothSidesHaveRoomFor200Contacts() async throws {
        let server = try TestServer()
        let (ada, last) = (try await server.person("Ada"), try await server.person("Last"))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        try await server.engine.write(about: .none) { transaction in
            for number in 0..<199 {
                let user: UserID = server.environment.id()
                try transaction.insertUser(
                    user, phoneNumber: PhoneNumber("+4930\(1_000_000 + number)"))
                try transaction.insertContact(user, of: ada.id, roles: roles)
            }
        }
        #expect(
            try await server.network.contacts.addContact(
                code: code(of: last, server), roles: roles, to: ada.caller
            ).id == last.id)
        #expect(try await server.network.contacts.contacts(of: ada.caller).count == 200)
        let late = try await server.person("Late")
        let (adas, lates) = (try await code(of: ada, server), try await code(of: late, server))
        #expect(
            await refusal {
                try await server.network.contacts.addContact(
                    code: lates, roles: roles, to: ada.caller)
            }?.reason == .contactsFull)
        #expect(
            await refusal {
                try await server.network.contacts.addContact(
                    code: adas, roles: roles, to: late.caller)
            }?.reason == .otherContactsFull)

        try await server.network.contacts.removeContact(ada.id, by: last.caller)
        #expect(
            try await server.network.contacts.addContact(code: adas, roles: roles, to: late.caller)
                .id
                == ada.id)
    }
}
