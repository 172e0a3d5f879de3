import Foundation

/// Totals of a history of alerts, and its CSV table.
public struct AlertSummary: Equatable, Sendable {
    public var total = 0
    public var manual = 0
    public var missedCheckIns = 0
    public var open = 0
    public var acknowledged = 0
    /// Seconds from the start to the acknowledgement; nil if no alert was acknowledged.
    public var medianResponse: Double?
    public var longestResponse: Double?

    public init(_ alerts: [AlertRecord]) {
        total = alerts.count
        manual = alerts.count { $0.kind == .manual }
        missedCheckIns = total - manual
        open = alerts.count(where: \.isActive)
        let responses = alerts.compactMap { $0.acknowledgement?.afterSeconds }.sorted()
        acknowledged = responses.count
        longestResponse = responses.last
        guard !responses.isEmpty else { return }
        let middle = responses.count / 2
        medianResponse =
            responses.count.isMultiple(of: 2)
            ? (responses[middle - 1] + responses[middle]) / 2 : responses[middle]
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
