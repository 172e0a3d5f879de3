import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests input from outside the app: the connection, refusals, links, notifications and push
/// endpoints.
@MainActor @Suite struct AppOutsideTests {
    let ana = SignedIn(userID: Fixture.ana, isNewUser: false)
    let signedInState = AppFeature.State(
        screen: .main(.init(userID: Fixture.ana)),
        signedIn: SignedIn(userID: Fixture.ana, isNewUser: false))

    // MARK: Links of codes

    private static let link = "https://lifesignal.example/add/0192cf3a-8f7b-7000-8000-000000000001"

    @Test func linkBeforeSignInShowsTheInviter() async throws {
        let link = try #require(URL(string: Self.link))
        let asked = Calls<String>([])
        let store = store(AppFeature.State(screen: .signedOut(.init()))) {
            $0.authClient.inviter = { code in
                asked.withValue { $0.append(code) }
                return "Ana"
            }
        }
        await store.send(.urlOpened(link)) {
            $0.pendingCode = Self.link
            $0.screen = .signedOut(.init(inviterCode: Self.link))
        }
        await store.receive(\.screen.signedOut.inviterFound) {
            $0.screen = .signedOut(.init(inviter: "Ana", inviterCode: Self.link))
        }
        #expect(asked.value == [Self.link])
        #expect(
            AuthFeature.State(inviter: "Ana").inviterWords?.hasPrefix("Ana invites you") == true)
        await store.finish()
    }

    @Test func linkAtLaunchShowsTheInviterWhenSignedOut() async throws {
        let store = store(AppFeature.State(pendingCode: Self.link)) {
            $0.authClient.inviter = { _ in "Ana" }
            $0.phoneCountry = PhoneCountry("DE")
        }
        await store.send(.sessionRestored(nil)) {
            $0.screen = .signedOut(
                .init(country: PhoneCountry("DE"), inviterCode: Self.link))
        }
        await store.receive(\.screen.signedOut.inviterFound) {
            $0.screen = .signedOut(
                .init(country: PhoneCountry("DE"), inviter: "Ana", inviterCode: Self.link))
        }
    }

    @Test func linkWithoutInviterShowsNothing() async throws {
        let link = try #require(URL(string: Self.link))
        let store = store(AppFeature.State(screen: .signedOut(.init()))) {
            $0.authClient.inviter = { _ in nil }
        }
        await store.send(.urlOpened(link)) {
            $0.pendingCode = Self.link
            $0.screen = .signedOut(.init(inviterCode: Self.link))
        }
        await store.finish()
    }

    // MARK: Sign-up links

    private static let signUpLink =
        "https://lifesignal.example/join/" + String(repeating: "A", count: 43)

    @Test func signUpLinkReachesTheSignInPage() async throws {
        let link = try #require(URL(string: Self.signUpLink))
        let store = store(AppFeature.State(screen: .signedOut(.init()))) { _ in }
        await store.send(.urlOpened(link))
        await store.receive(\.screen.signedOut.tokenOpened) {
            $0.screen = .signedOut(.init(token: String(repeating: "A", count: 43)))
        }
    }

    @Test func signUpLinkWaitsForTheSignInPage() async throws {
        let token = String(repeating: "A", count: 43)
        let link = try #require(URL(string: Self.signUpLink))
        let options = SignInOptions(signUp: .invited, sendsCodes: true)
        let store = store(AppFeature.State()) { $0.authClient.signInOptions = { options } }
        await store.send(.urlOpened(link)) { $0.pendingToken = token }
        await store.send(.sessionRestored(nil)) {
            $0.screen = .signedOut(.init(token: token))
            $0.pendingToken = nil
        }
        await store.receive(\.screen.signedOut.optionsLoaded) {
            $0.screen = .signedOut(.init(token: token, options: options))
        }
    }

    @Test func missingOptionsAreLoadedOnReturn() async {
        let options = SignInOptions(signUp: .invited, sendsCodes: true)
        let store = store(AppFeature.State(screen: .signedOut(.init()))) {
            $0.authClient.signInOptions = { options }
            $0.connectivityClient.retryNow = {}
            $0.localNotificationClient.isAvailable = { false }
        }
        await store.send(.becameActive)
        await store.receive(\.screen.signedOut.optionsLoaded) {
            $0.screen = .signedOut(.init(options: options))
        }
        // The options are known now, so no request is made.
        await store.send(.becameActive)
        await store.finish()
    }

    @Test func incompleteSignUpLinkIsRefused() async throws {
        let link = try #require(URL(string: "https://lifesignal.example/join/AAAA"))
        let store = store(AppFeature.State(screen: .signedOut(.init()))) { _ in }
        await store.send(.urlOpened(link)) {
            $0.errors = [UserFacingError(SignUpRules.notALink)]
        }
    }

    @Test func signUpLinkIsRefusedWhileSignedIn() async throws {
        let link = try #require(URL(string: Self.signUpLink))
        let store = store(signedInState) { _ in }
        await store.send(.urlOpened(link)) { $0.errors = [.signedInAlready] }
    }

    // MARK: The connection

    @Test(
        arguments: [
            (true, 0, nil), (true, 1, "1 waiting to be sent"), (true, 2, "2 waiting to be sent"),
            (false, 0, "Offline"),
            (false, 1, "Offline, 1 waiting"), (false, 2, "Offline, 2 waiting"),
        ] as [(Bool, Int, String?)])
    func connectivityTextDependsOnStateAndQueue(isOnline: Bool, count: Int, words: String?) {
        let waiting = Array(Fixture.waiting(.raiseAlert, .checkIn).prefix(count))
        let state = AppFeature.State(
            connectivity: Connectivity(isOnline: isOnline, waiting: waiting))
        #expect(state.connectivityWords == words)
        #expect(state.queueLength == count)
    }

    @Test func dataAgeShowsOnlyOffline() {
        var state = AppFeature.State(connectivity: Connectivity(lastSynced: Fixture.now))
        #expect(state.knownUntil == nil)
        state.connectivity.isOnline = false
        #expect(state.knownUntil == Fixture.now)
    }

    @Test func connectivityIsFollowedFromLaunch() async {
        let (changes, change) = AsyncStream.makeStream(of: Connectivity.self)
        let offline = Connectivity(
            isOnline: false, lastSynced: Fixture.now, waiting: Fixture.waiting(.checkIn))
        let store = store(AppFeature.State()) {
            $0.authClient.session = { nil }
            $0.connectivityClient.status = { changes }
        }
        await store.send(.appLaunched)
        await store.receive(.sessionRestored(nil)) { $0.screen = .signedOut(.init()) }
        change.yield(offline)
        await store.receive(.connectivityChanged(offline)) { $0.connectivity = offline }
        await store.skipInFlightEffects()
    }

    @Test func connectivityIsFollowedAgainAfterSignIn() async {
        let offline = Connectivity(isOnline: false, waiting: Fixture.waiting(.checkIn))
        let isSignedIn = LockIsolated(false)
        let store = store(AppFeature.State()) {
            $0.authClient.session = { nil }
            // Like the live client, this client has a status only while a user is signed in.
            $0.connectivityClient.status = {
                isSignedIn.value ? AsyncStream { $0.yield(offline) } : .finished
            }
        }
        await store.send(.appLaunched)
        await store.receive(.sessionRestored(nil)) { $0.screen = .signedOut(.init()) }
        isSignedIn.setValue(true)
        await store.send(\.screen.signedOut.delegate.signedIn, ana) { [ana] in
            $0.signedIn = ana
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        await store.receive(.connectivityChanged(offline)) { $0.connectivity = offline }
        #expect(store.state.connectivityWords == "Offline, 1 waiting")
        await store.skipInFlightEffects()
    }

    @Test func retriesOnTapAndWhenActive() async {
        let tries = LockIsolated(0)
        let store = store(AppFeature.State(screen: .signedOut(.init()))) {
            $0.connectivityClient.retryNow = { tries.withValue { $0 += 1 } }
        }
        await store.send(.retryButtonTapped)
        await store.send(.becameActive)
        await store.send(.becameInactive)
        await store.finish()
        #expect(tries.value == 2)
    }

    @Test func refusalsShowOneAfterAnother() async {
        let store = store(signedInState) { _ in }
        let ping = RefusedAction(
            action: Fixture.waiting(.ping)[0],
            error: UserFacingError(CommandError.notFound("No such contact.")))
        let edit = RefusedAction(action: Fixture.waiting(.updateProfile)[0], error: Fixture.refused)
        await store.send(.refused(ping)) { $0.errors = [ping.words] }
        await store.send(.refused(edit)) { $0.errors = [ping.words, edit.words] }
        #expect(
            store.state.error?.message
                == "The server refused a ping that was waiting to be sent. No such contact.")
        await store.send(.dismissError) { $0.errors = [edit.words] }
        await store.send(.dismissError) { $0.errors = [] }
    }

    // MARK: Links

    @Test func linkOpensAddContact() async throws {
        let url = try link()
        let store = store(signedInState) {
            $0.contactClient.codeOwner = { _ in CodeOwner(id: Fixture.ben, name: "Ben") }
        }
        store.exhaustivity = .off
        await store.send(.urlOpened(url))
        await store.receive(.screen(.presented(.main(.linkOpened(code: url.absoluteString)))))
        await store.skipInFlightEffects(strict: false)
    }

    @Test func linkIsKeptThroughSignInAndOnboarding() async throws {
        let url = try link()
        let newcomer = SignedIn(userID: Fixture.ana, isNewUser: true)
        let store = store(AppFeature.State()) {
            $0.authClient.session = { nil }
            $0.authClient.inviter = { _ in nil }
            $0.contactClient.codeOwner = { _ in CodeOwner(id: Fixture.ben, name: "Ben") }
        }
        store.exhaustivity = .off
        await store.send(.urlOpened(url))
        await store.send(.appLaunched)
        await store.receive(\.sessionRestored)
        await store.send(\.screen.signedOut.delegate.signedIn, newcomer)
        #expect(store.state.pendingCode == url.absoluteString)
        await store.send(\.screen.onboarding.delegate.finished, .later)
        await store.receive(.screen(.presented(.main(.linkOpened(code: url.absoluteString)))))
        #expect(store.state.pendingCode == nil)
        await store.skipInFlightEffects(strict: false)
    }

    @Test(arguments: [true, false])
    func linkHasPrecedenceOverFirstResponder(hasLink: Bool) async {
        let state = AppFeature.State(
            screen: .onboarding(.init()), signedIn: ana, pendingCode: hasLink ? Self.link : nil)
        let store = store(state) {
            $0.contactClient.codeOwner = { _ in CodeOwner(id: Fixture.ben, name: "Ben") }
        }
        store.exhaustivity = .off
        await store.send(\.screen.onboarding.delegate.finished, .invite)
        if hasLink {
            await store.receive(.screen(.presented(.main(.linkOpened(code: Self.link)))))
        } else {
            await store.receive(.screen(.presented(.main(.inviteRequested))))
        }
        await store.skipReceivedActions(strict: false)
        let invitations = store.state.main?.responders.invitations
        #expect(invitations?.timesOpened == (hasLink ? 0 : 1))
        await store.skipInFlightEffects(strict: false)
    }

    @Test(arguments: [
        "https://example.org/add/no-code", "https://example.org/", "lifesignal:add",
        "https://example.org/add/1/2", "https://example.org/alerts/no-id",
        "lifesignal://example.org/alerts/00000000-0000-0000-0000-000000000032",
    ])
    func foreignLinkShowsAnError(text: String) async throws {
        let url = try #require(URL(string: text))
        let store = store(signedInState) { _ in }
        await store.send(.urlOpened(url)) { $0.errors = [.notACodeLink] }
        #expect(store.state.error?.recoverySuggestion.contains("below") == false)
    }

    @Test func repeatedWrongLinkShowsOneError() async throws {
        let url = try #require(URL(string: "https://example.org/add/no-code"))
        let store = store(signedInState) { _ in }
        await store.send(.urlOpened(url)) { $0.errors = [.notACodeLink] }
        await store.send(.urlOpened(url))
        let link = try #require(URL(string: Self.signUpLink))
        await store.send(.urlOpened(link)) { $0.errors = [.signedInAlready] }
        await store.send(.urlOpened(url)) { $0.errors = [.notACodeLink] }
    }

    @Test func nextLinkOrTabRemovesTheErrorOfALink() async throws {
        let url = try #require(URL(string: "https://example.org/add/no-code"))
        var state = signedInState
        state.errors = [Fixture.refused]
        let store = store(state) {
            $0.contactClient.codeOwner = { _ in CodeOwner(id: Fixture.ben, name: "Ben") }
        }
        store.exhaustivity = .off
        await store.send(.urlOpened(url)) { $0.errors = [Fixture.refused, .notACodeLink] }
        await store.send(.screen(.presented(.main(.tabSelected(.responders))))) {
            $0.errors = [Fixture.refused]
        }
        await store.send(.urlOpened(url)) { $0.errors = [Fixture.refused, .notACodeLink] }
        await store.send(.urlOpened(try link())) { $0.errors = [Fixture.refused] }
        await store.skipReceivedActions(strict: false)
        await store.skipInFlightEffects(strict: false)
    }

    @Test(arguments: ["https://example.org", "https://example.org/lifesignal"])
    func linkToAnAlertOpensIt(server: String) async throws {
        let id: AlertID = Fixture.id(50)
        let store = store(signedInState) {
            $0.alertClient.alert = { _ in Fixture.alert(50, of: Fixture.ben) }
        }
        store.exhaustivity = .off
        await store.send(.urlOpened(try #require(URL(string: "\(server)/alerts/\(id)"))))
        await store.receive(.screen(.presented(.main(.opened(.alert(id, user: nil))))))
        await store.receive(\.screen.main.openedAlertResponse)
        #expect(store.state.main?.dependentAlert?.alertID == id)
        await store.skipInFlightEffects(strict: false)
    }

    // MARK: Tapped notifications

    @Test func tappedNotificationOpensItsSubject() async {
        let store = store(signedInState) { _ in }
        await store.send(.notificationOpened(.person(Fixture.ben)))
        await store.receive(.screen(.presented(.main(.opened(.person(Fixture.ben)))))) {
            $0.screen?.modify(\.main) { $0.subjectToOpen = .person(Fixture.ben) }
        }
    }

    @Test func notificationThatStartsTheAppOpensWithTheTabs() async {
        let store = store(AppFeature.State()) { [ana] in $0.authClient.session = { ana } }
        await store.send(.notificationOpened(.person(Fixture.ben))) {
            $0.pendingSubject = .person(Fixture.ben)
        }
        await store.send(.appLaunched)
        await store.receive(.sessionRestored(ana)) {
            $0.signedIn = ana
            $0.pendingSubject = nil
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        await store.receive(.screen(.presented(.main(.opened(.person(Fixture.ben)))))) {
            $0.screen?.modify(\.main) { $0.subjectToOpen = .person(Fixture.ben) }
        }
        await store.skipInFlightEffects()
    }

    @Test func notificationTappedWhileSignedOutIsDropped() async {
        let store = store(AppFeature.State(screen: .signedOut(.init()))) { _ in }
        await store.send(.notificationOpened(.person(Fixture.ben)))
    }

    @Test func notificationIsDroppedWithoutASession() async {
        let store = store(AppFeature.State(pendingSubject: .person(Fixture.ben))) { _ in }
        await store.send(.sessionRestored(nil)) {
            $0.pendingSubject = nil
            $0.screen = .signedOut(.init())
        }
    }

    func link() throws -> URL {
        QRCodeRules.shareLink(
            for: Fixture.id(7), server: try #require(URL(string: "https://example.org")))
    }

    func store(_ state: AppFeature.State, _ dependencies: (inout DependencyValues) -> Void)
        -> TestStoreOf<AppFeature>
    {
        TestStore(initialState: state) {
            AppFeature()
        } withDependencies: {
            $0.connectivityClient.status = { .never }
            $0.connectivityClient.refusals = { .never }
            $0.authClient.sessionEnded = { .never }
            $0.uuid = .incrementing
            $0.date.now = Fixture.now
            $0.continuousClock = TestClock()
            $0.locale = Locale(identifier: "en_US_POSIX")
            dependencies(&$0)
        }
    }
}
