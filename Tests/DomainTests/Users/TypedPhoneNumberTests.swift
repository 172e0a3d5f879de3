import Testing

@testable import Domain

@Suite struct TypedPhoneNumberTests {
    @Test(
        arguments: [
            "+4915112345678", "+49 151 12345678", "+49-151-123-456-78", "+49 (151) 1234.5678",
            "+49 (0)151 12345678", "004915112345678",
            "0049 151 / 12345678", " +49\u{A0}151\u{2013}12345678\n", "\u{FF0B}4915112345678",
            "+\u{202A}49 151 12345678\u{202C}",
            "+\u{664}\u{669}15112345678",
        ])
    func writtenInManyWaysItIsOneNumber(text: String) throws {
        #expect(try PhoneNumber(typed: text).text == "+4915112345678")
    }

    @Test(arguments: [
        ("+39 (0)6 6981 2345", "+390669812345"), ("+378 (0)549 886377", "+3780549886377"),
        ("0039 (0)6 69812345", "+390669812345"), ("+44 (0)7700 900200", "+447700900200"),
        ("0171 234 56-78", "01712345678"), ("(030) 1234567", "0301234567"),
    ])
    func theDigitsAreSentAsTyped(text: String, digits: String) throws {
        #expect(try PhoneNumber.digits(typed: text) == digits)
    }

    @Test(arguments: [
        "", "1234", "+1234", "0171 call me", "+49+1511234567", "49+1511234567",
        String(repeating: "1", count: 21), String(repeating: " ", count: 300),
    ])
    func nonsenseIsRejected(text: String) {
        #expect(refusal { try PhoneNumber.digits(typed: text) }?.field == "phoneNumber")
    }

    @Test(arguments: [
        "", " ", "+", "00", "0151 12345678", "151 12345678", "+49 151 call me", "+049 151 12345678",
        "+49+15112345678", "+1234567890123456",
    ])
    func invalidNumberIsRejected(text: String) {
        #expect(refusal { try PhoneNumber(typed: text) }?.field == "phoneNumber")
    }

    @Test(
        arguments: [
            ("123456", "123456"), ("123 456", "123456"), ("123-456", "123456"),
            ("Your LifeSignal code is 123456.", "123456"), ("1234567", "123456"),
            ("12", "12"), ("", ""), ("code", ""), ("\u{661}\u{662}\u{663}456", "123456"),
        ])
    func theDigitsOfACodeAreFound(text: String, code: String) {
        #expect(SignInRules.code(typed: text) == code)
    }

    /// Bytes, because scripts have digits of up to four bytes.
    @Test func textOfUpTo256BytesIsANumber() throws {
        let number = "+4915112345678"
        let longest = number + String(repeating: " ", count: 256 - number.utf8.count)
        #expect(try PhoneNumber(typed: longest).text == number)
        #expect(throws: CommandError.self) { try PhoneNumber(typed: longest + " ") }
    }
}
