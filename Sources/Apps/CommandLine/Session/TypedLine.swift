import Foundation

/// A line that somebody types, or does not type in time.
enum TypedLine {
    /// nil without one in time, and at once when nobody can type: standard input has ended.
    static func next(within seconds: TimeInterval) async -> String? {
        let (lines, line) = AsyncStream.makeStream(of: String?.self)
        // It blocks until a line comes, and ends with the process.
        Thread.detachNewThread { line.yield(readLine()) }
        let timer = Task {
            try await Task.sleep(for: .seconds(max(0, seconds)))
            line.yield(nil)
        }
        defer { timer.cancel() }
        return await lines.first() ?? nil
    }
}
