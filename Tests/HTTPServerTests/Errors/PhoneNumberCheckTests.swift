import API
import Domain
import Testing

@testable import HTTPServer

@Suite struct PhoneNumberCheckTests {
    @Test func noCodeIsPaidForANumberThatCanNotExist() async throws {
        let server = try TestServer { $0.phoneNumbers = .libphonenumber(except: []) }
        let answer = try await server.send(
            "POST", "/v1/auth/codes", .json(#"{"phoneNumber":"+491"}"#))
        #expect(answer.status == 422)
        for impossible in ["+9901234567", "+15550000"] {
            let answer = try await server.send(
                "POST", "/v1/auth/codes", .json(#"{"phoneNumber":"\#(impossible)"}"#))
            #expect(answer.status == 422, "\(impossible)")
            #expect(answer.problem?.field == "phoneNumber")
        }
    }

    @Test(arguments: ["+4915112345678", "+12025550123", "+442079460018", "+33612345678"])
    func numbersThatExist(text: String) throws {
        try PhoneNumberCheck.libphonenumber(except: [])(try PhoneNumber(text))
    }

    /// Each message to one of these costs much, or earns somebody money.
    @Test(arguments: [
        "+979123456789", "+97912345678", "+80812345678", "+19002341234", "+499001123456",
        "+491801234567", "+449012345678",
        "+448431234567", "+33899123456",
    ])
    func premiumRateAndSharedCostNumbersAreRefused(text: String) async throws {
        let number = try PhoneNumber(text)
        let check = PhoneNumberCheck.libphonenumber(except: [])
        let error = #expect(throws: CommandError.self) { try check(number) }
        guard case .invalidArgument("phoneNumber", let detail, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("premium-rate"))
        try PhoneNumberCheck.libphonenumber(except: [number])(number)
        let server = try TestServer { $0.phoneNumbers = .libphonenumber(except: []) }
        let answer = try await server.send(
            "POST", "/v1/auth/codes", .json(#"{"phoneNumber":"\#(text)"}"#))
        #expect(answer.status == 422 && answer.problem?.field == "phoneNumber")
    }

    /// A message to them costs no more than usual: toll-free, personal and satellite numbers.
    @Test(arguments: [
        "+18002345678", "+448001234567", "+447012345678", "+870773111632", "+881612345678",
    ])
    func unusualNumbersAreTaken(text: String) throws {
        try PhoneNumberCheck.libphonenumber(except: [])(try PhoneNumber(text))
    }

    @Test func aTestNumberIsTakenAsItIs() throws {
        let number = try PhoneNumber("+9901234567")
        #expect(throws: CommandError.self) {
            try PhoneNumberCheck.libphonenumber(except: [])(number)
        }
        try PhoneNumberCheck.libphonenumber(except: [number])(number)
    }
}
