import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct SourceRowTests {
    private static let hash = Data(repeating: 1, count: 32)

    private func row(_ number: UInt8, hash: Data = Self.hash, at time: Date = noon) -> SourceRow {
        SourceRow(
            source: CheckInSource(id: id(number), name: "Button \(number)", createdAt: time),
            hash: hash)
    }

    @Test(arguments: Home.all) func sourceRoundTrips(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada, ben)
            var source = row(1)
            try await engine.write(about: .none) { [source] in try $0.insert(source, of: ada) }
            #expect(try await engine.read { try $0.source(id(1), of: ada) } == source)
            #expect(try await engine.read { try $0.owner(ofSource: Self.hash) } == ada)
            source.source.lastUsedAt = noon.adding(.hours(1))
            source.habit = SourceHabit(lastDay: 20_000, daysBefore: 0b101)
            source.silentAt = noon.adding(.days(7))
            try await engine.write(about: .none) { [source] in try $0.save(source, of: ada) }
            #expect(
                try await engine.read { try $0.source(hash: Self.hash, of: ada) } == source)
            #expect(try await engine.read { try $0.source(id(1), of: ben) } == nil)
            #expect(try await engine.read { try $0.source(hash: Self.hash, of: ben) } == nil)
        }
    }

    @Test func oldestSourceComesFirst() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let (old, new) = (
                row(2), row(1, hash: Data(repeating: 2, count: 32), at: noon.adding(.hours(1)))
            )
            try await engine.write(about: .none) {
                try $0.insert(new, of: ada)
                try $0.insert(old, of: ada)
            }
            #expect(
                try await engine.read { try $0.sources(of: ada) } == [old.source, new.source])
        }
    }

    @Test func deletedSourceLeavesNoHash() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            let source = row(1)
            try await engine.write(about: .none) { try $0.insert(source, of: ada) }
            try await engine.write(about: .none) { try $0.delete(source, of: ada) }
            #expect(try await engine.read { try $0.sources(of: ada) }.isEmpty)
            #expect(try await engine.read { try $0.owner(ofSource: Self.hash) } == nil)
        }
    }

    @Test func hashIsUniqueAmongAllPeople() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let (first, second) = (row(1), row(2))
            try await engine.write(about: .none) { try $0.insert(first, of: ada) }
            await #expect(throws: DatabaseError.uniqueViolation) {
                try await engine.write(about: .none) { try $0.insert(second, of: ben) }
            }
        }
    }

    @Test func onlyDueSourcesAreSilent() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            var (due, later) = (row(1), row(2, hash: Data(repeating: 2, count: 32)))
            (due.silentAt, later.silentAt) = (noon, noon.adding(.milliseconds(1)))
            try await engine.write(about: .none) { [due, later] in
                for source in [due, later] {
                    try $0.insert(source, of: ada)
                    try $0.save(source, of: ada)
                }
            }
            let silent = try await engine.read { try $0.silentSources(limit: 10) }
            #expect(silent.map(\.id) == [due.source.id] && silent.map(\.user) == [ada])
        }
    }

    @Test func checkInKeepsTheSourcesName() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            var record = checkIn(1, at: noon)
            record.source = "Kitchen button"
            try await engine.write(about: .none) { [record] in try $0.insert(record, of: ada) }
            #expect(try await engine.read { try $0.checkIn(id(1), of: ada) } == record)
        }
    }
}
