import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The text message to the number of an account whose sign-in lock was turned on.
@Suite struct SignInLockTextTests {
    private let server: TestServer
    private let ada: Person

    private var locks: SignInLocks { server.network.signInLocks }

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
    }

    /// Keeping the lock on before its end tells the number nothing new.
    @Test func lockTellsItsNumberByTextOnce() async throws {
        for _ in 1...2 { _ = try await locks.turnOn(of: ada.caller) }
        _ = try await locks.turnOff(of: ada.caller)
        _ = try await locks.turnOn(of: ada.caller)
        let text = NotificationText.signInLockIsOn
        #expect(server.environment.texts(on: ada.number) == [text])
        #expect(text.count <= 160 && text.utf8.allSatisfy { $0 < 0x80 })
        // After its end, the lock is new.
        let end = try #require(try await locks.turnOff(of: ada.caller).lockEndsAt)
        server.clock.set(end)
        _ = try await locks.turnOn(of: ada.caller)
        #expect(server.environment.texts(on: ada.number) == [text, text])
    }

    @Test func lockTellsNoNumberThatStoppedItsTexts() async throws {
        try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            if let user = try transaction.user(ada.id) { try transaction.stopTexts(to: user) }
        }
        #expect(try await locks.turnOn(of: ada.caller).isLocked)
        #expect(server.environment.texts(on: ada.number).isEmpty)
    }
}
