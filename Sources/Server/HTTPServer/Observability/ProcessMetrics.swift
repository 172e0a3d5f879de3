import Foundation

/// Adds what the operating system knows about this process, by Prometheus's usual names. Without
/// `/proc`, that is only the CPU time and the limit of open files.
public enum ProcessMetrics {
    /// - Parameter descriptorLimit: the most open files.
    public static func add(to metrics: Metrics, descriptorLimit: Int, version: String) {
        let startedAt = startTime(now: Date())
        metrics.add(.init(.buildInfo, labels: "version=\"\(version)\"") { 1 })
        metrics.add(.init(.processCPU) { cpuSeconds() })
        metrics.add(.init(.processMemory) { residentBytes() })
        metrics.add(.init(.processFiles) { openFiles() })
        metrics.add(.init(.processFileLimit) { Double(descriptorLimit) })
        metrics.add(.init(.processStart) { startedAt })
    }

    private static func cpuSeconds() -> Double? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private static func residentBytes() -> Double? {
        // The second number of statm counts resident pages.
        guard let pages = numbers(in: "/proc/self/statm").dropFirst().first else { return nil }
        return pages * Double(sysconf(pageSize))
    }

    private static func openFiles() -> Double? {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        // Reading the folder opens one.
        return names.map { Double($0.count - 1) }
    }

    /// Returns the start of the process in seconds since 1970.
    static func startTime(now: Date) -> Double? {
        guard let line = text(of: "/proc/self/stat"), let end = line.lastIndex(of: ")"),
            let uptime = numbers(in: "/proc/uptime").first
        else { return nil }
        // The program's name in parentheses is the second field, the start the twenty-second, in
        // ticks since the boot.
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
        return now.timeIntervalSince1970 - (uptime - ticks / Double(sysconf(ticksPerSecond)))
    }

    private static func numbers(in path: String) -> [Double] {
        text(of: path)?.split(whereSeparator: \.isWhitespace).compactMap { Double($0) } ?? []
    }

    /// Reads to the end, because files in `/proc` report the size 0.
    private static func text(of path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
    }

    private static var pageSize: Int32 { Int32(_SC_PAGESIZE) }
    private static var ticksPerSecond: Int32 { Int32(_SC_CLK_TCK) }
}
