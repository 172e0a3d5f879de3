import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Requests of a sheet continue after the sheet is closed. A later failure is still shown.
@MainActor @Suite struct ContactDetailsAfterClosingTests {
    @Test func lateRemovalFailureShowsInTheTab() async throws {
        let gate = Gate<Bool>()
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let store = TestStore(
            initialState: ContactDetailsSheetViewFeature.State(contact: ben, isSheetPresented: true)
        ) {
            ContactDetailsSheetViewFeature()
        } withDependencies: {
            $0.contactClient.removeContact = { _ in _ = try await gate.wait() }
        }
        await store.send(.removeButtonTapped) { $0.confirmation = .remove($0) }
        await store.send(.confirmation(.presented(.removeConfirmed))) {
            $0.confirmation = nil
            $0.isRemoving = true
        }
        await store.send(.closeButtonTapped) { $0.isSheetPresented = false }
        gate.fail(.unavailable)
        await store.receive(.removeResponse(Fixture.ben, .unavailable)) { $0.isRemoving = false }
        await store.receive(.delegate(.failed(.unavailable)))

        let tab = TestStore(initialState: RespondersFeature.State()) { RespondersFeature() }
        await tab.send(.contactDetails(.delegate(.failed(.unavailable)))) {
            $0.error = .unavailable
        }
    }

    @Test func reopenedSheetShowsQueuedChanges() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isResponder: true)
        let offline = Connectivity(
            isOnline: false, waiting: [.roles(of: Fixture.ben), .ping(Fixture.cleo)])
        let store = TestStore(
            initialState: ContactDetailsSheetViewFeature.State(contact: ben, isSheetPresented: true)
        ) {
            ContactDetailsSheetViewFeature()
        } withDependencies: {
            $0.connectivityClient.status = { AsyncStream { $0.yield(offline) } }
        }
        await store.send(.onAppear)
        await store.receive(.connectivityChanged(offline)) { $0.isWaitingToBeSent = true }
        #expect(!store.state.isPingWaitingToBeSent, "That ping is about somebody else.")
        await store.send(.closeButtonTapped) { $0.isSheetPresented = false }
        await store.finish()
    }
}
