import Foundation
import Testing

@testable import Domain

@Suite struct IDTests {
    private let text = "0f8fad5b-d9cb-469f-a165-70867728950e"

    @Test func idIsLowerCaseAndParsesEitherCase() throws {
        let id = try #require(UserID(text))
        #expect(UserID(text.uppercased()) == id)
        #expect(id.description == text)
        #expect(UserID(text.uppercased())?.description == text)
    }

    /// Foundation writes ids in upper case, this project in lower case. Either form reads as the
    /// same id.
    @Test func idTextMatchesFoundations() {
        for _ in 0..<500 {
            let uuid = UUID()
            let text = uuid.uuidString
            #expect(UserID(uuid).description == text.lowercased())
            #expect(UserID(text)?.uuid == uuid && UserID(text.lowercased())?.uuid == uuid)
        }
    }

    @Test(
        "one id has one text",
        arguments: [
            "", "0f8fad5b", "0f8fad5bd9cb469fa16570867728950e",
            "0f8fad5b-d9cb-469f-a165-70867728950",
            "0f8fad5b-d9cb-469f-a165-70867728950e0",
            "0f8fad5bd-9cb-469f-a165-70867728950e", "+f8fad5b-d9cb-469f-a165-70867728950e",
            "0x8fad5b-d9cb-469f-a165-70867728950e",
            "{f8fad5b-d9cb-469f-a165-70867728950}", "gf8fad5b-d9cb-469f-a165-70867728950e",
            " f8fad5b-d9cb-469f-a165-70867728950e",
            "0f8fad5b-d9cb-469f-a165-7086772895\u{e9}", "0f8fad5b_d9cb_469f_a165_70867728950e",
        ])
    func otherTextIsNoID(text: String) {
        #expect(UserID(text) == nil)
    }

    @Test func idJSONIsItsText() throws {
        let id = try #require(UserID(text))
        #expect(
            String(decoding: try WireJSON.encoder().encode([id]), as: UTF8.self) == #"["\#(text)"]"#
        )
        #expect(
            try WireJSON.decoder().decode([UserID].self, from: Data(#"["\#(text)"]"#.utf8)) == [id])
        #expect(throws: DecodingError.self) {
            try WireJSON.decoder().decode([UserID].self, from: Data(#"["me"]"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try WireJSON.decoder().decode([UserID].self, from: Data("[1]".utf8))
        }
    }

    @Test func idsAreOrderedAsTheirTexts() {
        let ids: [UserID] = [id(3), id(1), id(255), id(16)]
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
    }
}
