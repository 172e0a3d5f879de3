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
            alert(after: 20), alert(.journey),
        ])
        #expect(summary.total == 5 && summary.manual == 3)
        #expect(summary.missedCheckIns == 1 && summary.journeys == 1)
        #expect(summary.open == 1 && summary.acknowledged == 3)
        #expect(AlertSummary([]).open == 0 && AlertSummary([]).acknowledged == 0)
        #expect(AlertSummary([]).missedCheckIns == 0 && AlertSummary([]).journeys == 0)
        #expect(summary.medianResponse == 20 && summary.longestResponse == 40)
    }

    @Test func medianOfTwoIsTheirMean() {
        #expect(AlertSummary([alert(after: 10), alert(after: 30)]).medianResponse == 20)
        #expect(
            AlertSummary([]).medianResponse == nil && AlertSummary([alert()]).longestResponse == nil
        )
    }

    @Test func plotBeginsWithTheOldestAlert() {
        var old = alert(after: 10)
        old.startTime = old.startTime.addingTimeInterval(-60)
        old.id = "old"
        let responses = AlertSummary([alert(after: 40), old, alert()]).responses
        #expect(responses.first?.id == "old" && responses.first?.share == 0.25)
        #expect(Set(responses.map(\.seconds)) == [10, 40, nil])
        #expect(Set(responses.map(\.share)) == [0.25, 1, 0])
    }

    @Test func plotShowsTheNewestThirtyAlerts() {
        func alerts(_ count: Int) -> [AlertRecord] {
            (0..<count).map { number in
                var alert = alert(after: 10)
                alert.startTime = alert.startTime.addingTimeInterval(Double(number))
                alert.id = "\(number)"
                return alert
            }
        }
        #expect(AlertSummary(alerts(30)).responses.map(\.id).first == "0")
        #expect(AlertSummary(alerts(31)).responses.map(\.id).first == "1")
        #expect(AlertSummary(alerts(31)).responses.count == 30)
    }

    @Test func responsesWithoutAnyTimeHaveNoShare() {
        #expect(AlertSummary([alert(), alert(after: 0)]).responses.allSatisfy { $0.share == 0 })
        #expect(AlertSummary([alert(after: -1)]).responses.map(\.seconds) == [0])
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
