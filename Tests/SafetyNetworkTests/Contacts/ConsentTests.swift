import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Nobody gets a role without the other's consent (product.md, "Consent").
@Suite struct ConsentTests {
    func change(
        _ town: Town, _ other: Person, responder: Bool, dependent: Bool, by person: Person
    ) async throws -> ContactData {
        try await town.network.changeRoles(
            of: other.id, to: ContactRoles(isResponder: responder, isDependent: dependent),
            by: person.caller)
    }

    func street() async throws -> (Town, ada: Person, ben: Person) {
        let town = try Town(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await town.armed("Ada"), try await town.armed("Ben"))
        for person in [ada, ben] {
            _ = try await town.network.updateProfile(
                name: nil, emergencyNote: "Note of \(person.name)", of: person.caller)
            _ = try await town.network.setPicture(
                (contentType: "image/png", bytes: Data([1])), of: person.caller)
        }
        return (town, ada, ben)
    }

    func wire(_ contact: ContactData?) throws -> String {
        String(decoding: try WireJSON.encoder().encode(contact), as: UTF8.self)
    }

    func smsCount(_ town: Town, to person: Person) async throws -> Int {
        try await town.engine.read {
            try $0.count(
                "SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'sms'",
                [.id(person.id)])
        }
    }

    @Test func aRoleAddedLaterIsARequestThatRevealsNothing() async throws {
        let (town, ada, ben) = try await street()
        try await town.connect(ben, watchesOver: ada)
        _ = try await change(town, ben, responder: true, dependent: true, by: ada)
        // Ada asks to be Ben's responder.
        let seen = try #require(try await town.contact(ben, seenBy: ada))
        #expect(seen.isResponder && !seen.isDependent && seen.watch == nil)
        #expect(seen.requests == [.init(role: .dependent, isMine: true, requestedAt: noon)])
        #expect(!(try wire(seen)).contains("Note of Ben"))
        let alert = try await town.raiseAlert(ben)
        #expect(try await town.alerts(ada).isEmpty)
        #expect(await refusal { try await town.alert(alert, seenBy: ada) }?.isNotFound == true)
        #expect(await refusal { try await town.ping(ben, by: ada) }?.isPermissionDenied == true)
        #expect(try await town.news(of: ada) == ["You asked Ben"])
        #expect(try await town.news(of: ben) == ["Ada asks you", "No one was told"])
        // Accepted, with the alert that is open.
        try await town.accept(.responder, of: ada, by: ben)
        #expect(try await town.contact(ben, seenBy: ada)?.watch?.emergencyNote == "Note of Ben")
        #expect(
            try await town.news(of: ada) == ["Ben accepted your request", "Ben still needs help"])
        #expect(try await town.alerts(ada).map(\.id) == [alert.id])
        #expect(try await smsCount(town, to: ada) == 1)
    }

    @Test func whoeverIsAskedToBeAResponderIsToldWithoutSMSAndSeesNoDetails() async throws {
        let (town, ada, ben) = try await street()
        try await town.ask(ben, toWatchOver: ada)
        let seen = try #require(try await town.contact(ada, seenBy: ben))
        #expect(seen.name == "Ada" && seen.phoneNumber == nil && seen.profilePictureURL == nil)
        #expect(seen.watch == nil && !seen.isDependent && seen.showsAlerts)
        #expect(seen.requests == [.init(role: .dependent, isMine: false, requestedAt: noon)])
        let asked = try #require(try await town.contact(ben, seenBy: ada))
        #expect(!asked.isResponder && asked.phoneNumber == nil && !asked.showsAlerts)
        #expect(asked.requests == [.init(role: .responder, isMine: true, requestedAt: noon)])
        #expect(await refusal { try await town.ping(ada, by: ben) }?.isPermissionDenied == true)

        town.clock.pass(.seconds(1))
        try await town.checkIn(ada)
        let checkIns = try await town.events(of: ben).filter { event in
            if case .checkIn(let summary) = event { summary.userID == ada.id } else { false }
        }
        #expect(checkIns.isEmpty)

        let alert = try await town.raiseAlert(ada)
        #expect(try await town.news(of: ben) == ["Ada needs help"])
        #expect(try await smsCount(town, to: ben) == 0)
        #expect(
            try await town.events(of: ben).contains { event in
                if case .alert(let record) = event { record.id == alert.id } else { false }
            })
        try await town.accept(.dependent, of: ada, by: ben)
        #expect(try await town.contact(ada, seenBy: ben)?.watch?.emergencyNote == "Note of Ada")
        #expect(try await town.contact(ben, seenBy: ada)?.phoneNumber == ben.number)
        try await town.pass(.minutes(5))
        #expect(try await smsCount(town, to: ben) == 1)
    }

    /// "I'm on it" is an answer that helps, whether or not the request was answered before.
    @Test func whoeverIsAskedMaySeeTheAlertAndTakeItOn() async throws {
        let (town, ada, ben) = try await street()
        try await town.ask(ben, toWatchOver: ada)
        let alert = try await town.raiseAlert(ada)
        #expect(try await town.alerts(ben).map(\.id) == [alert.id])
        #expect(try await town.acknowledge(alert, ben).acknowledgement?.name == "Ben")
        #expect(try await town.contact(ada, seenBy: ben)?.watch == nil)
        // The other direction is not concerned.
        let other = try await town.raiseAlert(ben)
        #expect(await refusal { try await town.alert(other, seenBy: ada) }?.isNotFound == true)
        // A no gives the alert back to the others.
        try await town.network.endRequest(.dependent, with: ada.id, by: ben.caller)
        #expect(try await town.openAlert(ada)?.acknowledgement == nil)
        #expect(try await town.alerts(ben).map(\.id) == [other.id])
    }

    @Test func sixtyAlertsOfSomebodyWhoNeverAgreedCostNoSMS() async throws {
        let (town, ada, ben) = try await street()
        try await town.ask(ben, toWatchOver: ada)
        for _ in 0..<60 { _ = try await town.endAlert(try await town.raiseAlert(ada), ada) }
        #expect(try await smsCount(town, to: ben) == 0)
    }

    @Test func aPictureIsForThoseWhoHaveAgreed() async throws {
        let (town, ada, ben) = try await street()
        try await town.ask(ben, toWatchOver: ada)
        for (viewer, other) in [(ada, ben), (ben, ada)] {
            let url = try #require(try await town.profile(other).profilePictureURL)
            let id = try #require(PictureID(url.lastPathComponent))
            #expect(
                await refusal { try await town.network.picture(id, for: viewer.caller) }?.isNotFound
                    == true)
        }
        try await town.accept(.dependent, of: ada, by: ben)
        let url = try #require(try await town.contact(ada, seenBy: ben)?.profilePictureURL)
        let id = try #require(PictureID(url.lastPathComponent))
        #expect(try await town.network.picture(id, for: ben.caller).bytes == Data([1]))
    }

    @Test func acceptingAndDecliningTwiceIsDoingItOnce() async throws {
        let (town, ada, ben) = try await street()
        try await town.connect(ben, watchesOver: ada)
        _ = try await change(town, ada, responder: true, dependent: true, by: ben)
        for person in [ada, ben] { _ = try await town.news(of: person) }
        let own = await refusal { try await town.accept(.responder, of: ada, by: ben) }
        #expect(own?.isPermissionDenied == true)
        for _ in 0..<2 { try await town.accept(.dependent, of: ben, by: ada) }
        #expect(try await town.news(of: ada) == ["You accepted Ben's request"])
        #expect(try await town.news(of: ben) == ["Ada accepted your request"])
        let late = await refusal {
            try await town.network.endRequest(.dependent, with: ben.id, by: ada.caller)
        }
        #expect(late?.isAlreadyExists == true)

        _ = try await change(town, ada, responder: false, dependent: true, by: ben)
        _ = try await change(town, ada, responder: true, dependent: true, by: ben)
        for person in [ada, ben] { _ = try await town.news(of: person) }
        for _ in 0..<2 {
            try await town.network.endRequest(.dependent, with: ben.id, by: ada.caller)
        }
        // The last one whom Ben could have relied on has said no.
        #expect(try await town.news(of: ada) == ["You declined Ben's request"])
        #expect(
            try await town.news(of: ben)
                == ["Ada declined your request", "You have no responders now"])
        #expect(try await town.contact(ada, seenBy: ben)?.isDependent == true)
        #expect(
            await refusal { try await town.accept(.dependent, of: ben, by: ada) }?.isNotFound
                == true)
    }

    @Test func aRequestCanBeTakenBack() async throws {
        let (town, ada, ben) = try await street()
        try await town.connect(ben, watchesOver: ada)
        _ = try await change(town, ada, responder: true, dependent: true, by: ben)
        let withdrawn = try await change(town, ada, responder: false, dependent: true, by: ben)
        #expect(withdrawn.requests.isEmpty && withdrawn.isDependent)
        _ = try await change(town, ada, responder: true, dependent: true, by: ben)
        try await town.network.endRequest(.responder, with: ada.id, by: ben.caller)
        #expect(try await town.contact(ada, seenBy: ben)?.requests == [])
        #expect(try await town.news(of: ada).last == "Ben took the request back")
    }

    @Test func theSameWishOfBothSidesIsConsent() async throws {
        let (town, ada, ben) = try await street()
        try await town.connect(ben, watchesOver: ada)
        _ = try await change(town, ada, responder: true, dependent: true, by: ben)
        let agreed = try await change(town, ben, responder: true, dependent: true, by: ada)
        #expect(agreed.isDependent && agreed.requests.isEmpty)
    }

    @Test func decliningTheOnlyThingBetweenTwoEndsTheRelation() async throws {
        let (town, ada, ben) = try await street()
        try await town.ask(ben, toWatchOver: ada)
        let code = try await town.network.qrCode(of: ben.caller).id
        try await town.network.endRequest(.dependent, with: ada.id, by: ben.caller)
        for person in [ada, ben] {
            #expect(try await town.network.contacts(of: person.caller).isEmpty)
        }
        #expect(
            try await town.news(of: ada)
                == ["Ben declined your request", "You have no responders now"])
        #expect(try await town.news(of: ben) == ["You declined Ada's request"])
        #expect(try await town.network.qrCode(of: ben.caller).id != code)
    }

    @Test func declinedWhileTheyWereOnItLetsTheAlertGoOn() async throws {
        let (town, ada, ben) = try await street()
        let cem = try await town.person("Cem")
        try await town.connect(cem, watchesOver: ada)
        try await town.connect(ada, watchesOver: ben)
        _ = try await change(town, ben, responder: true, dependent: true, by: ada)
        let alert = try await town.raiseAlert(ada)
        #expect(try await town.alert(alert, seenBy: ada).isActive)
        try await town.network.endRequest(.dependent, with: ada.id, by: ben.caller)
        _ = try await town.news(of: ben)
        try await town.pass(.minutes(5))
        #expect(try await town.news(of: ben) == [], "they are not asked any more")
        #expect(try await town.news(of: cem).contains("Ada still needs help"))
    }
}
