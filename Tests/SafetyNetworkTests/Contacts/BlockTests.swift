import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ada removes or blocks Ben, who was her responder.
@Suite struct BlockTests {
    private let roles = ContactRoles.shown(isResponder: false, isDependent: true)

    private func code(of person: Person, _ server: TestServer) async throws -> QRCodeID {
        try #require(QRCodeID(try await server.network.qrCodes.qrCode(of: person.caller).id))
    }

    private func add(_ code: QRCodeID, _ person: Person, _ server: TestServer) async
        -> CommandError?
    {
        await refusal {
            try await server.network.contacts.addContact(
                code: code, roles: roles, to: person.caller)
        }
    }

    private func street() async throws -> (TestServer, ada: Person, ben: Person) {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await server.connect(ben, watchesOver: ada)
        return (server, ada, ben)
    }

    @Test func removedPersonCannotReuseTheOldCode() async throws {
        let (server, ada, ben) = try await street()
        let (adas, bens) = (try await code(of: ada, server), try await code(of: ben, server))
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        #expect(await add(adas, ben, server)?.isNotFound == true)
        #expect(try await code(of: ben, server) == bens, "only the remover's code is renewed")
        #expect(try await server.events(of: ada).contains(.profileChanged))
        // Ben can add Ada with her new code.
        #expect(await add(try await code(of: ada, server), ben, server) == nil)
    }

