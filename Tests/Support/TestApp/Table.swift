import Foundation

/// A benchmark's table of results, with the machine's load.
public struct Table: Sendable {
    private var rows: [String] = []
    public private(set) var hasMissed = false

    public init() {}

    public mutating func add(
        _ what: String, _ measured: String, goal: String = "", isReached: Bool? = nil
    ) {
        rows.append(
            """
            | \(what) | \(measured) | \(goal) | \
            \(isReached.map { $0 ? "reached" : "MISSED" } ?? "") |
            """
        )
        if isReached == false { hasMissed = true }
    }

    public func print() {
        Swift.print("| what | measured | to reach | |\n|---|---|---|---|")
        for row in rows { Swift.print(row) }
        var load = 0.0
        getloadavg(&load, 1)
        Swift.print(String(format: "\nload: %.1f", load))
    }
}

extension Duration {
    public var milliseconds: Double { self / .milliseconds(1) }
    public var inMilliseconds: String { String(format: "%.1f ms", milliseconds) }
}

extension [Duration] {
    /// Returns a duration that this share of all durations does not exceed.
    public func percentile(_ part: Double) -> Duration {
        isEmpty ? .zero : sorted()[Swift.min(count - 1, Int(Double(count) * part))]
    }
}

/// Returns this process's resident memory, in bytes.
public func residentBytes() -> Int {
    let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = statm?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
