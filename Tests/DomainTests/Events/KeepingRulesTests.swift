import Domain
import Testing

@Suite struct KeepingRulesTests {
    @Test func eventsResumeForAWeek() {
        #expect(EventRules.kept == .days(7) && EventRules.limit == 1_024)
    }

    @Test func requestsAreKnownForAMonth() {
        #expect(RequestKeyRules.kept == .days(30) && RequestKeyRules.limit == 1_000)
        #expect(RequestKeyRules.limitOfTexts == 100)
    }

    @Test func notificationsAreKeptForAMonthAndReadOnesForAWeek() {
        #expect(NotificationRules.kept == .days(30))
        #expect(NotificationRules.keptWhenRead == .days(7))
        #expect(NewsRules.kept == 100)
    }

    @Test(arguments: [(0, 1_000), (1, 1_000), (10, 100), (49, 20), (50, 20), (51, 20), (200, 20)])
    func moreRespondersLeaveFewerAlerts(responders: Int, kept: Int) {
        #expect(StormRules.alertsKept(responders: responders) == kept)
        #expect(StormRules.alertsKeptWindow == .hours(24))
    }
}
