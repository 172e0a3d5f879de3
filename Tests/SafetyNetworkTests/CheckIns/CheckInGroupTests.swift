import Domain
import Foundation
import Persistence
import Synchronization
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Storing check-ins of several people in one transaction.
@Suite struct CheckInGroupTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.armed("Ada")
        ben = try await server.armed("Ben")
    }

    private func request(
        _ person: Person, at moment: Date? = nil, id: CheckInID? = nil
    ) -> PendingCheckIn { request(of: person.caller, at: moment, id: id) }

    private func request(
        of caller: Caller, at moment: Date? = nil, id: CheckInID? = nil
    ) -> PendingCheckIn {
        PendingCheckIn(
            id: id ?? server.environment.id(), occurredAt: moment ?? server.clock.now, sentAt: nil,
            caller: caller)
    }

    private func store(_ requests: PendingCheckIn...) async -> [Result<CheckInRecord, any Error>?] {
        await server.network.checkIns.store(requests)
    }

    @Test func everybodyGetsTheOwnAnswerAndRows() async throws {
        let cleo = try await server.person("Cleo")
        _ = try await server.setInterval(.hours(8), of: ben)
        try await server.pass(.hours(1))
        let requests = [request(ada), request(ben), request(cleo)]
        let records = try await server.network.checkIns.store(requests).map { try $0?.get() }
        #expect(records.map { $0?.id } == requests.map(\.id))
        let deadlines = [Duration.hours(25), .hours(9), .hours(25)].map { noon.adding($0) }
        #expect(records.map { $0?.nextCheckInTime } == deadlines)
        for (person, record) in zip([ada, ben, cleo], records) {
            #expect(try await server.history(of: person).first == record)
            let profile = try await server.profile(person)
            #expect(profile.lastCheckInTime == noon.adding(.hours(1)))
            #expect(profile.nextCheckInTime == record?.nextCheckInTime)
        }
        // The monitor learns of the new deadlines.
        try await server.pass(.hours(8) - .milliseconds(1))
        #expect(try await server.alerts(ben).isEmpty)
        try await server.pass(.milliseconds(1))
        #expect(try await server.alerts(ben).count == 1)
        #expect(try await server.alerts(ada).isEmpty)
    }

    @Test func repeatedIDGetsTheSameAnswer() async throws {
        let known = request(ada)
        let first = try await server.checkIn(ada, id: known.id)
        try await server.pass(.hours(1))
        let again = await store(request(ada, id: known.id), request(ben))
        #expect(try again[0]?.get() == first)
        #expect(try again[1]?.get().occurredAt == noon.adding(.hours(1)))
        #expect(try await server.history(of: ada).count == 2)
    }

    @Test func refusalOfOneLeavesTheOthersAlone() async throws {
        for _ in 0..<60 { try await server.checkIn(ada) }
        let cleo = try await server.person("Cleo")
        let nobody = Caller(userID: server.environment.id(), sessionID: ada.caller.sessionID)
        let results = await store(
            request(ada), request(cleo, at: server.clock.now.adding(.hours(1))),
            request(of: nobody),
            request(ben))
        let errors = results.map { result -> CommandError? in
            guard case .failure(let error) = result else { return nil }
            return error as? CommandError
        }
        #expect(errors[0]?.retryAfter == .hours(1))
        #expect(errors[1]?.field == "occurredAt")
        // Without a row, PostgreSQL has nothing to lock.
        let isLeftOut = TestDatabase.isPostgreSQL
        #expect(isLeftOut ? results[2] == nil : errors[2] == .noSuchUser)
        #expect(try results[3]?.get().occurredAt == server.clock.now)
        #expect(try await server.history(of: cleo).isEmpty)
        #expect(try await server.history(of: ben).count == 2)
    }

    @Test func oldMomentIsHistoryOnly() async throws {
        try await server.pass(.hours(1))
        let old = noon.aMillisecondBefore
        let results = await store(request(ada, at: old), request(ben))
        #expect(try results[0]?.get().occurredAt == old)
        #expect(try await server.profile(ada).lastCheckInTime == noon)
        #expect(try await server.profile(ben).lastCheckInTime == noon.adding(.hours(1)))
    }

    @Test func alertOrPingIsHandledAlone() async throws {
        try await server.connect(ben, watchesOver: ada)
        try await server.pass(.hours(24))
        let (cleo, dora) = (try await server.person("Cleo"), try await server.person("Dora"))
        try await server.connect(ben, watchesOver: cleo)
        let ping = try await server.ping(cleo, by: ben)
        let results = await store(request(ada), request(cleo), request(dora))
        #expect(results.map { $0 == nil } == [true, true, false])
        #expect(try await server.openAlert(ada) != nil)
        #expect(try await server.history(of: cleo).isEmpty)
        for person in [ada, cleo] { try await server.checkIn(person) }
        #expect(try await server.openAlert(ada) == nil)
        let state = try await server.engine.read { [ben] in
            try $0.ping(ping.id, from: ben.id)?.state
        }
        #expect(state == .answered)
    }

    @Test func respondersHearAndRemindersEndForThePersonOnly() async throws {
        let cleo = try await server.armed("Cleo")
        for dependent in [ada, cleo] { try await server.connect(ben, watchesOver: dependent) }
        try await server.pass(.hours(23) + .minutes(45))
        _ = try await server.events(of: ben)
        let seen = try await server.events(of: ben).count
        for result in await store(request(ada), request(try await server.person("Dora"))) {
            _ = try result?.get()
        }
        let heard = try await server.events(of: ben).dropFirst(seen).compactMap {
            if case .checkIn(let summary) = $0 { summary.userID } else { nil }
        }
        #expect(heard == [ada.id])
        try await server.pass(.minutes(15))
        #expect(try await server.openAlert(ada) == nil)
        #expect(try await server.openAlert(cleo) != nil)
    }

    @Test func failureOfOneRowLetsEachTryAlone() async throws {
        try await TestDatabase.refuse(
            "UPDATE", of: "schedules",
            when: "NEW.user_id = \(TestDatabase.literal(ada.id.uuid))", in: server.engine)
        #expect(await store(request(ada), request(ben)).map { $0 == nil } == [true, true])
        #expect(try await server.history(of: ben).count == 1)
        try await server.checkIn(ben)
        await #expect(throws: (any Error).self) { try await server.checkIn(ada) }
        #expect(try await server.history(of: ada).count == 1)
    }

    @Test func failureOfTheDatabaseIsEverybodysAnswer() async throws {
        try server.engine.close()
        for result in await store(request(ada), request(ben)) {
            #expect(throws: DatabaseError.closed) { try result?.get() }
            #expect(result != nil)
        }
    }

    @Test(.enabled(if: TestDatabase.isPostgreSQL))
    func lockedPersonHoldsUpNobody() async throws {
        let (isLocked, isDone) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let engine = server.engine
        let user = ada.id
        async let lock: Void = engine.write(about: Subjects([user])) { transaction in
            // The first read waits for the lock.
            _ = try transaction.user(user)
            isLocked.continuation.yield()
            isDone.wait()
        }
        for await _ in isLocked.stream { break }
        let results = await store(request(ada), request(ben))
        isDone.signal()
        try await lock
        #expect(results[0] == nil)
        #expect(try results[1]?.get().occurredAt == noon)
        #expect(try await server.history(of: ada).count == 1)
    }

    @Test(.enabled(if: TestDatabase.isPostgreSQL))
    func largeGroupTakesNoMoreStatementsThanASmallOne() async throws {
        let counter = StatementCounter(" ")
        let network = try server.another(
            on: CountingDatabase(engine: server.engine, counter: counter))
        var people: [Person] = []
        for number in 0..<7 { people.append(try await server.armed("Person \(number)")) }
        for person in people { try await server.connect(ben, watchesOver: person) }
        try await server.pass(.hours(23) + .minutes(45))
        var counts: [Int] = []
        for group in [people[..<2], people[2...]] {
            let before = counter.count
            for result in await network.checkIns.store(group.map { request($0) }) {
                _ = try result?.get()
            }
            counts.append(counter.count - before)
        }
        #expect(counts[0] == counts[1] && counts[0] > 3)
    }

    /// The server treats its database as shared, as on PostgreSQL.
    @Test func manyAtOnceAreAllStored() async throws {
        let network = try server.another()
        let people = [ada, ben, try await server.person("Cleo"), try await server.person("Dora")]
        let records = try await withThrowingTaskGroup(of: CheckInRecord.self) { tasks in
            for index in 0..<40 {
                let (caller, id): (Caller, CheckInID) = (
                    people[index % people.count].caller, server.environment.id()
                )
                tasks.addTask {
                    try await network.checkIns.checkIn(id, occurredAt: noon, by: caller)
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        var stored: Set<CheckInID> = []
        for person in people { stored.formUnion(try await server.history(of: person).map(\.id)) }
        #expect(Set(records.map(\.id)).count == 40)
        #expect(stored.isSuperset(of: records.map(\.id)))
    }
}

/// Which check-ins are stored together.
@Suite struct CheckInGroupingTests {
    /// Stores nothing. Each group takes as long as the test wants.
    private final class Store: Sendable {
        private struct State {
            var groups: [[PendingCheckIn]] = []
            var alone: [PendingCheckIn] = []
            var gates: [CheckedContinuation<Void, Never>] = []
            var pauses: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var groups: [[UserID]] { state.withLock { $0.groups.map { $0.map(\.user) } } }
        var alone: [UserID] { state.withLock { $0.alone.map(\.user) } }
        var pauses: Int { state.withLock { $0.pauses.count } }

        func pause() async {
            await withCheckedContinuation { pause in state.withLock { $0.pauses.append(pause) } }
        }

        func endPause() {
            state.withLock { $0.pauses.isEmpty ? nil : $0.pauses.removeFirst() }?.resume()
        }

        /// Stores the oldest group, or the oldest check-in alone.
        func open() async {
            while true {
                let gate = state.withLock { $0.gates.isEmpty ? nil : $0.gates.removeFirst() }
                if let gate { return gate.resume() }
                await Task.yield()
            }
        }

        private func wait(_ note: @Sendable (inout sending State) -> Void) async {
            await withCheckedContinuation { gate in
                state.withLock { state in
                    note(&state)
                    state.gates.append(gate)
                }
            }
        }

        func storeTogether(
            _ requests: [PendingCheckIn]
        ) async -> [Result<CheckInRecord, any Error>?] {
            await wait { $0.groups.append(requests) }
            return requests.map { request in
                switch request.user {
                case CheckInGroupingTests.locked: nil
                case CheckInGroupingTests.refused: .failure(CommandError.noSuchUser)
                default: .success(record(of: request))
                }
            }
        }

        func storeAlone(_ request: PendingCheckIn) async throws -> CheckInRecord {
            await wait { $0.alone.append(request) }
            return record(of: request)
        }

        private func record(of request: PendingCheckIn) -> CheckInRecord {
            CheckInRecord(
                id: request.id, occurredAt: noon, receivedAt: noon, nextCheckInTime: nil)
        }
    }

    private static let (refused, locked) = (person(100), person(101))
    private let store = Store()
    private let groups: CheckInGroups

    init() { groups = CheckInGroups { [store] _ in await store.pause() } }

    /// Sends a check-in, and waits until it waits or is being stored.
    private func send(
        _ number: UInt8, to other: CheckInGroups? = nil
    ) async -> Task<CheckInRecord, any Error> {
        let groups = other ?? groups
        let request = PendingCheckIn(
            id: CheckInID(person(number).uuid), occurredAt: noon, sentAt: nil,
            caller: Caller(userID: person(number), sessionID: SessionID(person(0).uuid)))
        let before = (groups.waitingCount, store.alone.count, store.groups.count)
        let task = Task { [store] in
            try await groups.store(request) {
                await store.storeTogether($0)
            } alone: {
                try await store.storeAlone($0)
            }
        }
        while before == (groups.waitingCount, store.alone.count, store.groups.count) {
            await Task.yield()
        }
        return task
    }

    @Test func checkInIsStoredAtOnce() async throws {
        for number: UInt8 in [1, 2] {
            let task = await send(number)
            await store.open()
            #expect(try await task.value.id.uuid == person(number).uuid)
        }
        #expect(store.groups == [[person(1)], [person(2)]])
    }

    @Test func checkInsOfAMomentAreStoredTogether() async throws {
        var tasks = [await send(1)]
        for number: UInt8 in [2, 3, 4] { tasks.append(await send(number)) }
        await store.open()
        await store.open()
        for (task, number) in zip(tasks, 1...) {
            #expect(try await task.value.id.uuid == person(UInt8(number)).uuid)
        }
        #expect(store.groups == [[person(1)], [person(2), person(3), person(4)]])
    }

    @Test func onePersonIsOnceInAGroup() async throws {
        var tasks = [await send(1)]
        for number: UInt8 in [2, 3, 2] { tasks.append(await send(number)) }
        for _ in 0..<3 { await store.open() }
        for task in tasks { _ = try await task.value }
        #expect(store.groups == [[person(1)], [person(2), person(3)], [person(2)]])
    }

    @Test func groupHasAtMostSixtyFourCheckIns() async throws {
        var tasks = [await send(1)]
        for number: UInt8 in 2...67 { tasks.append(await send(number)) }
        for _ in 0..<3 { await store.open() }
        for task in tasks { _ = try await task.value }
        #expect(store.groups.map(\.count) == [1, 64, 2])
    }

    @Test func refusedAndLockedOnesGetTheirAnswer() async throws {
        var tasks = [await send(100)]
        for number: UInt8 in [101, 102] { tasks.append(await send(number)) }
        for _ in 0..<3 { await store.open() }
        await #expect(throws: CommandError.noSuchUser) { try await tasks[0].value }
        #expect(try await tasks[1].value.id.uuid == person(101).uuid)
        #expect(try await tasks[2].value.id.uuid == person(102).uuid)
        #expect(store.alone == [person(101)])
    }

    @Test func slowGroupIsJoinedByAnother() async throws {
        var tasks = [await send(1), await send(2)]
        while store.pauses == 0 { await Task.yield() }
        store.endPause()
        while store.groups.count < 2 { await Task.yield() }
        tasks += [await send(3), await send(4)]
        for _ in 0..<3 { await store.open() }
        for task in tasks { _ = try await task.value }
        #expect(store.groups == [[person(1)], [person(2)], [person(3), person(4)]])
    }

    @Test func quickGroupIsNotJoined() async throws {
        var tasks = [await send(1), await send(2)]
        while store.pauses == 0 { await Task.yield() }
        await store.open()
        while store.groups.count < 2 { await Task.yield() }
        tasks.append(await send(3))
        // A group has begun during the pause, so this one isn't slow yet.
        store.endPause()
        while store.pauses == 0 { await Task.yield() }
        #expect(groups.waitingCount == 1)
        store.endPause()
        while store.groups.count < 3 { await Task.yield() }
        for _ in 0..<2 { await store.open() }
        for task in tasks { _ = try await task.value }
    }

    @Test func atMostThreeJoinASlowGroup() async throws {
        var tasks = [await send(1)]
        for number: UInt8 in 2...4 {
            tasks.append(await send(number))
            while store.groups.count < number {
                store.endPause()
                await Task.yield()
            }
        }
        tasks.append(await send(5))
        for _ in 1...3 {
            while store.pauses == 0 { await Task.yield() }
            store.endPause()
        }
        while store.pauses == 0 { await Task.yield() }
        #expect(groups.waitingCount == 1)
        for _ in 1...5 { await store.open() }
        for task in tasks { _ = try await task.value }
        #expect(store.groups == (1...5).map { [person($0)] })
    }

    @Test func lateRequestIsRefused() async throws {
        let groups = CheckInGroups(longestWait: .zero) { [store] _ in await store.pause() }
        let tasks = [await send(1, to: groups), await send(2, to: groups)]
        while store.pauses == 0 { await Task.yield() }
        store.endPause()
        let refusal = await #expect(throws: CommandError.self) { try await tasks[1].value }
        let isUnavailable = if case .unavailable = refusal { true } else { false }
        #expect(isUnavailable)
        await store.open()
        _ = try await tasks[0].value
        #expect(store.groups == [[person(1)]])
    }
}

private func person(_ number: UInt8) -> UserID {
    UserID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number)))
}
