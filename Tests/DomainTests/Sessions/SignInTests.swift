import Foundation
import Testing

@testable import Domain

@Suite struct SignInCodeTests {
    @Test(arguments: ["000000", "123456", "999999"])
    func aCodeHasSixDigits(text: String) throws {
        #expect(try SignInRules.code(text) == text)
    }

    @Test(
        arguments: [
            "", "12345", "1234567", "12345a", "123 45", " 123456", "123456\n", "-12345",
            "\u{FF11}23456", "12345\u{661}",
            "\u{661}\u{662}\u{663}",
        ])
    func otherTextIsRefused(text: String) {
        #expect(refusal { try SignInRules.code(text) }?.field == "code")
    }

    @Test func passkeyWaitsAfterTwentySessionsInAnHour() {
        let begun = (0..<20).map { noon.adding(.minutes($0)) }
        let last = noon.adding(.minutes(19))
        #expect(SignInRules.wait(afterSessions: Array(begun.dropLast()), at: last) == nil)
        #expect(SignInRules.wait(afterSessions: begun, at: last) == .minutes(41))
        let hour = noon.adding(.hours(1))
        #expect(SignInRules.wait(afterSessions: begun, at: hour) == nil)
    }

    @Test func codeIsValidFor5MinutesAnd5Attempts() {
        #expect(SignInRules.codeLifetime == .minutes(5))
        #expect(SignInRules.triesPerCode == 5 && SignInRules.triesOfRequest == 2)
        let end = noon.adding(SignInRules.codeLifetime)
        #expect(SignInRules.isUsable(expiresAt: end, triesLeft: 5, at: end.aMillisecondBefore))
        #expect(!SignInRules.isUsable(expiresAt: end, triesLeft: 5, at: end))
        #expect(SignInRules.isUsable(expiresAt: end, triesLeft: 1, at: noon))
        #expect(!SignInRules.isUsable(expiresAt: end, triesLeft: 0, at: noon))
        #expect(!SignInRules.isUsable(expiresAt: end, triesLeft: -1, at: noon))
    }

    @Test func tokenLifetimesMatchTheRules() {
        #expect(SignInRules.accessTokenLifetime == .minutes(15))
        #expect(SignInRules.codesPerNumber == 5)
        #expect(SignInRules.codesPerAddress == 20)
    }
}

@Suite struct SignInWaitTests {
    /// Returns the times of `count` codes, sent a minute apart from noon on.
    private func sent(_ count: Int) -> [Date] { (0..<count).map { noon.adding(.minutes($0)) } }

    @Test(arguments: [SignInRules.codesPerNumber, SignInRules.codesPerAddress])
    func codeOverTheLimitWaitsForTheOldest(limit: Int) {
        let now = noon.adding(.minutes(30))
        #expect(SignInRules.wait(sent: [], limit: limit, at: now) == nil)
        #expect(SignInRules.wait(sent: sent(limit - 1), limit: limit, at: now) == nil)
        #expect(SignInRules.wait(sent: sent(limit), limit: limit, at: now) == .minutes(30))
    }

    @Test func theWindowIsAnHourToTheMillisecond() {
        let open = noon.adding(.hours(1))
        #expect(
            SignInRules.wait(sent: sent(5), limit: 5, at: open.aMillisecondBefore)
                == .milliseconds(1))
        #expect(SignInRules.wait(sent: sent(5), limit: 5, at: open) == nil)
    }

    @Test func waitingThatLongIsEnough() throws {
        let now = noon.adding(.minutes(10))
        let moments = sent(8)
        let wait = try #require(SignInRules.wait(sent: moments, limit: 5, at: now))
        #expect(wait == .minutes(53))
        #expect(SignInRules.wait(sent: moments, limit: 5, at: now.adding(wait)) == nil)
        #expect(
            SignInRules.wait(sent: moments, limit: 5, at: now.adding(wait).aMillisecondBefore)
                != nil)
    }

    @Test func theOrderOfTheMomentsDoesNotMatter() {
        let now = noon.adding(.minutes(30))
        #expect(
            SignInRules.wait(sent: sent(5).reversed(), limit: 5, at: now)
                == SignInRules.wait(sent: sent(5), limit: 5, at: now))
    }

    @Test func oldCodesAreForgotten() {
        #expect(SignInRules.wait(sent: sent(20), limit: 5, at: noon.adding(.hours(2))) == nil)
    }
}

@Suite struct DeviceNameTests {
    @Test func deviceNameIsTrimmedAndLimited() throws {
        let longest = String(repeating: "\u{1F4F1}", count: 100)
        #expect(try SignInRules.deviceName(" Ada\u{2019}s phone\n") == "Ada\u{2019}s phone")
        #expect(try SignInRules.deviceName(longest) == longest)
        #expect(
            refusal { try SignInRules.deviceName(longest + "\u{1F4F1}") }?.field == "deviceName")
    }

    @Test(arguments: [
        "", "  ", "a\nb", "a\0b", "a\u{2028}b", "e" + String(repeating: "\u{301}", count: 400),
    ])
    func otherTextIsRefused(text: String) {
        #expect(refusal { try SignInRules.deviceName(text) }?.field == "deviceName")
    }
}
