import Foundation
import Testing

@testable import Domain

/// Codes per hour: 5 to one number for one requester, 15 to one number (18 for a known device), 20
/// for one address, 100 for one /48, 1,000 in all. Unknown devices get 20 codes a day for one
/// number, known ones 30.
@Suite struct CodeLimitTests {
    private let now = noon.adding(.minutes(30))

    private func moments(_ count: Int) -> [Date] { (0..<count).map { noon.adding(.seconds($0)) } }

    private func sent(_ fill: (inout SentCodes) -> Void) -> SentCodes {
        var sent = SentCodes()
        fill(&sent)
        return sent
    }

    @Test func codeLimitsMatchTheRule() {
        let limits = CodeLimits()
        #expect(limits.perRequester == 5 && limits.perNumber == 15 && CodeLimits.reserved == 3)
        #expect(limits.perAddress == 20 && limits.perNetwork == 100 && limits.inAll == 1_000)
    }

    @Test(
        arguments: [
            (\SentCodes.byRequester, 5), (\SentCodes.toNumber, 15), (\SentCodes.fromAddress, 20),
            (\SentCodes.fromNetwork, 100), (\SentCodes.inAll, 1_000),
        ] as [(WritableKeyPath<SentCodes, [Date]> & Sendable, Int)])
    func theCodeAfterTheLastOneWaits(
        path: WritableKeyPath<SentCodes, [Date]> & Sendable, limit: Int
    ) {
        let below = sent { $0[keyPath: path] = moments(limit - 1) }
        #expect(CodeLimits().wait(after: below, isKnown: false, at: now) == nil)
        let full = sent { $0[keyPath: path] = moments(limit) }
        #expect(CodeLimits().wait(after: full, isKnown: false, at: now) == .minutes(30))
        #expect(CodeLimits().wait(after: full, isKnown: false, at: noon.adding(.hours(1))) == nil)
    }

    @Test func knownDevicesHaveThreeMoreForTheirNumber() {
        for (count, isSent) in [(15, true), (17, true), (18, false)] {
            let sent = sent { $0.toNumber = moments(count) }
            #expect(
                (CodeLimits().wait(after: sent, isKnown: true, at: now) == nil) == isSent,
                "\(count)")
            #expect(CodeLimits().wait(after: sent, isKnown: false, at: now) != nil, "\(count)")
        }
    }

    @Test func reserveAppliesToTheNumberOnly() {
        let sent = sent { $0.byRequester = moments(5) }
        #expect(CodeLimits().wait(after: sent, isKnown: true, at: now) == .minutes(30))
    }

    @Test func longestWaitIsReturned() {
        let sent = sent { sent in
            sent.byRequester = moments(5)
            sent.fromAddress = moments(20).map { $0.adding(.minutes(10)) }
        }
        #expect(CodeLimits().wait(after: sent, isKnown: false, at: now) == .minutes(40))
    }

    @Test func unknownDevicesHave20CodesADay() {
        let (below, full) = (
            sent { $0.byStrangers = moments(19) }, sent { $0.byStrangers = moments(20) }
        )
        #expect(CodeLimits().wait(after: below, isKnown: false, at: now) == nil)
        #expect(CodeLimits().wait(after: full, isKnown: false, at: now) == .minutes(23 * 60 + 30))
        #expect(CodeLimits().wait(after: full, isKnown: true, at: now) == nil)
        #expect(CodeLimits().wait(after: full, isKnown: false, at: noon.adding(.days(1))) == nil)
    }

    @Test func knownDevicesHave30CodesADay() {
        let (below, full) = (
            sent { $0.byKnownDevices = moments(29) }, sent { $0.byKnownDevices = moments(30) }
        )
        #expect(CodeLimits().wait(after: below, isKnown: true, at: now) == nil)
        #expect(CodeLimits().wait(after: full, isKnown: true, at: now) == .minutes(23 * 60 + 30))
        #expect(CodeLimits().wait(after: full, isKnown: false, at: now) == nil)
        #expect(CodeLimits().wait(after: full, isKnown: true, at: noon.adding(.days(1))) == nil)
    }

    @Test func zeroInAllMeansNoLimit() {
        let sent = sent { $0.inAll = moments(2_000) }
        #expect(CodeLimits(inAll: 0).wait(after: sent, isKnown: false, at: now) == nil)
        #expect(CodeLimits(inAll: 1).wait(after: sent, isKnown: false, at: now) != nil)
    }

    // MARK: Numbers without an account

    @Test(
        arguments: [
            (CodesToNewNumbers(countryInHour: 49), nil),
            (CodesToNewNumbers(countryInHour: 50), .country),
            (CodesToNewNumbers(countryInDay: 149), nil),
            (CodesToNewNumbers(countryInDay: 150), .country),
            (CodesToNewNumbers(inHour: 99), nil), (CodesToNewNumbers(inHour: 100), .newNumbers),
            (CodesToNewNumbers(inDay: 299), nil), (CodesToNewNumbers(inDay: 300), .newNumbers),
        ] as [(CodesToNewNumbers, CodeBound?)])
    func newNumbersHaveLimitsOfTheirOwn(sent: CodesToNewNumbers, bound: CodeBound?) {
        #expect(CodeLimits().bound(after: sent, budget: .unlimited) == bound)
    }

    @Test func newNumbersLeaveHalfOfAllCodesToAccounts() {
        let limits = CodeLimits(inAll: 40, toNewNumbers: 0, toNewNumbersPerCountry: 0)
        let sent = { limits.bound(after: .init(inHour: $0), budget: .unlimited) }
        #expect(sent(19) == nil)
        #expect(sent(20) == .newNumbers)
    }

    @Test func tokensLeaveAQuarterOfAllCodesToAccounts() {
        let limits = CodeLimits(inAll: 40)
        func bound(_ sent: CodesToNewNumbers, hasToken: Bool = true) -> CodeBound? {
            limits.bound(after: sent, budget: .unlimited, hasToken: hasToken)
        }
        #expect(bound(.init(inHour: 10, byTokensInHour: 19)) == nil)
        #expect(bound(.init(inHour: 10, byTokensInHour: 20)) == .newNumbers)
        #expect(bound(.init(inHour: 10, byTokensInHour: 19), hasToken: false) == nil)
        #expect(bound(.init(inHour: 10, byTokensInHour: 20), hasToken: false) == .newNumbers)
        #expect(bound(.init(countryInHour: 9_999, countryInDay: 9_999)) == nil)
        #expect(bound(.init(inDay: 9_999)) == nil)
    }

    @Test func newNumbersLeaveHalfTheBudgetToAccounts() {
        let limits = CodeLimits(inAll: 0, toNewNumbers: 0, toNewNumbersPerCountry: 0)
        // Codes may use 80 of the 100 messages, and numbers without an account half of those.
        let budget = Budget(total: 100, perUser: nil)
        #expect(limits.bound(after: .init(today: 39), budget: budget) == nil)
        #expect(limits.bound(after: .init(today: 40), budget: budget) == .budget)
        #expect(limits.bound(after: .init(today: 10_000), budget: .unlimited) == nil)
    }

    @Test func zeroMeansNoLimitForNewNumbers() {
        let limits = CodeLimits(inAll: 0, toNewNumbers: 0, toNewNumbersPerCountry: 0)
        let many = CodesToNewNumbers(
            inHour: 9_999, inDay: 9_999, countryInHour: 9_999, countryInDay: 9_999)
        #expect(limits.bound(after: many, budget: .unlimited) == nil)
        #expect(!limits.countAll)
    }
}
