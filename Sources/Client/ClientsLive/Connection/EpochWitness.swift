import API
import Synchronization

/// Detects from a server's answers that its database was restored.
final class EpochWitness: Sendable {
    private struct State {
        var seen: String?
        var report: (@Sendable (String) async -> Bool)?
    }

    private let state = Mutex(State())

    /// - Parameter report: called with each new epoch of the server, before the caller gets the
    ///   answer. If it returns false, the next answer calls it again.
    func onChange(_ report: @escaping @Sendable (String) async -> Bool) {
        state.withLock { $0.report = report }
    }

    func see(_ headers: [String: String]) async {
        guard let epoch = headers[Endpoint.epoch.lowercased()] else { return }
        let report = state.withLock { $0.seen == epoch ? nil : $0.report }
        guard let report, await report(epoch) else { return }
        state.withLock { $0.seen = epoch }
    }
}
