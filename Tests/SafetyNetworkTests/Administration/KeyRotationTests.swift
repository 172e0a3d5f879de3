import Cryptography
import Domain
import Foundation
import Persistence
import Synchronization
import TestDatabase
import Testing

@testable import SafetyNetwork

/// A rotation keeps everything that people have; `forget` ends what only the former key can read.
@Suite struct KeyRotationTests {
    private let server: TestServer
    private let ada: Person

    private var network: SafetyNetwork { server.network }

    init() async throws {
        server = try TestServer(hasBystanders: false)
        try await server.network.serverLife.wake()
        ada = try await server.person("Ada")
    }

    private static func bytes(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }

    @discardableResult
    private func rotate(to byte: UInt8 = 9) async throws -> AdminDone {
        try await network.keyRotation.rotate(
            to: Self.bytes(byte), from: network.key.fingerprint, reason: "Yearly", by: "root")
    }

    private func renew() async throws {
        server.clock.pass(KeyRotation.patience)
        try await network.keyRotation.renew()
    }

    private func forget() async throws {
        _ = try await network.keyRotation.forget(reason: "Theft", by: "root")
    }

    private func kinds() async throws -> [AdminAct.Kind] {
        try await network.administration.log(about: nil).entries.map(\.act.kind)
    }

    private func state() async throws -> ServerState {
        try await server.engine.read { try $0.serverState() }
    }

    // MARK: What people have

    @Test func codeSentBeforeSignsInAfter() async throws {
        let code = try await server.code(for: ada.number)
        try await rotate()
        let tokens = try await network.signIn.signIn(ada.number, code: code, deviceName: "Phone")
        #expect(tokens.caller.userID == ada.id)
    }

    @Test func rememberedDeviceStaysKnown() async throws {
        let device = CodeAsker(deviceKey: server.environment.id())
        let code = try await server.code(for: ada.number)
        _ = try await network.signIn.signIn(
            ada.number, code: code, deviceName: "Phone", by: device)
        func isKnown() async throws -> Bool {
            let hash = network.key.hash(deviceKey: try #require(device.deviceKey).uuid)
            return try await server.engine.read { [ada] in
                try $0.isKnown(device: hash, to: ada.number)
            }
        }
        try await rotate()
        try await renew()
        #expect(try await isKnown())
        try await forget()
        #expect(try await !isKnown())
    }

    @Test func forgettingEndsOlderRecoveryCodesOnly() async throws {
        let ben = try await server.person("Ben")
        let older = try await network.recovery.makeCodes(of: ada.caller).codes
        try await rotate()
        let newer = try await network.recovery.makeCodes(of: ben.caller).codes
        _ = try await network.signIn.signIn(
            ada.number, recoveryCode: older[0], deviceName: "Phone")
        try await renew()
        try await forget()
        func left(_ person: Person) async throws -> Int {
            try await network.signInLocks.security(of: person.caller).recoveryCodes
        }
        #expect(try await left(ada) == 0)
        #expect(try await left(ben) == 10)
        let ended = await refusal {
            try await network.signIn.signIn(
                ada.number, recoveryCode: older[1], deviceName: "Phone")
        }
        #expect(ended?.reason == .recoveryCodeWrong)
        _ = try await network.signIn.signIn(
            ben.number, recoveryCode: newer[0], deviceName: "Phone")
        #expect(try await left(ben) == 9)
    }

    @Test func webhookTokenIsSealedAnew() async throws {
        let id: PushEndpointID = server.environment.id()
        let webhook = try Webhook(
            url: "https://matrix.example.org", template: .matrix, chat: "!a:example.org",
            token: "syt_secret", allowsPlainHTTP: false)
        _ = try await network.endpoints.saveWebhook(id, webhook, of: ada.caller)
        func opened(by key: ServerKey) async throws -> String? {
            let rows = try await server.engine.read {
                try $0.sealedTokens(after: .start, limit: 10)
            }
            let row = try #require(rows.first)
            return key.open(webhookToken: row.sealed, user: ada.id.uuid, endpoint: id.uuid)
        }
        try await rotate()
        let alone = network.key.withoutFormerKeys
        #expect(try await opened(by: network.key) == "syt_secret")
        #expect(try await opened(by: alone) == nil)
        try await renew()
        #expect(try await opened(by: alone) == "syt_secret")
        #expect(try await state().keyRotatedAt == nil)
        try await forget()
        #expect(try await opened(by: network.key) == "syt_secret")
    }

    @Test(arguments: [false, true]) func browserMovesToItsNewUser(isRenewed: Bool) async throws {
        let ben = try await server.person("Ben")
        let url = try #require(URL(string: "https://push.example.org/1"))
        let browser = BrowserSubscription(url: url, p256dh: Data([4]), auth: Data([0]))
        _ = try await network.pushSubscriptions.savePushSubscription(
            server.environment.id(), browser, of: ada.caller)
        try await rotate()
        if isRenewed {
            try await renew()
            try await forget()
        }
        _ = try await network.pushSubscriptions.savePushSubscription(
            server.environment.id(), browser, of: ben.caller)
        #expect(try await network.endpoints.pushEndpoints(of: ada.caller).isEmpty)
        #expect(try await network.endpoints.pushEndpoints(of: ben.caller).count == 1)
        let hash = network.key.hash(pushAddress: url.absoluteString)
        let owner = try await server.engine.read { try $0.owner(ofPushAddress: hash) }
        #expect(owner == ben.id)
    }

    /// Ada blocks Ben, who deletes his account and signs up again.
    @Test(arguments: [false, true])
    func blockedNumberStaysBlocked(isDeletedLater: Bool) async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        _ = try await network.blocks.block(ben.id, by: ada.caller)
        if !isDeletedLater { try await server.deleteAccount(ben) }
        try await rotate()
        try await renew()
        if isDeletedLater { try await server.deleteAccount(ben) }
        let again = try await server.signIn(ben.number, as: "Ben")
        func isBlocked() async throws -> Bool {
            try await server.engine.read { [network, ada] connection -> Bool in
                guard let user = try connection.user(again.id) else { throw Unexpected() }
                return try network.block(of: user, by: ada.id, in: connection) != nil
            }
        }
        #expect(try await isBlocked())
        try await forget()
        // The number of an account that was deleted before the rotation isn't known.
        #expect(try await isBlocked() == isDeletedLater)
    }

