import Domain
import Testing

@Suite struct PhoneCountryTests {
    @Test(
        arguments: [
            ("de-AT, en;q=0.5", "AT"), ("en, pt-BR;q=0.8", "BR"), ("zh-Hant-TW", "TW"),
            ("en-us", "US"),
        ])
    func theBrowsersLanguageNamesACountry(languages: String, id: String) {
        #expect(PhoneCountry(languages: languages)?.id == id)
    }

    @Test(arguments: [nil, "", "de", "de-XX", "en-001", String(repeating: "de-AT,", count: 60)])
    func otherLanguagesHaveNoCountry(languages: String?) {
        #expect(PhoneCountry(languages: languages) == nil)
    }

    @Test func countriesAreListedByName() throws {
        let germany = try #require(PhoneCountry("de"))
        #expect(germany.title == "Germany (+49)" && PhoneCountry("Germany") == nil)
        #expect(PhoneCountry.all.count > 240 && PhoneCountry.all.first?.name == "Afghanistan")
        #expect(PhoneCountry.all.allSatisfy { $0.name != $0.id })
        #expect(Set(PhoneCountry.all.map(\.title)).count == PhoneCountry.all.count)
    }

    @Test func aNationalNumberGetsTheCountrysCode() throws {
        let germany = PhoneCountry("DE")
        #expect(try PhoneNumber.digits(typed: "0151 2345678", in: germany) == "+4901512345678")
        #expect(try PhoneNumber.digits(typed: "+1 555 0100", in: germany) == "+15550100")
        #expect(try PhoneNumber.digits(typed: "0043 660 123456", in: germany) == "+43660123456")
        #expect(try PhoneNumber.digits(typed: "0151 2345678", in: nil) == "01512345678")
        #expect(throws: CommandError.self) { try PhoneNumber.digits(typed: "abc", in: germany) }
    }
}
