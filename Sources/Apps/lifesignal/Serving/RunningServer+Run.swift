import Logging
import Persistence
import SafetyNetwork
import ServiceLifecycle
import UnixSignals

extension RunningServer {
    /// The time limit for requests in progress at shutdown. After this time they are cancelled.
    private static let longestFarewell: Duration = .seconds(7)
    /// The time limit for the whole shutdown with PostgreSQL, in case the database hangs.
    private static let longestStop: Duration = .milliseconds(8_500)

    /// Runs the server until a signal or a cancellation stops it. All answered requests are on disk
    /// before it returns.
    func run(signals: [UnixSignal], logger: Logger) async throws {
        do {
            try await start.finish()
        } catch let error as DatabaseError where error.isOfFullDisk && !open.engine.isShared {
            logger.error(
                "the server has started, and can only read", metadata: ["reason": "\(error)"])
        }
        try open.checkNoTransferHasBegun()
        guard open.engine.isShared else { return try await serve(services, signals, logger) }
        let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        let deadline = StopDeadline(limit: Self.longestStop) {
            logger.warning("the database does not answer; stopped without a last sign of life")
            end.yield(.success(()))
        }
        let serving = Task {
            do {
                try await serve(services + [deadline], signals, logger)
                end.yield(.success(()))
            } catch {
                end.yield(.failure(error))
            }
        }
        let outcome = await withTaskCancellationHandler {
            await ends.first { _ in true }
        } onCancel: {
            serving.cancel()
        }
        // A cancellation ended the stream before an outcome. The task still runs, so wait for it.
        guard let outcome else { return await serving.value }
        try outcome.get()
    }

    private func serve(
        _ services: [any Service], _ signals: [UnixSignal], _ logger: Logger
    ) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.longestFarewell
        let outcome: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        try? await ledger.flush()
        if start.isDone { _ = try? await network.giveSignOfLife() }
        try open.close()
        try outcome.get()
    }
}

/// Starts a time limit at shutdown. It must be the last service: services stop in reverse order, so
/// it is notified first.
private struct StopDeadline: Service {
    let limit: Duration
    let pass: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        // The task outlives the services.
        Task {
            try await Task.sleep(for: limit)
            pass()
        }
    }
}
