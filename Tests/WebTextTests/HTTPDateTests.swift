import Foundation
import Testing
import WebText

@Suite struct HTTPDateTests {
    /// Fri, 15 Jan 2027 08:00:00 GMT.
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        ("Fri, 15 Jan 2027 08:02:00 GMT", 120), (" Fri, 15 Jan 2027 08:00:00 GMT ", 0),
        ("Friday, 15-Jan-27 08:00:05 GMT", 5), ("Fri Jan 15 08:00:07 2027", 7),
        ("Fri Jan  1 08:00:07 2027", -1_209_593), ("Fri, 15 Jan 2027 08:00:60 GMT", 60),
    ])
    func threeFormsAreRead(text: String, seconds: Int) {
        #expect(HTTPDate.date(text) == start.addingTimeInterval(Double(seconds)))
    }

    @Test(arguments: [
        "Fri, 15 Jan 2027 08:02:00", "Fri, 15 Jan 2027 08:02:00 CET", "15 Jan 2027 08:02:00 GMT",
        "Fri, 15 Foo 2027 08:02:00 GMT", "Sat, 30 Feb 2027 08:02:00 GMT",
        "Fri, 00 Jan 2027 08:02:00 GMT", "Fri, 32 Jan 2027 08:02:00 GMT",
        "Fri, 15 Jan 2027 24:02:00 GMT", "Fri, 15 Jan 2027 08:60:00 GMT",
        "Fri, 15 Jan 2027 08:02:61 GMT", "Fri, 15 Jan 2027 8:02:00 GMT", "2027-01-15T08:02:00Z",
        "Fri, 15 Jan 2027 08:02:00 GMT, Fri, 15 Jan 2027 08:02:00 GMT",
    ])
    func invalidDatesAreRejected(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }

    @Test(arguments: [("27", 2_027), ("77", 2_077), ("78", 1_978), ("00", 2_000)])
    func aYearOfTwoDigitsIsAtMost50YearsAhead(digits: String, year: Int) throws {
        let date = try #require(HTTPDate.date("Friday, 15-Jan-\(digits) 08:00:00 GMT"))
        #expect(Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: date).year == year)
    }
}
