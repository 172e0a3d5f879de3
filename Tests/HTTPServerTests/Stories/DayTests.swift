import API
import Domain
import Foundation
import SchemaValidation
import Testing

@testable import HTTPServer

@Suite struct DayTests {
    let server: TestServer
    let ada, ben: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        ben = try await server.person("Ben", number: "+4915100000002")
        try await server.connect(responder: ben, dependent: ada)
    }

    @Test func checkInIsIdempotentAndEndsAMissedAlert() async throws {
        let first = try await server.call(
            Routes.checkIn, CheckInRequest(occurredAt: noon), id: "\(id(1) as CheckInID)", by: ada)
        #expect(first.nextCheckInTime == noon.adding(.hours(24)))
        server.clock.advance(by: .minutes(14))
        let again = try await server.call(
            Routes.checkIn, CheckInRequest(occurredAt: server.clock.now()),
            id: "\(id(1) as CheckInID)", by: ada)
        #expect(again == first)

        server.clock.advance(by: .hours(24) - .minutes(14))
        try await server.deadlineMonitor.handleDueDeadlines()
        let token = try await refreshed(ben)
        let alert = try #require(try await server.call(Routes.alerts, by: token).items.first)
        #expect(
            alert.kind == .missedCheckIn && alert.isActive
                && alert.deadline == noon.adding(.hours(24)))
        #expect(
            try await server.call(Routes.contacts, by: token).items.first?.watch?.status
                == .nonResponsive)

        let adas = try await refreshed(ada)
        try await server.call(
            Routes.checkIn, CheckInRequest(occurredAt: server.clock.now()),
            id: "\(id(2) as CheckInID)", by: adas)
        #expect(try await server.call(Routes.alert, id: alert.id, by: token).isActive == false)
        #expect(try await server.call(Routes.profile, by: adas).status == .active)
        #expect(
            try await server.call(Routes.notifications, by: token).items.first?.title
                == "Ada checked in")
    }

    @Test func alertIsAcknowledgedAndEnded() async throws {
        let raised = try await server.call(Routes.raiseAlert, id: "\(id(1) as AlertID)", by: ada)
        #expect(raised.kind == .manual && raised.isActive && raised.userId == "\(ada.id)")
        #expect(
            try await server.call(Routes.raiseAlert, id: "\(id(2) as AlertID)", by: ada).id
                == raised.id)
        #expect(try await server.call(Routes.profile, by: ada).status == .alertActive)

        server.clock.advance(by: .seconds(12))
        let taken = try await server.call(Routes.acknowledgeAlert, id: raised.id, by: ben)
        #expect(
            taken.acknowledgement
                == .init(
                    responderId: "\(ben.id)", name: "Ben", time: server.clock.now(),
                    afterSeconds: 12))
        let ledger = try await server.call(Routes.alert, id: raised.id, by: ada).ledger
        #expect(
            ledger.contains {
                $0.recipientId == "\(ben.id)" && $0.channel == .stream && $0.state == .acknowledged
            })

        let ended = try await server.call(Routes.endAlert, id: raised.id, by: ada)
        #expect(!ended.isActive && ended.endTime == server.clock.now())
        #expect(try await server.call(Routes.endAlert, id: raised.id, by: ada) == ended)
    }

    /// libcurl names a media type for each POST, even if it sends no body.
    @Test(arguments: ["application/x-www-form-urlencoded", "application/json"])
    func alertsNeedNoBodyWhateverItsMediaType(type: String) async throws {
        let empty = Content(type: type, bytes: Data())
        let path = "/v1/alerts/\(id(1) as AlertID)"
        let raised = try await server.send("PUT", path, empty, token: ada.token)
        #expect(raised.status == Routes.raiseAlert.endpoint.status, "\(raised.text)")
        let filled = Content(type: "text/plain", bytes: Data("{}".utf8))
        let refused = try await server.send("POST", "\(path)/end", filled, token: ada.token)
        #expect(refused.status == 415)
        let ended = try await server.send("POST", "\(path)/end", empty, token: ada.token)
        #expect(ended.status == Routes.endAlert.endpoint.status, "\(ended.text)")
        let alert = try await server.call(Routes.alert, id: "\(id(1) as AlertID)", by: ada)
        #expect(!alert.isActive)
    }

    /// `curl -X PUT` with a media type sends neither a body nor its length. Other clients send an
    /// empty chunked body.
    @Test(arguments: ["text/plain", "application/json"], [false, true])
    func alertNeedsNoLengthOfAnEmptyBody(type: String, isChunked: Bool) async throws {
        func send(_ method: String, _ path: String) async throws -> Answer {
            let empty = Content(type: type, bytes: Data(), isChunked: true)
            return try await server.send(
                method, path, isChunked ? empty : nil, token: ada.token,
                headers: isChunked ? [:] : ["Content-Type": type])
        }
        let path = "/v1/alerts/\(id(1) as AlertID)"
        let raised = try await send("PUT", path)
        #expect(raised.status == Routes.raiseAlert.endpoint.status, "\(raised.text)")
        let ended = try await send("POST", "\(path)/end")
        #expect(ended.status == Routes.endAlert.endpoint.status, "\(ended.text)")
    }

    @Test func chunkedBodyOfAnAlertNeedsItsMediaType() async throws {
        let path = "/v1/alerts/\(id(1) as AlertID)"
        for (type, status) in [("text/plain", 415), ("application/json", 200)] {
            let filled = Content(type: type, bytes: Data("{}".utf8), isChunked: true)
            let answer = try await server.send("PUT", path, filled, token: ada.token)
            #expect(answer.status == status, "\(answer.text)")
        }
        let filled = Content(type: "application/json", bytes: Data("{".utf8), isChunked: true)
        #expect(try await server.send("PUT", path, filled, token: ada.token).status == 422)
    }

    @Test func pingIsAnsweredWithOneTap() async throws {
        let ping = try await server.call(
            Routes.ping, PingRequest(dependentID: ada.id), id: "\(id(1) as PingID)", by: ben)
        #expect(ping.state == .pending)
        #expect(
            try await server.call(
                Routes.ping, PingRequest(dependentID: ada.id), id: "\(id(2) as PingID)", by: ben
            ).id == ping.id)
        #expect(try await server.call(Routes.contacts, by: ada).items.first?.hasPendingPing == true)
        #expect(
            try await server.call(Routes.respondToPing, id: "\(ping.id)", by: ada).state
                == .answered)
        #expect(try await server.call(Routes.respondToAllPings, by: ada).items == [])
        #expect(try await server.call(Routes.pings, by: ben).items.map(\.state) == [.answered])
    }

    @Test func notificationsAreReadMutedAndDeleted() async throws {
        let told = try await server.call(Routes.notifications, by: ada).items
        #expect(told.map(\.type) == [.contactAdded])
        let first = try #require(told.first).id
        try await server.call(Routes.readNotification, id: "\(first)", by: ada)
        #expect(try await server.call(Routes.notifications, by: ada).items.first?.readAt == noon)
        try await server.call(
            Routes.updatePreferences, try NotificationPreferences(muted: [.ping]), by: ada)
        #expect(try await server.call(Routes.preferences, by: ada).muted == [.ping])
        try await server.call(
            Routes.ping, PingRequest(dependentID: ada.id), id: "\(id(1) as PingID)", by: ben)
        #expect(try await server.call(Routes.notifications, by: ada).items.count == 1)
        try await server.call(Routes.deleteNotification, id: "\(first)", by: ada)
        #expect(try await server.call(Routes.notifications, by: ada).items == [])
    }

    @Test func refreshInvalidatesTheOldTokens() async throws {
        let tokens = try await server.call(
            Routes.refresh, RefreshRequest(refreshToken: ada.refreshToken), by: nil)
        #expect(tokens.userID == ada.id && tokens.sessionID == ada.session && !tokens.isNewUser)
        #expect(tokens.expiresAt == noon.adding(.minutes(15)))
        #expect(try await server.send("GET", "/v1/me", token: ada.token).status == 401)
        #expect(try await server.send("GET", "/v1/me", token: tokens.accessToken).status == 200)
        server.clock.advance(by: .minutes(15))
        let expired = try await server.send("GET", "/v1/me", token: tokens.accessToken)
        #expect(expired.status == 401 && expired.header("WWW-Authenticate") == "Bearer")
    }

    @Test func qrCodePictureContainsItsPayload() async throws {
        let code = try await server.call(Routes.qrCode, by: ada)
        let picture = try await server.send("GET", "/v1/me/qr-code.png", token: ada.token)
        #expect(picture.header("Content-Type") == "image/png")
        let decoded = try await server.send(
            "POST", "/v1/qr-codes/decode", Content(type: "image/png", bytes: picture.body),
            token: ada.token)
        #expect(decoded.json?["text"]?.string == code.payload)
        #expect(code.shareLink.absoluteString == "https://lifesignal.example/add/\(code.id)")
    }

    private func refreshed(_ person: Person) async throws -> Person {
        let tokens = try await server.call(
            Routes.refresh, RefreshRequest(refreshToken: person.refreshToken), by: nil)
        var person = person
        (person.token, person.refreshToken) = (tokens.accessToken, tokens.refreshToken)
        return person
    }
}
