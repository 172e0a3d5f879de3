import Domain
import Foundation
import Testing

@Suite struct AlertSummaryTests {
    private func alert(
        _ kind: AlertKind = .manual, isActive: Bool = false, after seconds: Double? = nil,
        by name: String = "Ben"
    ) -> AlertRecord {
        let start = Date(timeIntervalSince1970: 1_700_000_000)
        return AlertRecord(
            id: "a", startTime: start, endTime: isActive ? nil : start.addingTimeInterval(90),
            userId: "u", isActive: isActive, kind: kind,
            acknowledgement: seconds.map {
                .init(
                    responderId: "b", name: name, time: start.addingTimeInterval($0),
                    afterSeconds: $0)
            })
    }

    @Test func itCountsKindsAndResponses() {
        let summary = AlertSummary([
            alert(after: 10), alert(.missedCheckIn, after: 40), alert(isActive: true),
            alert(after: 20),
        ])
        #expect(summary.total == 4 && summary.manual == 3 && summary.missedCheckIns == 1)
        #expect(summary.open == 1 && summary.acknowledged == 3)
        #expect(summary.medianResponse == 20 && summary.longestResponse == 40)
    }

    @Test func medianOfTwoIsTheirMean() {
        #expect(AlertSummary([alert(after: 10), alert(after: 30)]).medianResponse == 20)
        #expect(
            AlertSummary([]).medianResponse == nil && AlertSummary([alert()]).longestResponse == nil
        )
    }

    @Test func tableHasALineForEachAlert() {
        let text = AlertSummary.csv([alert(after: 42.4), alert(isActive: true)]) { _ in "Ana" }
        #expect(
            text == """
                id,name,kind,startTime,receivedTime,endTime,durationSeconds,\
                acknowledgedBy,acknowledgedAfterSeconds\r
                a,Ana,manual,2023-11-14T22:13:20.000Z,,2023-11-14T22:14:50.000Z,90,Ben,42\r
                a,Ana,manual,2023-11-14T22:13:20.000Z,,,,,\r

                """)
    }

    @Test(arguments: [
        ("A, \"B\"", "\"A, \"\"B\"\"\""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("@x", "'@x"),
        ("two\nlines", "\"two\nlines\""), ("a-b", "a-b"),
    ])
    func namesNeverBecomeFormulas(name: String, field: String) {
        #expect(AlertSummary.csv([alert()]) { _ in name }.contains("a,\(field),manual"))
    }
}
