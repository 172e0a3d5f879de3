import Domain
import Foundation
import Persistence
import SafetyNetwork

/// Calls that must be refused, and must change nothing.
extension Simulator {
    /// The people of a mistake, as the observer knows them.
    struct Setting: Sendable {
        var person: Int
        var me: Truth.Account
        var other: Int
        /// nil for a person without an account, and if both are the same person.
        var them: Truth.Account?
        /// The server's time.
        var now: Date
        var server: Server
    }

    /// Makes invalid calls. Locked people make none, because other rules refuse theirs.
    func makeMistake(_ person: Int, _ other: Int, _ mistake: Step.Mistake) async {
        guard let server, isOnline(person), server.disk.condition == .fine,
            let me = truth.accounts[person], !me.isLocked
        else { return }
        let setting = Setting(
            person: person, me: me, other: other,
            them: other == person ? nil : truth.accounts[other], now: server.clock.now(),
            server: server)
        let what = "\(name(person)) \(mistake.rawValue) (\(name(other)))"
        var known: Contents?
        for attempt in attempts(mistake, setting) {
            if let preparation = attempt.preparation {
                do {
                    try await preparation(server.network, me.caller)
                } catch {
                    return note("unexpected", "\(what), and the preparation failed: \(error)")
                }
                known = nil
            }
            if known == nil { known = try? await server.disk.read { try Contents($0) } }
            guard let before = known else { return }
            let sent = world.notes.sent
            guard await isRefused(attempt, what, mistake, setting) else { return }
            if world.notes.sent != sent { note("unchanged", "\(what), and a message was sent") }
            known = await compare(before, what, server)
        }
    }

    /// Makes one call. Returns true if it was refused.
    private func isRefused(
        _ attempt: Attempt, _ what: String, _ mistake: Step.Mistake, _ setting: Setting
    ) async -> Bool {
        do {
            try await attempt.call(setting.server.network, setting.me.caller)
            note("refused", "\(what), and the server did it instead of refusing it")
            return false
        } catch is Attempt.Inapplicable {
            return true
        } catch let error as CommandError {
            if Attempt.Refusal(error) == attempt.refusal {
                sights.insert("refused: \(mistake)")
            } else {
                note("refused", "\(what): \(error) instead of \(attempt.refusal)")
            }
            return true
        } catch {
            if brokenPeople.isEmpty { note("unexpected", "\(what): \(error)") }
            return false
        }
    }

    /// Checks that no table has changed. No table is left out: the limit of check-ins counts in
    /// memory, and no mistake has a code whose tries count.
    private func compare(_ before: Contents, _ what: String, _ server: Server) async -> Contents? {
        let changes = try? await server.disk.read { try Contents.changes(in: $0) }
        // Most refused calls change no row, so that the tables need no second look.
        guard changes != before.changes else { return before }
        guard let after = try? await server.disk.read({ try Contents($0) }) else { return nil }
        let names = Set(before.tables.keys).union(after.tables.keys).sorted()
            .filter { before.tables[$0] != after.tables[$0] }
        if !names.isEmpty {
            note("unchanged", "\(what), and this changed \(names.joined(separator: ", "))")
        }
        return after
    }
}

/// All rows of the database.
private struct Contents: Sendable {
    /// How many rows were changed since the server opened the file, even if a rollback undid it.
    var changes: Int
    /// The rows of each table, as text.
    var tables: [String: [String]] = [:]

    init(_ connection: any SQLConnection) throws {
        changes = try Self.changes(in: connection)
        let names: [String] = try connection.values(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", [])
        for name in names {
            let columns: [String] = try connection.values(
                "SELECT name FROM pragma_table_info($1) ORDER BY cid", [.text(name)])
            let row = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
            let rows: [String] = try connection.values("SELECT \(row) FROM \"\(name)\"", [])
            tables[name] = rows
        }
    }

    static func changes(in connection: any SQLConnection) throws -> Int {
        try connection.count("SELECT total_changes()", [])
    }
}
