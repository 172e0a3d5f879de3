import Clients
import Domain
import Synchronization

/// The state of the browser's push subscription, as its pages report it.
public final class BrowserPush: Sendable {
    private struct State {
        /// The latest report and its user. Other users don't get it.
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
        // Yields only after releasing the lock, because a stream that is being cancelled waits for
        // the lock.
        for reader in readers { reader.yield(status) }
    }

    /// Also yields a report that equals the previous report, because each report answers a press.
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
    /// Does nothing here: the page's script asks for the permission, subscribes and unsubscribes
    /// within the tap itself.
    static func browser(_ resources: SessionResources) -> PushClient {
        PushClient(
            status: { resources.push.stream(of: resources.identity) }, turnOn: {}, turnOff: {},
            putOff: {})
    }
}
