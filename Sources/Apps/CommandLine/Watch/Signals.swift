import Dispatch
import Foundation
import Synchronization

/// Catches Ctrl-C, SIGTERM and SIGHUP, so that code can check for them.
///
/// Unchecked: Dispatch's sources are thread-safe, but not marked as Sendable. They are set only
/// once.
final class Signals: @unchecked Sendable {
    private let ended = Mutex(false)
    private let sources: [any DispatchSourceSignal]

    var isEnded: Bool { ended.withLock { $0 } }

    init() {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            source.setEventHandler { [weak self] in self?.ended.withLock { $0 = true } }
            source.resume()
        }
    }

    deinit { for source in sources { source.cancel() } }
}
