import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ben was Ada's responder, and is blocked.
@Suite struct BlockTests {
    private let roles = ContactRoles.shown(isResponder: false, isDependent: true)

    private func code(of person: Person, _ town: Town) async throws -> QRCodeID {
        try #require(QRCodeID(try await town.network.qrCode(of: person.caller).id))
    }

    private func add(_ code: QRCodeID, _ person: Person, _ town: Town) async -> CommandError? {
        await refusal {
            try await town.network.addContact(code: code, roles: roles, to: person.caller)
        }
    }

    private func street() async throws -> (Town, ada: Person, ben: Person) {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.armed("Ben"))
        try await town.connect(ben, watchesOver: ada)
        return (town, ada, ben)
    }

    @Test func aRemovedPersonDoesNotComeBackWithTheOldCode() async throws {
        let (town, ada, ben) = try await street()
        let (adas, bens) = (try await code(of: ada, town), try await code(of: ben, town))
        try await town.network.removeContact(ben.id, by: ada.caller)
        #expect(await add(adas, ben, town)?.isNotFound == true)
        #expect(try await code(of: ben, town) == bens, "only the remover's code is renewed")
        #expect(try await town.events(of: ada).contains(.profileChanged))
        // Holders of the new code may add again.
        #expect(await add(try await code(of: ada, town), ben, town) == nil)
    }

    @Test func aBlockedPersonMeetsAStranger() async throws {
        let (town, ada, ben) = try await street()
        let (adas, bens) = (try await code(of: ada, town), try await code(of: ben, town))
        let alert = try await town.raiseAlert(ada)
        for person in [ada, ben] { _ = try await town.news(of: person) }
        let blocked = try await town.network.block(ben.id, by: ada.caller)
        #expect(blocked == BlockedPerson(id: ben.id, name: "Ben", blockedAt: noon))
        #expect(try await town.network.blocks(of: ada.caller) == [blocked])
        // A second block changes nothing.
        #expect(try await town.network.block(ben.id, by: ada.caller) == blocked)
        #expect(try await town.news(of: ben) == ["Ada is no longer your contact"])

        let (newAdas, newBens) = (try await code(of: ada, town), try await code(of: ben, town))
        #expect(newAdas != adas && newBens != bens)
        let stale = await add(QRCodeID(town.world.makeID()), ben, town)
        for shown in [adas, newAdas] {
            #expect(await add(shown, ben, town) == stale && stale?.isNotFound == true)
            let preview = await refusal {
                try await town.network.owner(ofCode: shown, for: ben.caller)
            }
            #expect(preview == stale)
        }
        #expect(try await town.network.contacts(of: ben.caller).isEmpty)
        #expect(await refusal { try await town.ping(ada, by: ben) }?.isNotFound == true)
        #expect(await refusal { try await town.alert(alert, seenBy: ben) }?.isNotFound == true)
        // Others are not concerned.
        let cem = try await town.person("Cem")
        #expect(await add(newAdas, cem, town) == nil)
    }

    @Test func theSameNumberUnderANewAccountStaysBlocked() async throws {
        let (town, ada, ben) = try await street()
        _ = try await town.network.block(ben.id, by: ada.caller)
        try await town.network.deleteAccount(of: ben.caller)
        let again = try await town.signIn(ben.number, as: "Benny")
        #expect(again.id != ben.id)
        #expect(await add(try await code(of: ada, town), again, town)?.isNotFound == true)
        #expect(
            try await town.network.blocks(of: ada.caller).map(\.name) == ["Someone who has left"])
        let stored = try await town.engine.read {
            try $0.query("SELECT phone_hash FROM blocks", []) { $0.blob(0) }
        }
        #expect(stored.count == 1 && stored[0].range(of: Data(ben.number.text.utf8)) == nil)
    }

    @Test func theBlockerHasToUnblockFirst() async throws {
        let (town, ada, ben) = try await street()
        _ = try await town.network.block(ben.id, by: ada.caller)
        let bens = try await code(of: ben, town)
        #expect(
            await add(bens, ada, town)
                == .permissionDenied("You blocked Ben. Unblock them first."))
        try await town.network.unblock(ben.id, by: ada.caller)
        #expect(try await town.network.blocks(of: ada.caller).isEmpty)
        #expect(await add(bens, ada, town) == nil)
        let twice = await refusal { try await town.network.unblock(ben.id, by: ada.caller) }
        #expect(twice?.isNotFound == true)
    }

    @Test func onlyThoseOneHasMetCanBeBlocked() async throws {
        let (town, ada, ben) = try await street()
        let cem = try await town.person("Cem")
        for stranger in [cem.id, ada.id, town.world.id()] {
            let refused = await refusal {
                try await town.network.block(stranger, by: ada.caller)
            }
            #expect(refused?.isNotFound == true)
        }
        // Removed by the other: the message about it is the way to them.
        try await town.network.removeContact(ada.id, by: ben.caller)
        let bens = try await code(of: ben, town)
        #expect(try await town.network.block(ben.id, by: ada.caller).name == "Ben")
        #expect(try await code(of: ben, town) == bens, "nobody renews a stranger's code")
        #expect(try await town.network.blocks(of: ben.caller).isEmpty)
    }

    @Test func aBlockByAResponderTellsTheLossAndFreesTheAlert() async throws {
        let (town, ada, ben) = try await street()
        let alert = try await town.raiseAlert(ada)
        _ = try await town.acknowledge(alert, ben)
        _ = try await town.news(of: ada)
        _ = try await town.network.block(ada.id, by: ben.caller)
        #expect(try await town.news(of: ada).contains(ProtectionTests.lost))
        #expect(try await town.openAlert(ada)?.acknowledgement == nil)
    }
}
