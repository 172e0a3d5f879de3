import Cryptography
import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct LeavingTests {
    @Test func exportHasAllOwnDataAndNoOthers() async throws {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.armed("Ben"),
            try await server.armed("Cleo")
        )
        try await server.connect(ben, watchesOver: ada, mutually: true)
        try await server.connect(cleo, watchesOver: ben)
        let url = try #require(URL(string: "https://example.org/hook"))
        for (number, person) in [ada, ben, cleo].enumerated() {
            _ = try await server.network.profiles.updateProfile(
                name: nil, emergencyNote: "Note of \(person.name)", of: person.caller)
            _ = try await server.network.profiles.setPicture(
                (contentType: "image/png", bytes: Data([UInt8(number)])), of: person.caller)
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: url, of: person.caller)
            try await server.network.notifications.setPreferences(
                NotificationPreferences(muted: [.checkIn]), of: person.caller)
        }
        // The server keeps few pings of each pair, so several people ping.
        var asking = [ben]
        for name in ["Dora", "Emil", "Fay", "Gus"] {
            let person = try await server.person(name)
            try await server.connect(person, watchesOver: ada)
            asking.append(person)
        }
        // Each list needs more than one page. Time passes, because the server keeps few alerts per
        // day.
        for number in 1...205 {
            server.clock.pass(.minutes(75))
            for person in [ada, ben] { try await server.checkIn(person) }
            let ping = try await server.ping(ada, by: asking[number % asking.count])
            _ = try await server.network.pings.respond(to: ping.id, by: ada.caller)
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
        #expect(export.qrCodeID == (try await server.network.qrCodes.qrCode(of: ada.caller).id))
        #expect(Set(export.contacts.map(\.id)) == Set(asking.map(\.id)))
        #expect(export.checkIns.count == 206 && Set(export.checkIns.map(\.id)).count == 206)
        #expect(
            export.alerts.count == 205
                && export.alerts.allSatisfy {
                    $0.userId == ada.id.description && !$0.ledger.isEmpty
                })
        #expect(export.pings.count == 205 && export.pings.allSatisfy { $0.dependentID == ada.id })
        #expect(Set(export.notifications.map(\.id)).count == export.notifications.count)
        let stored = try await server.engine.read {
            try $0.count(
                """
                SELECT COUNT(*) FROM notifications
                WHERE user_id = $1 AND type NOT LIKE 'deleted %'
                """, [.id(ada.id)])
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

    /// Checks every table, including tables added later.
    @Test func deletionLeavesNoRows() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await fillTables(of: ada, besides: ben, on: server)
        let before = try await rows(of: ada, on: server)
        #expect(before.filter { $0.value == 0 } == [:])
        try await server.deleteAccount(ada)
        let after = try await rows(of: ada, on: server)
        #expect(after.filter { $0.value > 0 } == [:])
        #expect(try await rows(of: ben, on: server)["events", default: 0] > 0)
        #expect(try await server.profile(ben).name == "Ben")
        #expect(try await server.export(of: ben).contacts.isEmpty)
    }

    private func rows(of person: Person, on server: TestServer) async throws -> [String: Int] {
        // A row of `firestore_changes` asks for the deletion of the copy with Google
        // (`CopyChangeTests`).
        let tables = ShardingRules.personColumns.merging(
            ShardingRules.valueColumns.mapValues { _ in "user_id" }
        ) { $1 }.filter { $0.key != "firestore_changes" }
        return try await server.engine.read { connection in
            try tables.reduce(into: [:]) { rows, table in
                // On SQLite, this table is empty: the newest event number comes from the events.
                guard TestDatabase.isPostgreSQL || table.key != "event_numbers" else { return }
                rows[table.key] = try connection.count(
                    "SELECT COUNT(*) FROM \(table.key) WHERE \(table.value) = $1",
                    [.id(person.id)])
            }
        }
    }

    /// Acts so that every table has a row of the person.
    private func fillTables(
        of person: Person, besides other: Person, on server: TestServer
    ) async throws {
        let network = server.network
        try await server.connect(other, watchesOver: person, mutually: true)
        let stranger = try await server.armed("Cleo")
        try await server.connect(stranger, watchesOver: person)
        _ = try await network.blocks.block(stranger.id, by: person.caller)
        try await network.serverLife.wake()
        let address = try #require(URL(string: "https://push.example.org/1"))
        let subscription = BrowserSubscription(url: address, p256dh: Data([4]), auth: Data([0]))
        _ = try await network.pushSubscriptions.savePushSubscription(
            server.environment.id(), subscription, of: person.caller)
        _ = try await network.drills.startDrill(server.environment.id(), by: person.caller)
        _ = try await server.acknowledge(try await server.raiseAlert(person), other)
        _ = try await server.ping(person, by: other)
        _ = try await server.ping(other, by: person)
        _ = try await network.profiles.updateProfile(
            name: nil, emergencyNote: "Nuts", of: person.caller, key: server.environment.makeID())
        _ = try await network.profiles.setPicture(
            (contentType: "image/png", bytes: Data([1])), of: person.caller)
        _ = try await network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook,
            url: try #require(URL(string: "https://example.org/hook")), of: person.caller)
        _ = try await network.sources.add("Button", of: person.caller)
        _ = try await network.journeys.start(
            JourneyDraft(
                id: JourneyID(server.environment.makeID()), name: "Hill",
                expectedReturn: server.clock.now.adding(.hours(1))), of: person.caller)
        let device = CodeAsker(deviceKey: server.environment.id())
        let code = try await server.code(for: person.number)
        let browser = try await network.signIn.signIn(
            person.number, code: code, deviceName: "Browser", by: device)
        try await network.webSessions.bindWebSession(
            Token(random: Data(repeating: 7, count: 32)), to: browser.caller)
        try await server.engine.write(about: Subjects([person.id])) { transaction in
            try transaction.save(
                Invitation(
                    id: server.environment.id(), name: "Mia", phoneNumber: "+442071838750",
                    state: .pending, createdAt: noon), of: person.id)
            try transaction.insertInvitedSignUp(server.environment.id(), by: person.id)
            try transaction.setSignInLock(SignInLockRow(), of: person.id)
            try transaction.save(
                SignInWaitRow(SignInWait(deviceName: "Phone", startedAt: noon, endsAt: noon)),
                of: person.id)
            try transaction.setRecoveryCodes([Data(repeating: 4, count: 32)], of: person.id)
            try transaction.insert(
                PasskeyRow(
                    passkey: Passkey(
                        id: server.environment.id(), name: "Key", createdAt: noon),
                    credentialID: Data([4]), publicKey: Data([4]), counter: 0),
                of: person.id)
            // A refresh token from an earlier version, which didn't contain its session.
            try transaction.rememberUsedRefreshToken(
                Data(repeating: 8, count: 32), of: person.caller)
            try transaction.setNewEmailAddress(
                EmailAddress("person@example.org"), code: UUID(), of: person.id)
            let budget = Budget(total: 9, perUser: 9)
            _ = try transaction.spend(
                .alertBegin, on: .sms, by: person.id, Budgets(sms: budget, voice: budget))
            // The delivery worker records the provider's ids.
            _ = try transaction.execute(
                "UPDATE deliveries SET provider_id = 'SM' WHERE user_id = $1", [.id(person.id)])
            _ = try transaction.execute(
                """
                INSERT INTO provider_ids (provider_id, user_id, delivery_id, created_at)
                SELECT provider_id, user_id, id, created_at FROM deliveries WHERE user_id = $1
                """, [.id(person.id)])
            let app = PushEndpoint(
                id: server.environment.id(), kind: .fcm, url: address, createdAt: noon)
            _ = try transaction.save(
                AppEndpointRow(endpoint: app, addressHash: Data(repeating: 9, count: 32)),
                of: person.caller)
            _ = try transaction.execute(
                "INSERT INTO proofs (user_id, channel, proven_at) VALUES ($1, 'sms', 1)",
                [.id(person.id)])
        }
    }

    @Test func deletionIsImmediateAndTellsContacts() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        let code = try await server.network.qrCodes.qrCode(of: ada.caller).id
        _ = try await server.ping(ada, by: ben)
        _ = try await server.network.signIn.authenticate(ada.tokens.accessToken)
        _ = try await server.news(of: ben)
        try await server.deleteAccount(ada)

        #expect(
            await refusal { try await server.network.signIn.authenticate(ada.tokens.accessToken) }?
                .isUnauthenticated == true)
        #expect(
            await refusal { try await server.network.signIn.refresh(ada.tokens.refreshToken) }?
                .isUnauthenticated == true)
        #expect(await refusal { try await server.alert(alert, seenBy: ben) }?.isNotFound == true)
        #expect(
            await refusal {
                try await server.network.qrCodes.owner(
                    ofCode: try #require(QRCodeID(code)), for: ben.caller)
            }?.isNotFound == true)
        #expect(try await server.network.contacts.contacts(of: ben.caller).isEmpty)
        #expect(try await server.network.pings.pings(of: ben.caller, page: Page()).isEmpty)
        #expect(try await server.news(of: ben) == ["Ada has left LifeSignal"])
        #expect(
            try await server.events(of: ben).contains(.contactRemoved(.init(contactID: ada.id))))
        #expect(try await server.pass(.days(2)) == nil)
        #expect(try await server.news(of: ben) == [])
    }

    /// Ben is a contact, and Cleo no longer is one.
    @Test func deletionShortensTheLogsOfOthers() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        let cleo = try await server.person("Cleo")
        for person in [ben, cleo] { try await server.connect(person, watchesOver: ada) }
        _ = try await server.endAlert(try await server.raiseAlert(ada), ada)
        try await server.network.contacts.removeContact(cleo.id, by: ada.caller)
        let newestOfBen = try await newestEvent(of: ben, on: server)
        let newestOfCleo = try await newestEvent(of: cleo, on: server)
        try await server.deleteAccount(ada)
        for (person, newest) in [(ben, newestOfBen), (cleo, newestOfCleo)] {
            let events = try await server.network.events.events(
                of: person.id, after: 0, limit: 100
            ).events
            #expect(events.first?.sequence == newest)
            #expect(events.map(\.sequence) == (0..<events.count).map { newest + Int64($0) })
            // A device that is behind loads everything again.
            let last = try #require(events.last?.sequence)
            for (number, start) in [
                (newest - 2, .reload(after: last)), (newest - 1, .resume(after: newest - 1)),
            ] as [(Int64, Events.StreamStart)] {
                #expect(
                    try await server.network.events.streamStart(
                        for: person.caller, lastEventID: number) == start)
            }
        }
    }

    private func newestEvent(of person: Person, on server: TestServer) async throws -> Int64 {
        try #require(
            try await server.engine.read { try $0.eventRange(of: person.id) }?.upperBound)
    }

    /// A request from the deleted user's other device is still in progress.
    @Test func deletedUsersRequestsAreRefused() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.deleteAccount(ada)
        let url = try #require(URL(string: "https://example.org/hook"))
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ben.caller).id))
        let roles = try ContactRoles(isResponder: true, isDependent: true)
        let commands: [@Sendable () async throws -> Void] = [
            { try await server.checkIn(ada) }, { try await server.raiseAlert(ada) },
            { _ = try await server.profile(ada) },
            {
                _ = try await server.network.profiles.updateProfile(
                    name: "Ada", emergencyNote: nil, of: ada.caller)
            },
            { _ = try await server.setInterval(.hours(8), of: ada) },
            { _ = try await server.network.qrCodes.qrCode(of: ada.caller) },
            { _ = try await server.network.qrCodes.renewQRCode(of: ada.caller) },
            { _ = try await server.network.export.export(of: ada.caller) },
            { _ = try await server.network.notifications.preferences(of: ada.caller) },
            { try await server.deleteAccount(ada) },
            {
                _ = try await server.network.contacts.addContact(
                    code: code, roles: roles, to: ada.caller)
            },
            {
                _ = try await server.network.profiles.setPicture(
                    (contentType: "image/png", bytes: Data([1])), of: ada.caller)
            },
            {
                _ = try await server.network.endpoints.savePushEndpoint(
                    server.environment.id(), kind: .webhook, url: url, of: ada.caller)
            },
            {
                _ = try await server.network.notifications.setPreferences(.standard, of: ada.caller)
            },
            { _ = try await server.network.pauses.endPause(of: ada.caller) },
            { _ = try await server.network.sources.add("Button", of: ada.caller) },
            { _ = try await server.network.blocks.blocks(of: ada.caller) },
            { try await server.network.blocks.unblock(ben.id, by: ada.caller) },
            { _ = try await server.network.invitations.invitations(of: ada.caller) },
            { _ = try await server.network.alertPasses.issueAlertPass(to: ada.caller) },
        ]
        for (number, command) in commands.enumerated() {
            #expect(await refusal(command)?.isUnauthenticated == true, "command \(number)")
        }
        #expect(try await server.events(of: ada).isEmpty)
    }

    @Test func sameNumberStartsANewAccount() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        try await server.deleteAccount(ada)
        let again = try await server.signIn(ada.number, as: "Ada")
        #expect(again.tokens.isNewUser && again.id != ada.id)
        #expect(try await server.history(of: again).isEmpty)
    }
}
