import Foundation

enum TypedLine {
    /// Returns nil after the time limit, and at once if standard input has ended.
    static func next(within seconds: TimeInterval) async -> String? {
        let (lines, line) = AsyncStream.makeStream(of: String?.self)
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
