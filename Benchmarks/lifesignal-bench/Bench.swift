import ArgumentParser
import Foundation

@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifesignal-bench",
        abstract:
            """
            Measure a release build of lifesignal, each ratio in one run on one machine, and print \
            one table.
            """
    )

    @Option(help: "The program to measure.")
    var program: String

    @Option(help: "How many users the large database has.")
    var users = 1_000_000

    @Option(help: "Seconds of each measurement under load.")
    var seconds = 5.0

    @Option(
        help: """
            Only what is named here: load, traces, deadlines, growth, people, housekeeping, \
            streams, deliveries, insider, crowd, clock, qr, push; with --postgresql: load, \
            streams, alert, history, deadlines.
            """)
    var only: String?

    @Option(
        help: """
            Measure several servers on PostgreSQL instead: a URL without the name of a database, \
            such as postgres://USER@HOST:5432.
            """)
    var postgresql: String?

    @Option(help: "How many check-ins the long history of --postgresql has.")
    var history = 10_000_000

    func run() async throws {
        raiseFileLimit()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lifesignal-bench-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bench = Workbench(
            program: program, folder: folder, seconds: seconds, largePopulation: users)
        var table = Table()
        try table.note(
            """
            disk: one write and its fsync take \(milliseconds(bench.flushTime())) (median of 200); \
            cores: \(ProcessInfo.processInfo.activeProcessorCount)
            """
        )
        if let postgresql {
            let cluster = BenchCluster(
                url: postgresql, bench: bench, history: history, only: only)
            try await PostgreSQLBenchmark.run(cluster, into: &table)
            table.print()
            if table.hasMissed { throw ExitCode(1) }
            return
        }
        if wants("qr") { try QRCodeBenchmark.run(into: &table) }
        if wants("push") {
            try WebPushBenchmark.run(into: &table)
            try await PushServiceBenchmark.run(bench, into: &table)
        }
        if wants("load") { try await LoadBenchmark.run(bench, into: &table) }
        if wants("traces") { try await TracesBenchmark.run(bench, into: &table) }
        if wants("streams") { try await StreamBenchmark.run(bench, into: &table) }
        if wants("housekeeping") { try await HousekeepingBenchmark.run(bench, into: &table) }
        if wants("insider") { try await InsiderBenchmark.run(bench, into: &table) }
        if wants("crowd") { try await CrowdBenchmark.run(bench, into: &table) }
        if wants("clock") { try await ClockBenchmark.run(bench, into: &table) }
        if wants("deliveries") { try await DeliveryBenchmark.run(bench, into: &table) }
        if wants("growth") || wants("people") || wants("deadlines") {
            try await LargePopulationBenchmark.run(
                bench, growth: wants("growth"), pages: wants("people"),
                deadlines: wants("deadlines"), into: &table)
        }
        table.print()
        if table.hasMissed { throw ExitCode(1) }
    }

    private func wants(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

    private func raiseFileLimit() {
        #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(files, &limit)
    }
}

struct Table {
    private var rows: [(what: String, measured: String, goal: String, isMet: Bool?)] = []
    private var notes: [String] = []

    var hasMissed: Bool { rows.contains { $0.isMet == false } }

    mutating func add(_ what: String, _ measured: String, goal: String = "", isMet: Bool? = nil) {
        rows.append((what, measured, goal, isMet))
        printLine("  \(what): \(measured)")
    }

    mutating func note(_ text: String) throws {
        notes.append(text)
        printLine("  \(text)")
    }

    func print() {
        printLine("\n| what | measured | to reach | |\n|---|---|---|---|")
        for row in rows {
            printLine(
                """
                | \(row.what) | \(row.measured) | \(row.goal) | \
                \(row.isMet.map { $0 ? "reached" : "MISSED" } ?? "") |
                """
            )
        }
        for note in notes { printLine("\n\(note)") }
    }
}

func printLine(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}

func milliseconds(_ seconds: Double) -> String {
    String(format: seconds < 0.01 ? "%.2f ms" : "%.1f ms", seconds * 1000)
}

func thousands(_ number: Double) -> String { String(format: "%.1f k/s", number / 1000) }

extension Array where Element == Double {
    /// Returns the value below which this share of all values lies.
    func percentile(_ part: Double) -> Double {
        guard !isEmpty else { return .nan }
        return sorted()[Swift.min(count - 1, Int(Double(count) * part))]
    }

    var median: Double { percentile(0.5) }
}
