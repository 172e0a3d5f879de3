import Domain
import Foundation
import Testing

@testable import SafetyNetwork

/// One person can't use up the codes that another person needs.
@Suite struct CodeRequestTests {
    let key = DeviceKey(UUID())

    func number(_ last: Int = 0) throws -> PhoneNumber {
        try PhoneNumber("+4930\(2_000_000 + last)")
    }

    private func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    func ask(
        _ server: TestServer, _ last: Int = 0, from address: String, key: DeviceKey? = nil
    )
        async -> CommandError?
    {
        await refusal {
            try await server.network.codes.requestCode(
                for: number(last), from: address, deviceKey: key)
        }
    }

    /// Signs in with the newest code, from `address`, on the device with `key`.
    func signIn(
        _ server: TestServer, _ last: Int = 0, from address: String, key: DeviceKey?
    ) async throws -> IssuedTokens {
        let request = try await server.network.codes.requestCode(
            for: number(last), from: address, deviceKey: key
        ).requestID
        let code = try #require(server.environment.codes(on: try number(last)).last)
        return try await server.network.signIn.signIn(
            number(last), code: code, deviceName: "Phone",
            by: CodeAsker(requestID: request, deviceKey: key))
    }

    // MARK: Tries

    @Test func strangersAttemptsKeepTheOwnersCode() async throws {
        let server = try TestServer()
        let request = try await server.network.codes.requestCode(
            for: number(), from: "192.0.2.1"
        ).requestID
        let code = try #require(server.environment.codes(on: try number()).last)
        for _ in 0..<10 {
            let stranger = CodeAsker(address: "198.51.100.1")
            #expect(
                await refusal {
                    try await server.network.signIn.signIn(
                        number(), code: wrong(code), deviceName: "Phone", by: stranger)
                }?
                .isUnauthenticated == true)
        }
        // The stranger's attempts count only for the stranger's request.
        let strangers = try await server.network.codes.requestCode(
            for: number(), from: "198.51.100.1"
        ).requestID
        for _ in 0..<10 {
            _ = await refusal {
                try await server.network.signIn.signIn(
                    number(), code: wrong(code), deviceName: "Phone",
                    by: CodeAsker(requestID: strangers))
            }
        }
        let owner = CodeAsker(requestID: request)
        #expect(
            try await server.network.signIn.signIn(
                number(), code: code, deviceName: "Phone", by: owner
            )
            .isNewUser)
    }

    @Test func withoutRequestTheAddressesNewestCodeCounts() async throws {
        let server = try TestServer()
        try await server.network.codes.requestCode(for: number(), from: "2001:db8:1:2::1")
        let code = try #require(server.environment.codes(on: try number()).last)
        server.clock.pass(.seconds(1))
        try await server.network.codes.requestCode(for: number(), from: "198.51.100.1")
        // Both addresses are in the same /64.
        let owner = CodeAsker(address: "2001:db8:1:2:8000::7")
        #expect(
            try await server.network.signIn.signIn(
                number(), code: code, deviceName: "Phone", by: owner
            )
            .isNewUser)
    }

    @Test func requestHasFiveAttempts() async throws {
        let server = try TestServer()
        for (mistakes, works) in [(4, true), (5, false)] {
            let asker = CodeAsker(
                requestID: try await server.network.codes.requestCode(
                    for: number(), from: "192.0.2.1"
                ).requestID)
            let code = try #require(server.environment.codes(on: try number()).last)
            for _ in 0..<mistakes {
                _ = await refusal {
                    try await server.network.signIn.signIn(
                        number(), code: wrong(code), deviceName: "Phone", by: asker)
                }
            }
            let refused = await refusal {
                try await server.network.signIn.signIn(
                    number(), code: code, deviceName: "Phone", by: asker)
            }
            #expect((refused == nil) == works)
        }
    }

    @Test func attemptsAtTheSameAddressLeaveTheRequestTwoTries() async throws {
        let server = try TestServer()
        let request = try await server.network.codes.requestCode(
            for: number(), from: "192.0.2.1", deviceKey: key
        ).requestID
        let code = try #require(server.environment.codes(on: try number()).last)
        func enter(_ code: String, by asker: CodeAsker) async -> CommandError? {
            await refusal {
                try await server.network.signIn.signIn(
                    number(), code: code, deviceName: "Phone", by: asker)
            }
        }
        let neighbour = CodeAsker(address: "192.0.2.1", deviceKey: DeviceKey(UUID()))
        for _ in 0..<5 { #expect(await enter(wrong(code), by: neighbour) != nil) }
        #expect(await enter(code, by: neighbour) != nil)
        let owner = CodeAsker(requestID: request, address: "192.0.2.1", deviceKey: key)
        #expect(await enter(wrong(code), by: owner) != nil)
        #expect(await enter(code, by: owner) == nil)
    }

    /// Earlier clients enter a code without the id of its request.
    @Test(arguments: [(2, true), (3, false)])
    func withoutRequestACodeHasThreeTries(mistakes: Int, works: Bool) async throws {
        let server = try TestServer()
        try await server.network.codes.requestCode(for: number(), from: "192.0.2.1")
        let code = try #require(server.environment.codes(on: try number()).last)
        func enter(_ code: String) async -> CommandError? {
            await refusal {
                try await server.network.signIn.signIn(
                    number(), code: code, deviceName: "Phone", by: CodeAsker(address: "192.0.2.1"))
            }
        }
        for _ in 0..<mistakes { #expect(await enter(wrong(code)) != nil) }
        #expect((await enter(code) == nil) == works)
    }

    @Test func knownDeviceHasFiveTriesWithoutRequest() async throws {
        let server = try TestServer()
        _ = try await signIn(server, from: "192.0.2.1", key: key)
        server.clock.pass(.hours(1))
        try await server.network.codes.requestCode(
            for: number(), from: "192.0.2.1", deviceKey: key)
        let code = try #require(server.environment.codes(on: try number()).last)
        func enter(_ code: String, _ key: DeviceKey?) async -> CommandError? {
            await refusal {
                try await server.network.signIn.signIn(
                    number(), code: code, deviceName: "Phone",
                    by: CodeAsker(address: "192.0.2.1", deviceKey: key))
            }
        }
        // A neighbour's attempts don't find the code.
        for _ in 0..<5 { #expect(await enter(wrong(code), nil) != nil) }
        for _ in 0..<4 { #expect(await enter(wrong(code), key) != nil) }
        #expect(await enter(code, key) == nil)
    }

    @Test func codeAnswersOnlyItsRequest() async throws {
        let server = try TestServer()
        let first = try await server.network.codes.requestCode(
            for: number(), from: "192.0.2.1"
        ).requestID
        try await server.network.codes.requestCode(for: number(), from: "192.0.2.1")
        let second = try #require(server.environment.codes(on: try number()).last)
        let asker = CodeAsker(requestID: first)
        #expect(
            await refusal {
                try await server.network.signIn.signIn(
                    number(), code: second, deviceName: "Phone", by: asker)
            } != nil)
    }

    @Test func aRequestIsForItsNumberOnly() async throws {
        let server = try TestServer()
        let request = try await server.network.codes.requestCode(
            for: number(1), from: "192.0.2.1"
        ).requestID
        let code = try #require(server.environment.codes(on: try number(1)).last)
        let asker = CodeAsker(requestID: request)
        #expect(
            await refusal {
                try await server.network.signIn.signIn(
                    number(2), code: code, deviceName: "Phone", by: asker)
            } != nil)
    }

    @Test func rightCodeUsesUpTheNumbersCodes() async throws {
        let server = try TestServer()
        let older = try await server.network.codes.requestCode(
            for: number(), from: "192.0.2.1"
        ).requestID
        let code = try #require(server.environment.codes(on: try number()).last)
        _ = try await signIn(server, from: "192.0.2.2", key: nil)
        let asker = CodeAsker(requestID: older)
        #expect(
            await refusal {
                try await server.network.signIn.signIn(
                    number(), code: code, deviceName: "Phone", by: asker)
            }?
            .isUnauthenticated == true)
    }

    // MARK: Limits

    @Test func strangerKeepsTheOwnersFiveCodes() async throws {
        let server = try TestServer()
        for _ in 0..<5 { #expect(await ask(server, from: "198.51.100.1") == nil) }
        #expect(await ask(server, from: "198.51.100.1")?.retryAfter == .hours(1))
        for _ in 0..<5 { #expect(await ask(server, from: "192.0.2.1") == nil) }
    }

    @Test func numberHas15CodesAnd3ForKnownDevices() async throws {
        let server = try TestServer()
        _ = try await signIn(server, from: "192.0.2.1", key: key)
        server.clock.pass(.hours(1))
        for stranger in 1...3 {
            for _ in 0..<5 { #expect(await ask(server, from: "198.51.100.\(stranger)") == nil) }
        }
        #expect(await ask(server, from: "192.0.2.1")?.retryAfter == .hours(1))
        #expect(await ask(server, from: "192.0.2.1", key: DeviceKey(UUID())) != nil)
        for _ in 0..<3 { #expect(await ask(server, from: "192.0.2.1", key: key) == nil) }
        #expect(await ask(server, from: "192.0.2.1", key: key)?.retryAfter == .hours(1))
    }

    @Test func deviceIsKnownOnlyToItsNumber() async throws {
        let server = try TestServer()
        _ = try await signIn(server, from: "192.0.2.1", key: key)
        for stranger in 1...3 {
            for _ in 0..<5 { #expect(await ask(server, 7, from: "198.51.100.\(stranger)") == nil) }
        }
        #expect(await ask(server, 7, from: "192.0.2.1", key: key) != nil)
    }

    @Test func unusedDeviceKeyIsNotKnown() async throws {
        let server = try TestServer()
        let request = try await server.network.codes.requestCode(
            for: number(), from: "192.0.2.1", deviceKey: key
        ).requestID
        let code = try #require(server.environment.codes(on: try number()).last)
        let asker = CodeAsker(requestID: request, deviceKey: key)
        _ = await refusal {
            try await server.network.signIn.signIn(
                number(), code: wrong(code), deviceName: "Phone", by: asker)
        }
        let known = try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM known_devices", [])
        }
        #expect(known == 0)
    }

    @Test func twentyDevicesOfAUserAreKnown() async throws {
        let server = try TestServer(options: {
            ($0.codesPerNumber, $0.codesPerAddress) = (1_000, 1_000)
        })
        let keys = (0..<21).map { _ in DeviceKey(UUID()) }
        for key in keys {
            _ = try await signIn(server, from: "192.0.2.1", key: key)
            server.clock.pass(.seconds(1))
        }
        let known = try await server.engine.read { connection in
            try keys.map {
                try connection.isKnown(
                    device: server.network.key.hash(deviceKey: $0.uuid), to: number())
            }
        }
        #expect(known == [false] + Array(repeating: true, count: 20))
    }

    private func attempt(
        _ server: TestServer, _ last: Int, from address: String, key: DeviceKey? = nil
    ) async -> CommandError? {
        await refusal {
            try await server.network.signIn.signIn(
                number(last), recoveryCode: "0000-0000-0000-0000", deviceName: "Phone",
                by: CodeAsker(address: address, deviceKey: key))
        }
    }

    /// The device with `key` is known to the first number only.
    @Test(arguments: [0, 1])
    func attemptsDontRevealTheDevicesNumber(last: Int) async throws {
        let server = try TestServer()
        _ = try await signIn(server, 0, from: "192.0.2.1", key: key)
        _ = try await signIn(server, 1, from: "192.0.2.2", key: nil)
        server.clock.pass(.hours(1))
        for _ in 1...SignInRules.codesPerNumber {
            let refused = await attempt(server, last, from: "198.51.100.1", key: key)
            #expect(refused?.reason == .recoveryCodeWrong)
        }
        #expect(await attempt(server, last, from: "198.51.100.1")?.retryAfter != nil)
        #expect(await attempt(server, last, from: "203.0.113.1", key: key)?.retryAfter != nil)
        #expect(await ask(server, last, from: "203.0.113.1", key: key)?.retryAfter != nil)
        let other = await attempt(server, last, from: "203.0.113.1")
        #expect(other?.reason == .recoveryCodeWrong)
    }

    @Test func strangersAttemptsKeepAKnownDevicesCodes() async throws {
        let server = try TestServer()
        _ = try await signIn(server, from: "192.0.2.1", key: key)
        server.clock.pass(.hours(1))
        for _ in 1...SignInRules.codesPerNumber {
            #expect(await attempt(server, 0, from: "192.0.2.1")?.reason == .recoveryCodeWrong)
        }
        #expect(await ask(server, from: "192.0.2.1")?.retryAfter != nil)
        #expect(await ask(server, from: "192.0.2.1", key: key) == nil)
    }

    @Test func requestedCodesKeepRecoveryCodes() async throws {
        let server = try TestServer()
        for _ in 1...SignInRules.codesPerNumber {
            #expect(await ask(server, from: "192.0.2.1") == nil)
        }
        #expect(await ask(server, from: "192.0.2.1")?.retryAfter != nil)
        for key in [nil, key] {
            let refused = await attempt(server, 0, from: "192.0.2.1", key: key)
            #expect(refused?.reason == .recoveryCodeWrong)
        }
    }

    @Test func changeOfTheNumberForgetsDevices() async throws {
        let server = try TestServer()
        let caller = try await signIn(server, from: "192.0.2.1", key: key).caller
        let (device, new) = (server.network.key.hash(deviceKey: key.uuid), try number(1))
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: new, code: try await server.code(for: new), of: caller)
        #expect(try await server.engine.read { try $0.isKnown(device: device, to: new) } == false)
        server.clock.pass(.hours(1))
        _ = try await signIn(server, 1, from: "192.0.2.1", key: key)
        #expect(try await server.engine.read { try $0.isKnown(device: device, to: new) })
    }

    @Test func slash64Has20CodesAndSlash48Has100() async throws {
        let server = try TestServer()
        for last in 0..<100 {
            let address = "2001:db8:1:\(last / 20)::\(last + 1)"
            #expect(await ask(server, last, from: address) == nil, "\(last)")
            if last % 20 == 19 {
                #expect(await ask(server, 900 + last, from: "2001:db8:1:\(last / 20):8::1") != nil)
            }
        }
        #expect(await ask(server, 200, from: "2001:db8:1:ffff::1")?.retryAfter == .hours(1))
        #expect(await ask(server, 201, from: "2001:db8:2:1::1") == nil)
        #expect(await ask(server, 202, from: "192.0.2.1") == nil)
    }

    @Test func totalCodeLimitExcludesTestNumbers() async throws {
        let test = try number(99)
        let server = try TestServer(options: {
            $0.codesPerHour = 3
            $0.testNumbers = [test: "000000"]
        })
        for last in 1...4 {
            _ = try await signIn(server, last, from: "192.0.2.\(last)", key: nil)
            server.clock.pass(.hours(1))
        }
        #expect(await ask(server, 99, from: "192.0.2.9") == nil)
        for last in 1...3 { #expect(await ask(server, last, from: "192.0.2.\(last)") == nil) }
        #expect(await ask(server, 4, from: "192.0.2.4")?.retryAfter == .hours(1))
        #expect(await ask(server, 99, from: "192.0.2.9") == nil)
        server.clock.pass(.hours(1))
        #expect(await ask(server, 4, from: "192.0.2.4") == nil)
    }

    /// The limit must outlast the accounts. Otherwise, deleting them would reset it.
    @Test func deletingAccountsDoesNotResetLimits() async throws {
        let server = try TestServer(options: { $0.codesToNewNumbers = 2 })
        for _ in 0..<2 {
            try await server.network.accountDeletion.deleteAccount(
                of: try await signIn(server, from: "192.0.2.1", key: nil).caller)
        }
        let sent = server.environment.codes(on: try number()).count
        #expect(await ask(server, from: "192.0.2.1") == nil)
        #expect(server.environment.codes(on: try number()).count == sent)
    }
}
