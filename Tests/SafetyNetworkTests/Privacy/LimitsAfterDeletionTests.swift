import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Sam deletes the account and opens it again with the same number.
@Suite struct LimitsAfterDeletionTests {
    private let server: TestServer
    private let sam: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        sam = try await server.person("Sam")
    }

    private func reopened(_ person: Person) async throws -> Person {
        try await server.deleteAccount(person)
        let next = try await server.signIn(person.number, as: person.name)
        _ = try await server.network.profiles.updateProfile(
            name: person.name, emergencyNote: nil, of: next.caller)
        #expect(next.id != person.id)
        return next
    }

    private func invite(_ last: Int, by person: Person) async -> CommandError? {
        await refusal {
            let number = try PhoneNumber("+4930\(2_000_000 + last)")
            return try await server.network.invitations.invite(
                "Mia", .number(number), by: person.caller)
        }
    }

    @Test func invitationsCountForTheNextAccountOfTheNumber() async throws {
        for last in 0..<9 { #expect(await invite(last, by: sam) == nil) }
        server.clock.pass(.hours(1))
        let second = try await reopened(sam)
        #expect(await invite(9, by: second) == nil)
        #expect(await invite(10, by: second)?.retryAfter == .hours(23))
        let third = try await reopened(second)
        #expect(await invite(10, by: third)?.retryAfter == .hours(23))
        let ben = try await server.person("Ben")
        #expect(await invite(10, by: ben) == nil)
        server.clock.pass(.hours(23))
        for last in 11..<20 { #expect(await invite(last, by: third) == nil) }
        #expect(await invite(20, by: third)?.retryAfter == .hours(1))
    }

    @Test func enteredAddressesCountForTheNextAccountOfTheNumber() async throws {
        func enter(_ number: Int, _ person: Person) async -> CommandError? {
            await refusal {
                try await server.network.emailAddresses.setEmailAddress(
                    EmailAddress("a\(number)@example.org"), from: "198.51.100.\(number)",
                    of: person.caller)
            }
        }
        for number in 1...4 { #expect(await enter(number, sam) == nil) }
        let next = try await reopened(sam)
        #expect(await enter(5, next) == nil)
        #expect(await enter(6, next)?.retryAfter == .days(1))
        server.clock.pass(.days(1))
        #expect(await enter(6, next) == nil)
    }

    @Test func paidMessagesCountForTheNextAccountOfTheNumber() async throws {
        let budgets = Budgets(sms: Budget(total: nil, perUser: 10), voice: .unlimited)
        func spend(_ person: Person) async throws -> Bool {
            try await server.engine.write(about: Subjects([person.id])) { transaction in
                try transaction.spend(.everyday, on: .sms, by: person.id, budgets)
            }
        }
        // Everyday messages may use 80 % of a person's share.
        for _ in 0..<8 { #expect(try await spend(sam)) }
        let next = try await reopened(sam)
        #expect(try await !spend(next))
        let ben = try await server.person("Ben")
        #expect(try await spend(ben))
        server.clock.pass(.days(1))
        #expect(try await spend(next))
    }

    @Test func keptCountsExpireInAWeek() async throws {
        // The clean-up is about everyone.
        let server = try TestServer(hasBystanders: false, options: { $0.isSMSAvailable = true })
        let sam = try await server.person("Sam")
        _ = try await server.network.invitations.invite(
            "Mia", .number(PhoneNumber("+49302000000")), by: sam.caller)
        try await server.deleteAccount(sam)
        let keeper = UserID(server.network.key.limitsID(ofNumber: sam.number.text))
        func kept() async throws -> Int {
            try await server.engine.read {
                try $0.earlierTimes(of: .invitation, by: keeper, since: .distantPast).count
            }
        }
        func cleanUp() async throws {
            _ = try await server.engine.write(about: .none) {
                try $0.cleanUp(.userSpending, limit: 100)
            }
        }
        server.clock.pass(.days(7) - .seconds(1))
        try await cleanUp()
        #expect(try await kept() == 1)
        server.clock.pass(.seconds(1))
        try await cleanUp()
        #expect(try await kept() == 0)
    }
}
