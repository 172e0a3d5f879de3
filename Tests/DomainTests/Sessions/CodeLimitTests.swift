import Foundation
import Testing

@testable import Domain

/// At most 5 codes an hour per number and requester, 15 per number with 3 more for known devices,
/// 20 per address, 100 per /48, 1,000 in all, and 20 a day per number for unknown devices.
@Suite struct CodeLimitTests {
    private let now = noon.adding(.minutes(30))

    private func moments(_ count: Int) -> [Date] { (0..<count).map { noon.adding(.seconds($0)) } }

    private func sent(_ fill: (inout SentCodes) -> Void) -> SentCodes {
        var sent = SentCodes()
        fill(&sent)
        return sent
    }

    @Test func theNumbersAreThoseOfTheRule() {
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

    @Test func theReserveIsForTheNumberOnly() {
        let sent = sent { $0.byRequester = moments(5) }
        #expect(CodeLimits().wait(after: sent, isKnown: true, at: now) == .minutes(30))
    }

    @Test func theLongestWaitIsTold() {
        let sent = sent { sent in
            sent.byRequester = moments(5)
            sent.fromAddress = moments(20).map { $0.adding(.minutes(10)) }
        }
        #expect(CodeLimits().wait(after: sent, isKnown: false, at: now) == .minutes(40))
    }

    @Test func unknownDevicesHaveTwentyADayForANumber() {
        let (below, full) = (
            sent { $0.byStrangers = moments(19) }, sent { $0.byStrangers = moments(20) }
        )
        #expect(CodeLimits().wait(after: below, isKnown: false, at: now) == nil)
        #expect(CodeLimits().wait(after: full, isKnown: false, at: now) == .minutes(23 * 60 + 30))
        #expect(CodeLimits().wait(after: full, isKnown: true, at: now) == nil)
        #expect(CodeLimits().wait(after: full, isKnown: false, at: noon.adding(.days(1))) == nil)
    }

    @Test func zeroInAllMeansNoLimit() {
        let sent = sent { $0.inAll = moments(2_000) }
        #expect(CodeLimits(inAll: 0).wait(after: sent, isKnown: false, at: now) == nil)
        #expect(CodeLimits(inAll: 1).wait(after: sent, isKnown: false, at: now) != nil)
    }
}
