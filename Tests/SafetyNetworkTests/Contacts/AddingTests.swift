import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct AddingTests {
    private func code(of person: Person, _ town: Town) async throws -> QRCodeID {
        try #require(QRCodeID(try await town.network.qrCode(of: person.caller).id))
    }

    private func told(_ person: Person, _ town: Town) async throws -> [String] {
        try await town.network.notifications(of: person.caller, page: Page()).map(\.title).sorted()
    }

    @Test(arguments: [(true, false), (false, true), (true, true)])
    func theRelationIsSeenFromBothSides(isResponder: Bool, isDependent: Bool) async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        let roles = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
        let added = try await town.network.addContact(
            code: code(of: ada, town), roles: roles, to: ben.caller)
        #expect(added.id == ada.id && !added.isResponder && added.isDependent == isDependent)
        #expect(added.requests.map(\.role) == (isResponder ? [.responder] : []))
        #expect(added.requests.allSatisfy { $0.isMine && $0.requestedAt == noon })
        let mirrored = try #require(try await town.contact(ben, seenBy: ada))
        #expect(mirrored.isResponder == isDependent && !mirrored.isDependent)
        #expect(mirrored.requests.map(\.role) == (isResponder ? [.dependent] : []))
        #expect(mirrored.requests.allSatisfy { !$0.isMine })
        #expect(mirrored.dateAdded == noon)
        #expect(
            try await town.news(of: ada) == [
                isDependent ? "Ben is now your contact" : "Ben used your code"
            ])
        #expect(
            try await town.news(of: ben) == [
                isDependent ? "Ada is now your contact" : "You asked Ada"
            ])
        #expect(try await town.events(of: ada).contains(.contactChanged(.init(contactID: ben.id))))
    }

    @Test func whoBecomesAResponderWhileSomebodyNeedsHelpHearsOfItAtOnce() async throws {
        let town = try Town()
        let (ada, ben, cem) = (
            try await town.person("Ada"), try await town.person("Ben"), try await town.person("Cem")
        )
        let alert = try await town.raiseAlert(ada)
        let code = try await code(of: ada, town)
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await town.network.addContact(code: code, roles: roles, to: ben.caller)
        #expect(try await told(ben, town) == ["Ada is now your contact", "Ada still needs help"])
        #expect(
            try await town.alert(alert, seenBy: ben).ledger.contains {
                $0.recipientId == ben.id.description
            })
        // Somebody is on it: the next one sees it, and is not called.
        _ = try await town.acknowledge(alert, ben)
        _ = try await town.network.addContact(code: code, roles: roles, to: cem.caller)
        #expect(try await told(cem, town) == ["Ada is now your contact"])
        #expect(try await town.openAlert(cem)?.acknowledgement?.name == "Ben")
    }

    @Test func nobodyAddsThemselves() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        #expect(
            await refusal {
                try await town.network.addContact(
                    code: code(of: ada, town), roles: roles, to: ada.caller)
            }?.field == "code")
        #expect(try await town.network.contacts(of: ada.caller).isEmpty)
    }

    @Test func aSecondAddOfThePairIsRefusedFromEitherSide() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        for (adder, added) in [(ben, ada), (ada, ben)] {
            let code = try await code(of: added, town)
            #expect(
                await refusal {
                    try await town.network.addContact(code: code, roles: roles, to: adder.caller)
                }?.isAlreadyExists == true)
        }
        #expect(try await town.contact(ada, seenBy: ben)?.requests == [])
        #expect(try await town.news(of: ada) == [])
    }

    @Test func aRenewedCodeMakesTheOldOneWorthless() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        let old = try await code(of: ada, town)
        let renewed = try await town.network.renewQRCode(of: ada.caller)
        let roles = try ContactRoles(isResponder: true, isDependent: false)
        #expect(
            await refusal {
                try await town.network.addContact(code: old, roles: roles, to: ben.caller)
            }?.isNotFound == true)
        #expect(
            await refusal { try await town.network.owner(ofCode: old, for: ben.caller) }?.isNotFound
                == true)
        let current = try #require(QRCodeID(renewed.id))
        #expect(try await town.network.owner(ofCode: current, for: ben.caller).name == "Ada")
        #expect(
            try await town.network.addContact(code: current, roles: roles, to: ben.caller).id
                == ada.id)
        #expect(try await town.events(of: ada).contains(.profileChanged))
    }

    @Test func theCodeHoldsWhatAScannerReads() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let info = try await town.network.qrCode(of: ada.caller)
        let id = try await code(of: ada, town)
        #expect(try await town.network.qrCode(of: ada.caller) == info)
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

    /// 200 contacts each; the 201st is refused on whichever side is full.
    @Test func thereIsRoomForTwoHundredOnBothSides() async throws {
        let town = try Town()
        let (ada, last) = (try await town.person("Ada"), try await town.person("Last"))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        try await town.engine.write { transaction in
            for number in 0..<199 {
                let user: UserID = town.world.id()
                try transaction.insertUser(
                    user, phoneNumber: PhoneNumber("+4930\(1_000_000 + number)"), at: noon)
                try transaction.insertContact(user, of: ada.id, roles: roles, at: noon)
            }
        }
        #expect(
            try await town.network.addContact(
                code: code(of: last, town), roles: roles, to: ada.caller
            ).id == last.id)
        #expect(try await town.network.contacts(of: ada.caller).count == 200)
        let late = try await town.person("Late")
        let (adas, lates) = (try await code(of: ada, town), try await code(of: late, town))
        #expect(
            await refusal {
                try await town.network.addContact(code: lates, roles: roles, to: ada.caller)
            }?.field == "code")
        #expect(
            await refusal {
                try await town.network.addContact(code: adas, roles: roles, to: late.caller)
            }?.field == "code")

        try await town.network.removeContact(ada.id, by: last.caller)
        #expect(
            try await town.network.addContact(code: adas, roles: roles, to: late.caller).id
                == ada.id)
    }
}
