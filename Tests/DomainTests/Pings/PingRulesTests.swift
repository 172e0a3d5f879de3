import Foundation
import Testing

@testable import Domain

@Suite struct PingRulesTests {
    @Test(arguments: [(false, true), (true, true)])
    func aDependentCanBePinged(isResponder: Bool, isDependent: Bool) throws {
        let roles = try ContactRoles(isResponder: isResponder, isDependent: isDependent)
        #expect(refusal { try PingRules.check(roles) } == nil)
    }

    @Test func aResponderCannotBePinged() throws {
        let responder = try ContactRoles(isResponder: true, isDependent: false)
        let error = try #require(refusal { try PingRules.check(responder) })
        #expect(UserFacingError(error).code == "permission-denied")
        #expect(refusal { try PingRules.check(responder.mirrored) } == nil)
    }

    @Test func checkInAnswersPingsUpToTwoMinutesNewer() {
        let latest = noon.adding(.minutes(2))
        #expect(PingRules.isAnswered(byCheckInAt: noon, createdAt: latest))
        #expect(!PingRules.isAnswered(byCheckInAt: noon, createdAt: latest.aMillisecondAfter))
    }

    @Test func answerIsNoOlderThanItsPing() {
        let later = noon.aMillisecondAfter
        #expect(PingRules.answerTime(pressedAt: later, createdAt: noon) == later)
        #expect(PingRules.answerTime(pressedAt: noon, createdAt: later) == later)
    }

    @Test func aPingExpiresAfter24Hours() {
        let end = noon.adding(.hours(24))
        #expect(!PingRules.isExpired(createdAt: noon, at: noon))
        #expect(!PingRules.isExpired(createdAt: noon, at: end.aMillisecondBefore))
        #expect(PingRules.isExpired(createdAt: noon, at: end))
        #expect(PingRules.isExpired(createdAt: noon, at: end.aMillisecondAfter))
    }
}
