import Testing

@testable import Domain

@Suite struct CallingCodeTests {
    @Test(arguments: [
        ("+491511234567", 49), ("+15550100", 1), ("+18765550100", 1876), ("+18095550100", 1809),
        ("+74951234567", 7), ("+77011234567", 77), ("+35312345678", 353), ("+881612345678", 881),
        ("+442079460000", 44), ("+390612345678", 39),
    ])
    func isTheCountryOfANumber(text: String, code: Int64) throws {
        #expect(CallingCode(of: try PhoneNumber(text)).value == code)
    }
}
