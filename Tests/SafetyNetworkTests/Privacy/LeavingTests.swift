import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct LeavingTests {
    @Test func theExportHoldsEverythingAndOfNobodyElse() async throws {
        let town = try Town()
        let (ada, ben, cleo) = (
            try await town.armed("Ada"), try await town.armed("Ben"), try await town.armed("Cleo")
        )
        try await town.connect(ben, watchesOver: ada, mutually: true)
        try await town.connect(cleo, watchesOver: ben)
        let url = try #require(URL(string: "https://example.org/hook"))
        for (number, person) in [ada, ben, cleo].enumerated() {
            _ = try await town.network.updateProfile(
                name: nil, emergencyNote: "Note of \(person.name)", of: person.caller)
            _ = try await town.network.setPicture(
                (contentType: "image/png", bytes: Data([UInt8(number)])), of: person.caller)
            _ = try await town.network.saveDevice(
                town.world.id(), kind: .webhook, url: url, of: person.caller)
            try await town.network.setPreferences(
                NotificationPreferences(muted: [.checkIn]), of: person.caller)
        }
        // More than one page of each.
        for _ in 1...205 {
            town.clock.pass(.seconds(11))
            for person in [ada, ben] { try await town.checkIn(person) }
            let ping = try await town.ping(ada, by: ben)
            _ = try await town.network.respond(to: ping.id, by: ada.caller)
            for person in [ada, ben] {
                _ = try await town.endAlert(try await town.raiseAlert(person), person)
            }
        }
        _ = try await town.ping(ben, by: cleo)

        let export = try await town.export(of: ada)
        #expect(export.exportedAt == town.clock.now)
        #expect(
            export.profile == (try await town.profile(ada))
                && export.profile.emergencyNote == "Note of Ada")
        #expect(export.notificationPreferences.muted == [.checkIn])
        #expect(export.qrCodeID == (try await town.network.qrCode(of: ada.caller).id))
        #expect(export.contacts.map(\.id) == [ben.id])
        #expect(export.checkIns.count == 206 && Set(export.checkIns.map(\.id)).count == 206)
        #expect(
            export.alerts.count == 205
                && export.alerts.allSatisfy {
                    $0.userId == ada.id.description && !$0.ledger.isEmpty
                })
        #expect(export.pings.count == 205 && export.pings.allSatisfy { $0.dependentID == ada.id })
        #expect(Set(export.notifications.map(\.id)).count == export.notifications.count)
        let stored = try await town.engine.read {
            try $0.count("SELECT COUNT(*) FROM notifications WHERE user_id = $1", [.id(ada.id)])
        }
        #expect(export.notifications.count == stored && stored > 400)
        #expect(export.sessions.map(\.id) == [ada.caller.sessionID])
        #expect(export.devices.count == 1 && export.picture == Data([0]))

        let json = String(decoding: try WireJSON.encoder().encode(export), as: UTF8.self)
        #expect(
            !json.contains(cleo.id.description) && !json.contains("Cleo")
                && !json.contains(cleo.number.text))
        #expect(try WireJSON.decoder().decode(AccountExport.self, from: Data(json.utf8)) == export)
    }

    @Test func anAccountIsGoneAtOnceAndTheContactsAreTold() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let alert = try await town.raiseAlert(ada)
        let code = try await town.network.qrCode(of: ada.caller).id
        _ = try await town.ping(ada, by: ben)
        _ = try await town.network.authenticate(ada.tokens.accessToken)
        _ = try await town.news(of: ben)
        try await town.network.deleteAccount(of: ada.caller)

        #expect(
            await refusal { try await town.network.authenticate(ada.tokens.accessToken) }?
                .isUnauthenticated == true)
        #expect(
            await refusal { try await town.network.refresh(ada.tokens.refreshToken) }?
                .isUnauthenticated == true)
        #expect(await refusal { try await town.alert(alert, seenBy: ben) }?.isNotFound == true)
        #expect(
            await refusal {
                try await town.network.owner(ofCode: try #require(QRCodeID(code)), for: ben.caller)
            }?.isNotFound == true)
        #expect(try await town.network.contacts(of: ben.caller).isEmpty)
        #expect(try await town.network.pings(of: ben.caller, page: Page()).isEmpty)
        #expect(try await town.news(of: ben) == ["Ada has left LifeSignal"])
        #expect(try await town.events(of: ben).contains(.contactRemoved(.init(contactID: ada.id))))
        #expect(try await town.pass(.days(2)) == nil)
        #expect(try await town.news(of: ben) == [])
    }

    /// Another device of the same person still has a request under way.
    @Test func whatADeletedUserAsksForIsRefused() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.armed("Ada"), try await town.person("Ben"))
        try await town.network.deleteAccount(of: ada.caller)
        let url = try #require(URL(string: "https://example.org/hook"))
        let code = try #require(QRCodeID(try await town.network.qrCode(of: ben.caller).id))
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        let commands: [@Sendable () async throws -> Void] = [
            { try await town.checkIn(ada) }, { try await town.raiseAlert(ada) },
            { _ = try await town.profile(ada) },
            {
                _ = try await town.network.updateProfile(
                    name: "Ada", emergencyNote: nil, of: ada.caller)
            },
            { _ = try await town.setInterval(.hours(8), of: ada) },
            { _ = try await town.network.qrCode(of: ada.caller) },
            { _ = try await town.network.renewQRCode(of: ada.caller) },
            { _ = try await town.network.export(of: ada.caller) },
            { _ = try await town.network.preferences(of: ada.caller) },
            { try await town.network.deleteAccount(of: ada.caller) },
            { _ = try await town.network.addContact(code: code, roles: roles, to: ada.caller) },
            {
                _ = try await town.network.setPicture(
                    (contentType: "image/png", bytes: Data([1])), of: ada.caller)
            },
            {
                _ = try await town.network.saveDevice(
                    town.world.id(), kind: .webhook, url: url, of: ada.caller)
            },
            { _ = try await town.network.setPreferences(.standard, of: ada.caller) },
        ]
        for (number, command) in commands.enumerated() {
            #expect(await refusal(command)?.isUnauthenticated == true, "command \(number)")
        }
        #expect(try await town.events(of: ada).isEmpty)
    }

    @Test func theSameNumberBeginsAnew() async throws {
        let town = try Town()
        let ada = try await town.armed("Ada")
        try await town.network.deleteAccount(of: ada.caller)
        let again = try await town.signIn(ada.number, as: "Ada")
        #expect(again.tokens.isNewUser && again.id != ada.id)
        #expect(try await town.history(of: again).isEmpty)
    }
}
