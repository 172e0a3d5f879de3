import Foundation
import Testing

@testable import Domain

@Suite struct EmergencyNumberTests {
    @Test(arguments: [
        ("+4915112345678", "112"), ("+33612345678", "112"), ("+12125550100", "911"),
        ("+447700900123", "999"), ("+61491570156", "000"), ("+64211234567", "111"),
        ("+35312345678", "112"), ("+525512345678", "911"), ("+77012345678", "112"),
        ("+17672551234", "999"), ("+18095551234", "911"),
    ])
    func theCallingCodeTellsTheCountry(number: String, emergency: String) throws {
        let found = EmergencyNumber(for: try PhoneNumber(number))
        #expect(found?.text == emergency)
        #expect(found?.callURL?.absoluteString == "tel:\(emergency)")
    }

    @Test func preparedTextMessageIsEscaped() throws {
        let url = try PhoneNumber("+4915112345678").textURL("Help me & call, é")
        #expect(
            url?.absoluteString == "sms:+4915112345678?&body=Help%20me%20%26%20call%2C%20%C3%A9")
    }

    /// Jamaica, Barbados and Japan have several emergency numbers. The last number belongs to a
    /// satellite phone.
    @Test(arguments: ["+18765551234", "+12465551234", "+819012345678", "+8816123456789"])
    func unknownEmergencyNumberIsNotClaimed(number: String) throws {
        #expect(EmergencyNumber(for: try PhoneNumber(number)) == nil)
    }

    @Test func everyNumberIsAShortOne() {
        #expect(EmergencyNumber.byCode.count > 80)
        for (code, number) in EmergencyNumber.byCode {
            #expect((1...4).contains(code.count) && code.allSatisfy(\.isNumber))
            #expect(number.count <= 4 && number.allSatisfy(\.isNumber))
        }
    }

    @Test func messageClaimsOnlyAKnownNumber() throws {
        let raised = NotificationText.alertRaised(name: "Ana", at: noon)
        let (german, japanese) = (
            try PhoneNumber("+4915112345678"), try PhoneNumber("+81901234567")
        )
        #expect(
            raised.withEmergencyNumber(of: "Ana", german).body == raised.body
                + " Emergency number where Ana's phone is registered: 112.")
        #expect(
            raised.withEmergencyNumber(of: "Ana", japanese).body == raised.body
                + " In an emergency call your local emergency number.")
        #expect(
            raised.withOwnEmergencyNumber(german).body.hasSuffix(
                "Emergency number where your phone is registered: 112."))
        #expect(raised.withEmergencyNumber(of: "Ana", german).title == raised.title)
    }

    /// Any other character would reduce an SMS to 70 characters.
    @Test func sentenceUsesTheSMSAlphabet() throws {
        let text = NotificationText.alertRaised(name: "Ana", at: noon)
            .withEmergencyNumber(of: "Ana", try PhoneNumber("+4915112345678"))
        #expect(text.body.utf8.allSatisfy { $0 < 0x80 } && text.body.count <= 120)
    }
}
