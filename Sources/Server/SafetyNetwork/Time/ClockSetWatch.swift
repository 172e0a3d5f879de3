import Foundation
import Synchronization

#if canImport(CTime)
import CTime
#endif

/// Notices at once when somebody sets the machine's clock, or when the machine resumes from a
/// suspend. A sleep on a monotonic clock notices neither. Costs a blocked thread, and no wake-ups.
public final class ClockSetWatch: Sendable {
    private let stop: Mutex<Int32?>

    /// Returns nil if this system doesn't tell.
    /// - Parameter notice: called on the watch's thread after each step.
    public init?(_ notice: @escaping @Sendable () -> Void) {
        #if canImport(CTime)
        let timer = lifesignal_clock_timer()
        guard timer >= 0 else { return nil }
        let end = lifesignal_clock_timer_end()
        guard end >= 0 else {
            close(timer)
            return nil
        }
        stop = Mutex(end)
        Thread {
            while lifesignal_clock_timer_wait(timer, end) == 1 { notice() }
            close(timer)
            close(end)
        }.start()
        #else
        return nil
        #endif
    }

    /// Ends the thread.
    public func end() {
        stop.withLock { stop in
            guard let descriptor = stop else { return }
            stop = nil
            var one: UInt64 = 1
            _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        }
    }

    deinit { end() }
}
