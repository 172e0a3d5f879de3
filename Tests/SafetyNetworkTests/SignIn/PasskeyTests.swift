import Cryptography
import Domain
import Foundation
import Persistence
import SoftPasskey
import Synchronization
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct PasskeyTests {
    private let server: TestServer
    private let ada: Person
    private var passkeys: Passkeys { server.network.passkeys }

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
    }

    private func add(_ device: SoftPasskey, of person: Person? = nil) async throws -> Passkey {
        let caller = (person ?? ada).caller
        let request = try await passkeys.requestForNewPasskey(of: caller)
        return try await passkeys.add(
            device.registration(request.challenge), name: "Phone", of: caller)
    }

    private func added() async throws -> SoftPasskey {
        let device = SoftPasskey()
        _ = try await add(device)
        _ = try await server.news(of: ada)
        return device
    }

    private func signIn(
        _ device: SoftPasskey, challenge: String? = nil
    ) async throws -> IssuedTokens {
        try await server.network.signIn.signIn(
            try device.assertion(challenge ?? passkeys.requestForSignIn().challenge, of: ada.id),
            deviceName: "Tablet")
    }

    private func reason(_ device: SoftPasskey, challenge: String? = nil) async
        -> InvalidInputReason?
    {
        await refusal { try await signIn(device, challenge: challenge) }?.reason
    }

    @Test func passkeySignsInDespiteTheLock() async throws {
        let device = try await added()
        _ = try await server.network.signInLocks.turnOn(of: ada.caller)
        let tokens = try await signIn(device)
        #expect(tokens.caller.userID == ada.id && !tokens.isNewUser)
        #expect(try await passkeys.passkeys(of: ada.caller).first?.lastUsedAt == server.clock.now)
        #expect(try await server.news(of: ada).contains("New sign-in to your account"))
    }

    @Test func passkeySignsInTwentyTimesAnHour() async throws {
        let device = try await added()
        server.clock.pass(.hours(1))
        for _ in 1...20 { _ = try await signIn(device) }
        func isRefused(for wait: Duration) async -> Bool {
            await refusal { try await signIn(device) } == .rateLimited(retryAfter: wait)
        }
        #expect(await isRefused(for: .hours(1)))
        server.clock.pass(.hours(1) - .milliseconds(1))
        #expect(await isRefused(for: .milliseconds(1)))
        // Other ways of signing in, and other accounts, have their own limits.
        _ = try await server.signIn(ada.number, as: "Ada", on: "Laptop")
        server.clock.pass(.milliseconds(1))
        for _ in 1...19 { _ = try await signIn(device) }
        #expect(await refusal { try await signIn(device) } != nil)
    }

    @Test func hundredthOtherSessionEndsTheOneUnusedForLongest() async throws {
        let device = try await added()
        var tokens: [IssuedTokens] = []
        for _ in 1...5 {
            server.clock.pass(.hours(1))
            let count = tokens.isEmpty ? 19 : 20
            for _ in 1...count { tokens.append(try await signIn(device)) }
        }
        let last = try #require(tokens.last)
        let sessions = server.network.signIn
        #expect(try await sessions.sessions(of: last.caller).count == 100)
        #expect(!server.published.endedSessions.contains(ada.caller.sessionID))
        // Ada's phone is used again, so another session ends.
        let phone = try await sessions.refresh(ada.tokens.refreshToken)
        server.clock.pass(.hours(1))
        _ = try await signIn(device)
        let left = try await sessions.sessions(of: phone.caller)
        #expect(left.count == 100 && left.contains { $0.isCurrent })
        let ended = server.published.endedSessions
        #expect(ended.count == 1 && !ended.contains(ada.caller.sessionID))
        let session = try #require(ended.first)
        #expect(tokens.prefix(19).contains { $0.caller.sessionID == session })
        let old = try #require(tokens.first { $0.caller.sessionID == session })
        let refused = await refusal { try await sessions.refresh(old.refreshToken) }
        #expect(refused == CommandError.sessionOver)
        #expect(try await server.news(of: ada).contains("A device was signed out"))
    }

    /// A receipt or a webhook extends the session, and sets no time of use.
    @Test func extendedSessionCountsAsUsed() async throws {
        let device = try await added()
        for _ in 1...5 {
            server.clock.pass(.hours(1))
            for _ in 1...20 { _ = try await signIn(device) }
            _ = try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
                try transaction.execute(
                    "UPDATE sessions SET refresh_expires_at = $1 WHERE user_id = $2 AND id = $3",
                    [
                        .date(transaction.now.adding(SignInRules.refreshTokenLifetime)),
                        .id(ada.id), .id(ada.caller.sessionID),
                    ])
            }
        }
        #expect(server.published.endedSessions.count == 1)
        #expect(!server.published.endedSessions.contains(ada.caller.sessionID))
    }

    @Test(arguments: [false, true])
    func signInByPasskeyEndsTheWaitButNoStop(isStopped: Bool) async throws {
        let (device, locks) = (try await added(), server.network.signInLocks)
        _ = try await locks.turnOn(of: ada.caller)
        func refusedSignIn() async throws -> InvalidInputReason? {
            let code = try await server.code(for: ada.number)
            return await refusal {
                try await server.network.signIn.signIn(ada.number, code: code, deviceName: "Phone")
            }?.reason
        }
        #expect(try await refusedSignIn() == .signInWaits)
        if isStopped { _ = try await locks.stopWait(of: ada.caller) }
        _ = try await signIn(device)
        #expect(try await locks.security(of: ada.caller).wait == nil)
        server.clock.pass(isStopped ? .days(7) - .milliseconds(1) : .days(7))
        #expect(try await refusedSignIn() == (isStopped ? .signInStopped : .signInWaits))
    }

    @Test func additionAndRemovalAreTold() async throws {
        let passkey = try await add(SoftPasskey())
        #expect(try await server.news(of: ada) == ["A passkey was added"])
        try await passkeys.remove(passkey.id, of: ada.caller)
        #expect(try await server.news(of: ada) == ["A passkey was removed"])
        let again = await refusal { try await passkeys.remove(passkey.id, of: ada.caller) }
        #expect(again?.isNotFound == true)
    }

    /// Somebody with the unlocked phone could make the owner remove the wrong passkey.
    @Test func renamesAndRemovalsNameThePasskey() async throws {
        let passkey = try await add(SoftPasskey())
        _ = try await server.news(of: ada)
        for name in ["Key ring", "Key ring", "evil.example/x", "Desk"] {
            _ = try await passkeys.rename(passkey.id, to: name, of: ada.caller)
        }
        try await passkeys.remove(passkey.id, of: ada.caller)
        let told = try await server.newsItems(of: ada)
        let renamed = "A passkey was renamed"
        #expect(told.map(\.title) == [renamed, renamed, renamed, "A passkey was removed"])
        let beginnings = [
            "“Phone” is now called “Key ring”.", "“Key ring” is now called something else.",
            "It is now called “Desk”.", "“Desk” no longer signs you in.",
        ]
        for (item, beginning) in zip(told, beginnings) {
            #expect(item.body.hasPrefix(beginning), "\(item.body)")
        }
    }

    @Test func removedPasskeyIsUnknown() async throws {
        let device = try await added()
        let passkey = try #require(try await passkeys.passkeys(of: ada.caller).first)
        try await passkeys.remove(passkey.id, of: ada.caller)
        #expect(await reason(device) == .passkeyUnknown)
        #expect(await reason(SoftPasskey()) == .passkeyUnknown)
    }

    @Test func passkeyIsRenamedByItsOwnerOnly() async throws {
        let passkey = try await add(SoftPasskey())
        let ben = try await server.person("Ben")
        let foreign = await refusal {
            try await passkeys.rename(passkey.id, to: "Mine", of: ben.caller)
        }
        #expect(foreign?.isNotFound == true)
        let renamed = try await passkeys.rename(passkey.id, to: " Key ring ", of: ada.caller)
        #expect(renamed.name == "Key ring")
        let bad = await refusal { try await passkeys.rename(passkey.id, to: "", of: ada.caller) }
        #expect(bad?.field == "name")
    }

    @Test func challengeIsValidOnceForFiveMinutes() async throws {
        let device = try await added()
        let challenge = passkeys.requestForSignIn().challenge
        _ = try await signIn(device, challenge: challenge)
        #expect(await reason(device, challenge: challenge) == .passkeyTooLate)
        let late = passkeys.requestForSignIn().challenge
        let later = passkeys.requestForSignIn().challenge
        server.clock.pass(.milliseconds(299_999))
        _ = try await signIn(device, challenge: late)
        server.clock.pass(.milliseconds(1))
        #expect(await reason(device, challenge: later) == .passkeyTooLate)
    }

    @Test func challengeOfARegistrationSignsNobodyIn() async throws {
        let device = try await added()
        let request = try await passkeys.requestForNewPasskey(of: ada.caller)
        #expect(await reason(device, challenge: request.challenge) == .passkeyTooLate)
    }

    @Test func otherSitesAreRefused() async throws {
        var device = try await added()
        device.origin = "https://lifesignal.example.org"
        #expect(await reason(device) == .passkeyOtherSite)
        device.origin = "https://lifesignal.example"
        device.site = "example"
        #expect(await reason(device) == .passkeyOtherSite)
        let phished = SoftPasskey(origin: "https://evil.example")
        #expect(await refusal { try await add(phished) }?.reason == .passkeyOtherSite)
    }

    @Test func useInsideAnotherSiteIsRefused() async throws {
        var device = try await added()
        device.isCrossOrigin = true
        #expect(await reason(device) == .passkeyOtherSite)
        #expect(await refusal { try await add(device) }?.reason == .passkeyOtherSite)
    }

    @Test func originHasThePortOfThePublicAddress() async throws {
        let address = try #require(URL(string: "https://LifeSignal.example:8443"))
        let passkeys = try server.makeNetwork(.init(publicURL: address)).passkeys
        let request = try await passkeys.requestForNewPasskey(of: ada.caller)
        #expect(request.site == "lifesignal.example")
        let withoutPort = await refusal {
            try await passkeys.add(
                SoftPasskey().registration(request.challenge), name: "Phone", of: ada.caller)
        }
        #expect(withoutPort?.reason == .passkeyOtherSite)
        let device = SoftPasskey(origin: "https://lifesignal.example:8443")
        _ = try await passkeys.add(
            device.registration(request.challenge), name: "Phone", of: ada.caller)
    }

    @Test(arguments: [
        ("https://lifesignal.example:443", "https://lifesignal.example"),
        ("http://lifesignal.example:80", "http://lifesignal.example"),
        ("http://lifesignal.example:443", "http://lifesignal.example:443"),
    ])
    func originHasNoDefaultPort(address: String, origin: String) async throws {
        let url = try #require(URL(string: address))
        let passkeys = try server.makeNetwork(.init(publicURL: url)).passkeys
        let request = try await passkeys.requestForNewPasskey(of: ada.caller)
        _ = try await passkeys.add(
            SoftPasskey(origin: origin).registration(request.challenge), name: "Phone",
            of: ada.caller)
    }

    @Test func pagesOfOtherURLsMayUsePasskeysOfTheFirstHost() async throws {
        let address = try #require(URL(string: "https://lifesignal.example"))
        var options = SafetyNetwork.Options(publicURL: address)
        options.otherURLs = [try #require(URL(string: "https://www.lifesignal.example"))]
        let passkeys = try server.makeNetwork(options).passkeys
        let request = try await passkeys.requestForNewPasskey(of: ada.caller)
        #expect(request.site == "lifesignal.example")
        let device = SoftPasskey(origin: "https://www.lifesignal.example")
        _ = try await passkeys.add(
            device.registration(request.challenge), name: "Phone", of: ada.caller)
        let third = await refusal {
            try await passkeys.add(
                SoftPasskey(origin: "https://m.lifesignal.example")
                    .registration(request.challenge), name: "Phone", of: ada.caller)
        }
        #expect(third?.reason == .passkeyOtherSite)
    }

    @Test func passkeyOpensItsOwnersAccountOnly() async throws {
        let device = try await added()
        let ben = try await server.person("Ben")
        func enter(_ device: SoftPasskey, of user: UserID) async throws -> IssuedTokens {
            try await server.network.signIn.signIn(
                try device.assertion(passkeys.requestForSignIn().challenge, of: user),
                deviceName: "Tablet")
        }
        let foreignHandle = await refusal { try await enter(device, of: ben.id) }
        #expect(foreignHandle?.reason == .passkeyUnknown)
        // Ben's key has the id of Ada's.
        let double = SoftPasskey(id: device.id)
        _ = try await add(double, of: ben)
        let foreignKey = await refusal { try await enter(double, of: ada.id) }
        #expect(foreignKey?.reason == .passkeyInvalid)
        #expect(try await enter(double, of: ben.id).caller.userID == ben.id)
    }

    /// Between the check and the transaction, Ada changes her number, and Ben gets the old one.
    @Test func passkeyOpensNoAccountThatGotItsNumber() async throws {
        let (device, ben) = (try await added(), try await server.person("Ben"))
        let new = try PhoneNumber("+15559990001")
        let database = DatabaseWithHook(server.engine) { [server, ada] in
            for (number, person) in [(new, ada), (ada.number, ben)] {
                let code = try await server.code(for: number)
                _ = try await server.network.phoneNumberChange.changePhoneNumber(
                    to: number, code: code, of: person.caller)
            }
        }
        let network = try server.another(on: database)
        let assertion = try device.assertion(
            network.passkeys.requestForSignIn().challenge, of: ada.id)
        let error = await refusal {
            try await network.signIn.signIn(assertion, deviceName: "Tablet")
        }
        #expect(error == CommandError.sessionOver)
        #expect(try await server.network.signIn.sessions(of: ben.caller).count == 1)
    }

    @Test func challengeOfARegistrationIsItsPersonsAndValidOnce() async throws {
        let ben = try await server.person("Ben")
        func add(_ challenge: String, of person: Person) async throws -> Passkey {
            try await passkeys.add(
                SoftPasskey().registration(challenge), name: "Phone", of: person.caller)
        }
        let challenge = try await passkeys.requestForNewPasskey(of: ada.caller).challenge
        #expect(await refusal { try await add(challenge, of: ben) }?.reason == .passkeyTooLate)
        let ofSignIn = passkeys.requestForSignIn().challenge
        #expect(await refusal { try await add(ofSignIn, of: ada) }?.reason == .passkeyTooLate)
        _ = try await add(challenge, of: ada)
        #expect(await refusal { try await add(challenge, of: ada) }?.reason == .passkeyTooLate)
    }

    @Test func registrationSignsNobodyIn() async throws {
        var device = try await added()
        device.type = "webauthn.create"
        #expect(await reason(device) == .passkeyInvalid)
    }

    @Test func userHasToBeVerified() async throws {
        var device = try await added()
        device.flags = 0x01
        #expect(await reason(device) == .passkeyUnverified)
        #expect(await refusal { try await add(device) }?.reason == .passkeyUnverified)
    }

    @Test func wrongSignatureIsRefused() async throws {
        let device = try await added()
        let challenge = passkeys.requestForSignIn().challenge
        var assertion = try device.assertion(challenge, of: ada.id)
        assertion.signature = try device.assertion(
            passkeys.requestForSignIn().challenge, of: ada.id
        ).signature
        let error = await refusal {
            try await server.network.signIn.signIn(assertion, deviceName: "Tablet")
        }
        #expect(error?.reason == .passkeyInvalid && error?.field == "passkey")
        // A failed attempt doesn't use up the challenge.
        _ = try await signIn(device, challenge: challenge)
    }

    @Test func counterThatGoesBackIsRefusedAndTold() async throws {
        var device = try await added()
        device.counter = 7
        _ = try await signIn(device)
        _ = try await server.news(of: ada)
        for counter: UInt32 in [7, 6, 0] {
            device.counter = counter
            #expect(await reason(device) == .passkeyCopied)
        }
        let news = Set(try await server.news(of: ada))
        #expect(news == ["A passkey may have been copied"])
        device.counter = 8
        _ = try await signIn(device)
    }

    @Test func personHasAtMostTwentyPasskeys() async throws {
        for _ in 1...20 { _ = try await add(SoftPasskey()) }
        #expect(await refusal { try await add(SoftPasskey()) }?.reason == .passkeysFull)
    }

    @Test func devicePasskeyIsAddedOnce() async throws {
        let device = try await added()
        #expect(await refusal { try await add(device) }?.isAlreadyExists == true)
        let request = try await passkeys.requestForNewPasskey(of: ada.caller)
        #expect(request.account?.otherPasskeys == [Base64URL.encode(device.id)])
        let handle = withUnsafeBytes(of: ada.id.uuid.uuid) { Data($0) }
        #expect(request.account?.handle == Base64URL.encode(handle))
        #expect(request.account?.name == ada.number.text)
        #expect(request.site == "lifesignal.example")
    }

    @Test func exportNamesThePasskeys() async throws {
        let passkey = try await add(SoftPasskey())
        #expect(try await server.export(of: ada).passkeys == [passkey])
    }

    @Test func malformedAnswersAreRefused() async throws {
        let broken = PasskeyRegistration(clientDataJSON: "AAAA", attestationObject: "AAAA")
        let error = await refusal {
            try await passkeys.add(broken, name: "Phone", of: ada.caller)
        }
        #expect(error?.reason == .passkeyInvalid)
    }
}

/// Runs an action once, before the first write.
private final class DatabaseWithHook: WrappingDatabase {
    typealias Action = @Sendable () async throws -> Void

    let engine: any DatabaseEngine
    private let action: Mutex<Action?>

    init(_ engine: any DatabaseEngine, _ action: @escaping Action) {
        self.engine = engine
        self.action = Mutex(action)
    }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let first = action.withLock { action in
            defer { action = nil }
            return action
        }
        try await first?()
        return try await engine.write(about: subjects, body)
    }
}