    /// Ada and Ben watch over each other.
    @Test func endedResponderCannotReturnByTheOldCode() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await server.connect(ben, watchesOver: ada, mutually: true)
        let (adas, bens) = (try await code(of: ada, server), try await code(of: ben, server))
        // Asking for nothing new keeps the code.
        for (isResponder, keepsCode) in [(true, true), (false, false)] {
            _ = try await server.network.contacts.changeRoles(
                of: ben.id, to: .shown(isResponder: isResponder, isDependent: true),
                by: ada.caller)
            let present = try await code(of: ada, server)
            #expect((present == adas) == keepsCode)
        }
        #expect(try await code(of: ben, server) == bens)
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(await add(adas, ben, server)?.isNotFound == true)
        #expect(await add(try await code(of: ada, server), ben, server) == nil)
    }

    @Test func responderWhoLeftReturnsByTheCode() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await server.connect(ben, watchesOver: ada, mutually: true)
        let adas = try await code(of: ada, server)
        _ = try await server.network.contacts.changeRoles(
            of: ada.id, to: .shown(isResponder: true, isDependent: false), by: ben.caller)
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(await add(adas, ben, server) == nil)
    }

    /// Ada watches over Ben, and he asks to watch over her.
    @Test(arguments: [true, false])
    func declinedResponderCannotReturnByTheOldCode(deletesAccount: Bool) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await server.connect(ada, watchesOver: ben)
        let adas = try await code(of: ada, server)
        _ = try await server.network.contacts.changeRoles(
            of: ada.id, to: .shown(isResponder: true, isDependent: true), by: ben.caller)
        try await server.network.contacts.endRequest(.responder, with: ben.id, by: ada.caller)
        var scanner = ben
        if deletesAccount {
            try await server.deleteAccount(ben)
            scanner = try await server.signIn(ben.number, as: "Ben")
        } else {
            try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        }
        #expect(await add(adas, scanner, server)?.isNotFound == true)
        #expect(await add(try await code(of: ada, server), scanner, server) == nil)
    }

    @Test func blockedPersonSeesAStranger() async throws {
        let (server, ada, ben) = try await street()
        let (adas, bens) = (try await code(of: ada, server), try await code(of: ben, server))
        let alert = try await server.raiseAlert(ada)
        for person in [ada, ben] { _ = try await server.news(of: person) }
        let blocked = try await server.network.blocks.block(ben.id, by: ada.caller)
        #expect(blocked == BlockedPerson(id: ben.id, name: "Ben", blockedAt: noon))
        #expect(try await server.network.blocks.blocks(of: ada.caller) == [blocked])
        #expect(try await server.network.blocks.block(ben.id, by: ada.caller) == blocked)
        #expect(try await server.news(of: ben) == ["Ada is no longer your contact"])

        let (newAdas, newBens) = (try await code(of: ada, server), try await code(of: ben, server))
        #expect(newAdas != adas && newBens == bens)
        let stale = await add(QRCodeID(server.environment.makeID()), ben, server)
        for shown in [adas, newAdas] {
            #expect(await add(shown, ben, server) == stale && stale?.isNotFound == true)
            let preview = await refusal {
                try await server.network.qrCodes.owner(ofCode: shown, for: ben.caller)
            }
            #expect(preview == stale)
        }
        #expect(try await server.network.contacts.contacts(of: ben.caller).isEmpty)
        #expect(await refusal { try await server.ping(ada, by: ben) }?.isNotFound == true)
        #expect(await refusal { try await server.alert(alert, seenBy: ben) }?.isNotFound == true)
        let cem = try await server.person("Cem")
        #expect(await add(newAdas, cem, server) == nil)
    }

    /// Ada removes or blocks Ben. His code, notifications and events are the same.
    @Test func blockLooksLikeARemovalToTheOther() async throws {
        func traces(isBlock: Bool) async throws -> (news: [String], events: [UserEvent]) {
            let (server, ada, ben) = try await street()
            let former = try await code(of: ben, server)
            let before = try await server.events(of: ben).count
            if isBlock {
                _ = try await server.network.blocks.block(ben.id, by: ada.caller)
            } else {
                try await server.network.contacts.removeContact(ben.id, by: ada.caller)
            }
            #expect(try await code(of: ben, server) == former)
            let events = try await server.events(of: ben).dropFirst(before)
            return (try await server.news(of: ben), Array(events))
        }
        let (removal, block) = (try await traces(isBlock: false), try await traces(isBlock: true))
        #expect(removal.news == ["Ada is no longer your contact"] && block.news == removal.news)
        #expect(!removal.events.contains(.profileChanged))
        #expect(block.events.map(\.kind) == removal.events.map(\.kind))
    }

    /// Ben still has notifications about Ada.
    @Test func blockedPersonReadsNoNewName() async throws {
        let (server, ada, ben) = try await street()
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        _ = try await server.network.profiles.updateProfile(
            name: "Adele", emergencyNote: nil, of: ada.caller)
        let answer = try await server.network.blocks.block(ada.id, by: ben.caller)
        #expect(answer.name == Blocks.formerContact)
        #expect(try await server.network.blocks.blocks(of: ben.caller) == [answer])
    }

    @Test func newAccountOfABlockedNumberStaysBlocked() async throws {
        let (server, ada, ben) = try await street()
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        try await server.deleteAccount(ben)
        let again = try await server.signIn(ben.number, as: "Benny")
        #expect(again.id != ben.id)
        #expect(await add(try await code(of: ada, server), again, server)?.isNotFound == true)
        #expect(
            try await server.network.blocks.blocks(of: ada.caller).map(\.name) == [
                "Someone who has left"
            ])
        let stored = try await server.engine.read {
            try $0.query("SELECT phone_hash FROM blocks", []) { try $0["phone_hash"] as Data }
        }
        #expect(stored.count == 1 && stored[0].range(of: Data(ben.number.text.utf8)) == nil)
    }

    @Test func theBlockerHasToUnblockFirst() async throws {
        let (server, ada, ben) = try await street()
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        let bens = try await code(of: ben, server)
        #expect(
            await add(bens, ada, server)
                == .permissionDenied(RefusalWords.blocked.detail))
        try await server.network.blocks.unblock(ben.id, by: ada.caller)
        #expect(try await server.network.blocks.blocks(of: ada.caller).isEmpty)
        #expect(await add(bens, ada, server) == nil)
        let twice = await refusal {
            try await server.network.blocks.unblock(ben.id, by: ada.caller)
        }
        #expect(twice?.isNotFound == true)
    }

    /// Somebody with Ada's unlocked phone could unblock themselves. The phone is her only device.
    @Test func unblockingIsAnnouncedDespiteMuting() async throws {
        let (server, ada, ben) = try await street()
        let cem = try await server.person("Cem")
        try await server.connect(cem, watchesOver: ada)
        let muted = Set(NotificationType.allCases).subtracting([.alert])
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: muted), of: ada.caller)
        for person in [ben, cem] {
            _ = try await server.network.blocks.block(person.id, by: ada.caller)
        }
        _ = try await server.news(of: ada)
        for person in [ben, cem] {
            try await server.network.blocks.unblock(person.id, by: ada.caller)
        }
        let told = try await server.newsItems(of: ada)
        #expect(told.map(\.title) == ["A person was unblocked", "A person was unblocked"])
        #expect(told.map { String($0.body.prefix(3)) } == ["Ben", "Cem"])
        _ = await refusal { try await server.network.blocks.unblock(ben.id, by: ada.caller) }
        #expect(try await server.news(of: ada) == [])
    }

    @Test func onlyAcquaintancesCanBeBlocked() async throws {
        let (server, ada, ben) = try await street()
        let cem = try await server.person("Cem")
        for stranger in [cem.id, ada.id, server.environment.id()] {
            let refused = await refusal {
                try await server.network.blocks.block(stranger, by: ada.caller)
            }
            #expect(refused?.isNotFound == true)
        }
        // Ben removes Ada. She can still block him, because one of her notifications is about him.
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        let (adas, bens) = (try await code(of: ada, server), try await code(of: ben, server))
        let blocked = try await server.network.blocks.block(ben.id, by: ada.caller)
        #expect(blocked.name == Blocks.formerContact)
        #expect(try await code(of: ben, server) == bens, "nobody renews a stranger's code")
        #expect(try await code(of: ada, server) != adas, "Ben knows the code from before")
        #expect(try await server.network.blocks.blocks(of: ben.caller).isEmpty)
    }

    @Test func blockByAResponderFreesTheAlert() async throws {
        let (server, ada, ben) = try await street()
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        _ = try await server.news(of: ada)
        _ = try await server.network.blocks.block(ada.id, by: ben.caller)
        #expect(try await server.news(of: ada).contains(ProtectionTests.lost))
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
    }
}