    /// Ben has changed his number since Ada blocked him.
    @Test func blockOfAFormerNumberKeepsItsHash() async throws {
        let ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        _ = try await network.blocks.block(ben.id, by: ada.caller)
        let number = try PhoneNumber("+493012345678")
        let code = try await server.code(for: number)
        _ = try await network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: ben.caller)
        func hashes() async throws -> [Data] {
            try await server.engine.read {
                try $0.blockHashes(after: .start, limit: 9).map(\.hash)
            }
        }
        let before = try await hashes()
        try await rotate()
        try await renew()
        #expect(before.count == 1)
        #expect(try await hashes() == before)
    }

    // MARK: Starts

    @Test func nextStartHasTheFormerKeys() async throws {
        let pushKey = try #require(network.pushKey.publicKey)
        let code = try await server.code(for: ada.number)
        try await rotate()
        let next = try server.another(on: server.engine, key: 9)
        try await next.serverLife.wake()
        #expect(next.pushKey.publicKey == pushKey && next.key.formerKeys == 1)
        _ = try await next.signIn.signIn(ada.number, code: code, deviceName: "Phone")
        let former = try server.another(on: server.engine, key: 7)
        await #expect(throws: WrongKey.self) { try await former.serverLife.wake() }
        await #expect(throws: WrongKey.self) { try await former.keyRotation.load() }
        let direct = try server.another(on: server.engine, key: 9)
        try await direct.keyRotation.load()
        #expect(direct.key.formerKeys == 1)
    }

    /// The answer to the first try was lost, before or after the server changed its key.
    @Test func secondTryFinishesARotation() async throws {
        let old = network.key.fingerprint
        let other = try server.another(on: server.engine, key: 7)
        try await rotate()
        for rotation in [network.keyRotation, other.keyRotation] {
            _ = try await rotation.rotate(
                to: Self.bytes(9), from: old, reason: "Yearly", by: "root")
        }
        #expect(other.key.fingerprint == network.key.fingerprint)
        #expect(try await kinds() == [.rotateKey])
        #expect(try await state().formerKeys == 1)
    }

    /// Both operators began with the same key.
    @Test func rotationOfAnotherServerIsNotUndone() async throws {
        let (old, other) = (network.key.fingerprint, try server.another(key: 7))
        try await rotate()
        let refused = await refusal {
            try await other.keyRotation.rotate(
                to: Self.bytes(11), from: old, reason: "Yearly", by: "root")
        }
        #expect(refused?.field == "keyFile")
        #expect(try await state().keyFingerprint == network.key.fingerprint)
    }

    @Test(.enabled(if: !TestDatabase.isPostgreSQL)) func onlyServerRenewsAtOnce() async throws {
        try await rotate()
        try await network.keyRotation.renew()
        #expect(try await state().keyRotatedAt == nil)
    }

    @Test func clockThatWasSetBackPostponesNoRenewal() async throws {
        try await rotate()
        let shared = try server.another(key: 9)
        try await shared.serverLife.wake()
        server.clock.pass(.milliseconds(-1))
        try await shared.keyRotation.renew()
        #expect(try await state().keyRotatedAt == nil)
    }

    @Test func renewalWaitsForTheOtherServers() async throws {
        try await rotate()
        let shared = try server.another(key: 9)
        try await shared.serverLife.wake()
        server.clock.pass(KeyRotation.patience - .milliseconds(1))
        try await shared.keyRotation.renew()
        #expect(try await state().keyRotatedAt != nil)
        let refused = await refusal {
            try await shared.keyRotation.forget(reason: "Theft", by: "root")
        }
        guard case .unavailable? = refused else { throw Unexpected() }
        server.clock.pass(.milliseconds(1))
        try await shared.keyRotation.renew()
        #expect(try await state().keyRotatedAt == nil)
    }

    /// Returns another server that has started before the rotation, with the next key's file.
    private func follower() async throws -> SafetyNetwork {
        var environment = SafetyNetwork.Environment { _, _ in }
        environment.findKey = { fingerprint in
            [Self.bytes(7), Self.bytes(9)].compactMap { ServerKey(bytes: $0) }
                .first { $0.fingerprint == fingerprint }
        }
        let other = SafetyNetwork(
            database: CheckedDatabase(server.engine, isShared: true), options: network.options,
            key: try #require(ServerKey(bytes: Self.bytes(7))), environment: environment)
        try await other.serverLife.wake()
        return other
    }

    /// Returns the secret of a link that ends Ada's session.
    private func link(by key: ServerKey) -> String {
        LinkToken(owner: ada.id.uuid, subject: ada.caller.sessionID.uuid).text(.session, key: key)
    }

    @Test func rightCodeIsRightBeforeTheOtherServerFollows() async throws {
        let other = try await follower()
        try await rotate()
        let code = try await server.code(for: ada.number)
        let tokens = try await other.signIn.signIn(ada.number, code: code, deviceName: "Phone")
        #expect(tokens.caller.userID == ada.id)
        #expect(other.key.fingerprint == network.key.fingerprint && other.key.formerKeys == 1)
    }

    @Test func recoveryCodeIsRightBeforeTheOtherServerFollows() async throws {
        let other = try await follower()
        try await rotate()
        let codes = try await network.recovery.makeCodes(of: ada.caller).codes
        _ = try await other.signIn.signIn(ada.number, recoveryCode: codes[0], deviceName: "Phone")
        #expect(other.key.fingerprint == network.key.fingerprint)
    }

    @Test func linkIsKnownBeforeTheOtherServerFollows() async throws {
        let other = try await follower()
        try await rotate()
        #expect(try await other.accountNews.linkedSession(by: link(by: network.key)) != nil)
        let stranger = try #require(ServerKey(bytes: Self.bytes(1)))
        #expect(try await other.accountNews.linkedSession(by: link(by: stranger)) == nil)
    }

    @Test func forgottenKeyIsWorthNothingWithoutTheFile() async throws {
        let without = try server.another(key: 7)
        try await without.serverLife.wake()
        let known = link(by: without.key)
        try await rotate()
        try await without.serverLife.giveSignOfLife()
        #expect(try await without.accountNews.linkedSession(by: known) != nil)
        try await renew()
        try await forget()
        try await without.serverLife.giveSignOfLife()
        #expect(try await without.accountNews.linkedSession(by: known) == nil)
        #expect(without.keyRotation.isBehind)
    }

    @Test func failedChecksOfOneMomentShareARead() async throws {
        let (questions, reads, gate) = (KeyQuestions(), Counter(), AsyncStream<Void>.makeStream())
        async let first: Void = questions.ask {
            reads.add()
            for await _ in gate.stream { break }
        }
        while reads.count == 0 { await Task.yield() }
        // The first read may have been too early for these.
        async let second: Void = questions.ask { reads.add() }
        async let third: Void = questions.ask { reads.add() }
        while questions.waitingCount < 2 { await Task.yield() }
        gate.continuation.yield()
        _ = try await (first, second, third)
        #expect(reads.count == 2)
        await #expect(throws: Unexpected.self) { try await questions.ask { throw Unexpected() } }
        try await questions.ask { reads.add() }
        #expect(reads.count == 3)
    }

    @Test func otherServerFollowsWithTheFileOnly() async throws {
        let (other, without) = (try await follower(), try server.another(key: 7))
        try await without.serverLife.wake()
        try await rotate()
        for one in [other, without] { try await one.serverLife.giveSignOfLife() }
        #expect(other.key.fingerprint == network.key.fingerprint && other.key.formerKeys == 1)
        #expect(!other.keyRotation.isBehind && without.keyRotation.isBehind)
        try await renew()
        try await forget()
        try await other.serverLife.giveSignOfLife()
        #expect(other.key.formerKeys == 0)
    }

    @Test func serverThatStartsDuringForgettingForgetsToo() async throws {
        try await rotate()
        try await renew()
        let database = Interrupted(engine: CheckedDatabase(server.engine, isShared: true)) {
            [network] in _ = try? await network.keyRotation.forget(reason: "Theft", by: "root")
        }
        let starting = try server.another(on: database, key: 9)
        try await starting.serverLife.wake()
        #expect(try await state().formerKeys == nil)
        try await starting.serverLife.giveSignOfLife()
        #expect(starting.key.formerKeys == 0)
    }

    /// One administrator rotates while another one forgets.
    @Test func rotationBringsNoForgottenKeyBack() async throws {
        try await rotate()
        try await renew()
        let database = Interrupted(engine: server.engine) { [network] in
            _ = try? await network.keyRotation.forget(reason: "Theft", by: "root")
        }
        let other = try server.another(on: database, key: 9)
        try await other.keyRotation.load()
        let refused = await refusal {
            try await other.keyRotation.rotate(
                to: Self.bytes(10), from: other.key.fingerprint, reason: "Yearly", by: "root")
        }
        guard case .unavailable? = refused else { throw Unexpected() }
        #expect(try await state().formerKeys == nil)
    }

    // MARK: Refusals

    @Test func wrongKeysAreRefused() async throws {
        func refused(_ new: Data, from old: Int64? = nil) async -> CommandError? {
            await refusal {
                try await network.keyRotation.rotate(
                    to: new, from: old ?? network.key.fingerprint, reason: "a", by: "root")
            }
        }
        #expect(await refused(Self.bytes(9).dropLast())?.field == "key")
        #expect(await refused(Self.bytes(9), from: 1)?.field == "keyFile")
        try await rotate()
        #expect(await refused(Self.bytes(7))?.field == "key")
        #expect(try await kinds() == [.rotateKey])
    }

    @Test func reasonIsNeeded() async throws {
        let rotation = await refusal {
            try await network.keyRotation.rotate(
                to: Self.bytes(9), from: network.key.fingerprint, reason: " ", by: "root")
        }
        let forgetting = await refusal {
            try await network.keyRotation.forget(reason: " ", by: "root")
        }
        #expect(rotation?.field == "reason" && forgetting?.field == "reason")
        #expect(network.key.formerKeys == 0)
    }

    @Test func ninthFormerKeyIsRefused() async throws {
        for byte in 20..<(20 + UInt8(ServerKey.mostFormerKeys)) { try await rotate(to: byte) }
        #expect(network.key.formerKeys == ServerKey.mostFormerKeys)
        let refused = await refusal { try await rotate(to: 99) }
        #expect(refused?.field == "key")
        try await renew()
        try await forget()
        try await rotate(to: 99)
        #expect(network.key.formerKeys == 1)
    }

    @Test func keyInTheEnvironmentIsRefused() async throws {
        let server = try TestServer(options: { $0.isKeyInEnvironment = true })
        let refused = await refusal {
            try await server.network.keyRotation.rotate(
                to: Self.bytes(9), from: server.network.key.fingerprint, reason: "a", by: "root")
        }
        #expect(refused?.field == "keyFile")
    }

    @Test func serverThatIsBehindForgetsNothing() async throws {
        try await rotate()
        let other = try server.another(key: 9)
        try await other.serverLife.wake()
        try await rotate(to: 10)
        try await renew()
        let refused = await refusal {
            try await other.keyRotation.forget(reason: "Theft", by: "root")
        }
        #expect(refused?.field == "keyFile")
        #expect(try await state().formerKeys == 2)
    }

    @Test func nothingToForgetIsSaid() async throws {
        let refused = await refusal { try await forget() }
        #expect(refused?.isNotFound == true)
        #expect(try await kinds().isEmpty)
    }
}

private struct Unexpected: Error {}

private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}

/// Another server acts before each write.
private struct Interrupted: WrappingDatabase {
    let engine: any DatabaseEngine
    let act: @Sendable () async -> Void

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        await act()
        return try await engine.write(about: subjects, body)
    }
}
