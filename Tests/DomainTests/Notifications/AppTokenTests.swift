import Domain
import Foundation
import Testing

@Suite struct AppTokenTests {
    @Test(arguments: [(14, false), (16, true), (17, false), (1_024, true), (1_026, false)])
    func appleTokenIsAnEvenNumberOfDigits(length: Int, isAccepted: Bool) {
        let text = String(repeating: "a", count: length)
        let error = refusal { try AppToken(apns: text, environment: .sandbox) }
        #expect(error?.field == (isAccepted ? nil : "token"))
    }

    @Test(arguments: [(15, false), (16, true), (1_024, true), (1_025, false)])
    func googleTokenHas16To1024Characters(length: Int, isAccepted: Bool) {
        let text = String(repeating: "Z", count: length)
        let error = refusal { try AppToken(fcm: text) }
        #expect(error?.field == (isAccepted ? nil : "token"))
    }

    @Test(arguments: ["0123456789abcdeg", "0123456789abcde/", "0123456789abcd\u{661}"])
    func appleTokenIsHexadecimal(text: String) {
        #expect(refusal { try AppToken(apns: text, environment: .production) }?.field == "token")
    }

    @Test(arguments: ["0123456789abcde/", "0123456789abcde ", "0123456789abcde?"])
    func googleTokenFitsIntoAnAddress(text: String) {
        #expect(refusal { try AppToken(fcm: text) }?.field == "token")
    }

    @Test func tokensAreReadFromTheirAddresses() throws {
        let tokens = [
            try AppToken(apns: "0123456789ABCDEF", environment: .production),
            try AppToken(apns: "0123456789abcdef", environment: .sandbox),
            try AppToken(fcm: "aB0-_:.~=+aB0-_:"),
        ]
        #expect(tokens.map(\.kind) == [.apns, .apns, .fcm])
        #expect(tokens[0].text == "0123456789abcdef")
        #expect(tokens[0].service == .apns(.production))
        for token in tokens { #expect(AppToken(url: token.url) == token) }
        #expect(Set(tokens.map(\.url)).count == 3)
    }

    @Test(arguments: [
        "apns://beta/0123456789abcdef", "apns://production/x", "fcm://google/x",
        "https://production/0123456789abcdef", "fcm://google/0123456789abcdef/x",
    ])
    func otherAddressesHaveNoToken(address: String) throws {
        let url = try #require(URL(string: address))
        #expect(AppToken(url: url) == nil)
    }
}
