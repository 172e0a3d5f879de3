import Domain
import Foundation
import Synchronization
import TestApp
import Testing

@testable import ClientsLive

@Suite(.timeLimit(.minutes(1))) struct KeychainTokenStoreTests {
    private final class FakeKeychain: Keychain {
        struct State {
            var items: [String: Data] = [:]
            var error: KeychainError?
            var reads = 0
        }
        let state = Mutex(State())

        func item(_ name: String) throws(KeychainError) -> Data? {
            let (error, item) = state.withLock { state in
                state.reads += 1
                return (state.error, state.items[name])
            }
            if let error { throw error }
            return item
        }

        func set(_ bytes: Data, _ name: String) throws(KeychainError) {
            let error = state.withLock { state in
                if state.error == nil { state.items[name] = bytes }
                return state.error
            }
            if let error { throw error }
        }

        func remove(_ name: String) throws(KeychainError) {
            let error = state.withLock { state in
                if state.error == nil { state.items[name] = nil }
                return state.error
            }
            if let error { throw error }
        }

        func fail(_ error: KeychainError?) { state.withLock { $0.error = error } }
        var reads: Int { state.withLock { $0.reads } }
    }

    private let keychain = FakeKeychain()
    private let clock = ManualClock()
    private var store: KeychainTokenStore {
        KeychainTokenStore(keychain: keychain, clock: clock.client)
    }

    @Test func savedItemsReachTheNextProcess() async throws {
        #expect(try await store.load() == nil)
        try store.save(.stage(1))
        try store.save(.stage(2))
        #expect(try await store.load() == .stage(2))
        try store.delete()
        try store.delete()
        #expect(try await store.load() == nil)
    }

    @Test func lockedKeychainDelaysLoadWithoutSignOut() async throws {
        try store.save(.stage(1))
        keychain.fail(.locked)
        let loading = Task { [store] in try await store.load() }
        for look in 1...3 {
            await clock.sleepers()
            #expect(keychain.reads == look && clock.waits == [KeychainTokenStore.pause])
            if look == 3 { keychain.fail(nil) }
            clock.advance(by: KeychainTokenStore.pause)
            if look < 3 { await clock.sleepers() }
        }
        #expect(try await loading.value == .stage(1))
    }

    @Test func sessionResumesAfterUnlock() async throws {
        try store.save(.stage(1))
        keychain.fail(.locked)
        let connection = Connection(
            transport: FakeTransport { _, _ in try .problem(.unauthenticated) }, store: store,
            clock: clock.client, random: { 0 })
        let user = Task { try await connection.signedInUser() }
        await clock.sleepers()
        keychain.fail(nil)
        clock.advance(by: KeychainTokenStore.pause)
        #expect(try await user.value == SessionTokens.stage(1).userID)
    }

    @Test func waitForUnlockCanBeCancelled() async throws {
        keychain.fail(.locked)
        let loading = Task { [store] in try await store.load() }
        await clock.sleepers()
        loading.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value }
    }

    @Test func otherKeychainErrorsThrowAtOnce() async throws {
        keychain.fail(.failed(-25300))
        let error = TokenStoreError.failed(path: "keychain", reason: "keychain status -25300")
        await #expect(throws: error) { try await store.load() }
        #expect(throws: error) { try store.save(.stage(1)) }
        #expect(throws: error) { try store.delete() }
        keychain.fail(nil)
        try keychain.set(Data("x".utf8), "session")
        await #expect(throws: TokenStoreError.damaged(path: "keychain")) {
            try await store.load()
        }
    }

    @Test func deviceKeyOutlivesSignOutAndLockedKeychain() async throws {
        let key = try #require(await store.deviceKey())
        try store.save(.stage(1))
        try store.delete()
        #expect(await store.deviceKey() == key)
        keychain.fail(.locked)
        #expect(await store.deviceKey() == nil)
        keychain.fail(nil)
        #expect(await store.deviceKey() == key)
    }

    @Test func twoStoresWithOneLockTakeTurns() async throws {
        let path = NSTemporaryDirectory() + "lifesignal-lock-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let turns = Turns()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                let store = KeychainTokenStore(
                    keychain: keychain, lock: InterProcessLock(path: path), clock: clock.client)
                group.addTask {
                    try await store.exclusively {
                        await turns.enter()
                        await Task.yield()
                        await turns.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await turns.most == 1)
    }

    private actor Turns {
        private var inside = 0
        private(set) var most = 0

        func enter() {
            inside += 1
            most = max(most, inside)
        }
        func leave() { inside -= 1 }
    }
}
