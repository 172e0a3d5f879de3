import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// The text message to the number of an account whose sign-in lock was turned on, and the text of
/// the refusal.
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

    /// Turns the lock on, and off again with a recovery code.
    private func turnOnAndOff(_ code: String) async throws {
        _ = try await locks.turnOn(of: ada.caller)
        #expect(try await !locks.turnOff(recoveryCode: code, of: ada.caller).isLocked)
    }

    @Test func numberGetsOneTextADay() async throws {
        let codes = try await server.network.recovery.makeCodes(of: ada.caller).codes
        server.clock.pass(.days(7))
        let text = NotificationText.signInLockIsOn
        let begin = server.clock.now
        try await turnOnAndOff(codes[0])
        try await turnOnAndOff(codes[1])
        server.clock.set(begin.adding(.days(1)).aMillisecondBefore)
        try await turnOnAndOff(codes[2])
        #expect(server.environment.texts(on: ada.number) == [text])
        server.clock.set(begin.adding(.days(1)))
        try await turnOnAndOff(codes[3])
        #expect(server.environment.texts(on: ada.number) == [text, text])
        #expect(try await locks.turnOn(of: ada.caller).isLocked)
        #expect(server.environment.texts(on: ada.number) == [text, text])
    }

    /// The server forgets the older keys of a person who makes many edits.
    @Test func manyEditsCauseNoSecondText() async throws {
        let codes = try await server.network.recovery.makeCodes(of: ada.caller).codes
        server.clock.pass(.days(7))
        try await turnOnAndOff(codes[0])
        server.clock.pass(.seconds(1))
        try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            for _ in 0...RequestKeyRules.limit {
                try transaction.insert(RequestKeyRow(request: "edit"), key: UUID(), of: ada.id)
            }
        }
        try await turnOnAndOff(codes[1])
        #expect(server.environment.texts(on: ada.number) == [NotificationText.signInLockIsOn])
    }

    /// Alarms may use more of the budget.
    @Test func textIsChargedAsEveryday() async throws {
        let budgets = Budgets(sms: Budget(total: nil, perUser: 10), voice: .unlimited)
        for used in [7, 8] {
            let server = try TestServer(options: { $0.budgets = budgets })
            let ada = try await server.person("Ada")
            try await server.engine.write(about: Subjects([ada.id])) { transaction in
                for _ in 1...used {
                    _ = try transaction.spend(.alertBegin, on: .sms, by: ada.id, budgets)
                }
            }
            _ = try await server.network.signInLocks.turnOn(of: ada.caller)
            #expect(server.environment.texts(on: ada.number).count == (used == 7 ? 1 : 0))
        }
    }

    @Test func lockTellsNoNumberThatStoppedItsTexts() async throws {
        try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
            if let user = try transaction.user(ada.id) { try transaction.stopTexts(to: user) }
        }
        #expect(try await locks.turnOn(of: ada.caller).isLocked)
        #expect(server.environment.texts(on: ada.number).isEmpty)
    }

    @Test func refusalGivesTheTime() async throws {
        _ = try await locks.turnOn(of: ada.caller)
        let end = server.clock.now.adding(.days(7))
        for _ in 1...2 {
            let code = try await server.code(for: ada.number)
            let refused = await refusal {
                try await server.network.signIn.signIn(
                    ada.number, code: code, deviceName: "Thief phone")
            }
            let time = Timestamp.clockTime(end, in: nil, at: server.clock.now)
            let words = RefusalWords.heldBack(.signInWaits, until: time)
            #expect(
                refused
                    == .invalidArgument(field: "code", words.detail, reason: .signInWaits))
            server.clock.pass(.days(1))
        }
        #expect(
            RefusalWords.heldBack(.signInStopped, until: "12:00 UTC").detail
                == "\(RefusalWords.signInStopped.message) Use a recovery code, or try again from "
                + "12:00 UTC.")
    }
}
