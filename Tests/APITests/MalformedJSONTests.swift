import API
import Domain
import Foundation
import Testing

/// Malformed JSON gets an error that says so.
@Suite struct MalformedJSONTests {
    private func field(_ bytes: Data) -> String? {
        refusedField { try StrictJSON.decode(UpdateProfileRequest.self, from: bytes) }
    }
    private func field(_ text: String) -> String? { field(Data(text.utf8)) }

    @Test(arguments: [
        "", " ", "{", "}", "{]", "[", #"{"name""#, #"{"name":"#, #"{"name":}"#, #"{"name":"Ada",}"#,
        #"{"name":"Ada"} {}"#, #"{"name":"Ada"}x"#,
        #"{'name':'Ada'}"#, "{name:1}", "nul", #"{"name":"A\q"}"#, #"{"name":"\u12"}"#,
        #"{"name":"\ud800"}"#, #"{"name":01}"#, "\u{0}", "{\u{0}}",
    ])
    func brokenText(text: String) {
        #expect(field(text) == "body")
    }

    @Test(arguments: ["[]", "1", "null", "true", #""name""#, "[{}]"])
    func onlyObjectsAreAccepted(text: String) {
        #expect(field(text) == "body")
    }

    @Test(arguments: [("[", "]"), (#"{"name":"#, "}"), (#"[{"a":"#, "}]")])
    func deepNestingIsRejected(open: String, close: String) {
        let deep =
            String(repeating: open, count: 100_000) + "1" + String(repeating: close, count: 100_000)
        #expect(field(deep) != nil)
        #expect(field(#"{"name":\#(deep)}"#) != nil)
        #expect(field(String(repeating: open, count: 100_000)) != nil)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func invalidUTF8IsRejected(bytes: [UInt8]) {
        let inValue = Data(#"{"name":""#.utf8) + bytes + Data(#""}"#.utf8)
        let inName = Data(#"{""#.utf8) + bytes + Data(#"":1}"#.utf8)
        #expect(["body", "name"].contains(field(inValue)))
        #expect(field(inName) != nil)
        #expect(field(Data(bytes)) == "body")
    }

    @Test(arguments: [
        #"{"name":"Ada","name":"Eve"}"#, #"{"name":"Ada","emergencyNote":"x","name":"Ada"}"#,
        #"{"name":"Ada","n\u0061me":"Eve"}"#,
        #"{ "name" : "a\"}{" , "name" : null }"#,
    ])
    func aFieldThatIsGivenTwice(text: String) {
        #expect(field(text) == "name")
    }

    @Test(arguments: [
        #"{"name":"name","emergencyNote":"name"}"#, #"{"name":"\"name\":","emergencyNote":"\\"}"#,
        #"{"emergencyNote":"{\"name\":1}","name":"A"}"#,
    ])
    func fieldNameInsideAValueIsAllowed(text: String) throws {
        _ = try StrictJSON.decode(UpdateProfileRequest.self, from: Data(text.utf8))
    }

    @Test func longUnknownFieldNameIsTruncated() {
        let name = String(repeating: "x", count: 5_000)
        #expect(field(#"{"\#(name)":1}"#) == String(repeating: "x", count: 100))
    }
}
