import Foundation

/// Totals of a history of alerts, and its CSV table.
public struct AlertSummary: Equatable, Sendable {
    public var total = 0
    public var manual = 0
    public var missedCheckIns = 0
    public var journeys = 0
    public var open = 0
    public var acknowledged = 0
    /// Seconds from the start to the acknowledgement; nil if no alert was acknowledged.
    public var medianResponse: Double?
    public var longestResponse: Double?
    /// The newest alerts, oldest first, for a plot.
    public var responses: [Response] = []

    /// How many alerts a plot shows.
    static let plotted = 30

    public struct Response: Equatable, Sendable, Identifiable {
        /// The alert's id.
        public let id: String
        public let startTime: Date
        /// Seconds from the start to the acknowledgement; nil without one.
        public let seconds: Double?
        /// The part of the longest shown response, 0 to 1; 0 without an acknowledgement.
        public let share: Double
    }

    public init(_ alerts: [AlertRecord]) {
        total = alerts.count
        manual = alerts.count { $0.kind == .manual }
        missedCheckIns = alerts.count { $0.kind == .missedCheckIn }
        journeys = alerts.count { $0.kind == .journey }
        open = alerts.count(where: \.isActive)
        responses = Self.responses(to: alerts)
        let times = alerts.compactMap { $0.acknowledgement?.afterSeconds }.sorted()
        acknowledged = times.count
        longestResponse = times.last
        guard !times.isEmpty else { return }
        let middle = times.count / 2
        medianResponse =
            times.count.isMultiple(of: 2) ? (times[middle - 1] + times[middle]) / 2 : times[middle]
    }

    private static func responses(to alerts: [AlertRecord]) -> [Response] {
        let shown = alerts.sorted { $0.startTime < $1.startTime }.suffix(plotted)
        let longest = shown.compactMap { $0.acknowledgement?.afterSeconds }.max() ?? 0
        return shown.map { alert in
            let seconds = alert.acknowledgement.map { max(0, $0.afterSeconds) }
            return Response(
                id: alert.id, startTime: alert.startTime, seconds: seconds,
                share: longest > 0 ? (seconds ?? 0) / longest : 0)
        }
    }

    /// Returns a CSV table (RFC 4180) with a header line. Times are RFC 3339 in UTC; durations are
    /// seconds.
    /// - Parameter name: returns the name of an alert's owner.
    public static func csv(_ alerts: [AlertRecord], name: (AlertRecord) -> String) -> String {
        let head = [
            "id", "name", "kind", "startTime", "receivedTime", "endTime", "durationSeconds",
            "acknowledgedBy", "acknowledgedAfterSeconds",
        ]
        let rows = alerts.map { alert in
            [
                alert.id, name(alert), alert.kind.rawValue, Timestamp.text(alert.startTime),
                alert.receivedTime.map(Timestamp.text) ?? "",
                alert.endTime.map(Timestamp.text) ?? "",
                alert.endTime.map { seconds($0.timeIntervalSince(alert.startTime)) } ?? "",
                alert.acknowledgement?.name ?? "",
                alert.acknowledgement.map { seconds($0.afterSeconds) } ?? "",
            ]
        }
        return ([head] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func seconds(_ value: Double) -> String { "\(Int(max(0, value).rounded()))" }

    /// Quotes a CSV field. A spreadsheet would run a name that starts with "=" as a formula.
    private static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        let safe = isFormula ? "'" + text : text
        guard safe.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}
