import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct CodeTests {
    private func number(_ last: Int = 0) throws -> PhoneNumber {
        try PhoneNumber("+4930\(2_000_000 + last)")
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test func firstSignInCreatesTheAccount() async throws {
        let server = try TestServer()
        let first = try await server.signIn(number(), as: "Ada")
        #expect(first.tokens.isNewUser)
        #expect(try await server.profile(first).name == "")
        #expect(try await server.network.qrCodes.qrCode(of: first.caller).id.isEmpty == false)
        server.clock.pass(.minutes(1))
        let second = try await server.signIn(number(), as: "Ada")
        #expect(second.tokens.isNewUser == false)
        #expect(second.id == first.id && second.caller.sessionID != first.caller.sessionID)
    }

    @Test func aCodeLivesFiveMinutes() async throws {
        let server = try TestServer()
        let code = try await server.code(for: number())
        server.clock.pass(.minutes(5))
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number(), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
        let next = try await server.code(for: number())
        server.clock.pass(.minutes(5) - .milliseconds(1))
        #expect(
            try await server.network.signIn.signIn(number(), code: next, deviceName: "Phone")
                .isNewUser)
    }

    @Test func fifthAttemptCountsAndTheSixthDoesNot() async throws {
        let server = try TestServer()
        for (mistakes, works) in [(4, true), (5, false)] {
            let code = try await server.code(for: number())
            for _ in 0..<mistakes {
                #expect(
                    await refusal {
                        try await server.network.signIn.signIn(
                            number(), code: wrong(code), deviceName: "Phone")
                    }?.isUnauthenticated == true)
            }
            let refused = await refusal {
                try await server.network.signIn.signIn(number(), code: code, deviceName: "Phone")
            }
            #expect((refused == nil) == works)
            server.clock.pass(.minutes(1))
        }
    }

    @Test func simultaneousGuessesAllCount() async throws {
        let server = try TestServer()
        let (number, code) = (try number(), try await server.code(for: number()))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = try? await server.network.signIn.signIn(
                        number, code: wrong(code), deviceName: "Phone")
                }
            }
        }
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number, code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
    }

    @Test func aCodeWorksOnce() async throws {
        let server = try TestServer()
        let code = try await server.code(for: number())
        _ = try await server.network.signIn.signIn(number(), code: code, deviceName: "Phone")
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number(), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
    }

    @Test func newerCodeInvalidatesTheOlder() async throws {
        let server = try TestServer()
        let older = try await server.code(for: number())
        server.clock.pass(.seconds(1))
        let newer = try await server.code(for: number())
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number(), code: older, deviceName: "Phone")
            }?.isUnauthenticated == true)
        #expect(
            try await server.network.signIn.signIn(number(), code: newer, deviceName: "Phone")
                .isNewUser)
    }

    @Test func aCodeIsForItsNumberOnly() async throws {
        let server = try TestServer()
        let code = try await server.code(for: number(1))
        _ = try await server.code(for: number(2))
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number(2), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number(3), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
    }

    @Test func requesterHas5CodesAnHourPerNumber() async throws {
        let server = try TestServer()
        let home = "phone of \(try number())"
        for _ in 1...5 {
            _ = try await server.code(for: number())
            server.clock.pass(.minutes(10))
        }
        let refused = await refusal {
            try await server.network.codes.requestCode(for: number(), from: home)
        }
        #expect(refused?.retryAfter == .minutes(10))
        #expect(try server.environment.codes(on: number()).count == 5)
        server.clock.pass(.minutes(10) - .milliseconds(1))
        #expect(
            await refusal { try await server.network.codes.requestCode(for: number(), from: home) }?
                .retryAfter == .milliseconds(1))
        server.clock.pass(.milliseconds(1))
        _ = try await server.code(for: number())
        #expect(
            await refusal { try await server.network.codes.requestCode(for: number(), from: home) }
                != nil
        )
        _ = try await server.code(for: number(1))
    }

    @Test func addressHas20CodesAnHour() async throws {
        let server = try TestServer()
        for last in 1...20 {
            try await server.network.codes.requestCode(for: number(last), from: "192.0.2.1")
        }
        #expect(
            await refusal {
                try await server.network.codes.requestCode(for: number(21), from: "192.0.2.1")
            }?.retryAfter == .hours(1))
        try await server.network.codes.requestCode(for: number(21), from: "192.0.2.2")
        server.clock.pass(.hours(1))
        try await server.network.codes.requestCode(for: number(22), from: "192.0.2.1")
    }

    /// Clean-up must not delete the rows that the limits count.
    @Test func cleanUpKeepsTheLimits() async throws {
        let server = try TestServer()
        for _ in 1...5 { _ = try await server.code(for: number()) }
        server.clock.pass(.hours(1) - .milliseconds(1))
        try await server.deadlineMonitor.handleDueDeadlines()
        #expect(await refusal { _ = try await server.code(for: number()) } != nil)
    }

    @Test func knownAndUnknownNumbersGetTheSameAnswer() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        try await server.network.codes.requestCode(for: ada.number, from: "somewhere")
        try await server.network.codes.requestCode(for: number(), from: "somewhere")
        let code = wrong(try #require(server.environment.codes(on: ada.number).last))
        let known = await refusal {
            try await server.network.signIn.signIn(ada.number, code: code, deviceName: "Phone")
        }
        let other = wrong(try #require(server.environment.codes(on: number()).last))
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number(), code: other, deviceName: "Phone")
            } == known)
    }

    @Test(arguments: ["", "12345", "1234567", "12345a", "１２３４５６"])
    func malformedCodeCostsNoAttempt(text: String) async throws {
        let server = try TestServer()
        let code = try await server.code(for: number())
        for _ in 1...6 {
            #expect(
                await refusal {
                    try await server.network.signIn.signIn(
                        number(), code: text, deviceName: "Phone")
                }?.field == "code")
        }
        #expect(
            try await server.network.signIn.signIn(number(), code: code, deviceName: "Phone")
                .isNewUser)
    }

    @Test func testNumberUsesItsCodeWithoutAMessage() async throws {
        let number = try number()
        let server = try TestServer(options: { $0.testNumbers = [number: "000000"] })
        try await server.network.codes.requestCode(for: number, from: "somewhere")
        #expect(server.environment.codes(on: number).isEmpty)
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number, code: "000001", deviceName: "Phone")
            }?.isUnauthenticated == true)
        #expect(
            try await server.network.signIn.signIn(number, code: "000000", deviceName: "Phone")
                .isNewUser)
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number, code: "000000", deviceName: "Phone")
            }?.isUnauthenticated == true)
    }

    @Test func canaryCodeIsTooLongToGuess() async throws {
        let (number, code) = (try number(), String(repeating: "0a", count: 16))
        let server = try TestServer(options: {
            $0.testNumbers = [number: code]
            $0.canaryNumbers = [number]
        })
        try await server.network.codes.requestCode(for: number, from: "somewhere")
        #expect(
            await refusal {
                try await server.network.signIn.signIn(number, code: "000000", deviceName: "Phone")
            }?.field == "code")
        #expect(
            await refusal {
                try await server.network.signIn.signIn(
                    number, code: code.uppercased(), deviceName: "Phone")
            }?.isUnauthenticated == true)
        #expect(
            try await server.network.signIn.signIn(number, code: code, deviceName: "Phone")
                .isNewUser)
    }
}
