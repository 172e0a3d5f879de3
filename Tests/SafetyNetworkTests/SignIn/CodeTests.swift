import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct CodeTests {
    private func number(_ last: Int = 0) throws -> PhoneNumber {
        try PhoneNumber("+4930\(2_000_000 + last)")
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test func theFirstSignInMakesTheAccountAndTheNextFindsIt() async throws {
        let town = try Town()
        let first = try await town.signIn(number(), as: "Ada")
        #expect(first.tokens.isNewUser)
        #expect(try await town.profile(first).name == "")
        #expect(try await town.network.qrCode(of: first.caller).id.isEmpty == false)
        town.clock.pass(.minutes(1))
        let second = try await town.signIn(number(), as: "Ada")
        #expect(second.tokens.isNewUser == false)
        #expect(second.id == first.id && second.caller.sessionID != first.caller.sessionID)
    }

    @Test func aCodeLivesFiveMinutes() async throws {
        let town = try Town()
        let code = try await town.code(for: number())
        town.clock.pass(.minutes(5))
        #expect(
            await refusal {
                try await town.network.signIn(number(), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
        let next = try await town.code(for: number())
        town.clock.pass(.minutes(5) - .milliseconds(1))
        #expect(try await town.network.signIn(number(), code: next, deviceName: "Phone").isNewUser)
    }

    @Test func theFifthTryCountsAndTheSixthDoesNot() async throws {
        let town = try Town()
        for (mistakes, works) in [(4, true), (5, false)] {
            let code = try await town.code(for: number())
            for _ in 0..<mistakes {
                #expect(
                    await refusal {
                        try await town.network.signIn(
                            number(), code: wrong(code), deviceName: "Phone")
                    }?.isUnauthenticated == true)
            }
            let refused = await refusal {
                try await town.network.signIn(number(), code: code, deviceName: "Phone")
            }
            #expect((refused == nil) == works)
            town.clock.pass(.minutes(1))
        }
    }

    /// Twenty guesses at the same moment are still twenty guesses.
    @Test func guessingAtTheSameTimeIsNoWayAround() async throws {
        let town = try Town()
        let (number, code) = (try number(), try await town.code(for: number()))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = try? await town.network.signIn(
                        number, code: wrong(code), deviceName: "Phone")
                }
            }
        }
        #expect(
            await refusal {
                try await town.network.signIn(number, code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
    }

    @Test func aCodeWorksOnce() async throws {
        let town = try Town()
        let code = try await town.code(for: number())
        _ = try await town.network.signIn(number(), code: code, deviceName: "Phone")
        #expect(
            await refusal {
                try await town.network.signIn(number(), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
    }

    @Test func aNewerCodeMakesTheOlderWorthless() async throws {
        let town = try Town()
        let older = try await town.code(for: number())
        town.clock.pass(.seconds(1))
        let newer = try await town.code(for: number())
        #expect(
            await refusal {
                try await town.network.signIn(number(), code: older, deviceName: "Phone")
            }?.isUnauthenticated == true)
        #expect(try await town.network.signIn(number(), code: newer, deviceName: "Phone").isNewUser)
    }

    @Test func aCodeIsForItsNumberOnly() async throws {
        let town = try Town()
        let code = try await town.code(for: number(1))
        _ = try await town.code(for: number(2))
        #expect(
            await refusal {
                try await town.network.signIn(number(2), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
        #expect(
            await refusal {
                try await town.network.signIn(number(3), code: code, deviceName: "Phone")
            }?.isUnauthenticated == true)
    }

    @Test func fiveCodesAnHourForANumberAndARequester() async throws {
        let town = try Town()
        let home = "phone of \(try number())"
        for _ in 1...5 {
            _ = try await town.code(for: number())
            town.clock.pass(.minutes(10))
        }
        let refused = await refusal {
            try await town.network.requestCode(for: number(), from: home)
        }
        #expect(refused?.retryAfter == .minutes(10))
        #expect(try town.world.codes(on: number()).count == 5)
        town.clock.pass(.minutes(10) - .milliseconds(1))
        #expect(
            await refusal { try await town.network.requestCode(for: number(), from: home) }?
                .retryAfter == .milliseconds(1))
        town.clock.pass(.milliseconds(1))
        _ = try await town.code(for: number())
        #expect(
            await refusal { try await town.network.requestCode(for: number(), from: home) } != nil)
        _ = try await town.code(for: number(1))
    }

    @Test func twentyCodesAnHourAnAddress() async throws {
        let town = try Town()
        for last in 1...20 {
            try await town.network.requestCode(for: number(last), from: "192.0.2.1")
        }
        #expect(
            await refusal {
                try await town.network.requestCode(for: number(21), from: "192.0.2.1")
            }?.retryAfter == .hours(1))
        try await town.network.requestCode(for: number(21), from: "192.0.2.2")
        town.clock.pass(.hours(1))
        try await town.network.requestCode(for: number(22), from: "192.0.2.1")
    }

    /// The clean-up of the watch must not take away what the limits count.
    @Test func cleaningUpForgetsNoLimit() async throws {
        let town = try Town()
        for _ in 1...5 { _ = try await town.code(for: number()) }
        town.clock.pass(.hours(1) - .milliseconds(1))
        try await town.watch.look()
        #expect(await refusal { _ = try await town.code(for: number()) } != nil)
    }

    @Test func aKnownNumberIsAnsweredLikeAnUnknownOne() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        try await town.network.requestCode(for: ada.number, from: "somewhere")
        try await town.network.requestCode(for: number(), from: "somewhere")
        let code = wrong(try #require(town.world.codes(on: ada.number).last))
        let known = await refusal {
            try await town.network.signIn(ada.number, code: code, deviceName: "Phone")
        }
        let other = wrong(try #require(town.world.codes(on: number()).last))
        #expect(
            await refusal {
                try await town.network.signIn(number(), code: other, deviceName: "Phone")
            } == known)
    }

    @Test(arguments: ["", "12345", "1234567", "12345a", "１２３４５６"])
    func whatIsNoCodeCostsNoTry(text: String) async throws {
        let town = try Town()
        let code = try await town.code(for: number())
        for _ in 1...6 {
            #expect(
                await refusal {
                    try await town.network.signIn(number(), code: text, deviceName: "Phone")
                }?.field == "code")
        }
        #expect(try await town.network.signIn(number(), code: code, deviceName: "Phone").isNewUser)
    }

    @Test func aTestNumberHasItsCodeAndGetsNoMessage() async throws {
        let number = try number()
        let town = try Town(options: { $0.testNumbers = [number: "000000"] })
        try await town.network.requestCode(for: number, from: "somewhere")
        #expect(town.world.codes(on: number).isEmpty)
        #expect(
            await refusal {
                try await town.network.signIn(number, code: "000001", deviceName: "Phone")
            }?.isUnauthenticated == true)
        #expect(
            try await town.network.signIn(number, code: "000000", deviceName: "Phone").isNewUser)
        #expect(
            await refusal {
                try await town.network.signIn(number, code: "000000", deviceName: "Phone")
            }?.isUnauthenticated == true)
    }
}
