import Domain
import Testing

@Suite struct AlertRulesTests {
    @Test func fourTapsAreWholeAndThreeAreNot() {
        #expect(4 * AlertRules.tap == 1)
        #expect(3 * AlertRules.tap < 1)
        #expect(AlertRules.tapTimeout == .seconds(3))
        #expect(AlertRules.hold == .seconds(3))
    }

    @Test(arguments: [(0, 2), (1, 2), (2, 4), (3, 8), (4, 16), (5, 30), (6, 30), (1_000, 30)])
    func aRefusedAlertIsTriedAgainSoonAndNeverLaterThanHalfAMinute(failures: Int, seconds: Int) {
        #expect(AlertRules.retryDelay(afterFailures: failures) == .seconds(seconds))
    }
}
