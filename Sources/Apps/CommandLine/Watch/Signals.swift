import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and a friendly kill, as something to look at.
///
/// Unchecked because Dispatch's sources are not marked as what they are: safe to use from any
/// thread. They are set once.
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
