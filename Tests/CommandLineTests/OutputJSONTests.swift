import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct OutputJSONTests {
    private struct Named: Codable, Equatable {
        var name: String
    }

    @Test(arguments: [
        "\u{1B}[2J", "\u{9B}2J", "\u{7F}", "\u{0}", "\u{2028}", "\u{202E}ana", "\u{E0001}",
    ])
    func jsonHasNoCharacterThatChangesATerminal(name: String) throws {
        let json = Output.json(Named(name: name))
        #expect(Plain.line(json) == json)
        let read = try JSONDecoder().decode(Named.self, from: Data(json.utf8))
        #expect(read == Named(name: name))
    }

    @Test func harmlessJSONStays() {
        let json = Output.json(Named(name: "Zoë 👩‍👧 \"Z\""))
        #expect(json == #"{"name":"Zoë 👩‍👧 \"Z\""}"#)
    }
}
