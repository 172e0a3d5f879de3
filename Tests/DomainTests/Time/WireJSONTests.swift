import Foundation
import Testing

@testable import Domain

@Suite struct WireJSONTests {
    private struct Note: Codable, Equatable {
        var url: URL
        var at: Date
    }

    @Test func keysAreSortedAndDatesAreText() throws {
        let note = Note(url: try #require(URL(string: "https://example.org/a")), at: noon)
        let text = String(decoding: try WireJSON.encoder().encode(note), as: UTF8.self)
        #expect(text == #"{"at":"2026-03-01T12:00:00.000Z","url":"https://example.org/a"}"#)
        #expect(try WireJSON.decoder().decode(Note.self, from: Data(text.utf8)) == note)
    }

    @Test(arguments: [
        "1772366400", "null", #""""#, #""2026-03-01""#, #""2026-02-30T12:00:00Z""#, "{}",
    ])
    func aDateInAnotherFormIsRefused(date: String) {
        #expect(throws: DecodingError.self) {
            try WireJSON.decoder().decode(
                Note.self, from: Data(#"{"at":\#(date),"url":"https://example.org"}"#.utf8))
        }
    }
}
