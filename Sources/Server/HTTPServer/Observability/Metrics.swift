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
        for metric in Metric.all {
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

public struct Metric: Sendable {
    public let name: String
    let help: String
    let kind: String
    let buckets: [Double]

    private init(_ name: String, _ kind: String, _ help: String, buckets: [Double] = []) {
        self.name = name
        self.help = help
        self.kind = kind
        self.buckets = buckets
    }

    private static let seconds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    ]

    public static let requests = Metric(
        "lifesignal_http_requests_total", "counter",
        "Requests answered, by method, route and status.")
    public static let latency = Metric(
        "lifesignal_http_request_duration_seconds", "histogram",
        "Time from the head of a request to its answer.", buckets: seconds)
    public static let connections = Metric(
        "lifesignal_http_connections", "gauge", "Open connections.")
    public static let connectionsRefused = Metric(
        "lifesignal_http_connections_refused_total", "counter",
        "Connections refused because there was no room.")
    public static let connectionsClosed = Metric(
        "lifesignal_http_connections_closed_total", "counter",
        "Idle connections closed to make room.")
    public static let streams = Metric("lifesignal_event_streams", "gauge", "Open event streams.")
    public static let eventsSent = Metric(
        "lifesignal_events_sent_total", "counter", "Events written to streams.")
    public static let dueDeadlines = Metric(
        "lifesignal_deadlines_due", "gauge",
        "Users whose deadline or reminder is due and not handled yet (counted up to 10,000).")
    public static let missed = Metric(
        "lifesignal_deadlines_missed_total", "counter", "Missed deadlines noticed.")
    public static let lateDeadlines = Metric(
        "lifesignal_deadlines_late_total", "counter",
        "Missed deadlines that were noticed more than a second late.")
    public static let deadlineFailures = Metric(
        "lifesignal_deadline_failures_total", "counter",
        "Due rows that failed and were postponed by a minute, by kind.")
    public static let missedDelay = Metric(
        "lifesignal_deadline_delay_seconds", "histogram",
        "Time from a missed deadline to its alert.", buckets: seconds + [60, 3600])
    public static let reminders = Metric("lifesignal_reminders_total", "counter", "Reminders sent.")
    public static let repeatedAlerts = Metric(
        "lifesignal_alerts_retold_total", "counter", "Open alerts told again.")
    public static let deliveries = Metric(
        "lifesignal_deliveries_total", "counter",
        "Delivery attempts, and reports of later failures, by channel and resulting state.")
    public static let deliveryFailures = Metric(
        "lifesignal_delivery_failures_total", "counter",
        "Deliveries that did not get through, by channel and reason.")
    public static let providerFailing = Metric(
        "lifesignal_sms_provider_failing", "gauge",
        "1 while the SMS provider accepts or delivers nothing; 0 after 15 minutes without failure.")
    public static let mailProviderFailing = Metric(
        "lifesignal_mail_provider_failing", "gauge",
        "1 while the mail server accepts nothing; 0 after 15 minutes without a failure.")
    public static let callProviderFailing = Metric(
        "lifesignal_call_provider_failing", "gauge",
        "1 while the provider of calls accepts nothing; 0 after 15 minutes without a failure.")
    public static let budgetUsed = Metric(
        "lifesignal_budget_used", "gauge", "Paid messages of today (UTC), by channel.")
    public static let budgetLimit = Metric(
        "lifesignal_budget_limit", "gauge", "Limit of paid messages a day, by channel.")
    public static let people = Metric(
        "lifesignal_people", "gauge", "People in the database, guests included.")
    public static let armedDeadlines = Metric(
        "lifesignal_deadlines_armed", "gauge", "People with a deadline or reminder to come.")
    public static let peopleWithoutChannel = Metric(
        "lifesignal_people_without_channel", "gauge",
        "People whom no message can reach, guests included.")
    public static let codesHeldBack = Metric(
        "lifesignal_codes_held_back_total", "counter",
        "Sign-in codes that a limit has kept from being sent, by limit.")
    public static let pushProviderFailing = Metric(
        "lifesignal_push_provider_failing", "gauge",
        """
        1 while a push service refuses this server, can't be reached or fails for several people, \
        by channel; 0 after 15 minutes without a failure.
        """)
    public static let cleanedUp = Metric(
        "lifesignal_rows_cleaned_up_total", "counter", "Expired rows deleted, by kind.")
    public static let openDeliveries = Metric(
        "lifesignal_deliveries_open", "gauge",
        "Deliveries that are not settled, by state, queued ones once due (counted up to 10,000).")
    public static let commits = Metric(
        "lifesignal_database_commit_operations", "histogram", "Operations in one commit.",
        buckets: [1, 2, 4, 8, 16, 32, 64, 128])
    public static let commitTime = Metric(
        "lifesignal_database_commit_seconds", "histogram",
        "Time of one commit, its operations included.", buckets: seconds)
    public static let commitFailures = Metric(
        "lifesignal_database_commit_failures_total", "counter", "Commits that failed.")
    public static let refusedStatements = Metric(
        "lifesignal_database_statements_refused_total", "counter",
        "Statements that the database refused for a reason that lasts, such as a missing table.")
    public static let unreadableTexts = Metric(
        "lifesignal_sms_unreadable_total", "counter",
        "Text messages to this server whose sender is not a phone number.")
    public static let clockGap = Metric(
        "lifesignal_clock_gap_seconds", "gauge",
        "How far the machine's clock is ahead of the server's time.")
    public static let clockSynchronised = Metric(
        "lifesignal_clock_synchronised", "gauge",
        "1 while the kernel says that the machine's clock is right, else 0.")
    public static let clockError = Metric(
        "lifesignal_clock_error_seconds", "gauge",
        "The known error of the time, positive when the machine's clock is ahead; 0 below 5 s.")
    public static let backupAge = Metric(
        "lifesignal_backup_age_seconds", "gauge",
        "Time since the last verified backup; infinite without one.")

    public static let firestoreCopies = Metric(
        "lifesignal_firestore_copies_total", "counter",
        "Copies of a person to Firestore, by result.")
    public static let firestoreWaiting = Metric(
        "lifesignal_firestore_waiting", "gauge", "People whose copy in Firestore is out of date.")
    public static let firestoreLag = Metric(
        "lifesignal_firestore_lag_seconds", "gauge",
        "Time since the oldest change that is not in Firestore; 0 without one.")

    public static let droppedSpans = Metric(
        "lifesignal_trace_spans_dropped_total", "counter",
        "Spans of sampled traces that the collector has not got.")
    public static let buildInfo = Metric(
        "lifesignal_build_info", "gauge", "1, with the program's version.")
    static let processCPU = Metric(
        "process_cpu_seconds_total", "counter", "CPU time of user and system in seconds.")
    static let processMemory = Metric(
        "process_resident_memory_bytes", "gauge", "Resident memory in bytes.")
    static let processFiles = Metric("process_open_fds", "gauge", "Open file descriptors.")
    static let processFileLimit = Metric(
        "process_max_fds", "gauge", "Limit of open file descriptors.")
    static let processStart = Metric(
        "process_start_time_seconds", "gauge", "Start of the process in seconds since 1970.")

    static let all = [
        requests, latency, connections, connectionsRefused, connectionsClosed, streams, eventsSent,
        dueDeadlines, missed, lateDeadlines, deadlineFailures, missedDelay,
        reminders, repeatedAlerts, deliveries,
        deliveryFailures, providerFailing, mailProviderFailing, callProviderFailing,
        pushProviderFailing, budgetUsed, budgetLimit,
        people, armedDeadlines, peopleWithoutChannel, codesHeldBack,
        openDeliveries, cleanedUp, commits, commitTime,
        commitFailures, refusedStatements, unreadableTexts, clockGap, clockSynchronised, clockError,
        backupAge, firestoreCopies, firestoreWaiting, firestoreLag,
        droppedSpans, buildInfo, processCPU, processMemory, processFiles, processFileLimit,
        processStart,
    ]
}
