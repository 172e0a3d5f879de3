import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Ben watches over Ada. Cleo is a stranger to both.
@Suite struct VisibilityTests {
    private func street() async throws -> (TestServer, ada: Person, ben: Person, cleo: Person) {
        let server = try TestServer()
        let (ada, ben, cleo) = (
            try await server.armed("Ada"), try await server.armed("Ben"),
            try await server.armed("Cleo")
        )
        for person in [ada, ben] {
            _ = try await server.network.profiles.updateProfile(
                name: nil, emergencyNote: "Note of \(person.name)", of: person.caller)
        }
        try await server.connect(ben, watchesOver: ada)
        return (server, ada, ben, cleo)
    }

    @Test func responderSeesWhatHelpNeeds() async throws {
        let (server, ada, ben, _) = try await street()
        let seen = try #require(try await server.contact(ada, seenBy: ben))
        #expect(seen.name == "Ada" && seen.phoneNumber == ada.number)
        let watch = try #require(seen.watch)
        #expect(watch.emergencyNote == "Note of Ada")
        #expect(watch.lastCheckInTime == noon && watch.nextCheckInTime == noon.adding(.hours(24)))
        #expect(watch.status == .active && watch.checkInIntervalSeconds == 86_400)
        #expect(watch.timeZone == nil)
    }

