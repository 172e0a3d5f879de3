import API
import Domain
import Foundation
import Testing

@testable import HTTPServer

@Suite struct WhoSeesWhatTests {
    @Test func onlyTheResponderSeesNoteAndDeadline() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada", number: "+4915100000001")
        let ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
        for person in [ada, ben] {
            try await server.call(
                Routes.updateProfile, UpdateProfileRequest(emergencyNote: "Note of \(person.name)"),
                by: person)
            try await server.call(
                Routes.checkIn, CheckInRequest(occurredAt: noon), id: "\(id(1) as CheckInID)",
                by: person)
        }
        let seenByBen = try #require(try await server.call(Routes.contacts, by: ben).items.first)
        #expect(seenByBen.id == ada.id && seenByBen.isDependent && !seenByBen.isResponder)
        #expect(seenByBen.watch?.emergencyNote == "Note of Ada")
        #expect(seenByBen.watch?.nextCheckInTime == noon.adding(.hours(24)))
        #expect(seenByBen.watch?.status == .active)
        let seenByAda = try #require(try await server.call(Routes.contacts, by: ada).items.first)
        #expect(seenByAda.id == ben.id && seenByAda.isResponder && !seenByAda.isDependent)
        #expect(seenByAda.watch == nil)
        #expect(
            try await !server.send("GET", "/v1/contacts", token: ada.token).text.contains(
                "Note of Ben"))
    }

    @Test func exportOmitsOtherPeoplesAlerts() async throws {
        let scene = try await Scene()
        let export = try await scene.server.call(Routes.export, by: scene.rita)
        #expect(export.profile.id == scene.rita.id)
        #expect(export.alerts == [])
        #expect(export.pings.map(\.id) == [Scene.pingID])
        #expect(export.sessions.count == 1)
        let olgas = try await scene.server.call(Routes.export, by: scene.olga)
        #expect(olgas.alerts.map(\.id) == ["\(Scene.alertID)"])
        #expect(olgas.sessions.count == 2 && olgas.devices.count == 1 && olgas.checkIns.count == 1)
        #expect(olgas.picture?.isEmpty == false)
    }

    @Test func renewalInvalidatesTheOldQRCode() async throws {
        let scene = try await Scene()
        let renewed = try await scene.server.call(Routes.renewQRCode, by: scene.olga)
        #expect(renewed.id != scene.codeID)
        let content = try Content.json(
            AddContactRequest(code: scene.codeID, isResponder: true, isDependent: false))
        #expect(
            try await scene.server.send("POST", "/v1/contacts", content, token: scene.sam.token)
                .status == 404)
        #expect(
            try await scene.server.send(
                "GET", "/v1/qr-codes/\(scene.codeID)", token: scene.sam.token
            ).status == 404)
        #expect(
            try await scene.server.call(Routes.qrCodeOwner, id: renewed.id, by: scene.sam).name
                == "Olga")
    }

    @Test func removedContactNoLongerSeesThePicture() async throws {
        let scene = try await Scene()
        let path = "/v1/pictures/\(scene.pictureID)"
        let answer = try await scene.server.send("GET", path, token: scene.rita.token)
        #expect(answer.status == 200)
        #expect(answer.header("Cache-Control")?.hasPrefix("private") == true)
        try await scene.server.call(Routes.removeContact, id: "\(scene.rita.id)", by: scene.olga)
        #expect(try await scene.server.send("GET", path, token: scene.rita.token).status == 404)
    }

    @Test func deletedAccountIsGoneAtOnce() async throws {
        let scene = try await Scene()
        try await scene.server.call(Routes.deleteAccount, by: scene.olga)
        for token in [scene.olga.token, scene.otherSession.token] {
            #expect(try await scene.server.send("GET", "/v1/me", token: token).status == 401)
        }
        #expect(try await scene.server.call(Routes.contacts, by: scene.rita).items == [])
        #expect(
            try await scene.server.send(
                "GET", "/v1/alerts/\(Scene.alertID)", token: scene.rita.token
            ).status == 404)
        let again = try await scene.server.signIn("+4915100000001")
        #expect(again.id != scene.olga.id)
        #expect(try await scene.server.call(Routes.profile, by: again).name == "")
    }
}
