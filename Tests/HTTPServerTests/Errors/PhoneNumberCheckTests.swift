import API
import Domain
import Testing

@testable import HTTPServer

@Suite struct PhoneNumberCheckTests {
    private let check = PhoneNumberCheck.libphonenumber(except: [])

    private func send(_ fields: String, to server: TestServer) async throws -> Answer {
        try await server.send("POST", "/v1/auth/codes", .json("{\(fields)}"))
    }

    @Test(arguments: [
        ("+4407700900200", "+447700900200"), ("+44 (0)7700 900200", "+447700900200"),
        ("+49015112345613", "+4915112345613"), ("+330612345678", "+33612345678"),
        ("+789161234567", "+79161234567"), ("+39 (0)6 6981 2345", "+390669812345"),
        ("+390669812345", "+390669812345"), ("+378 (0)549 886377", "+3780549886377"),
        ("+541123456789", "+5491123456789"), ("+5491123456789", "+5491123456789"),
        ("+5215512345678", "+525512345678"), ("+525512345678", "+525512345678"),
        ("+4915112345678", "+4915112345678"), ("+12025550123", "+12025550123"),
    ])
    func numberHasOneCanonicalForm(typed: String, canonical: String) throws {
        #expect(try check(typed, isConfirmed: true).text == canonical)
        #expect(check.canonical(try PhoneNumber(canonical)).text == canonical)
    }

    @Test func numberWithANationalZeroIsTheSameAccount() async throws {
        let server = try TestServer { $0.phoneNumbers = .libphonenumber(except: []) }
        let asked = try await server.call(
            Routes.sendCode, SendCodeRequest(phoneNumber: "+49015112345613"), by: nil)
        let canonical = try PhoneNumber("+4915112345613")
        #expect(asked.phoneNumber == canonical)
        let code = try #require(server.codes[canonical])
        let first = try await server.call(
            Routes.signIn,
            SignInRequest(phoneNumber: "+49 (0)151 12345613", code: code, deviceName: "One"),
            by: nil)
        _ = try await server.call(
            Routes.sendCode, SendCodeRequest(phoneNumber: canonical.text), by: nil)
        let second = try await server.call(
            Routes.signIn,
            SignInRequest(
                phoneNumber: canonical.text, code: server.codes[canonical],
                deviceName: "Two"), by: nil)
        #expect(first.userID == second.userID)
    }

    /// The server's numbering plans may be outdated, so a user may confirm an unknown number.
    @Test(arguments: ["+2290197999999", "+220123456789", "+15550000", "+9901234567"])
    func unknownNumberNeedsConfirmation(text: String) async throws {
        let server = try TestServer { $0.phoneNumbers = .libphonenumber(except: []) }
        let asked = try await send("\"phoneNumber\":\"\(text)\"", to: server)
        #expect(asked.status == 422 && asked.problem?.field == "phoneNumber")
        #expect(asked.problem?.reason == .confirmNumber)
        #expect(asked.problem?.detail.contains(text) == true)
        let sent = try await send(
            "\"phoneNumber\":\"\(text)\",\"isConfirmed\":true", to: server)
        #expect(sent.status == 202)
    }

    @Test(arguments: ["+491", "+1234567890123456", "call me"])
    func nonsenseIsRejectedEvenIfConfirmed(text: String) async throws {
        let server = try TestServer { $0.phoneNumbers = .libphonenumber(except: []) }
        let answer = try await send(
            "\"phoneNumber\":\"\(text)\",\"isConfirmed\":true", to: server)
        #expect(answer.status == 422 && answer.problem?.field == "phoneNumber")
        #expect(answer.problem?.reason == nil)
    }

    @Test(
        arguments: [
            ("DE", nil, "+491712345678"), (nil, "de-DE,en;q=0.5", "+491712345678"),
            ("DE", "en-US", "+491712345678"), (nil, "en, de-DE;q=0.9", "+491712345678"),
        ] as [(String?, String?, String)])
    func nationalNumberGetsItsCountryFromSettingOrLanguage(
        country: String?, languages: String?, canonical: String
    ) throws {
        let check = PhoneNumberCheck.libphonenumber(except: [], country: country)
        let number = try check("0171 2345678", languages: languages)
        #expect(number.text == canonical)
    }

    @Test(arguments: [nil, "", "de", "*", "x-0A"] as [String?])
    func nationalNumberWithoutACountryIsRejected(languages: String?) {
        let error = #expect(throws: CommandError.self) {
            try check("0171 2345678", languages: languages)
        }
        guard case .invalidArgument("phoneNumber", let detail, nil) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("Start with +"))
    }

    @Test(arguments: [
        ("+4915112345613", "+4915112345613"), ("4915112345613", "+4915112345613"),
        (" 4915112345613", "+4915112345613"), ("015112345613", "+4915112345613"),
        ("+49015112345613", "+4915112345613"), ("004915112345613", "+4915112345613"),
    ])
    func senderIsParsedInAllForms(text: String, number: String) {
        let check = PhoneNumberCheck.libphonenumber(except: [], country: "DE")
        #expect(check.sender(text)?.text == number)
    }

    @Test(arguments: ["", "LifeSignal", "1234", "+1", "12x34567890"])
    func senderIsNilForNamesAndShortNumbers(text: String) { #expect(check.sender(text) == nil) }

    /// Messages to these numbers are expensive or earn money for the number's owner.
    @Test(arguments: [
        "+979123456789", "+97912345678", "+80812345678", "+19002341234", "+499001123456",
        "+491801234567", "+449012345678", "+448431234567", "+33899123456",
    ])
    func premiumRateAndSharedCostNumbersAreRejected(text: String) async throws {
        let error = #expect(throws: CommandError.self) { try check(text, isConfirmed: true) }
        guard case .invalidArgument("phoneNumber", let detail, nil) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("premium-rate"))
        let number = try PhoneNumber(text)
        #expect(try PhoneNumberCheck.libphonenumber(except: [number])(text) == number)
        let server = try TestServer { $0.phoneNumbers = .libphonenumber(except: []) }
        let answer = try await send(
            "\"phoneNumber\":\"\(text)\",\"isConfirmed\":true", to: server)
        #expect(answer.status == 422 && answer.problem?.field == "phoneNumber")
    }

    /// Toll-free, personal and satellite numbers. Messages to them cost no more than to others.
    @Test(arguments: [
        "+18002345678", "+448001234567", "+447012345678", "+870773111632", "+881612345678",
    ])
    func unusualNumbersAreAccepted(text: String) throws { #expect(try check(text).text == text) }

    @Test func testNumberIsNotChecked() throws {
        let number = try PhoneNumber("+9901234567")
        #expect(throws: CommandError.self) { try check(number.text) }
        #expect(try PhoneNumberCheck.libphonenumber(except: [number])(number.text) == number)
    }

    @Test func countryCodeMustExist() {
        #expect(PhoneNumberCheck.knows(region: "DE"))
        for region in ["", "XX", "D", "de"] { #expect(!PhoneNumberCheck.knows(region: region)) }
    }
}
