import Foundation
import Testing

@testable import Domain

/// Strict E.164: a plus sign and 7 to 15 digits, the first of which isn't 0.
@Suite struct PhoneNumberTests {
    @Test(arguments: ["+1234567", "+15550100", "+4915112345678", "+123456789012345", "+9000000"])
    func aNumberInE164IsKeptAsItIs(text: String) throws {
        #expect(try PhoneNumber(text).text == text)
        #expect(try PhoneNumber(text).description == text)
    }

    @Test(
        arguments: [
            "", "+", "+123456", "+1234567890123456", "+0234567", "4915112345678", "004915112345678",
            "++4915112345678",
            "+49 151 12345678", "+49-151-12345678", "+49(151)12345678", "+4915112345678 ",
            " +4915112345678", "+4915112345678\n",
            "+491511234567a", "+49151123456.8", "\u{FF0B}4915112345678", "+49\u{661}5112345678",
            "+\u{FF14}915112345678",
            "+49151\u{0}1234567",
            "tel:+4915112345678", "+49151123456\u{301}7",
        ])
    func everythingElseIsRefused(text: String) {
        #expect(refusal { try PhoneNumber(text) }?.field == "phoneNumber")
    }

    @Test func theRefusalNamesTheFieldOfTheCaller() {
        #expect(refusal { try PhoneNumber("0", field: "newNumber") }?.field == "newNumber")
    }

    @Test func phoneNumberJSONIsItsCheckedText() throws {
        let number = try PhoneNumber("+15550100")
        #expect(
            String(decoding: try WireJSON.encoder().encode([number]), as: UTF8.self)
                == #"["+15550100"]"#)
        #expect(
            try WireJSON.decoder().decode([PhoneNumber].self, from: Data(#"["+15550100"]"#.utf8))
                == [number])
        #expect(throws: DecodingError.self) {
            try WireJSON.decoder().decode([PhoneNumber].self, from: Data(#"["15550100"]"#.utf8))
        }
    }
}
