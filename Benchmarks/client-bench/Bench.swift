import Foundation
import TestApp

/// Measures how long a person waits for the clients, in a release build, and prints one table:
/// `make bench`.
@main
enum Bench {
    private static let parts: [(name: String, run: @Sendable (inout Table) async throws -> Void)] =
        [
            ("memory", MemoryBenchmark.run), ("travel", TravelBenchmark.run),
            ("start", StartBenchmark.run), ("queue", QueueBenchmark.run),
        ]

    /// Runs the parts named in the arguments. Without arguments, runs all parts.
    static func main() async throws {
        let wanted = Set(CommandLine.arguments.dropFirst())
        var table = Table()
        for part in parts where wanted.isEmpty || wanted.contains(part.name) {
            try await part.run(&table)
        }
        table.print()
        if table.hasMissed { exit(1) }
    }
}
