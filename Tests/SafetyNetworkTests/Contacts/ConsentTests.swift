import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Every role needs the other person's consent (product.md, "Consent").
@Suite struct ConsentTests {
    func change(
        _ server: TestServer, _ other: Person, responder: Bool, dependent: Bool, by person: Person
    ) async throws -> ContactData {
        try await server.network.contacts.changeRoles(
            of: other.id, to: ContactRoles(isResponder: responder, isDependent: dependent),
            by: person.caller)
    }

    func street() async throws -> (TestServer, ada: Person, ben: Person) {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        for person in [ada, ben] {
            _ = try await server.network.profiles.updateProfile(
                name: nil, emergencyNote: "Note of \(person.name)", of: person.caller)
            _ = try await server.network.profiles.setPicture(
                (contentType: "image/png", bytes: Data([1])), of: person.caller)
        }
        return (server, ada, ben)
    }

    func wire(_ contact: ContactData?) throws -> String {
        String(decoding: try WireJSON.encoder().encode(contact), as: UTF8.self)
    }

    func smsCount(_ server: TestServer, to person: Person) async throws -> Int {
        try await server.engine.read {
            try $0.count(
                "SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'sms'",
                [.id(person.id)])
        }
    }

    @Test func laterRoleIsARequestRevealingNothing() async throws {
        let (server, ada, ben) = try await street()
        try await server.connect(ben, watchesOver: ada)
        _ = try await change(server, ben, responder: true, dependent: true, by: ada)
        // Ada has requested to be Ben's responder.
        let seen = try #require(try await server.contact(ben, seenBy: ada))
        #expect(seen.isResponder && !seen.isDependent && seen.watch == nil)
        #expect(seen.requests == [.init(role: .dependent, isMine: true, requestedAt: noon)])
        #expect(!(try wire(seen)).contains("Note of Ben"))
        let alert = try await server.raiseAlert(ben)
        #expect(try await server.alerts(ada).isEmpty)
        #expect(await refusal { try await server.alert(alert, seenBy: ada) }?.isNotFound == true)
        #expect(await refusal { try await server.ping(ben, by: ada) }?.isPermissionDenied == true)
        #expect(try await server.news(of: ada) == ["You asked Ben"])
        #expect(try await server.news(of: ben) == ["Ada asks you", "No one was told"])
        // Ben accepts the request during his own alert.
        try await server.accept(.responder, of: ada, by: ben)
        #expect(try await server.contact(ben, seenBy: ada)?.watch?.emergencyNote == "Note of Ben")
        #expect(
            try await server.news(of: ada) == ["Ben accepted your request", "Ben still needs help"])
        #expect(try await server.alerts(ada).map(\.id) == [alert.id])
        #expect(try await smsCount(server, to: ada) == 1)
    }

    @Test func askedResponderGetsNoSMSAndNoDetails() async throws {
        let (server, ada, ben) = try await street()
        try await server.ask(ben, toWatchOver: ada)
        let seen = try #require(try await server.contact(ada, seenBy: ben))
        #expect(seen.name == "Ada" && seen.phoneNumber == nil && seen.profilePictureURL == nil)
        #expect(seen.watch == nil && !seen.isDependent && seen.showsAlerts)
        #expect(seen.requests == [.init(role: .dependent, isMine: false, requestedAt: noon)])
        let asked = try #require(try await server.contact(ben, seenBy: ada))
        #expect(!asked.isResponder && asked.phoneNumber == nil && !asked.showsAlerts)
        #expect(asked.requests == [.init(role: .responder, isMine: true, requestedAt: noon)])
        #expect(await refusal { try await server.ping(ada, by: ben) }?.isPermissionDenied == true)

        server.clock.pass(.seconds(1))
        try await server.checkIn(ada)
        let checkIns = try await server.events(of: ben).filter { event in
            if case .checkIn(let summary) = event { summary.userID == ada.id } else { false }
        }
        #expect(checkIns.isEmpty)

        let alert = try await server.raiseAlert(ada)
        #expect(try await server.news(of: ben) == ["Ada needs help"])
        #expect(try await smsCount(server, to: ben) == 0)
        #expect(
            try await server.events(of: ben).contains { event in
                if case .alert(let record) = event { record.id == alert.id } else { false }
            })
        try await server.accept(.dependent, of: ada, by: ben)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.emergencyNote == "Note of Ada")
        #expect(try await server.contact(ben, seenBy: ada)?.phoneNumber == ben.number)
        #expect(try await smsCount(server, to: ben) == 1)
        try await server.pass(.minutes(5))
        #expect(try await smsCount(server, to: ben) == 2)
    }

    /// A stranger with a person's code could otherwise learn when they look at LifeSignal.
    @Test(arguments: [false, true])
    func askedPersonsOpeningStaysPrivate(declines: Bool) async throws {
        let (server, ada, ben) = try await street()
        try await server.ask(ben, toWatchOver: ada)
        let alert = try await server.raiseAlert(ada)
        func lines() async throws -> [AlertRecord.LedgerEntry] {
            try await server.alert(alert, seenBy: ada).ledger.filter { $0.name == "Ben" }
        }
        let before = try await lines()
        #expect(before.count == 1 && before.first?.reason == "not-accepted")
        #expect(before.first?.state == .queued && before.first?.time == noon)
        server.clock.pass(.seconds(1))
        let items = try await server.network.events.events(of: ben.id, after: 0, limit: 1000).events
            .compactMap(\.notificationID).map { (user: ben.id, notification: $0) }
        try await server.network.events.markStreamed(items)
        #expect(try await lines() == before)
        try await server.network.climbing.markAlertOpened(try alert.typedID, by: ben.caller)
        #expect(try await lines() == before)
        if declines {
            try await server.network.contacts.endRequest(.dependent, with: ada.id, by: ben.caller)
            #expect(try await lines() == before)
        } else {
            _ = try await server.acknowledge(alert, ben)
            let after = try await lines()
            #expect(after.map(\.channel) == [.stream] && after.first?.openedAt == nil)
            #expect(after.first?.words == before.first?.words)
        }
        let exported = try await server.export(of: ada).alerts.first?.ledger
        #expect(exported?.filter { $0.name == "Ben" }.count == 1)
    }

    @Test func formerResponderWithAnSMSKeepsTheirLines() async throws {
        let (server, ada, ben) = try await street()
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        _ = try await server.network.blocks.block(ben.id, by: ada.caller)
        let lines = try await server.alert(alert, seenBy: ada).ledger.filter { $0.name == "Ben" }
        #expect(lines.contains { $0.channel == .sms && $0.reason != "not-accepted" })
    }

    /// Without an SMS, the ledger doesn't tell a former responder from a stranger.
    @Test func formerResponderWithoutAnSMSHasOneLine() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        try await server.network.contacts.removeContact(ben.id, by: ada.caller)
        let lines = try await server.alert(alert, seenBy: ada).ledger.filter { $0.name == "Ben" }
        #expect(lines.map(\.words) == ["not an accepted responder"])
    }

    /// A person who hasn't accepted the role may still say "I'm on it".
    @Test func askedResponderMayAcknowledge() async throws {
        let (server, ada, ben) = try await street()
        try await server.ask(ben, toWatchOver: ada)
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.alerts(ben).map(\.id) == [alert.id])
        #expect(try await server.acknowledge(alert, ben).acknowledgement?.name == "Ben")
        #expect(try await server.contact(ada, seenBy: ben)?.watch == nil)
        // Ben's acknowledgement doesn't make Ada his responder.
        let other = try await server.raiseAlert(ben)
        #expect(await refusal { try await server.alert(other, seenBy: ada) }?.isNotFound == true)
        // When Ben declines the request, his acknowledgement ends.
        try await server.network.contacts.endRequest(.dependent, with: ada.id, by: ben.caller)
        #expect(try await server.openAlert(ada)?.acknowledgement == nil)
        #expect(try await server.alerts(ben).map(\.id) == [other.id])
    }

    /// Deleting an account withdraws its acknowledgement, even if the person hadn't accepted the
    /// role.
    @Test func deletingTheAccountOfAnAskedPersonReleasesTheAlert() async throws {
        let (server, ada, ben) = try await street()
        let cleo = try await server.armed("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        try await server.ask(ben, toWatchOver: ada)
        let alert = try await server.raiseAlert(ada)
        _ = try await server.acknowledge(alert, ben)
        server.clock.pass(.minutes(1))
        for person in [ada, cleo] { _ = try await server.news(of: person) }
        try await server.deleteAccount(ben)
        let seen = try #require(try await server.openAlert(ada))
        #expect(seen.id == alert.id && seen.acknowledgement == nil)
        let toCleo = try await server.newsItems(of: cleo)
        #expect(toCleo.map(\.title) == ["Ada still needs help"])
        #expect(toCleo.first?.body.hasPrefix("Ben is no longer on it.") == true)
        #expect(
            try await server.news(of: ada) == ["Ben is no longer on it", "Ben has left LifeSignal"])
        try await server.pass(.minutes(4))
        #expect(try await server.news(of: cleo) == ["Ada still needs help"])
    }

    @Test func alertsToAnUnacceptedResponderCostNoSMS() async throws {
        let (server, ada, ben) = try await street()
        try await server.ask(ben, toWatchOver: ada)
        let address = try EmailAddress("ben@example.org")
        try await server.engine.write(about: .none) {
            try $0.insertEmailAddress(address, of: ben.id)
        }
        func mails() async throws -> Int {
            try await server.engine.read {
                try $0.count(
                    """
                    SELECT COUNT(*) FROM deliveries
                    WHERE user_id = $1 AND channel = 'email' AND alert_id IS NOT NULL
                    """, [.id(ben.id)])
            }
        }
        for _ in 0..<60 { _ = try await server.endAlert(try await server.raiseAlert(ada), ada) }
        #expect(try await smsCount(server, to: ben) == 0)
        #expect(try await mails() == 0)
        try await server.accept(.dependent, of: ada, by: ben)
        _ = try await server.raiseAlert(ada)
        #expect(try await smsCount(server, to: ben) == 1)
        #expect(try await mails() == 1)
    }

    @Test func onlyAgreedContactsSeeThePicture() async throws {
        let (server, ada, ben) = try await street()
        try await server.ask(ben, toWatchOver: ada)
        for (viewer, other) in [(ada, ben), (ben, ada)] {
            let url = try #require(try await server.profile(other).profilePictureURL)
            let id = try #require(PictureID(url.lastPathComponent))
            #expect(
                await refusal { try await server.network.profiles.picture(id, for: viewer.caller) }?
                    .isNotFound
                    == true)
        }
        try await server.accept(.dependent, of: ada, by: ben)
        let url = try #require(try await server.contact(ada, seenBy: ben)?.profilePictureURL)
        let id = try #require(PictureID(url.lastPathComponent))
        #expect(try await server.network.profiles.picture(id, for: ben.caller).bytes == Data([1]))
    }

    @Test func acceptingAndDecliningAreIdempotent() async throws {
        let (server, ada, ben) = try await street()
        try await server.connect(ben, watchesOver: ada)
        _ = try await change(server, ada, responder: true, dependent: true, by: ben)
        for person in [ada, ben] { _ = try await server.news(of: person) }
        let own = await refusal { try await server.accept(.responder, of: ada, by: ben) }
        #expect(own?.isPermissionDenied == true)
        for _ in 0..<2 { try await server.accept(.dependent, of: ben, by: ada) }
        #expect(try await server.news(of: ada) == ["You accepted Ben's request"])
        #expect(try await server.news(of: ben) == ["Ada accepted your request"])
        let late = await refusal {
            try await server.network.contacts.endRequest(.dependent, with: ben.id, by: ada.caller)
        }
        #expect(late?.isAlreadyExists == true)

        _ = try await change(server, ada, responder: false, dependent: true, by: ben)
        _ = try await change(server, ada, responder: true, dependent: true, by: ben)
        for person in [ada, ben] { _ = try await server.news(of: person) }
        for _ in 0..<2 {
            try await server.network.contacts.endRequest(.dependent, with: ben.id, by: ada.caller)
        }
        // Ada was the last person who could have become Ben's responder.
        #expect(try await server.news(of: ada) == ["You declined Ben's request"])
        #expect(
            try await server.news(of: ben)
                == ["Ada declined your request", "You have no responders now"])
        #expect(try await server.contact(ada, seenBy: ben)?.isDependent == true)
        #expect(
            await refusal { try await server.accept(.dependent, of: ben, by: ada) }?.isNotFound
                == true)
    }

    @Test func requestCanBeWithdrawn() async throws {
        let (server, ada, ben) = try await street()
        try await server.connect(ben, watchesOver: ada)
        _ = try await change(server, ada, responder: true, dependent: true, by: ben)
        let withdrawn = try await change(server, ada, responder: false, dependent: true, by: ben)
        #expect(withdrawn.requests.isEmpty && withdrawn.isDependent)
        _ = try await change(server, ada, responder: true, dependent: true, by: ben)
        try await server.network.contacts.endRequest(.responder, with: ada.id, by: ben.caller)
        #expect(try await server.contact(ada, seenBy: ben)?.requests == [])
        #expect(try await server.news(of: ada).last == "Ben took back their request")
    }

    @Test func mutualRequestsAreConsent() async throws {
        let (server, ada, ben) = try await street()
        try await server.connect(ben, watchesOver: ada)
        _ = try await change(server, ada, responder: true, dependent: true, by: ben)
        let agreed = try await change(server, ben, responder: true, dependent: true, by: ada)
        #expect(agreed.isDependent && agreed.requests.isEmpty)
    }

    @Test func decliningTheOnlyRoleEndsTheRelation() async throws {
        let (server, ada, ben) = try await street()
        try await server.ask(ben, toWatchOver: ada)
        let code = try await server.network.qrCodes.qrCode(of: ben.caller).id
        try await server.network.contacts.endRequest(.dependent, with: ada.id, by: ben.caller)
        for person in [ada, ben] {
            #expect(try await server.network.contacts.contacts(of: person.caller).isEmpty)
        }
        #expect(
            try await server.news(of: ada)
                == ["Ben declined your request", "You have no responders now"])
        #expect(try await server.news(of: ben) == ["You declined Ada's request"])
        #expect(try await server.network.qrCodes.qrCode(of: ben.caller).id != code)
    }

    @Test func decliningHelperReleasesTheAlert() async throws {
        let (server, ada, ben) = try await street()
        let cem = try await server.person("Cem")
        try await server.connect(cem, watchesOver: ada)
        try await server.connect(ada, watchesOver: ben)
        _ = try await change(server, ben, responder: true, dependent: true, by: ada)
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.alert(alert, seenBy: ada).isActive)
        try await server.network.contacts.endRequest(.dependent, with: ada.id, by: ben.caller)
        _ = try await server.news(of: ben)
        try await server.pass(.minutes(5))
        #expect(try await server.news(of: ben) == [], "they are not asked any more")
        #expect(try await server.news(of: cem).contains("Ada still needs help"))
    }
}
