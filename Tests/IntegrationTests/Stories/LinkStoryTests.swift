import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct LinkStoryTests {
    @Test func linkOpenedBeforeSignInIsKept() async throws {
        let app = try TestApp(.memory)
        let ben = try await app.welcome("Ben", "+15550100002")
        let link = try #require(try await ben.showCode().shareLink)
        let ana = TestUser("Ana's phone", in: app)
        await ana.send(.appLaunched)
        try await ana.shows("the sign-in", that: { $0.screen?.is(\.signedOut) == true })
        await ana.send(.urlOpened(link))
        try await ana.shows(
            "who invited",
            that: { state in
                guard case .signedOut(let auth) = state.screen else { return false }
                return auth.inviter == "Ben"
            })
        try await ana.signIn("+15550100001", in: app)
        try await ana.onboard("Ana")
        let owner = try await ana.tabs("whose link it is") { $0.dependents.addContact.owner }
        #expect(owner.name == "Ben")
        await ana.send(tabs: .dependents(.addContact(.addButtonTapped)))
        try await ana.contact("Ben")
        try await ben.contact("Ana")
    }

    @Test func linkWithoutACodeIsAnError() async throws {
        let app = try TestApp(.memory)
        let ana = try await app.welcome("Ana", "+15550100001")
        await ana.send(.urlOpened(try #require(URL(string: "https://lifesignal.example/about"))))
        try await ana.shows("words", that: { $0.error != nil })
        try await ana.tabs("no sheet", that: { !$0.dependents.addContact.isSheetPresented })
    }

    @Test func notificationTappedBeforeLaunchOpensTheAlert() async throws {
        let both = try await AnaAndBen()
        await both.ana.send(tabs: .home(.alert(.setActivationProgress(1))))
        let item = try await both.ben.tabs("the call") {
            $0.notifications.notifications.first { $0.type == .alert }
        }
        let subject = try #require(NotificationSubject(item))
        // Ben is signed in on this device, and opens the app by tapping the notification.
        let tablet = TestUser(
            "Ben's tablet", in: both.app, tokens: try await signedIn("+15550100002", in: both.app))
        await tablet.send(.notificationOpened(subject))
        await tablet.send(.appLaunched)
        try await tablet.arrive()
        try await tablet.tabs(
            "the alert",
            that: {
                $0.dependentAlert?.alertID == item.alertID
                    && $0.dependentAlert?.alert?.isActive == true
            })
    }
}
