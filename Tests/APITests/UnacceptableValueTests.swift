import API
import Domain
import Foundation
import SchemaValidation
import Testing

/// Values of the right type can still be invalid.
@Suite struct UnacceptableValueTests {
    private func field<Value: Payload>(_ type: Value.Type, _ text: String) -> String? {
        refusedField { try StrictJSON.decode(type, from: Data(text.utf8)) }
    }

    @Test(arguments: [
        "", "yesterday", "2026-02-30T00:00:00.000Z", "2026-01-31", "1970-01-01T25:00:00.000Z",
        "2026-01-31T25:00:00Z",
    ])
    func invalidTimeIsRejected(text: String) {
        #expect(field(CheckInRequest.self, #"{"occurredAt":"\#(text)"}"#) == "occurredAt")
    }

    /// A device's clock may start in 1970.
    @Test func pressHasAnyYearAndAChosenTimeTheYears2000To2099() throws {
        for text in ["1970-01-01T00:00:05.000Z", "2150-01-01T00:00:00.000Z"] {
            let time = Timestamp.deviceTime(text)
            func decode<Value: Payload>(_ type: Value.Type, _ name: String) throws -> Value {
                try StrictJSON.decode(type, from: Data(#"{"\#(name)":"\#(text)"}"#.utf8))
            }
            #expect(try decode(CheckInRequest.self, "occurredAt").occurredAt == time)
            #expect(try decode(EndJourneyRequest.self, "pressedAt").pressedAt == time)
            #expect(try decode(RaiseAlertRequest.self, "raisedAt").raisedAt == time)
            #expect(try decode(EndAlertRequest.self, "pressedAt").pressedAt == time)
            #expect(try decode(EndAlertRequest.self, "endedAt").endedAt == time)
            #expect(try decode(EndPauseRequest.self, "pressedAt").pressedAt == time)
            #expect(try decode(RespondToPingRequest.self, "pressedAt").pressedAt == time)
            let chosen = "2026-01-31T08:00:00.000Z"
            for (until, pressed, wrong) in [(text, chosen, true), (chosen, text, false)] {
                #expect(
                    field(PauseRequest.self, #"{"until":"\#(until)","pressedAt":"\#(pressed)"}"#)
                        == (wrong ? "until" : nil))
                #expect(
                    field(
                        ExtendJourneyRequest.self,
                        #"{"expectedReturn":"\#(until)","pressedAt":"\#(pressed)"}"#)
                        == (wrong ? "expectedReturn" : nil))
            }
        }
    }

    @Test(arguments: [
        "", "1", "00000000-0000-4000-8000-00000000000g", "+0000000-0000-4000-8000-000000000001",
        "00000000000040008000000000000001",
    ])
    func invalidIDIsRejected(text: String) {
        #expect(field(PingRequest.self, #"{"dependentID":"\#(text)"}"#) == "dependentID")
    }

    @Test(arguments: ["1", #""yes""#, "[]"]) func copyChoiceIsTrueOrFalse(text: String) {
        #expect(
            field(UpdateProfileRequest.self, #"{"leavesNoteOutOfCopy":\#(text)}"#)
                == "leavesNoteOutOfCopy")
    }

    @Test func unknownEndpointKindIsRejected() {
        #expect(
            field(PushEndpointRequest.self, #"{"kind":"pigeon","url":"https://example.org"}"#)
                == "kind")
    }

    @Test func unmutableAndUnknownTypesAreRejected() {
        #expect(field(NotificationPreferences.self, #"{"muted":["alert"]}"#) == "muted")
        #expect(field(NotificationPreferences.self, #"{"muted":["ping","weather"]}"#) == "muted.1")
    }

    @Test func lastRoleCannotBeRemoved() {
        #expect(
            field(ContactRoles.self, #"{"isResponder":false,"isDependent":false}"#) == "isResponder"
        )
    }

    @Test(arguments: [
        #""plan":null"#, #""plan":{"kind":"none","extra":1}"#, #""lastCall":null"#,
        #""plan":{"kind":"none","windows":[{"days":[],"deadline":"10:00","extra":1}]}"#,
        #""plan":{"kind":"none","windows":[{"days":[],"deadline":"10:00","opens":null}]}"#,
        #""plan":{"kind":"interval","timeZone":1}"#,
        #""plan":{"kind":"none","windows":[{"days":["monday","monday"],"deadline":"10:00"}]}"#,
        #""lastCall":{"sendsMessage":true,"takesAnswers":false,"calls":null}"#,
    ])
    func valueThatTheSchemaRefusesIsRejectedAtAnyDepth(part: String) {
        let body =
            #"{"intervalSeconds":3600,"remindTwoHoursBefore":true,"#
            + #""remindThirtyMinutesBefore":true,\#(part)}"#
        #expect(field(CheckInSettings.self, body) != nil)
    }

    @Test(arguments: [
        "1e400", "-1e400", "99999999999999999999999999", "3600.5", "1e30", "-9223372036854775809",
    ])
    func invalidIntervalIsRejected(text: String) {
        let body =
            #"{"intervalSeconds":\#(text),"remindTwoHoursBefore":true,"#
            + #""remindThirtyMinutesBefore":true}"#
        #expect(field(CheckInSettings.self, body) == "intervalSeconds")
    }

    @Test(arguments: [
        "1", #""times""#, "{}", #"{"kind":"moon"}"#, #"{"kind":"times"}"#,
        #"{"kind":"times","timeZone":"Europe/Berlin"}"#,
        #"{"kind":"times","timeZone":"Europe/Berlin","windows":[{"days":["monday"]}]}"#,
        #"{"kind":"times","timeZone":"a/b","windows":[{"days":["x"],"deadline":"10:00"}]}"#,
        #"{"kind":"times","timeZone":"a/b","windows":[{"days":[],"deadline":"9:00"}]}"#,
        #"{"kind":"times","timeZone":"a/b","windows":[{"days":[],"deadline":"24:00"}]}"#,
        #"{"kind":"times","timeZone":"a/b","windows":[{"days":[],"deadline":600}]}"#,
        #"{"kind":"interval","sleep":{}}"#, #"{"kind":"interval","sleep":null}"#,
        #"{"kind":"interval","sleep":{"from":"22:00","until":"24:00","timeZone":"a/b"}}"#,
        #"{"kind":"interval","sleep":{"from":"22:00","until":420,"timeZone":"a/b"}}"#,
    ])
    func invalidPlanIsRejected(plan: String) throws {
        let body =
            #"{"plan":\#(plan),"intervalSeconds":3600,"remindTwoHoursBefore":true,"#
            + #""remindThirtyMinutesBefore":true}"#
        let named = try #require(field(CheckInSettings.self, body))
        #expect(named == "plan" || named.hasPrefix("plan."))
    }

    /// Programs that know only intervals send no plan.
    @Test(arguments: ["", #""plan":{"kind":"interval"},"#])
    func settingsWithoutAPlanAreAnInterval(plan: String) throws {
        let body =
            "{" + plan + #""intervalSeconds":3600,"remindTwoHoursBefore":true,"#
            + #""remindThirtyMinutesBefore":true}"#
        let settings = try StrictJSON.decode(CheckInSettings.self, from: Data(body.utf8))
        #expect(settings.plan == .interval)
    }

    @Test func wholeNumberMayHaveAFraction() throws {
        let body =
            #"{"intervalSeconds":3.6e3,"remindTwoHoursBefore":true,"#
            + #""remindThirtyMinutesBefore":true}"#
        #expect(
            try StrictJSON.decode(CheckInSettings.self, from: Data(body.utf8)).intervalSeconds
                == 3600)
    }

    @Test func absentAndNullKeepTheStoredValues() throws {
        #expect(
            try StrictJSON.decode(UpdateProfileRequest.self, from: Data("{}".utf8))
                == UpdateProfileRequest())
        for body in [#"{"name":null}"#, #"{"leavesNoteOutOfCopy":null}"#] {
            #expect(
                try StrictJSON.decode(UpdateProfileRequest.self, from: Data(body.utf8))
                    == UpdateProfileRequest())
        }
    }
}
