import Foundation

struct Figure {
    let name: String
    let value: Double
    let unit: String
    let goal: String
    let isReached: Bool?

    init(_ name: String, _ value: Double, unit: String, goal: String = "", isReached: Bool? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal
        self.isReached = isReached
    }

    private init(_ name: String, _ duration: Duration, per count: Int, goal: Duration?) {
        let each = duration / count
        self.init(
            name, each.microseconds, unit: "µs",
            goal: goal.map { "≤ \(Int($0.microseconds))" } ?? "",
            isReached: goal.map { each <= $0 }
        )
    }

    /// Measures `body`, which performs `count` operations. Takes the fastest of three runs, because
    /// other work on the machine can only slow a run down.
    static func time(_ name: String, goal: Duration?, per count: Int, _ body: () -> Void) -> Self {
        let clock = ContinuousClock()
        let durations = (0..<3).map { _ in clock.measure(body) }
        return Self(name, durations.min() ?? .zero, per: count, goal: goal)
    }

    @MainActor
    static func time(_ name: String, goal: Duration?, per count: Int, _ body: () async -> Void)
        async -> Self
    {
        let clock = ContinuousClock()
        var best = await clock.measure(body)
        for _ in 0..<2 { best = min(best, await clock.measure(body)) }
        return Self(name, best, per: count, goal: goal)
    }

    /// The figure's row in the table. A time also gives the operations per second.
    var line: String {
        let rate = unit == "µs" ? "\(Int(1_000_000 / value)) a second" : ""
        let verdict = isReached.map { $0 ? "reached" : "NOT reached" } ?? ""
        return [
            name.filled(to: 52), String(format: "%10.2f", value), unit.filled(to: 6),
            rate.filled(to: 18), goal.filled(to: 6), verdict,
        ].joined(separator: " ")
    }

    static let header = [
        "what".filled(to: 52), "     value", "unit".filled(to: 6), "rate".filled(to: 18),
        "goal".filled(to: 6), "verdict",
    ].joined(separator: " ")
}

extension String {
    fileprivate func filled(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Duration {
    var microseconds: Double { self / .microseconds(1) }
    var milliseconds: Double { self / .milliseconds(1) }
}

func residentBytes() -> Int {
    let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = statm?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Returns the processor time of this process on all cores, in seconds.
func processorSeconds() -> Double {
    Double(clock()) / Double(CLOCKS_PER_SEC)
}

var coreCount: Int { ProcessInfo.processInfo.activeProcessorCount }
