/// A metric that the server exports. The raw value is its name in Prometheus.
public enum Metric: String, CaseIterable, Sendable {
    case requests = "lifesignal_http_requests_total"
    case latency = "lifesignal_http_request_duration_seconds"
    case connections = "lifesignal_http_connections"
    case connectionsRefused = "lifesignal_http_connections_refused_total"
    case connectionsClosed = "lifesignal_http_connections_closed_total"
    case streams = "lifesignal_event_streams"
    case eventsSent = "lifesignal_events_sent_total"
    case dueDeadlines = "lifesignal_deadlines_due"
    case missed = "lifesignal_deadlines_missed_total"
    case lateDeadlines = "lifesignal_deadlines_late_total"
    case deadlineFailures = "lifesignal_deadline_failures_total"
    case missedDelay = "lifesignal_deadline_delay_seconds"
    case reminders = "lifesignal_reminders_total"
    case repeatedAlerts = "lifesignal_alerts_retold_total"
    case deliveries = "lifesignal_deliveries_total"
    case deliveryFailures = "lifesignal_delivery_failures_total"
    case providerFailing = "lifesignal_sms_provider_failing"
    case mailProviderFailing = "lifesignal_mail_provider_failing"
    case callProviderFailing = "lifesignal_call_provider_failing"
    case budgetUsed = "lifesignal_budget_used"
    case budgetLimit = "lifesignal_budget_limit"
    case people = "lifesignal_people"
    case armedDeadlines = "lifesignal_deadlines_armed"
    case peopleWithoutChannel = "lifesignal_people_without_channel"
    case codesHeldBack = "lifesignal_codes_held_back_total"
    case pushProviderFailing = "lifesignal_push_provider_failing"
    case cleanedUp = "lifesignal_rows_cleaned_up_total"
    case openDeliveries = "lifesignal_deliveries_open"
    case commits = "lifesignal_database_commit_operations"
    case commitTime = "lifesignal_database_commit_seconds"
    case commitFailures = "lifesignal_database_commit_failures_total"
    case refusedStatements = "lifesignal_database_statements_refused_total"
    case unreadableTexts = "lifesignal_sms_unreadable_total"
    case clockGap = "lifesignal_clock_gap_seconds"
    case clockSynchronised = "lifesignal_clock_synchronised"
    case clockError = "lifesignal_clock_error_seconds"
    case backupAge = "lifesignal_backup_age_seconds"
    case firestoreCopies = "lifesignal_firestore_copies_total"
    case firestoreWaiting = "lifesignal_firestore_waiting"
    case firestoreLag = "lifesignal_firestore_lag_seconds"
    case droppedSpans = "lifesignal_trace_spans_dropped_total"
    case buildInfo = "lifesignal_build_info"
    case processCPU = "process_cpu_seconds_total"
    case processMemory = "process_resident_memory_bytes"
    case processFiles = "process_open_fds"
    case processFileLimit = "process_max_fds"
    case processStart = "process_start_time_seconds"

    public var name: String { rawValue }

    /// Prometheus wants "_total" at the end of a counter's name.
    var kind: String {
        name.hasSuffix("_total") ? "counter" : buckets.isEmpty ? "gauge" : "histogram"
    }

    /// The upper bounds of a histogram's buckets, in its unit. Empty for other kinds.
    var buckets: [Double] {
        switch self {
        case .latency, .commitTime: Self.seconds
        case .missedDelay: Self.secondsToHour
        case .commits: Self.powersOfTwo
        default: []
        }
    }

    private static let seconds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    ]
    private static let secondsToHour = seconds + [60, 3600]
    private static let powersOfTwo: [Double] = [1, 2, 4, 8, 16, 32, 64, 128]

    var help: String {
        switch self {
        case .requests: "Requests answered, by method, route and status."
        case .latency: "Time from the head of a request to its answer."
        case .connections: "Open connections."
        case .connectionsRefused: "Connections refused because there was no room."
        case .connectionsClosed: "Idle connections closed to make room."
        case .streams: "Open event streams."
        case .eventsSent: "Events written to streams."
        case .dueDeadlines:
            "Users whose deadline or reminder is due and not handled yet (counted up to 10,000)."
        case .missed: "Missed deadlines noticed."
        case .lateDeadlines: "Missed deadlines that were noticed more than a second late."
        case .deadlineFailures: "Due rows that failed and were postponed by a minute, by kind."
        case .missedDelay: "Time from a missed deadline to its alert."
        case .reminders: "Reminders sent."
        case .repeatedAlerts: "Open alerts told again."
        case .deliveries:
            "Delivery attempts, and reports of later failures, by channel and resulting state."
        case .deliveryFailures: "Deliveries that did not get through, by channel and reason."
        case .providerFailing:
            """
            1 while the SMS provider accepts or delivers nothing; 0 after 15 minutes without \
            failure.
            """
        case .mailProviderFailing:
            "1 while the mail server accepts nothing; 0 after 15 minutes without a failure."
        case .callProviderFailing:
            "1 while the provider of calls accepts nothing; 0 after 15 minutes without a failure."
        case .budgetUsed: "Paid messages of today (UTC), by channel."
        case .budgetLimit: "Limit of paid messages a day, by channel."
        case .people: "People in the database, guests included."
        case .armedDeadlines: "People with a deadline or reminder to come."
        case .peopleWithoutChannel: "People whom no message can reach, guests included."
        case .codesHeldBack: "Sign-in codes that a limit has kept from being sent, by limit."
        case .pushProviderFailing:
            """
            1 while a push service refuses this server, can't be reached or fails for several \
            people, by channel; 0 after 15 minutes without a failure.
            """
        case .cleanedUp: "Expired rows deleted, by kind."
        case .openDeliveries:
            """
            Deliveries that are not settled, by state, queued ones once due \
            (counted up to 10,000).
            """
        case .commits: "Operations in one commit."
        case .commitTime: "Time of one commit, its operations included."
        case .commitFailures: "Commits that failed."
        case .refusedStatements:
            "Statements that the database refused for a reason that lasts, such as a missing table."
        case .unreadableTexts: "Text messages to this server whose sender is not a phone number."
        case .clockGap: "How far the machine's clock is ahead of the server's time."
        case .clockSynchronised:
            "1 while the kernel says that the machine's clock is right, else 0."
        case .clockError:
            "The known error of the time, positive when the machine's clock is ahead; 0 below 5 s."
        case .backupAge: "Time since the last verified backup; infinite without one."
        case .firestoreCopies: "Copies of a person to Firestore, by result."
        case .firestoreWaiting: "People whose copy in Firestore is out of date."
        case .firestoreLag: "Time since the oldest change that is not in Firestore; 0 without one."
        case .droppedSpans: "Spans of sampled traces that the collector has not got."
        case .buildInfo: "1, with the program's version."
        case .processCPU: "CPU time of user and system in seconds."
        case .processMemory: "Resident memory in bytes."
        case .processFiles: "Open file descriptors."
        case .processFileLimit: "Limit of open file descriptors."
        case .processStart: "Start of the process in seconds since 1970."
        }
    }
}
