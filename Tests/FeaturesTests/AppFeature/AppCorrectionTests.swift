import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests what the example in seed 003 would mean for the next person who uses the device.
@MainActor @Suite struct AppCorrectionTests {
    @Test(
        """
        The seed's AppFeature holds `profile` for as long as the app runs: the next person reads \
        the last one's note; ours clears it
        """
    )
    func signOutLeavesNothingForTheNextPerson() async throws {
        /// The seed's state. It is reset at sign-out in the same way as in the seed's code.
        struct SeedState {
            var profile: ProfileFeature.State = .init()
            var isSignedIn = true
        }
        let ana = try Fixture.profile(name: "Ana", emergencyNote: "Penicillin")
        var seed = SeedState()
        seed.profile.show(ana)
        seed.isSignedIn = false
        #expect(
            seed.profile.emergencyNote == "Penicillin",
            "Ben signs in on Ana's old phone and reads her emergency note.")

        let signedIn = SignedIn(userID: Fixture.ana, isNewUser: false)
        let store = TestStore(
            initialState: AppFeature.State(
                screen: .main(.init(userID: Fixture.ana)), signedIn: signedIn)
        ) {
            AppFeature()
        } withDependencies: {
            $0.connectivityClient.status = { .never }
            $0.connectivityClient.refusals = { .never }
            $0.authClient.sessionEnded = { .never }
            $0.locale = Locale(identifier: "en_US_POSIX")
        }
        store.exhaustivity = .off
        await store.send(\.screen.main.profile.profileChanged, ana)
        await store.send(\.screen.main.profile.signOutSucceeded, [])
        await store.receive(\.screen.main.delegate.signedOut)
        await store.send(
            \.screen.signedOut.delegate.signedIn, SignedIn(userID: Fixture.ben, isNewUser: false))
        #expect(store.state.screen == .main(.init(userID: Fixture.ben)))
        await store.skipInFlightEffects()
    }
}
