import API
import Synchronization

/// Sees in the answers of a server that its database was restored.
final class EpochWitness: Sendable {
    private struct State {
        var seen: String?
        var report: (@Sendable (String) async -> Bool)?
    }

    private let state = Mutex(State())

    /// - Parameter report: told of each epoch that differs from the last one, before whoever asked
    ///   has the answer; says whether it has dealt with it, else it is told again.
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
