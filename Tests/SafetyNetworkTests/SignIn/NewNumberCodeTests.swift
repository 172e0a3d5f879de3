import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// Codes to numbers without an account are limited, per country and in total. The response is the
/// same beyond the limit, so that it doesn't reveal accounts.
@Suite struct NewNumberCodeTests {
    private func number(_ country: String, _ last: Int) throws -> PhoneNumber {
        try PhoneNumber("+\(country)30\(2_000_000 + last)")
    }

    /// Requests a code, each time from another address.
    private func ask(
        _ server: TestServer, _ number: PhoneNumber, _ last: Int
    ) async throws -> (isTaken: Bool, isSent: Bool) {
        let before = server.environment.codes(on: number).count
        let refused = await refusal {
            try await server.network.codes.requestCode(
                for: number, from: "198.51.\(last / 250).\(last % 250)")
        }
        return (refused == nil, server.environment.codes(on: number).count > before)
    }

    private func sent(
        _ server: TestServer, _ count: Int, country: String = "49", from first: Int = 0
    ) async throws -> Int {
        var sent = 0
        for last in first..<(first + count) {
            let answer = try await ask(server, try number(country, last), last)
            #expect(answer.isTaken)
            sent += answer.isSent ? 1 : 0
        }
        return sent
    }

    @Test func countryGetsAtMostItsLimit() async throws {
        let server = try TestServer(options: { $0.codesToNewNumbersPerCountry = 3 })
        #expect(try await sent(server, 5) == 3)
        #expect(server.environment.codeBounds == [.country, .country])
        #expect(try await sent(server, 2, country: "33", from: 100) == 2)
        server.clock.pass(.hours(1))
        #expect(try await sent(server, 4, from: 200) == 3)
    }

    @Test func dailyLimitIsThreeTimesTheHourly() async throws {
        let server = try TestServer(options: { $0.codesToNewNumbersPerCountry = 2 })
        var sent = 0
        for hour in 0..<5 {
            sent += try await self.sent(server, 3, from: 10 * hour)
            server.clock.pass(.hours(1))
        }
        #expect(sent == 6)
        server.clock.pass(.hours(20))
        #expect(try await self.sent(server, 3, from: 100) == 2)
    }

    @Test func allCountriesShareALimit() async throws {
        let server = try TestServer(options: { $0.codesToNewNumbers = 4 })
        var sent = 0
        for (index, country) in ["44", "33", "39", "1876", "254", "46"].enumerated() {
            sent += try await self.sent(server, 1, country: country, from: 10 * index)
        }
        #expect(sent == 4)
        #expect(server.environment.codeBounds == [.newNumbers, .newNumbers])
    }

    @Test func accountSignsInDespiteStrangers() async throws {
        let server = try TestServer(options: {
            $0.codesToNewNumbers = 3
            $0.budgets.sms = Budget(total: 100, perUser: 10)
        })
        let ada = try await server.person("Ada")
        let own = ada.number
        #expect(try await sent(server, 200) < 4)
        #expect(try await ask(server, own, 999) == (true, true))
    }

    @Test func strangersUseAtMostHalfTheCodeBudget() async throws {
        let server = try TestServer(options: {
            ($0.codesPerHour, $0.codesToNewNumbers, $0.codesToNewNumbersPerCountry) = (0, 0, 0)
            $0.budgets.sms = Budget(total: 50, perUser: 10)
        })
        let ada = try await server.person("Ada")
        let before = try await server.engine.read { try $0.spending()[.sms] ?? 0 }
        // Codes may use 40 of the 50 messages. Half of the 40 is reserved for numbers with an
        // account.
        #expect(try await sent(server, 60) == 20 - before)
        #expect(Set(server.environment.codeBounds) == [.budget])
        #expect(try await ask(server, ada.number, 999) == (true, true))
        #expect(try await server.engine.read { try $0.spending()[.sms] } == 21)
    }

    /// Neither the response nor an attempt shows that no code was sent.
    @Test func heldCodeLooksLikeAnyOther() async throws {
        let server = try TestServer(options: { $0.codesToNewNumbers = 1 })
        _ = try await sent(server, 1)
        let stranger = try number("49", 7)
        let request = try await server.network.codes.requestCode(
            for: stranger, from: "192.0.2.1"
        ).requestID
        #expect(server.environment.codes(on: stranger).isEmpty)
        let refused = await refusal {
            try await server.network.signIn.signIn(
                stranger, code: "123456", deviceName: "Phone", by: CodeAsker(requestID: request))
        }
        #expect(
            refused == .unauthenticated("That code is not right. Check the message and try again."))
        // The request counts towards the limits of its number and address.
        for _ in 1..<SignInRules.codesPerNumber {
            try await server.network.codes.requestCode(for: stranger, from: "192.0.2.1")
        }
        let limited = await refusal {
            try await server.network.codes.requestCode(for: stranger, from: "192.0.2.1")
        }
        #expect(limited?.retryAfter != nil)
    }

    @Test func testNumbersAreNotBounded() async throws {
        let test = try number("49", 1)
        let server = try TestServer(options: {
            ($0.codesToNewNumbers, $0.testNumbers) = (1, [test: "000000"])
        })
        _ = try await sent(server, 3, from: 10)
        let request = try await server.network.codes.requestCode(
            for: test, from: "192.0.2.1"
        ).requestID
        #expect(
            try await server.network.signIn.signIn(
                test, code: "000000", deviceName: "Phone", by: CodeAsker(requestID: request)
            ).isNewUser)
    }

    /// With these limits, 500 people can sign up from one address within twenty minutes.
    @Test func anEventCanBeConfigured() async throws {
        let server = try TestServer(options: {
            ($0.codesToNewNumbers, $0.codesToNewNumbersPerCountry) = (600, 600)
            ($0.codesPerAddress, $0.codesPerHour) = (600, 2_000)
        })
        var sent = 0
        for last in 0..<500 {
            let number = try number("49", last)
            try await server.network.codes.requestCode(for: number, from: "192.0.2.1")
            sent += server.environment.codes(on: number).count
            server.clock.pass(.milliseconds(2_400))
        }
        #expect(sent == 500)
    }

    @Test func totalCodeLimitIsReported() async throws {
        let server = try TestServer(options: {
            ($0.codesPerHour, $0.codesToNewNumbers, $0.codesToNewNumbersPerCountry) = (2, 0, 0)
        })
        let ada = try await server.person("Ada")
        for last in 0..<3 { _ = try await ask(server, ada.number, last) }
        #expect(server.environment.codeBounds.contains(.all))
    }
}
