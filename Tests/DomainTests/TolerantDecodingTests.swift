import Domain
import Foundation
import Testing

/// Clients accept unknown values from newer servers. Servers decode requests strictly.
@Suite struct TolerantDecodingTests {
    private struct Letter: Codable, Equatable {
        @GrowingList var stamps: [NotificationType]
        @GrowingList var pages: [Page]

        struct Page: Codable, Equatable { var number: Int }
    }

    private func tolerant<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try WireJSON.tolerantDecoder().decode(type, from: Data(json.utf8))
    }

    private func strict<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try WireJSON.decoder().decode(type, from: Data(json.utf8))
    }

    private func expectFallback<Value: GrowingEnum & Equatable & CaseIterable>(
        _ type: Value.Type
    ) throws {
        #expect(try tolerant([Value].self, #"["ofTheFuture"]"#) == [Value.fallback])
        #expect(throws: DecodingError.self) { try strict([Value].self, #"["ofTheFuture"]"#) }
        #expect(throws: DecodingError.self) { try tolerant([Value].self, "[1]") }
        for value in Value.allCases {
            #expect(try tolerant([Value].self, "[\"\(value.rawValue)\"]") == [value])
        }
    }

    @Test func unknownValueDecodesAsTheFallback() throws {
        try expectFallback(AlertKind.self)
        try expectFallback(AlertRecord.Acknowledgement.End.self)
        try expectFallback(UserStatus.self)
        try expectFallback(PingRecord.State.self)
        try expectFallback(NotificationType.self)
        try expectFallback(NotificationKind.self)
        try expectFallback(DeliveryChannel.self)
        try expectFallback(DeliveryState.self)
        try expectFallback(WebhookTemplate.self)
    }

    @Test func unreadableElementIsLeftOut() throws {
        let json = #"{"stamps":["ping","new"],"pages":[{"number":1},{},7,{"number":2,"x":0}]}"#
        let letter = try tolerant(Letter.self, json)
        #expect(letter.pages.map(\.number) == [1, 2] && letter.stamps == [.ping, .system])
        #expect(throws: DecodingError.self) { try strict(Letter.self, json) }
    }

    @Test func missingListDecodesAsEmpty() throws {
        #expect(try tolerant(Letter.self, "{}") == Letter(stamps: [], pages: []))
        #expect(throws: DecodingError.self) { try strict(Letter.self, "{}") }
        for json in [#"{"stamps":[],"pages":null}"#, #"{"stamps":[],"pages":{}}"#] {
            #expect(throws: DecodingError.self) { try tolerant(Letter.self, json) }
            #expect(throws: DecodingError.self) { try strict(Letter.self, json) }
        }
    }

    @Test func aListIsWrittenAsAPlainArray() throws {
        let letter = Letter(stamps: [.ping], pages: [.init(number: 1)])
        let bytes = try WireJSON.encoder().encode(letter)
        #expect(
            String(decoding: bytes, as: UTF8.self) == #"{"pages":[{"number":1}],"stamps":["ping"]}"#
        )
        #expect(try WireJSON.decoder().decode(Letter.self, from: bytes) == letter)
    }

    @Test func unknownAlertKindStaysUrgent() throws {
        let line = #""recipientId":"x","name":"Ben","time":"2026-03-01T12:00:00.000Z","attempts":1"#
        let alert = try tolerant(
            AlertRecord.self,
            """
            {"id":"a","startTime":"2026-03-01T12:00:00.000Z","userId":"u","isActive":true,
            "kind":"fallDetected","toldLate":false,"heartRate":40,
            "ledger":[{\(line),"channel":"satellite","state":"inOrbit"},{"name":"?"},
            {\(line),"channel":"sms","state":"seen"}]}
            """)
        #expect(alert.kind == .manual && alert.isActive)
        #expect(alert.ledger.map(\.channel) == [.unknown, .sms])
        #expect(alert.ledger.map(\.state) == [.unknown, .seen])
    }

    @Test func unknownStatusNeverShowsSilenceAsFine() throws {
        let watch = try tolerant(
            ContactData.WatchedState.self,
            """
            {"emergencyNote":"","nextCheckInTime":"2026-03-01T12:00:00.000Z",
            "checkInIntervalSeconds":3600,"status":"onHoliday"}
            """)
        #expect(watch.status(at: noon.adding(.seconds(-1))) == .active)
        #expect(watch.status(at: noon) == .nonResponsive)
    }

    @Test func aContactWithoutRequestsAndNumberIsRead() throws {
        let known =
            #""id":"00000000-0000-4000-8000-000000000001","name":"Ben","isResponder":true,"#
            + #""isDependent":false,"dateAdded":"2026-03-01T12:00:00.000Z","hasPendingPing":false"#
        let contact = try tolerant(ContactData.self, "{\(known)}")
        #expect(contact.requests.isEmpty && contact.phoneNumber == nil)
        let time = #""isMine":true,"requestedAt":"2026-03-01T12:00:00.000Z""#
        let asked = try tolerant(
            ContactData.self,
            """
            {\(known),"requests":[{"role":"guardian",\(time)},{"role":"dependent",\(time)}]}
            """
        )
        #expect(asked.requests == [.init(role: .dependent, isMine: true, requestedAt: noon)])
    }

    @Test func mutedTypesOfTheFutureAreLeftOut() throws {
        let json = #"{"muted":["ping","weather","alert"]}"#
        #expect(try tolerant(NotificationPreferences.self, json).muted == [.ping])
        #expect(throws: (any Error).self) { try strict(NotificationPreferences.self, json) }
    }
}
