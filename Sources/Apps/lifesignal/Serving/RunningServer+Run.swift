import Logging
import Persistence
import SafetyNetwork
import ServiceLifecycle
import UnixSignals

extension RunningServer {
    /// After it, what still waits for requests is cancelled.
    private static let longestFarewell: Duration = .seconds(7)
    /// A database on another machine that hangs keeps the process no longer than this.
    private static let longestStop: Duration = .milliseconds(8_500)

    /// Serves until a signal or a cancellation stops it. Everything that was answered is on disk
    /// before it returns.
    func run(signals: [UnixSignal], logger: Logger) async throws {
        try await network.wake()
        try open.checkNoTransferHasBegun()
        // The file lock says that nobody else has this database: what was being tried when the last
        // server died is due now.
        guard open.engine.isShared else {
            try await open.engine.write(about: .none) { try $0.releaseLeases() }
            return try await serve(services, signals, logger)
        }
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
        // A cancellation ends the stream, and not the work.
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
        _ = try? await network.giveSignOfLife()
        try open.close()
        try outcome.get()
    }
}

/// Counts from the moment at which the server is asked to stop. As the last service it is the first
/// to hear of it.
private struct StopDeadline: Service {
    let limit: Duration
    let pass: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        // It goes on when the services have ended.
        Task {
            try await Task.sleep(for: limit)
            pass()
        }
    }
}
