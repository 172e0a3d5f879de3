import Foundation
import Testing

@testable import Domain

/// Codes, reminders and drills may use 80 % of a budget, news 85 %, and repeats 90 %. The rest is
/// reserved for the first alarms and the ends of alerts.
@Suite struct BudgetTests {
    private static let limits: [(BudgetUse, Int)] = [
        (.everyday, 80), (.alertNews, 85), (.alertRepeat, 90), (.alertBegin, 100),
        (.alertEnd, 100),
    ]

    private static let shares: [(BudgetUse, Int?)] = [
        (.everyday, 80), (.alertNews, 85), (.alertRepeat, 90), (.alertBegin, 200),
        (.alertEnd, nil),
    ]

    @Test(arguments: limits)
    func totalEndsAtTheUsesShare(use: BudgetUse, limit: Int) {
        let budget = Budget(total: 100, perUser: nil)
        #expect(budget.allows(use, after: limit - 1, byUser: 0))
        #expect(!budget.allows(use, after: limit, byUser: 0))
        #expect(!budget.allows(use, after: limit + 1, byUser: nil))
    }

    /// Reminders and news use only part of a user's share, so that an alarm and its end can still
    /// be sent.
    @Test(arguments: shares)
    func userLimitEndsAtTheUsesShare(use: BudgetUse, limit: Int?) {
        let budget = Budget(total: 10_000, perUser: 100)
        #expect(budget.allows(use, after: 0, byUser: (limit ?? 9_999) - 1))
        #expect(budget.allows(use, after: 0, byUser: limit ?? 9_999) == (limit == nil))
        // No user caused the message, so no user's share limits it.
        #expect(budget.allows(use, after: 0, byUser: nil))
    }

    @Test(arguments: [
        (1, BudgetUse.everyday, 0), (1, .alertBegin, 1), (4, .everyday, 3), (5, .everyday, 4),
        (10, .alertRepeat, 9), (9, .everyday, 7),
    ])
    func smallBudgetsAreRoundedDown(total: Int, use: BudgetUse, allowed: Int) {
        let budget = Budget(total: total, perUser: nil)
        #expect((0..<20).prefix { budget.allows(use, after: $0, byUser: nil) }.count == allowed)
    }

    @Test(arguments: [(1, 1), (2, 1), (5, 4)])
    func everyUserHasOneMessage(perUser: Int, allowed: Int) {
        let budget = Budget(total: 100, perUser: perUser)
        #expect((0..<20).prefix { budget.allows(.everyday, after: 0, byUser: $0) }.count == allowed)
    }

    @Test func nothingIsLimitedWithoutABudget() {
        for use in BudgetUse.allCases {
            #expect(Budget.unlimited.allows(use, after: .max, byUser: .max))
        }
        #expect(Budgets.unlimited.limited(.sms) == nil)
    }

    @Test func onlyPaidChannelsHaveABudget() {
        let budget = Budget(total: 1, perUser: 1)
        let budgets = Budgets(sms: budget, voice: budget)
        for channel in DeliveryChannel.allCases {
            #expect((budgets.limited(channel) != nil) == [.sms, .voice].contains(channel))
        }
    }

    @Test(arguments: [
        (DeliveryPurpose.alertBegin, BudgetUse.alertBegin), (.alertEnd, .alertEnd),
        (.alertRepeat, .alertRepeat), (.alertNews, .alertNews), (.reminder, .everyday),
        (.ping, .everyday), (.other, .everyday), (.journey, .alertRepeat),
        (.alertUntaken, .alertNews), (.test, .everyday), (.drill, .everyday),
        (.lastCall, .alertRepeat),
    ])
    func thePurposeDecides(purpose: DeliveryPurpose, use: BudgetUse) {
        #expect(BudgetUse(purpose) == use)
    }

    @Test func userLimitDefaultsToATenth() {
        #expect(Budget.standardPerUser(ofTotal: 1_000) == 100)
        #expect(Budget.standardPerUser(ofTotal: 9) == 1)
    }

    @Test(arguments: [
        (79, BudgetLevel.enough), (80, .reserve), (89, .reserve), (90, .alarmsOnly),
        (99, .alarmsOnly), (100, .usedUp), (101, .usedUp),
    ])
    func budgetLevelsFollowUsage(used: Int, level: BudgetLevel) {
        #expect(BudgetLevel(Budget(total: 100, perUser: nil), used: used) == level)
    }

    @Test func aDayBeginsAtMidnightUTC() {
        let midnight = Budget.day(of: noon)
        #expect(midnight == noon.adding(.hours(-12)))
        #expect(Budget.day(of: midnight) == midnight)
        #expect(Budget.day(of: midnight.adding(.milliseconds(-1))) == midnight.adding(.days(-1)))
        #expect(Budget.rest(ofDayAt: noon) == .hours(12))
        #expect(Budget.rest(ofDayAt: midnight) == .days(1))
    }
}
