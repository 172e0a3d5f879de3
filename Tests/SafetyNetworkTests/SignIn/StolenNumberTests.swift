import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// A thief with one session of an account has moved it to a number of their own.
@Suite struct StolenNumberTests {
    private let server: TestServer
    private let ada: Person
    private let thief: Person
    private let thiefs: PhoneNumber

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.person("Ada")
        thief = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        thiefs = try PhoneNumber("+493012345678")
        try await change(to: thiefs, by: thief)
    }

    private func change(to number: PhoneNumber, by person: Person) async throws {
        server.clock.pass(.hours(1))
        let code = try await server.code(for: number)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: code, of: person.caller)
    }

    private func number() async throws -> PhoneNumber? {
        try await server.profile(ada).phoneNumber
    }

    // MARK: The change back

    @Test func numberLeftLatelyIsTakenBackDespiteTheLock() async throws {
        _ = try await server.network.signInLocks.turnOn(of: thief.caller)
        try await change(to: ada.number, by: ada)
        #expect(try await number() == ada.number)
        // The thief's number now waits like any other.
        try await change(to: thiefs, by: thief)
        #expect(try await number() == ada.number)
        #expect(try await server.profile(ada).numberMove?.phoneNumber == thiefs)
    }

    @Test func takingTheNumberBackEndsAnotherChange() async throws {
        _ = try await server.network.signInLocks.turnOn(of: thief.caller)
        try await change(to: PhoneNumber("+493012345679"), by: thief)
        #expect(try await server.profile(ada).numberMove != nil)
        try await change(to: ada.number, by: ada)
        #expect(try await number() == ada.number)
        #expect(try await server.profile(ada).numberMove == nil)
    }

    @Test(arguments: [(Duration.days(7) - .milliseconds(1), true), (.days(7), false)])
    func numberLeftAWeekAgoWaits(time: Duration, isAtOnce: Bool) async throws {
        _ = try await server.network.signInLocks.turnOn(of: thief.caller)
        server.clock.pass(time - .hours(1))
        try await change(to: ada.number, by: ada)
        #expect(try await number() == (isAtOnce ? ada.number : thiefs))
    }

    // MARK: The deletion

    /// The code would go to the thief's number.
    @Test func newNumberDeletesNoAccountForAWeek() async throws {
        let (codes, deletion) = (server.network.codes, server.network.accountDeletion)
        let end = server.clock.now.adding(.days(7))
        for person in [thief, ada] {
            let refused = [
                await refusal { try await deletion.deleteAccount(of: person.caller) },
                await refusal {
                    try await codes.requestDeletionCode(from: "192.0.2.1", of: person.caller)
                },
            ]
            #expect(refused.map { $0?.field } == ["code", "code"])
            #expect(refused.map { $0?.reason } == [nil, nil])
        }
        #expect(server.environment.texts(on: thiefs).isEmpty)
        server.clock.set(end)
        let request = try await codes.requestDeletionCode(from: "192.0.2.1", of: ada.caller)
        let text = try #require(server.environment.texts(on: thiefs).last)
        try await deletion.deleteAccount(
            of: ada.caller, code: String(text.prefix(6)), requestID: request)
        let id = ada.id
        let user = try await server.engine.read { try $0.user(id) }
        #expect(user == nil)
    }
}