    @Test func onlyAnAcceptedResponderSeesTheTimeZone() async throws {
        let (server, ada, ben, cleo) = try await street()
        await server.network.timeZones.noteTimeZone("Asia/Tokyo", of: ada.caller)
        await server.network.timeZones.noteTimeZone("Asia/Tokyo", of: ben.caller)
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.timeZone == "Asia/Tokyo")
        #expect(try await server.contact(ben, seenBy: ada)?.watch == nil)
        try await server.ask(cleo, toWatchOver: ada)
        #expect(try await server.contact(ada, seenBy: cleo)?.watch == nil)
    }

    @Test func aDependentSeesNameAndNumberOnly() async throws {
        let (server, ada, ben, _) = try await street()
        let seen = try #require(try await server.contact(ben, seenBy: ada))
        #expect(seen.name == "Ben" && seen.phoneNumber == ben.number)
        #expect(seen.watch == nil)
        let wire = String(decoding: try WireJSON.encoder().encode(seen), as: UTF8.self)
        #expect(!wire.contains("Note of Ben"))
    }

    @Test func aStrangerSeesNothing() async throws {
        let (server, ada, _, cleo) = try await street()
        let alert = try await server.raiseAlert(ada)
        #expect(try await server.network.contacts.contacts(of: cleo.caller).isEmpty)
        #expect(try await server.alerts(cleo).isEmpty)
        #expect(await refusal { try await server.alert(alert, seenBy: cleo) }?.isNotFound == true)
        #expect(
            await refusal {
                try await server.network.alerts.alert(
                    server.environment.id(), visibleTo: cleo.caller)
            }
                == CommandError.noSuchAlert)
        #expect(
            await refusal { try await server.alert(alert, seenBy: cleo) }
                == CommandError.noSuchAlert
        )
        #expect(try await server.network.pings.pings(of: cleo.caller, page: Page()).isEmpty)
        #expect(try await server.history(of: cleo).count == 1)
        #expect(try await server.news(of: cleo) == [])
    }

    @Test func onlyOwnerAndRespondersSeeAlerts() async throws {
        let (server, ada, ben, _) = try await street()
        let (adas, bens) = (try await server.raiseAlert(ada), try await server.raiseAlert(ben))
        #expect(Set(try await server.alerts(ben).map(\.id)) == [adas.id, bens.id])
        #expect(try await server.alerts(ada).map(\.id) == [adas.id])
        #expect(await refusal { try await server.alert(bens, seenBy: ada) }?.isNotFound == true)
        #expect(try await server.alert(adas, seenBy: ben).ledger.map(\.name) == ["Ben"])
        #expect(try await server.alerts(ben).allSatisfy { $0.ledger.isEmpty })
    }

    @Test func openAlertsCanBeListedAlone() async throws {
        let (server, ada, ben, cleo) = try await street()
        let over = try await server.raiseAlert(ada)
        _ = try await server.endAlert(over, ada)
        let (adas, bens, cleos) = (
            try await server.raiseAlert(ada), try await server.raiseAlert(ben),
            try await server.raiseAlert(cleo)
        )
        let open = {
            try await server.network.alerts.alerts(visibleTo: $0, onlyOpen: true, page: Page()).map(
                \.id)
        }
        #expect(try await open(ben.caller) == [bens.id, adas.id])
        #expect(try await open(ada.caller) == [adas.id])
        #expect(try await open(cleo.caller) == [cleos.id])
        _ = try await server.endAlert(adas, ada)
        #expect(try await open(ben.caller) == [bens.id])
        #expect(try await server.alerts(ben).map(\.id) == [bens.id, adas.id, over.id])
    }

    @Test func formerContactSeesNothingMore() async throws {
        let (server, ada, ben, _) = try await street()
        let alert = try await server.raiseAlert(ada)
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(try await server.alerts(ben).isEmpty)
        #expect(await refusal { try await server.alert(alert, seenBy: ben) }?.isNotFound == true)
        #expect(await refusal { try await server.acknowledge(alert, ben) }?.isNotFound == true)
        let before = try await server.events(of: ben).count
        try await server.checkIn(ada, at: noon.adding(.seconds(1)))
        _ = try await server.endAlert(alert, ada)
        #expect(try await server.events(of: ben).count == before)
    }

    @Test func onlyOwnerAndContactsSeeThePicture() async throws {
        let (server, ada, ben, cleo) = try await street()
        let bytes = Data([1, 2, 3])
        let profile = try await server.network.profiles.setPicture(
            (contentType: "image/png", bytes: bytes), of: ada.caller)
        let url = try #require(profile.profilePictureURL)
        let id = try #require(PictureID(url.lastPathComponent))
        #expect(url.absoluteString == "https://lifesignal.example/v1/pictures/\(id)")
        #expect(try await server.contact(ada, seenBy: ben)?.profilePictureURL == url)
        for viewer in [ada, ben] {
            #expect(
                try await server.network.profiles.picture(id, for: viewer.caller).bytes == bytes)
        }
        #expect(
            await refusal { try await server.network.profiles.picture(id, for: cleo.caller) }?
                .isNotFound
                == true)

        let next = try await server.network.profiles.setPicture(
            (contentType: "image/png", bytes: bytes), of: ada.caller)
        #expect(next.profilePictureURL != url)
        #expect(
            await refusal { try await server.network.profiles.picture(id, for: ada.caller) }?
                .isNotFound
                == true)
        #expect(
            try await server.network.profiles.setPicture(nil, of: ada.caller).profilePictureURL
                == nil)
    }

    @Test func partialProfileChangeTellsContacts() async throws {
        let (server, ada, ben, cleo) = try await street()
        let before = try await server.events(of: cleo).count
        let profile = try await server.network.profiles.updateProfile(
            name: "  Ada L. ", emergencyNote: nil, of: ada.caller)
        #expect(profile.name == "Ada L." && profile.emergencyNote == "Note of Ada")
        #expect(
            try await server.network.profiles.updateProfile(
                name: nil, emergencyNote: "", of: ada.caller
            )
            .name
                == "Ada L.")
        #expect(try await server.contact(ada, seenBy: ben)?.name == "Ada L.")
        #expect(try await server.events(of: ben).last == .contactChanged(.init(contactID: ada.id)))
        #expect(try await server.events(of: cleo).count == before)
        #expect(
            await refusal {
                try await server.network.profiles.updateProfile(
                    name: " ", emergencyNote: "x", of: ada.caller)
            }?.field == "name")
        #expect(try await server.profile(ada).emergencyNote == "")
    }
}
