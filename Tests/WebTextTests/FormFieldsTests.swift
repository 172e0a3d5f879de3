import Foundation
import Testing
import WebText

@Suite struct FormFieldsTests {
    @Test(
        arguments: [
            ("", []), ("&&", []), ("a=1&b=2", ["a", "1", "b", "2"]), ("a", ["a", ""]),
            ("a=", ["a", ""]), ("=1", ["", "1"]), ("a=b=c", ["a", "b=c"]),
            ("a+b=c+d", ["a b", "c d"]), ("a=%2B1%20%26%C3%A9", ["a", "+1 &é"]),
            ("b=1&a=2&b=3", ["b", "1", "a", "2", "b", "3"]),
        ] as [(String, [String])])
    func fieldsKeepTheirOrder(form: String, texts: [String]) {
        #expect(FormFields.decode(Data(form.utf8)).flatMap { [$0.name, $0.value] } == texts)
    }

    @Test(arguments: ["100%", "%zz", "%f"]) func brokenEncodingStays(text: String) {
        #expect(FormFields.decode(Data("a+\(text)".utf8)).map(\.name) == ["a \(text)"])
    }

    @Test func firstFieldWithANameCounts() {
        let fields = FormFields.decode(Data("b=1&a=2&b=3".utf8))
        #expect(FormFields.values(fields) == ["a": "2", "b": "1"])
    }

    @Test func encodedFormIsDecoded() {
        let text = "a b&c=d+é%~-._*\n"
        let fields = FormFields.decode(Data(PercentEncoding.form([(text, text)]).utf8))
        #expect(FormFields.values(fields) == [text: text])
    }
}
