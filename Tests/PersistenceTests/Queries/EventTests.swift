import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct EventTests {
    @Test(arguments: Home.all)
    func concurrentWritesLeaveNoGapInLogs(home: Home) async throws {
        let reports = Reports()
        try await withDatabase(home, reports: reports) { engine in
            let users = [ada, ben, cleo]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in users {
                    for number in 0..<200 {
                        group.addTask {
                            let event = UserEvent.contactRemoved(
                                .init(contactID: id(UInt8(number))))
                            try await engine.write(about: .none) { try $0.append(event, to: user) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for user in users {
                let events = try await engine.read {
                    try $0.events(of: user, after: 0, limit: 1000).events
                }
                #expect(events.map(\.sequence) == Array(1...200))
                #expect(Set(events.map(\.data)).count == 200)
                var published = reports.all.flatMap(\.outbox.events).filter { $0.userID == user }
                // PostgreSQL's connections report concurrently, in any order. Streams sort their
                // events.
                if home == .postgreSQL { published.sort { $0.sequence < $1.sequence } }
                #expect(published == events)
            }
        }
    }

    @Test(arguments: Home.all)
    func eventsOfOneTransactionAreNumberedInTheirOrder(home: Home) async throws {
        try await withDatabase(home) { engine in
            for _ in 1...2 {
                try await engine.write(about: .none) { transaction in
                    for number in UInt8(1)...3 {
                        for user in [ada, ben] {
                            try transaction.append(
                                .contactRemoved(.init(contactID: id(number))), to: user)
                        }
                    }
                }
            }
            for user in [ada, ben] {
                let events = try await engine.read {
                    try $0.events(of: user, after: 0, limit: 10).events
                }
                #expect(events.map(\.sequence) == Array(1...6))
                let round = try (UInt8(1)...3).map {
                    try UserEvent.contactRemoved(.init(contactID: id($0))).data()
                }
                #expect(events.map(\.data) == round + round)
            }
        }
    }

    @Test func logIsReadInPartsFromAnySequence() async throws {
        try await withDatabase { engine in
            #expect(try await engine.read { try $0.eventRange(of: ada) } == nil)
            for _ in 1...5 {
                try await engine.write(about: .none) { try $0.append(.profileChanged, to: ada) }
            }
            let read = { @Sendable (after: Int64, limit: Int) in
                try await engine.read {
                    try $0.events(of: ada, after: after, limit: limit).events.map(\.sequence)
                }
            }
            #expect(try await read(0, 2) == [1, 2])
            #expect(try await read(2, 2) == [3, 4])
            #expect(try await read(4, 2) == [5])
            #expect(try await read(5, 2) == [])
            #expect(try await engine.read { try $0.eventRange(of: ada) } == 1...5)
            #expect(try await engine.read { try $0.eventRange(of: ben) } == nil)
        }
    }

    @Test(arguments: Home.all)
    func eventReadsBackAsWritten(home: Home) async throws {
        try await withDatabase(home) { engine in
            let item = NotificationItem(
                id: id(7), type: .ping, title: "“Größe” 🚨 \"\\", body: "a\u{0}b\nc",
                createdAt: noon, aboutUserID: ben)
            let events: [UserEvent] = [
                .notification(item), .notificationsChanged(.init(notificationID: item.id)),
                .profileChanged,
                .contactChanged(.init(contactID: ben)),
                .ping(ping(3, from: ben, to: ada)),
                .checkIn(
                    .init(
                        userID: ada, lastCheckInTime: noon, nextCheckInTime: noon.adding(.hours(24))
                    )),
            ]
            try await engine.write(about: .none) { transaction in
                for event in events { try transaction.append(event, to: ada) }
            }
            let stored = try await engine.read {
                try $0.events(of: ada, after: 0, limit: 10).events
            }
            #expect(try stored.map { try UserEvent(kind: $0.kind, data: $0.data) } == events)
            #expect(stored.map(\.notificationID) == [item.id, nil, nil, nil, nil, nil])
        }
    }

    /// The log is pruned at every sixteenth event. The newest event stays, so that numbers
    /// continue.
    @Test func oldEventsExpireButNewestStays() async throws {
        try await withDatabase { engine async throws in
            let append = { @Sendable (count: Int, time: Date) in
                for _ in 0..<count {
                    try await engine.write(at: time) { try $0.append(.profileChanged, to: ada) }
                }
                return try await engine.read { try $0.eventRange(of: ada) }
            }
            #expect(try await append(15, noon) == 1...15)
            #expect(try await append(1, noon.adding(EventRules.kept).aMillisecondBefore) == 1...16)
            #expect(try await append(15, noon.adding(EventRules.kept)) == 1...31)
            #expect(try await append(1, noon.adding(EventRules.kept)) == 16...32)
            #expect(try await append(16, noon.adding(.days(100))) == 33...48)
        }
    }

    @Test(arguments: Home.all)
    func shortenedLogKeepsTheEventsOfItsTransaction(home: Home) async throws {
        try await withDatabase(home) { engine in
            for user in [ada, ada, ada, ben, ben, cleo, cleo] {
                try await engine.write(about: .none) { try $0.append(.profileChanged, to: user) }
            }
            try await engine.write(about: .none) { transaction in
                try transaction.append(.profileChanged, to: ada)
                transaction.shortenLogs(of: [ben, ada])
                try transaction.append(.profileChanged, to: ada)
                // A failure undoes the shortening.
                let error = try transaction.isolated {
                    transaction.shortenLogs(of: [cleo])
                    throw DatabaseError.constraintViolation("")
                }
                #expect(error != nil)
            }
            let numbers = { @Sendable (user: UserID) in
                try await engine.read { try $0.events(of: user, after: 0, limit: 10).events }
                    .map(\.sequence)
            }
            #expect(try await numbers(ada) == [3, 4, 5])
            #expect(try await numbers(ben) == [2])
            #expect(try await numbers(cleo) == [1, 2])
        }
    }

    @Test(arguments: Home.all)
    func logsWithExpiredEventsAreFound(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben, cleo)
            for (user, time) in [
                (ada, noon), (ada, noon.aMillisecondAfter), (ben, noon), (cleo, noon),
                (cleo, noon), (cleo, noon),
            ] {
                try await engine.write(at: time) { try $0.append(.profileChanged, to: user) }
            }
            let find = { @Sendable (time: Date) in
                try await engine.read { try $0.expiredLogs(of: [ada, ben, cleo], until: time) }
            }
            #expect(try await find(noon.aMillisecondBefore).isEmpty)
            // Ben's only event is his newest.
            let logs = Dictionary(
                uniqueKeysWithValues: try await find(noon).map { ($0.user, $0.newest) })
            #expect(logs == [ada: 2, cleo: 3])
        }
    }

    /// After the clock was set back, an event has an older time than the events before it. Pruning
    /// still leaves no gap in the log.
    @Test func logIsPrunedWithoutGapsAfterClockChange() async throws {
        try await withDatabase { engine in
            for number in 1...31 {
                let time = number == 20 ? noon : noon.adding(.days(1))
                try await engine.write(at: time) { try $0.append(.profileChanged, to: ada) }
            }
            try await engine.write(at: noon.adding(EventRules.kept)) {
                try $0.append(.profileChanged, to: ada)
            }
            let events = { @Sendable in
                try await engine.read {
                    try $0.events(of: ada, after: 0, limit: 100).events.map(\.sequence)
                }
            }
            #expect(try await events() == Array(1...32))
            // All earlier events have expired, so the event with the old time is deleted with them.
            for _ in 33...48 {
                try await engine.write(at: noon.adding(.days(1) + EventRules.kept)) {
                    try $0.append(.profileChanged, to: ada)
                }
            }
            #expect(try await events() == Array(32...48))
        }
    }
}
