import Foundation
import Synchronization

enum TypedLine {
    private static let awaited = Mutex(false)

    /// Whether the process waits for the person's answer.
    static var isAwaited: Bool { awaited.withLock { $0 } }

    /// Asks, and returns the answer; nil after the time limit, and at once if standard input has
    /// ended.
    /// - Parameter seconds: nil for no limit.
    static func answer(
        to question: String, within seconds: TimeInterval? = nil
    ) async -> String? {
        let (lines, line) = AsyncStream.makeStream(of: String?.self)
        awaited.withLock { $0 = true }
        defer { awaited.withLock { $0 = false } }
        Output.write(question, to: .standardError)
        // The thread blocks until a line arrives, or until the process ends. A blocked thread of
        // the pool would keep Ctrl-C from being handled on a device with one processor.
        Thread.detachNewThread { line.yield(readLine()) }
        let timer: Task<Void, any Error>? = seconds.map { seconds in
            Task {
                try await Task.sleep(for: .seconds(max(0, seconds)))
                line.yield(nil)
            }
        }
        defer { timer?.cancel() }
        return await lines.first() ?? nil
    }
}
