import Domain
import Foundation
import Testing

@testable import Persistence

/// Ada's mailbox doesn't exist, as its mail server says. Ben's does.
@Suite struct EmailHealthTests {
    private func withAddresses(
        _ story: (any DatabaseEngine) async throws -> Void
    ) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            for (user, name) in [(ada, "ada"), (ben, "ben")] {
                let address = try EmailAddress("\(name)@example.org")
                try await engine.write(about: .none) {
                    try $0.insertEmailAddress(address, of: user)
                }
            }
            try await story(engine)
            let bens = try await engine.read { try $0.emailStatus(of: ben) }
            #expect(bens.address == "ben@example.org")
            #expect(bens.failingSince == nil && bens.lastSuccessAt == nil)
        }
    }

    private func fail(
        _ engine: any DatabaseEngine, _ address: String = "ada@example.org",
        after time: Duration = .zero, attempts: Int = EndpointRules.triesBeforeGivingUp
    ) async throws -> EndpointNews? {
        let time = noon.adding(time)
        return try await engine.write(at: time) {
            try $0.noteEmailFailure(
                of: ada,
                EmailFailure(.http(550), address: address, attempts: attempts, at: time))
        }
    }

    private func succeed(
        _ engine: any DatabaseEngine, _ address: String = "ada@example.org",
        after time: Duration = .zero
    ) async throws {
        let time = noon.adding(time)
        try await engine.write(at: time) {
            try $0.noteEmailSuccess(of: ada, address: address, at: time)
        }
    }

    private func status(_ engine: any DatabaseEngine) async throws -> EmailStatus {
        try await engine.read { try $0.emailStatus(of: ada) }
    }

    @Test func firstFailureIsNews() async throws {
        try await withAddresses { engine in
            #expect(try await fail(engine) == .gone)
            #expect(try await fail(engine, after: .hours(1)) == nil)
            #expect(try await status(engine).failingSince == noon)
            #expect(try await status(engine).lastFailure == "http-550")
            try await succeed(engine, after: .hours(2))
            #expect(try await status(engine).failingSince == nil)
            #expect(try await status(engine).lastFailure == nil)
            #expect(try await fail(engine, after: .hours(3)) == .gone)
        }
    }

    @Test func addressIsGivenUpAfterItsTimeAndTries() async throws {
        try await withAddresses { engine async throws in
            let end = EndpointRules.givenUpAfter
            let few = EndpointRules.triesBeforeGivingUp - 1
            #expect(try await fail(engine) == .gone)
            #expect(try await fail(engine, after: end - .milliseconds(1)) == nil)
            #expect(try await fail(engine, after: end, attempts: few) == nil)
            #expect(try await status(engine).address == "ada@example.org")
            #expect(try await fail(engine, after: end) == .givenUp)
            #expect(try await status(engine).address == nil)
            #expect(try await fail(engine, after: end) == nil)
        }
    }

    /// Ada has entered a new address because the old mailbox is gone.
    @Test func givingUpKeepsTheNewAddress() async throws {
        try await withAddresses { engine in
            _ = try await fail(engine)
            let new = try EmailAddress("ada@example.com")
            try await engine.write(about: .none) {
                try $0.setNewEmailAddress(new, code: UUID(), of: ada)
            }
            #expect(try await fail(engine, after: EndpointRules.givenUpAfter) == .givenUp)
            let left = try await status(engine)
            #expect(left == EmailStatus(unverifiedAddress: "ada@example.com"))
            #expect(try await engine.read { try $0.confirmedEmail(of: ada) } == nil)
            try await engine.write(about: .none) { try $0.confirmNewEmailAddress(of: ada) }
            #expect(try await status(engine).address == "ada@example.com")
        }
    }

    /// The message went to an address that Ada has replaced since.
    @Test func replacedAddressChangesNothing() async throws {
        try await withAddresses { engine in
            #expect(try await fail(engine, "old@example.org") == nil)
            #expect(try await status(engine).failingSince == nil)
            _ = try await fail(engine)
            try await succeed(engine, "old@example.org", after: .hours(1))
            #expect(try await status(engine).failingSince == noon)
        }
    }

    @Test func successIsWrittenOnceAMinute() async throws {
        try await withAddresses { engine in
            try await succeed(engine)
            try await succeed(engine, after: .minutes(1) - .milliseconds(1))
            #expect(try await status(engine).lastSuccessAt == noon)
            try await succeed(engine, after: .minutes(1))
            #expect(try await status(engine).lastSuccessAt == noon.adding(.minutes(1)))
        }
    }
}
