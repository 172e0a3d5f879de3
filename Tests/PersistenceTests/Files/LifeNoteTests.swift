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

    @Test func databaseInMemoryKeepsNoNote() throws {
        let engine = try SQLiteEngine()
        #expect(!engine.leave(try #require(LifeNote(from: stored, to: later()))))
        #expect(engine.lifeNote == nil)
    }
}
