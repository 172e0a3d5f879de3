import Domain
import Foundation
import Testing

@testable import Persistence

/// Pages neither lose nor repeat an item, even if many items have the same time.
@Suite struct PagingTests {
    /// Only three different times, so items share one. Sorting by time and by id gives different
    /// orders.
    private static let moments: [(number: UInt8, time: Date)] = (1...23).map { (index: Int) in
        let number = UInt8(index * 11 % 23 + 1)
        return (number, noon.adding(.milliseconds(index / 8)))
    }

    private func walk<Item: Sendable>(
        _ engine: any DatabaseEngine, limit: Int, cursor: (Item) -> Page.Cursor,
        _ load: @escaping @Sendable (any SQLConnection, Page) throws -> [Item]
    ) async throws -> [Item] {
        var items: [Item] = []
        var page = try Page(limit: limit)
        while true {
            let next = try await engine.read { [page] in try load($0, page) }
            items += next
            guard let last = next.last else { return items }
            page.before = try Page.Cursor(cursor(last).description)
        }
    }

    private func inOrder<Tag>(_ items: [(ID<Tag>, Date)]) -> Bool {
        zip(items, items.dropFirst()).allSatisfy { ($0.1, $0.0) > ($1.1, $1.0) }
    }

    @Test(arguments: Home.all, [1, 2, 5, 22, 23, 200])
    func checkInsArePaged(home: Home, limit: Int) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben)
            for (number, time) in Self.moments {
                try await engine.write(about: .none) {
                    try $0.insert(checkIn(number, at: time), of: ada)
                }
                try await engine.write(about: .none) {
                    try $0.insert(checkIn(number, at: time), of: ben)
                }
            }
            let items = try await walk(engine, limit: limit) {
                Page.Cursor(time: $0.occurredAt, id: $0.id.uuid)
            } _: {
                try $0.checkIns(of: ada, page: $1)
            }
            #expect(items.count == 23)
            #expect(inOrder(items.map { ($0.id, $0.occurredAt) }))
        }
    }

    @Test(arguments: [1, 3, 23])
    func notificationsArePaged(limit: Int) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            for (number, time) in Self.moments {
                try await engine.write(about: .none) {
                    try $0.insert(notification(number, at: time), of: ada)
                }
                try await engine.write(about: .none) {
                    try $0.insert(notification(number, at: time), of: ben)
                }
            }
            let items = try await walk(engine, limit: limit) {
                Page.Cursor(time: $0.createdAt, id: $0.id.uuid)
            } _: {
                try $0.notifications(of: ada, page: $1)
            }
            #expect(items.count == 23)
            #expect(inOrder(items.map { ($0.id, $0.createdAt) }))
        }
    }

    @Test(arguments: [1, 3, 23])
    func sentAndReceivedPingsArePaged(limit: Int) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben, cleo)
            for (number, time) in Self.moments {
                let ping =
                    number.isMultiple(of: 2)
                    ? ping(number, from: ben, to: ada, at: time)
                    : ping(number, from: ada, to: ben, at: time)
                _ = try await engine.write(at: time) { transaction in
                    try transaction.insert(ping)
                    return try transaction.settle(ping, as: .answered)
                }
            }
            try await engine.write(about: .none) { try $0.insert(ping(99, from: ben, to: cleo)) }
            let items = try await walk(engine, limit: limit) {
                Page.Cursor(time: $0.createdAt, id: $0.id.uuid)
            } _: {
                try $0.pings(of: ada, page: $1)
            }
            #expect(items.count == 23)
            #expect(inOrder(items.map { ($0.id, $0.createdAt) }))
        }
    }

    @Test(arguments: [1, 3, 23])
    func ownAndDependentsAlertsArePaged(limit: Int) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben, cleo)
            try await engine.connect(ben, watchesOver: ada)
            try await engine.connect(cleo, watchesOver: ben)
            for (number, time) in Self.moments {
                for user in [ada, ben, cleo] {
                    var alert = manualAlert(number, of: user, at: time)
                    alert.id = id(number, user.uuid.uuid.15)
                    alert.endedAt = time
                    try await engine.write(about: .none) { [alert] transaction in
                        try transaction.insert(alert)
                        try transaction.update(alert)
                    }
                }
            }
            let items = try await walk(engine, limit: limit) {
                Page.Cursor(time: $0.startedAt, id: $0.id.uuid)
            } _: {
                try $0.alerts(visibleTo: ben, page: $1)
            }
            #expect(items.count == 46)
            #expect(Set(items.map(\.userID)) == [ada, ben])
            #expect(inOrder(items.map { ($0.id, $0.startedAt) }))
        }
    }

    /// The open alerts are the oldest, so a page of the newest alerts contains none of them.
    @Test(arguments: Home.all, [1, 2, 3, 200])
    func openAlertsArePagedAmongEndedOnes(home: Home, limit: Int) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben, cleo)
            try await engine.connect(ben, watchesOver: ada)
            try await engine.connect(cleo, watchesOver: ben)
            let open = [
                manualAlert(101, of: ada), missedAlert(102, of: ada), missedAlert(103, of: ben),
            ]
            for alert in open + [manualAlert(104, of: cleo)] {
                try await engine.write(about: .none) { try $0.insert(alert) }
            }
            for (number, time) in Self.moments {
                var alert = manualAlert(number, of: ben, at: time.adding(.seconds(1)))
                alert.endedAt = time.adding(.seconds(2))
                try await engine.write(about: .none) { [alert] transaction in
                    try transaction.insert(alert)
                    try transaction.update(alert)
                }
            }
            let items = try await walk(engine, limit: limit) {
                Page.Cursor(time: $0.startedAt, id: $0.id.uuid)
            } _: {
                try $0.alerts(visibleTo: ben, onlyOpen: true, page: $1)
            }
            #expect(items == open.reversed())
        }
    }
}
