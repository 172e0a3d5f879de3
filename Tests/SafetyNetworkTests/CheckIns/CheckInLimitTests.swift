import Domain
import Foundation
import Persistence
import Synchronization
import TestDatabase
import Testing

@testable import SafetyNetwork

@Suite struct CheckInLimitTests {
    private let refused = CommandError.rateLimited(retryAfter: .seconds(3))

    @Test func sixtyFirstRapidCheckInIsRefused() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        for _ in 0..<60 { try await server.checkIn(ada) }
        #expect(await refusal { try await server.checkIn(ada) }?.retryAfter == .hours(1))
        #expect(try await server.history(of: ada).count == 61)
        server.clock.pass(.hours(1))
        try await server.checkIn(ada)
    }

    /// The transaction runs twice, as after a deadlock.
    @Test func retriedTransactionCountsOnce() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        let network = try server.another(on: RepeatingDatabase(server.engine))
        let checkIn = {
            try await network.checkIns.checkIn(
                server.environment.id(), occurredAt: server.clock.now, by: ada.caller)
        }
        for _ in 0..<60 { _ = try await checkIn() }
        #expect(await refusal { try await checkIn() }?.retryAfter == .hours(1))
    }

    @Test func aCheckInElevenSecondsLaterIsNeverRefused() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        for _ in 0..<60 { try await server.checkIn(ada) }
        for (wait, isTaken) in [
            (Duration.seconds(10), false), (.milliseconds(1), true), (.seconds(10), false),
        ] {
            server.clock.pass(wait)
            #expect((await refusal { try await server.checkIn(ada) } == nil) == isTaken)
        }
        for _ in 0..<200 {
            server.clock.pass(.milliseconds(10_001))
            try await server.checkIn(ada)
        }
    }

    @Test func oldMomentsAreLimitedToo() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        for hours in 1...60 {
            try await server.checkIn(ada, at: noon.adding(.zero - .hours(hours)))
        }
        #expect(
            await refusal { try await server.checkIn(ada, at: noon.adding(.zero - .hours(61))) }?
                .retryAfter == .hours(1))
    }

    /// Without this limit, an account could fill past decades with check-ins ten seconds apart.
    @Test func momentsFromBeforeTheLongestIntervalAreLimited() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let start = noon.adding(.zero - .days(3_000))
        for step in 0..<60 { try await server.checkIn(ada, at: start.adding(.minutes(step))) }
        let refused = await refusal {
            try await server.checkIn(ada, at: start.adding(.minutes(60)))
        }
        #expect(refused?.retryAfter == .hours(1))
        try await server.checkIn(ada)
    }

    @Test func repeatedIDCostsNothing() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        let first = try await server.checkIn(ada)
        for _ in 0..<100 { #expect(try await server.checkIn(ada, id: first.id) == first) }
        try await server.checkIn(ada)
    }

    @Test func usersHaveSeparateCheckInLimits() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.armed("Ben"))
        for _ in 0..<60 { try await server.checkIn(ada) }
        try await server.checkIn(ben)
    }

    @Test func operatorSetsAnotherLimitOrNone() async throws {
        let few = try TestServer(options: { $0.checkInsPerHour = 2 })
        let ada = try await few.armed("Ada")
        for _ in 0..<2 { try await few.checkIn(ada) }
        #expect(await refusal { try await few.checkIn(ada) } != nil)
        let none = try TestServer(options: { $0.checkInsPerHour = 0 })
        let ben = try await none.armed("Ben")
        for _ in 0..<100 { try await none.checkIn(ben) }
    }

    // MARK: Over a request limit

    private func urgently(_ server: TestServer, _ person: Person, at moment: Date? = nil) async
        -> CommandError?
    {
        await refusal {
            try await server.network.checkIns.checkIn(
                server.environment.id(), occurredAt: moment ?? server.clock.now, by: person.caller,
                unlessRefused: refused)
        }
    }

    @Test func overALimitOnlyNewerCheckInsAreTaken() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        for (wait, isTaken) in [
            (Duration.seconds(10), false), (.milliseconds(1), true), (.seconds(10), false),
            (.seconds(1), true),
        ] {
            server.clock.pass(wait)
            #expect(await urgently(server, ada) == (isTaken ? nil : refused), "\(wait)")
        }
    }

    /// A check-in within the ordinary limit also counts as the last one.
    @Test func storedCheckInCountsAsTheLast() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.pass(.minutes(1))
        #expect(await urgently(server, ada) == nil)
        server.clock.pass(.seconds(11))
        try await server.checkIn(ada)
        server.clock.pass(.seconds(5))
        #expect(await urgently(server, ada) == refused)
    }

    @Test func failedCheckInIsTakenAtItsRepeat() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.pass(.minutes(1))
        let network = try server.another(on: DatabaseWithOneFailure(server.engine))
        func checkIn() async throws {
            _ = try await network.checkIns.checkIn(
                server.environment.id(), occurredAt: server.clock.now, by: ada.caller,
                unlessRefused: refused)
        }
        await #expect(throws: DatabaseError.self) { try await checkIn() }
        try await checkIn()
        #expect(try await server.history(of: ada).count == 2)
    }

    @Test func oneOfAThousandSimultaneousIsTaken() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        server.clock.pass(.minutes(1))
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1_000 { group.addTask { await urgently(server, ada) == nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 1)
        #expect(try await server.history(of: ada).count == 2)
    }

    @Test func futureMomentDoesNotBypassTheLimit() async throws {
        let server = try TestServer()
        let ada = try await server.armed("Ada")
        #expect(await urgently(server, ada, at: server.clock.now.adding(.minutes(1))) == refused)
        #expect(
            await urgently(server, ada, at: server.clock.now.adding(.minutes(3)))?.field
                == "occurredAt"
        )
    }
}

/// The disk is full at the first write.
private final class DatabaseWithOneFailure: WrappingDatabase {
    let engine: any DatabaseEngine
    private let isFull = Mutex(true)

    init(_ engine: any DatabaseEngine) { self.engine = engine }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let fails = isFull.withLock { value in
            defer { value = false }
            return value
        }
        if fails { throw DatabaseError.diskFull(path: "/data") }
        return try await engine.write(about: subjects, body)
    }
}
