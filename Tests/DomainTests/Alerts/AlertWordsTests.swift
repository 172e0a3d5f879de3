import Domain
import Testing

@Suite struct AlertWordsTests {
    @Test(arguments: [
        ([], nil), (["Ben"], "Alert ended. Ben is being told."),
        (["Ben", "Cleo", "Dan"], "Alert ended. Ben, Cleo and Dan are being told."),
    ])
    func endTextNamesEveryone(names: [String], text: String?) {
        #expect(AlertWords.ended(told: names) == text)
    }

    @Test(arguments: [
        (AlertReport.withThem, "Ben says they are with Ada", "Ben says they are with you"),
        (.foundSafe, "Ben reports that Ada is safe", "Ben reports that you are safe"),
        (
            .emergencyServicesCalled, "Ben reports that emergency services were called",
            "Ben reports that emergency services were called"
        ),
    ])
    func reportsAreNotStatedAsFacts(report: AlertReport, toOthers: String, toOwner: String) {
        #expect(AlertWords.reported(report, by: "Ben", about: "Ada") == toOthers)
        #expect(AlertWords.reported(report, by: "Ben", about: nil) == toOwner)
        #expect(AlertWords.reported(report, by: nil, about: "Ada").hasPrefix("You "))
    }

    @Test(arguments: [
        ("Firefox on Linux", "on “Firefox on Linux”"),
        ("Ana’s old-phone", "on “Ana’s old-phone”"),
        ("see http://x.example", "on another device"),
        ("", "on another device"), (String(repeating: "a", count: 41), "on another device"),
    ])
    func aDeviceNameCannotHoldAMessage(name: String, place: String) {
        #expect(AlertWords.place(.init(sessionId: "", deviceName: name)) == place)
    }

    @Test(arguments: [
        (AlertKind.manual, "until Ada ends it", "until you end it"),
        (.missedCheckIn, "until Ada checks in", "until you check in"),
        (
            .journey, "until Ada says that they have arrived",
            "until you say that you have arrived"
        ),
    ])
    func endTextDependsOnTheKind(kind: AlertKind, ofAnother: String, own: String) {
        #expect(AlertWords.untilEnd(of: kind, name: "Ada") == ofAnother)
        #expect(AlertWords.untilEnd(of: kind, name: nil) == own)
    }

    /// A reader who hasn't accepted reads the same with and without a report.
    @Test func refusalTellsOnlyAcceptedRespondersWhoIsAsked() {
        var alert = AlertRecord(
            id: "a", startTime: noon, endTime: nil, userId: "u", isActive: true, kind: .manual)
        #expect(alert.afterRefusal(hasAccepted: true) == .othersAreAsked)
        #expect(alert.afterRefusal(hasAccepted: false) == .othersHaveTheAlert)
        alert.isRefusedByAll = true
        for hasAccepted in [true, false] {
            #expect(alert.afterRefusal(hasAccepted: hasAccepted) == .noOneIsLeft)
        }
        alert.report = AlertAction(kind: .foundSafe, responderId: "r", name: "Ben", time: noon)
        #expect(alert.afterRefusal(hasAccepted: true) == .noOneIsLeft)
        #expect(alert.afterRefusal(hasAccepted: false) == .isInHand)
        alert.isRefusedByAll = nil
        #expect(alert.afterRefusal(hasAccepted: true) == .isInHand)
        alert.report = nil
        alert.acknowledgement = .init(
            responderId: "r", name: "Ben", time: noon, afterSeconds: 1)
        for hasAccepted in [true, false] {
            #expect(alert.afterRefusal(hasAccepted: hasAccepted) == .isInHand)
        }
    }

    @Test func reportPausesAnOpenAlertFor12Hours() {
        var alert = AlertRecord(
            id: "a", startTime: noon, endTime: nil, userId: "u", isActive: true, kind: .manual)
        #expect(alert.pausedUntil == nil)
        alert.report = AlertAction(kind: .foundSafe, responderId: "r", name: "Ben", time: noon)
        #expect(alert.pausedUntil == noon.adding(.hours(12)))
        alert.isActive = false
        #expect(alert.pausedUntil == nil)
    }

    /// Older servers leave out how it ended. Records of lists then don't have it.
    @Test(
        arguments: [
            ([], nil), ([.acknowledged], nil), ([.acknowledged, .withdrew], .withdrew),
            ([.acknowledged, .withdrew, .foundSafe], .withdrew),
            ([.acknowledged, .lapsed, .declined], .lapsed),
            ([.acknowledged, .withdrew, .acknowledged, .confirmed], nil),
        ] as [([AlertAction.Kind], AlertRecord.Acknowledgement.End?)])
    func historyTellsHowAnAcknowledgementEnded(
        kinds: [AlertAction.Kind], end: AlertRecord.Acknowledgement.End?
    ) {
        var alert = AlertRecord(
            id: "a", startTime: noon, endTime: noon, userId: "u", isActive: false, kind: .manual,
            acknowledgement: .init(responderId: "r", name: "Ben", time: noon, afterSeconds: 1),
            history: kinds.map { AlertAction(kind: $0, responderId: "r", name: "Ben", time: noon) })
        #expect(alert.acknowledgementEnd == end)
        alert.acknowledgement?.end = .released
        #expect(alert.acknowledgementEnd == .released)
        alert.isActive = true
        #expect(alert.acknowledgementEnd == nil)
    }
}
