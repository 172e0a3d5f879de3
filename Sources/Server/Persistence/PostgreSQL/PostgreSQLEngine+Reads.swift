import Domain
import Foundation

extension PostgreSQLEngine {
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await read(on: readers, body)
    }

    public func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await read(on: urgentReads, body)
    }

    public func readCaller<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await read(on: callerReads, body)
    }

    /// Reads once more if the connection was lost, because reads can be repeated safely.
    private func read<Value: Sendable>(
        on workers: PostgreSQLWorkers, tries: Int = 2,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let result = try await workers.run(patientUntil: .now) { [now] connection in
            Result {
                do {
                    try connection.begin(
                        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", by: now)
                    let value = try body(connection)
                    try connection.sendCommitOfReads()
                    return value
                } catch {
                    connection.rollBack()
                    throw error
                }
            }
        }
        do {
            return try result.get()
        } catch let error as DatabaseError where error.isOfTheConnection && tries > 1 {
            return try await read(on: workers, tries: tries - 1, body)
        }
    }

    /// Returns the numbers of people's newest events. People without events are omitted.
    public func newestEvents(of people: [UserID]) async throws -> [UserID: Int64] {
        guard !people.isEmpty else { return [:] }
        return try await readUrgently { connection in
            let rows = try connection.query(
                about: people,
                { "SELECT user_id, newest FROM event_numbers WHERE user_id \($0)" }
            ) { (try $0["user_id"] as UserID, try $0["newest"] as Int64) }
            return Dictionary(rows, uniquingKeysWith: max)
        }
    }
}
