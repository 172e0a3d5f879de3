import Clients
import Domain
import Synchronization

/// The browser's part in messages that arrive with no page open, as its pages report it.
public final class BrowserPush: Sendable {
    private struct State {
        /// The last report, and whose it was: the next person begins without one.
        var latest: (caller: Caller, status: PushStatus)?
        var readers: [Int: AsyncStream<PushStatus>.Continuation] = [:]
        var lastReader = 0
    }

    private let state = Mutex(State())

    func report(_ status: PushStatus, of caller: Caller) {
        let readers = state.withLock { state in
            state.latest = (caller, status)
            return Array(state.readers.values)
        }
        // The lock is free while readers are resumed: one that is being cancelled waits for it.
        for reader in readers { reader.yield(status) }
    }

    /// Equal reports are passed on as well: each answers a press.
    func stream(of caller: Caller?) -> AsyncStream<PushStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PushStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastReader += 1
            if let latest = state.latest, latest.caller == caller {
                continuation.yield(latest.status)
            }
            state.readers[state.lastReader] = continuation
            return state.lastReader
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }
}

extension PushClient {
    /// The page's script asks, subscribes and unsubscribes in the tap itself, and reports.
    static func browser(_ resources: SessionResources) -> PushClient {
        PushClient(
            status: { resources.push.stream(of: resources.identity) }, turnOn: {}, turnOff: {},
            putOff: {})
    }
}
