import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct LifeNoteTests {
    private let stored = ClockMemory(
        time: noon, since: noon.adding(.hours(-1)), trust: .full, boot: .hours(3), bootID: 7)

    private func later(_ change: (inout ClockMemory) -> Void = { _ in }) -> ClockMemory {
        var memory = stored
        (memory.time, memory.boot) = (noon.adding(.minutes(2)), .hours(3) + .minutes(2))
        change(&memory)
        return memory
    }

    @Test func noteExtendsItsMemory() throws {
        let note = try #require(LifeNote(from: stored, to: later()))
        #expect(note.extending(stored) == later())
    }

    @Test func noteHasOnlyTime() {
        #expect(LifeNote(from: stored, to: later { $0.bootID = 8 }) == nil)
        #expect(LifeNote(from: stored, to: later { $0.bootID = nil }) == nil)
        #expect(LifeNote(from: stored, to: later { $0.trust = .atLeast }) == nil)
        #expect(LifeNote(from: stored, to: later { $0.trust = .steady(noon, since: noon) }) == nil)
        #expect(LifeNote(from: stored, to: later { $0.since = noon }) == nil)
    }

    @Test func memoryWithoutABootHasNoNote() {
        var unknown = stored
        unknown.bootID = nil
        var new = later()
        new.bootID = nil
        #expect(LifeNote(from: unknown, to: new) == nil)
    }

    @Test func noteExtendsNoOtherMemory() throws {
        let note = try #require(LifeNote(from: stored, to: later()))
        func extends(_ change: (inout ClockMemory) -> Void) -> Bool {
            var other = stored
            change(&other)
            return note.extending(other) != nil
        }
        #expect(extends { _ in })
        #expect(!extends { $0.time = noon.adding(.milliseconds(-1)) })
        #expect(!extends { $0.time = noon.adding(.milliseconds(1)) })
        #expect(!extends { $0.trust = .atLeast })
        #expect(!extends { $0.bootID = nil })
        #expect(!extends { $0.boot = .hours(4) })
    }

    @Test func memoryIsReadWithItsNote() throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        defer { try? engine.close() }
        var state = ServerState()
        #expect(engine.clockMemory(state) == nil)
        state.clock = stored
        #expect(engine.clockMemory(state) == stored)
        #expect(engine.leave(try #require(LifeNote(from: stored, to: later()))))
        #expect(engine.clockMemory(state) == later())
        state.clock?.trust = .atLeast
        #expect(engine.clockMemory(state)?.time == noon)
    }

    @Test func damagedNoteIsIgnored() throws {
        let bytes = try #require(LifeNote(from: stored, to: later())).bytes
        #expect(bytes.count == LifeNote.length)
        #expect(LifeNote(bytes) == LifeNote(from: stored, to: later()))
        for index in [0, 2, 20] {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(LifeNote(damaged) == nil)
        }
        #expect(LifeNote(Array(bytes.dropLast())) == nil)
        #expect(LifeNote([]) == nil)
        #expect(LifeNote([UInt8](repeating: 0xFF, count: LifeNote.length)) == nil)
    }

    @Test func nextEngineReadsTheNote() throws {
        let folder = try TestFolder()
        let note = try #require(LifeNote(from: stored, to: later()))
        let first = try SQLiteEngine(path: folder.file())
        #expect(first.lifeNote == nil)
        #expect(first.leave(note))
        try first.close()
        #expect(!first.leave(note))
        let second = try SQLiteEngine(path: folder.file())
        #expect(second.lifeNote == note)
        try second.close()
    }

    private func note(after seconds: Int, boot: Duration? = nil) throws -> LifeNote {
        let passed = Duration.seconds(seconds)
        return try #require(
            LifeNote(
                from: stored,
                to: later {
                    ($0.time, $0.boot) = (noon.adding(passed), boot ?? .hours(3) + passed)
                }))
    }

    @Test func laterNotesChangeOnlyTheFilesTime() throws {
        let folder = try TestFolder()
        let lock = URL(fileURLWithPath: folder.file() + ".lock")
        let first = try SQLiteEngine(path: folder.file())
        #expect(first.leave(try note(after: 15)))
        let content = try Data(contentsOf: lock)
        for seconds in [30, 45, 46] {
            #expect(first.leave(try note(after: seconds)))
            #expect(try first.lifeNote == note(after: seconds))
        }
        #expect(try Data(contentsOf: lock) == content)
        try first.close()
        let second = try SQLiteEngine(path: folder.file())
        #expect(try second.lifeNote == note(after: 46))
        // The new process doesn't know what the file contains.
        #expect(second.leave(try note(after: 60)))
        #expect(try Data(contentsOf: lock) != content)
        #expect(try second.lifeNote == note(after: 60))
        try second.close()
    }

    @Test func touchedFileKeepsItsContentsNote() throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        defer { try? engine.close() }
        #expect(engine.leave(try note(after: 15)))
        #expect(engine.leave(try note(after: 30)))
        for date in [noon.adding(.seconds(29)), noon.adding(.seconds(31)), .distantFuture] {
            try FileManager.default.setAttributes(
                [.modificationDate: date], ofItemAtPath: folder.file() + ".lock")
            #expect(try engine.lifeNote == note(after: 15))
        }
        #expect(engine.leave(try note(after: 45)))
        #expect(try engine.lifeNote == note(after: 45))
    }

    @Test func fileTimeLeadsToItsNoteOnly() throws {
        let written = try note(after: 15)
        let time = try #require(note(after: 30).fileTime(after: written))
        #expect(try written.extended(by: time) == note(after: 30))
        #expect(try note(after: 16).extended(by: time) == nil)
        for change in [-1, 1] {
            var other = time
            other.nanoseconds += change
            #expect(written.extended(by: other) == nil)
            other = time
            other.seconds += change
            #expect(written.extended(by: other) == nil)
        }
        #expect(written.extended(by: .init(seconds: .max, nanoseconds: 0)) == nil)
    }

    @Test func fileTimeNeedsTheSameMemoryAndAnEvenClock() throws {
        let written = try note(after: 15)
        func leads(_ change: (inout LifeNote) -> Void) throws -> Bool {
            var later = try note(after: 30)
            change(&later)
            return later.fileTime(after: written) != nil
        }
        #expect(try leads { _ in })
        #expect(try leads { $0.boot += .milliseconds(10) })
        #expect(try !leads { $0.boot += .milliseconds(11) })
        #expect(try leads { $0.boot -= .milliseconds(10) })
        #expect(try !leads { $0.boot -= .milliseconds(11) })
        #expect(try !leads { $0.follows = noon.adding(.milliseconds(1)) })
        #expect(try !leads { $0.time = noon.adding(.seconds(14)) })
    }

    @Test func unevenNoteIsWrittenWhole() throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        defer { try? engine.close() }
        #expect(engine.leave(try note(after: 15)))
        let slow = try note(after: 30, boot: .hours(3) + .seconds(20))
        #expect(engine.leave(slow))
        #expect(engine.lifeNote == slow)
    }

    @Test func databaseInMemoryKeepsNoNote() throws {
        let engine = try SQLiteEngine()
        #expect(!engine.leave(try #require(LifeNote(from: stored, to: later()))))
        #expect(engine.lifeNote == nil)
    }
}
