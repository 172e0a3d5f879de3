import Domain
import Foundation
import Synchronization

/// A server's metrics in Prometheus's text format. The server passes them to the parts that count.
public final class Metrics: Sendable {
    private struct Key: Hashable {
        var name: String
        var labels: String
    }

    private struct Histogram {
        var counts: [Int]
        var sum = 0.0
        var count = 0
    }

    private struct State {
        var counters: [Key: Double] = [:]
        var histograms: [Key: Histogram] = [:]
    }

    /// A metric whose value is read at each scrape.
    public struct Gauge: Sendable {
        var metric: Metric
        var labels: String
        var read: @Sendable () -> Double?

        /// - Parameter read: returns the value; nil if unknown.
        public init(
            _ metric: Metric, labels: String = "", read: @escaping @Sendable () -> Double?
        ) {
            self.metric = metric
            self.labels = labels
            self.read = read
        }
    }

    private let state = Mutex(State())
    private let gauges = Mutex<[Gauge]>([])

    public init() {}

    public func add(_ gauge: Gauge) { gauges.withLock { $0.append(gauge) } }

    public func count(_ metric: Metric, labels: String = "", by amount: Double = 1) {
        state.withLock { $0.counters[Key(name: metric.name, labels: labels), default: 0] += amount }
    }

    public func observe(_ metric: Metric, labels: String = "", _ value: Double) {
        state.withLock { state in
            var histogram =
                state.histograms[Key(name: metric.name, labels: labels)]
                ?? Histogram(counts: Array(repeating: 0, count: metric.buckets.count))
            if let index = metric.buckets.firstIndex(where: { value <= $0 }) {
                histogram.counts[index] += 1
            }
            histogram.sum += value
            histogram.count += 1
            state.histograms[Key(name: metric.name, labels: labels)] = histogram
        }
    }

    public func text() -> String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        for metric in Metric.allCases {
            var samples: [String] = []
            for (key, value) in state.counters where key.name == metric.name {
                samples.append("\(metric.name)\(braces(key.labels)) \(format(value))")
            }
            for gauge in gauges.withLock({ $0 }) where gauge.metric.name == metric.name {
                guard let value = gauge.read() else { continue }
                samples.append("\(metric.name)\(braces(gauge.labels)) \(format(value))")
            }
            for (key, histogram) in state.histograms where key.name == metric.name {
                var running = 0
                let prefix = key.labels.isEmpty ? "" : key.labels + ","
                var rows: [String] = []
                for (bound, count) in zip(metric.buckets, histogram.counts) {
                    running += count
                    rows.append(
                        "\(metric.name)_bucket{\(prefix)le=\"\(format(bound))\"} \(running)")
                }
                rows.append("\(metric.name)_bucket{\(prefix)le=\"+Inf\"} \(histogram.count)")
                rows.append("\(metric.name)_sum\(braces(key.labels)) \(format(histogram.sum))")
                rows.append("\(metric.name)_count\(braces(key.labels)) \(histogram.count)")
                samples.append(rows.joined(separator: "\n"))
            }
            guard !samples.isEmpty else { continue }
            lines.append("# HELP \(metric.name) \(metric.help)")
            lines.append("# TYPE \(metric.name) \(metric.kind)")
            lines += samples.sorted()
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func braces(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }

    private func format(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }
}
