import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct LeavingTests {
    @Test func theExportHoldsEverythingAndOfNobodyElse() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.armed("Ben"),
            try await server.armed("Cleo")
        )
        try await server.connect(ben, watchesOver: ada, mutually: true)
        try await server.connect(cleo, watchesOver: ben)
        let url = try #require(URL(string: "https://example.org/hook"))
        for (number, person) in [ada, ben, cleo].enumerated() {
            _ = try await server.network.updateProfile(
                name: nil, emergencyNote: "Note of \(person.name)", of: person.caller)
            _ = try await server.network.setPicture(
                (contentType: "image/png", bytes: Data([UInt8(number)])), of: person.caller)
            _ = try await server.network.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: url, of: person.caller)
            try await server.network.setPreferences(
                NotificationPreferences(muted: [.checkIn]), of: person.caller)
        }
        // More than one page of each.
        for _ in 1...205 {
            server.clock.pass(.seconds(11))
            for person in [ada, ben] { try await server.checkIn(person) }
            let ping = try await server.ping(ada, by: ben)
            _ = try await server.network.respond(to: ping.id, by: ada.caller)
            for person in [ada, ben] {
                _ = try await server.endAlert(try await server.raiseAlert(person), person)
            }
        }
        _ = try await server.ping(ben, by: cleo)

        let export = try await server.export(of: ada)
        #expect(export.exportedAt == server.clock.now)
        #expect(
            export.profile == (try await server.profile(ada))
                && export.profile.emergencyNote == "Note of Ada")
        #expect(export.notificationPreferences.muted == [.checkIn])
        #expect(export.qrCodeID == (try await server.network.qrCode(of: ada.caller).id))
        #expect(export.contacts.map(\.id) == [ben.id])
        #expect(export.checkIns.count == 206 && Set(export.checkIns.map(\.id)).count == 206)
        #expect(
            export.alerts.count == 205
                && export.alerts.allSatisfy {
                    $0.userId == ada.id.description && !$0.ledger.isEmpty
                })
        #expect(export.pings.count == 205 && export.pings.allSatisfy { $0.dependentID == ada.id })
        #expect(Set(export.notifications.map(\.id)).count == export.notifications.count)
        let stored = try await server.engine.read {
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

    /// Asked of every table of the engine, so that one of tomorrow is asked too.
    @Test func noTableKeepsARowOfThem() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await server.connect(ben, watchesOver: ada, mutually: true)
        _ = try await server.raiseAlert(ada)
        _ = try await server.ping(ada, by: ben)
        try await server.network.deleteAccount(of: ada.caller)
        let tables = ShardingRules.personColumns.merging(
            ShardingRules.valueColumns.mapValues { _ in "user_id" }
        ) { $1 }
        for (table, column) in tables where TestDatabase.isPostgreSQL || table != "event_numbers" {
            let sql = "SELECT COUNT(*) FROM \(table) WHERE \(column) = $1"
            let (adas, bens) = try await server.engine.read {
                (try $0.count(sql, [.id(ada.id)]), try $0.count(sql, [.id(ben.id)]))
            }
            #expect(adas == 0, "\(table)")
            #expect(bens > 0 || table != "event_numbers", "\(table)")
        }
        #expect(try await server.profile(ben).name == "Ben")
        #expect(try await server.export(of: ben).contacts.isEmpty)
    }

    @Test func anAccountIsGoneAtOnceAndTheContactsAreTold() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        let code = try await server.network.qrCode(of: ada.caller).id
        _ = try await server.ping(ada, by: ben)
        _ = try await server.network.authenticate(ada.tokens.accessToken)
        _ = try await server.news(of: ben)
        try await server.network.deleteAccount(of: ada.caller)

        #expect(
            await refusal { try await server.network.authenticate(ada.tokens.accessToken) }?
                .isUnauthenticated == true)
        #expect(
            await refusal { try await server.network.refresh(ada.tokens.refreshToken) }?
                .isUnauthenticated == true)
        #expect(await refusal { try await server.alert(alert, seenBy: ben) }?.isNotFound == true)
        #expect(
            await refusal {
                try await server.network.owner(
                    ofCode: try #require(QRCodeID(code)), for: ben.caller)
            }?.isNotFound == true)
        #expect(try await server.network.contacts(of: ben.caller).isEmpty)
        #expect(try await server.network.pings(of: ben.caller, page: Page()).isEmpty)
        #expect(try await server.news(of: ben) == ["Ada has left LifeSignal"])
        #expect(
            try await server.events(of: ben).contains(.contactRemoved(.init(contactID: ada.id))))
        #expect(try await server.pass(.days(2)) == nil)
        #expect(try await server.news(of: ben) == [])
    }

    /// Another device of the same person still has a request under way.
    @Test func whatADeletedUserAsksForIsRefused() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.network.deleteAccount(of: ada.caller)
        let url = try #require(URL(string: "https://example.org/hook"))
        let code = try #require(QRCodeID(try await server.network.qrCode(of: ben.caller).id))
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        let commands: [@Sendable () async throws -> Void] = [
            { try await server.checkIn(ada) }, { try await server.raiseAlert(ada) },
            { _ = try await server.profile(ada) },
            {
                _ = try await server.network.updateProfile(
                    name: "Ada", emergencyNote: nil, of: ada.caller)
            },
            { _ = try await server.setInterval(.hours(8), of: ada) },
            { _ = try await server.network.qrCode(of: ada.caller) },
            { _ = try await server.network.renewQRCode(of: ada.caller) },
            { _ = try await server.network.export(of: ada.caller) },
            { _ = try await server.network.preferences(of: ada.caller) },
            { try await server.network.deleteAccount(of: ada.caller) },
            { _ = try await server.network.addContact(code: code, roles: roles, to: ada.caller) },
            {
                _ = try await server.network.setPicture(
                    (contentType: "image/png", bytes: Data([1])), of: ada.caller)
            },
            {
                _ = try await server.network.savePushEndpoint(
                    server.environment.id(), kind: .webhook, url: url, of: ada.caller)
            },
            { _ = try await server.network.setPreferences(.standard, of: ada.caller) },
        ]
        for (number, command) in commands.enumerated() {
            #expect(await refusal(command)?.isUnauthenticated == true, "command \(number)")
        }
        #expect(try await server.events(of: ada).isEmpty)
    }

    @Test func theSameNumberBeginsAnew() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.network.deleteAccount(of: ada.caller)
        let again = try await server.signIn(ada.number, as: "Ada")
        #expect(again.tokens.isNewUser && again.id != ada.id)
        #expect(try await server.history(of: again).isEmpty)
    }
}
