import Domain
import Testing

@Suite struct AlertClaimTests {
    @Test func everyAlertMessageMakesAClaim() {
        for purpose in DeliveryPurpose.allCases {
            let isAboutAlert = purpose.rawValue.hasPrefix("alert")
            #expect((AlertClaim(purpose) != nil) == isAboutAlert, "\(purpose)")
        }
        #expect(AlertClaim.needsHelp.purposes == [.alertBegin, .alertRepeat, .alertUntaken])
        #expect(AlertClaim.isInHand.purposes == [.alertNews])
        #expect(AlertClaim.isOver.purposes == [.alertEnd])
    }

    @Test(
        arguments: [
            (.needsHelp, .isInHand, .send),
            (.needsHelp, .isOver, .send), (.needsHelp, nil, .send),
            (.needsHelp, .needsHelp, .spare),
            (.isInHand, .needsHelp, .wait), (.isInHand, .isInHand, .wait), (.isInHand, nil, .wait),
            (.isOver, .needsHelp, .wait), (.isOver, .isOver, .wait), (.isOver, nil, .wait),
        ] as [(AlertClaim, AlertClaim?, ExcessHandling)])
    func beyondALimitTheTruthStillArrives(
        claim: AlertClaim, last: AlertClaim?, handling: ExcessHandling
    ) {
        #expect(ExcessHandling(claim, after: last) == handling)
    }

    @Test func onlyARepeatedAlarmIsNeedless() {
        #expect(StormRules.sparesAlarm(after: .needsHelp, hasAnswered: false))
        #expect(!StormRules.sparesAlarm(after: .needsHelp, hasAnswered: true))
        for last in [AlertClaim.isInHand, .isOver, nil] {
            #expect(!StormRules.sparesAlarm(after: last, hasAnswered: false))
        }
    }
}
