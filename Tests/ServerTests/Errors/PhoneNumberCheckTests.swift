import API
import Domain
import Testing

@testable import Server

@Suite struct PhoneNumberCheckTests {
    @Test func noCodeIsPaidForANumberThatCanNotExist() async throws {
        let server = try TestServer { $0.phoneNumbers = .libphonenumber(except: []) }
        let answer = try await server.send("POST", "/v1/auth/codes", .json(#"{"phoneNumber":"+491"}"#))
        #expect(answer.status == 422)
        for impossible in ["+9991234567", "+15550000"] {
            let answer = try await server.send("POST", "/v1/auth/codes", .json(#"{"phoneNumber":"\#(impossible)"}"#))
            #expect(answer.status == 422, "\(impossible)")
            #expect(answer.problem?.field == "phoneNumber")
        }
    }

    @Test(arguments: ["+4915112345678", "+12025550123", "+442079460018", "+33612345678"])
    func numbersThatExist(text: String) throws {
        try PhoneNumberCheck.libphonenumber(except: [])(try PhoneNumber(text))
    }

    @Test func aTestNumberIsTakenAsItIs() throws {
        let number = try PhoneNumber("+9991234567")
        #expect(throws: CommandError.self) { try PhoneNumberCheck.libphonenumber(except: [])(number) }
        try PhoneNumberCheck.libphonenumber(except: [number])(number)
    }
}
