import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Input from outside of the screens: connection, links, notifications, device.
extension AppFeature {
    func connectivityChanged(_ connectivity: Connectivity, _ state: inout State) -> Effect<Action> {
        let isBack = connectivity.isOnline && !state.connectivity.isOnline
        state.connectivity = connectivity
        guard isBack, state.isPushEndpointWaiting else { return .none }
        return registerPushEndpoint(&state)
    }

    func open(_ url: URL, _ state: inout State) -> Effect<Action> {
        guard (try? QRCodeRules.id(in: url.absoluteString)) != nil else {
            state.errors.append(UserFacingError(QRCodeRules.notACode))
            return .none
        }
        guard state.screen?.is(\.main) == true else {
            state.pendingCode = url.absoluteString
            return .none
        }
        return .send(.screen(.presented(.main(.linkOpened(code: url.absoluteString)))))
    }

    func open(_ subject: NotificationSubject, _ state: inout State) -> Effect<Action> {
        guard state.screen?.is(\.main) == true else {
            // Tapped on while nobody is signed in, it may be another person's: it is kept through
            // the start only.
            if state.screen == nil { state.pendingSubject = subject }
            return .none
        }
        return .send(.screen(.presented(.main(.opened(subject)))))
    }

    func pushEndpointRefused(_ error: UserFacingError, _ state: inout State) -> Effect<Action> {
        guard state.connectivity.isOnline else {
            state.isPushEndpointWaiting = true
            return .none
        }
        state.errors.append(error)
        return .none
    }

    /// Opens what leads to the first responder.
    func lead(to choice: OnboardingFeature.FirstResponder) -> Effect<Action> {
        switch choice {
        case .showCode: .send(.screen(.presented(.main(.home(.qrCodeButtonTapped)))))
        case .scanCode: .send(.screen(.presented(.main(.addResponderRequested))))
        case .later: .none
        }
    }

    func tellHome(_ action: HomeFeature.Action, _ state: State) -> Effect<Action> {
        state.screen?.is(\.main) == true ? .send(.screen(.presented(.main(.home(action))))) : .none
    }

    func retry() -> Effect<Action> {
        .run { _ in await connectivityClient.retryNow() }.cancellable(
            id: CancelID.retry, cancelInFlight: true)
    }

    func registerPushEndpoint(_ state: inout State) -> Effect<Action> {
        state.isPushEndpointWaiting = false
        guard let url = state.pushEndpoint, state.signedIn != nil else { return .none }
        return .run { send in
            try await notificationClient.registerPushEndpoint(url: url)
        } catch: { error, send in
            await send(.pushEndpointRefused(UserFacingError(catching: error)))
        }
        .cancellable(id: CancelID.pushEndpoint, cancelInFlight: true)
    }
}

extension Refusal {
    /// The refused action and the reason.
    var words: UserFacingError {
        var words = error
        words.message =
            "The server did not take \([action].inWords) that waited to be sent. \(error.message)"
        return words
    }
}

extension UserFacingError {
    static let sessionEnded = UserFacingError(
        title: "You were signed out",
        message:
            """
            This session was ended on another device, or the account is gone. Your deadline keeps \
            running while the account is there.
            """,
        recoverySuggestion: "Sign in again with your phone number.",
        code: "unauthenticated"
    )

    static let accountDeleted = UserFacingError(
        title: "Your account is deleted",
        message: "Everything about you is gone, and your contacts were told.",
        recoverySuggestion: "You can start again at any time.",
        code: "account-deleted"
    )
}
