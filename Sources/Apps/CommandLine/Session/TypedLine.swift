import Foundation
import Synchronization

enum TypedLine {
    private static let awaited = Mutex(false)

    /// Whether the process waits for the person's answer.
    static var isAwaited: Bool { awaited.withLock { $0 } }

    /// Asks, and returns the answer; nil if standard input has ended.
    static func answer(to question: String) -> String? {
        awaited.withLock { $0 = true }
        defer { awaited.withLock { $0 = false } }
        Output.write(question, to: .standardError)
        return readLine()
    }

    /// Asks, and returns the answer; nil after the time limit, and at once if standard input has
    /// ended.
    static func answer(to question: String, within seconds: TimeInterval) async -> String? {
        let (lines, line) = AsyncStream.makeStream(of: String?.self)
        awaited.withLock { $0 = true }
        defer { awaited.withLock { $0 = false } }
        Output.write(question, to: .standardError)
        // The thread blocks until a line arrives, or until the process ends.
        Thread.detachNewThread { line.yield(readLine()) }
        let timer = Task {
            try await Task.sleep(for: .seconds(max(0, seconds)))
            line.yield(nil)
        }
        defer { timer.cancel() }
        return await lines.first() ?? nil
    }
}
