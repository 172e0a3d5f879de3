import Foundation
import Neighbourhood

/// Measures what a person waits for, in a release build, and prints one table: `make bench`.
@main
enum Bench {
    private static let parts: [(name: String, run: @Sendable (inout Table) async throws -> Void)] = [
        ("memory", MemoryBenchmark.run), ("travel", TravelBenchmark.run), ("start", StartBenchmark.run), ("queue", QueueBenchmark.run),
    ]

    /// With names as arguments only those parts are run.
    static func main() async throws {
        let wanted = Set(CommandLine.arguments.dropFirst())
        var table = Table()
        for part in parts where wanted.isEmpty || wanted.contains(part.name) { try await part.run(&table) }
        table.print()
        if table.hasMissed { exit(1) }
    }
}

/// The one table of results.
struct Table: Sendable {
    private var rows: [String] = []
    private(set) var hasMissed = false

    mutating func add(_ what: String, _ measured: String, goal: String = "", isReached: Bool? = nil) {
        rows.append("| \(what) | \(measured) | \(goal) | \(isReached.map { $0 ? "reached" : "MISSED" } ?? "") |")
        if isReached == false { hasMissed = true }
    }

    func print() {
        Swift.print("| what | measured | to reach | |\n|---|---|---|---|")
        for row in rows { Swift.print(row) }
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
    var inMilliseconds: String { String(format: "%.1f ms", milliseconds) }
}

extension [Duration] {
    /// The time that this part of all does not exceed.
    func percentile(_ part: Double) -> Duration { isEmpty ? .zero : sorted()[Swift.min(count - 1, Int(Double(count) * part))] }
}
