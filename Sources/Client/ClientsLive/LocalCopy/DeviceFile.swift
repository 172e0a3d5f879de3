import GRDB

/// A database of this device. GRDB runs the work on its own thread, except in a single-threaded
/// simulation.
struct DeviceFile: Sendable {
    private let database: DatabaseQueue
    private let runsOnCallersThread: Bool

    /// - Parameter runsOnCallersThread: see `LiveClients.Options`.
    init(_ database: DatabaseQueue, _ runsOnCallersThread: Bool) {
        self.database = database
        self.runsOnCallersThread = runsOnCallersThread
    }

    func read<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        runsOnCallersThread ? try readNow(work) : try await database.read(work)
    }

    func write<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        runsOnCallersThread ? try writeNow(work) : try await database.write(work)
    }

    func close() throws { try database.close() }

    private func readNow<Value>(_ work: (Database) throws -> Value) throws -> Value {
        try database.read(work)
    }

    private func writeNow<Value>(_ work: (Database) throws -> Value) throws -> Value {
        try database.write(work)
    }
}
