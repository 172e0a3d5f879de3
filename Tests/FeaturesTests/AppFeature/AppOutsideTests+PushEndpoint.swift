import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension AppOutsideTests {
    @Test func endpointIsRegisteredAfterSignIn() async throws {
        let url = try #require(URL(string: "https://push.example.org/1"))
        let registered = LockIsolated<[URL]>([])
        let store = store(AppFeature.State(screen: .signedOut(.init()))) {
            $0.notificationClient.registerPushEndpoint = { url in
                registered.withValue { $0.append(url) }
            }
        }
        await store.send(.pushEndpointReceived(url)) { $0.pushEndpoint = url }
        #expect(registered.value.isEmpty)
        await store.send(\.screen.signedOut.delegate.signedIn, ana) {
            $0.signedIn = ana
            $0.screen = .main(.init(userID: Fixture.ana))
        }
        #expect(registered.value == [url])
        await store.skipInFlightEffects()
    }

    @Test func refusedEndpointShowsAnError() async throws {
        let url = try #require(URL(string: "http://10.0.0.1/"))
        let store = store(signedInState) {
            $0.notificationClient.registerPushEndpoint = { _ in throw Fixture.refused }
        }
        await store.send(.pushEndpointReceived(url)) { $0.pushEndpoint = url }
        await store.receive(.pushEndpointRefused(Fixture.refused)) { $0.errors = [Fixture.refused] }
    }

    @Test func endpointIsRegisteredOnReconnect() async throws {
        let url = try #require(URL(string: "https://push.example.org/1"))
        let tries = LockIsolated(0)
        var offline = signedInState
        offline.connectivity.isOnline = false
        let store = store(offline) {
            $0.notificationClient.registerPushEndpoint = { _ in
                tries.withValue { $0 += 1 }
                if tries.value == 1 { throw UserFacingError.unavailable }
            }
        }
        await store.send(.pushEndpointReceived(url)) { $0.pushEndpoint = url }
        await store.receive(.pushEndpointRefused(.unavailable)) { $0.isPushEndpointWaiting = true }
        await store.send(.connectivityChanged(Connectivity())) {
            $0.connectivity = Connectivity()
            $0.isPushEndpointWaiting = false
        }
        await store.finish()
        await store.send(.connectivityChanged(Connectivity(isOnline: false))) {
            $0.connectivity.isOnline = false
        }
        await store.send(.connectivityChanged(Connectivity())) { $0.connectivity.isOnline = true }
        #expect(tries.value == 2)
    }
}
