import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct SignInStoryTests {
    @Test func newUserHasADeadlineAfterOnboarding() async throws {
        let app = try TestApp(.memory)
        let ana = TestUser("Ana's phone", in: app)
        let signedIn = try await ana.signIn("+15550100001", in: app)
        #expect(signedIn.isNewUser)
        try await ana.onboard("Ana", note: "Penicillin", hours: 8)
        try await ana.tabs(
            "a deadline in 8 hours",
            that: { $0.home.checkIn.nextCheckInTime == TestTime.noon.adding(.hours(8)) })
        try await ana.tabs(
            "name and note",
            that: { $0.profile.name == "Ana" && $0.profile.emergencyNote == "Penicillin" })
        #expect(try await app.count("SELECT COUNT(*) FROM check_ins") == 1)
    }

    @Test func knownNumberSignsInToItsAccount() async throws {
        let app = try TestApp(.memory)
        let phone = try await app.welcome("Ana", "+15550100001")
        let tablet = TestUser("Ana's tablet", in: app)
        let signedIn = try await tablet.signIn("+15550100001", in: app)
        #expect(!signedIn.isNewUser)
        #expect(try await signedIn.userID == phone.id)
        try await tablet.arrive()
        try await tablet.tabs("the name", that: { $0.profile.name == "Ana" })
    }

    @Test func wrongCodeCostsATryThenTheRightOneSignsIn() async throws {
        let app = try TestApp(.memory)
        let ana = TestUser("Ana's phone", in: app)
        await ana.send(.appLaunched)
        try await ana.shows("the sign-in", that: { $0.screen?.is(\.signedOut) == true })
        await ana.send(signedOut: .phoneNumberChanged("+1 555 010-0001"))
        await ana.send(signedOut: .sendCodeButtonTapped)
        try await ana.shows("the field for the code") { $0.screen?.signedOut?.codeSentTo }
        let code = try app.code(for: "+15550100001")
        await ana.send(signedOut: .verificationCodeChanged(code == "000000" ? "111111" : "000000"))
        try await ana.shows(
            "words, and four tries",
            that: { $0.screen?.signedOut?.error != nil && $0.screen?.signedOut?.attemptsLeft == 4 })
        await ana.send(signedOut: .verificationCodeChanged(code))
        try await ana.shows("the onboarding", that: { $0.screen?.is(\.onboarding) == true })
    }

    @Test func signOutLeavesNothingForTheNextUser() async throws {
        let both = try await AnaAndBen()
        await both.ana.send(tabs: .profile(.signOutButtonTapped))
        await both.ana.send(tabs: .profile(.confirmSignOut(.presented(.signOutConfirmed))))
        try await both.ana.shows(
            "the sign-in", that: { $0.screen?.is(\.signedOut) == true && $0.signedIn == nil })
        try await both.ana.signIn("+15550100009", in: both.app)
        try await both.ana.onboard("Dora")
        try await both.ana.tabs(
            "nobody's contacts",
            that: {
                $0.responders.contacts.contacts.isEmpty && $0.notifications.notifications.isEmpty
            })
        try await both.ben.contact("Ana")
    }
}
