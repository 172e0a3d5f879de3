import Clients
import ComposableArchitecture
import Domain

/// The browsers, phones and webhooks that get the user's messages.
@Reducer
public struct PushEndpointsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// Oldest first; nil until the server has answered.
        public var endpoints: [PushEndpoint]?
        public var removing: PushEndpointID?
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            endpoints: [PushEndpoint]? = nil, removing: PushEndpointID? = nil,
            error: UserFacingError? = nil
        ) {
            self.endpoints = endpoints
            self.removing = removing
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case load
        case onDisappear
        case endpointsResponse(Result<[PushEndpoint], UserFacingError>)
        /// `name` is the endpoint's name in the list.
        case removeButtonTapped(PushEndpointID, name: String)
        /// The removal has ended; nil means success.
        case removeResponse(PushEndpointID, UserFacingError?)
        case dismissError
        case confirmation(PresentationAction<Confirmation>)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case removeConfirmed(PushEndpointID)
        }
    }

    @Dependency(\.notificationClient) private var notificationClient

    private enum CancelID { case load }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .load:
                state.error = nil
                return .run { send in
                    await send(
                        .endpointsResponse(
                            .userFacing { try await notificationClient.pushEndpoints() }))
                }
                .cancellable(id: CancelID.load, cancelInFlight: true)
            case .onDisappear:
                return .cancel(id: CancelID.load)
            case .endpointsResponse(.success(let endpoints)):
                state.endpoints = endpoints
                return .none
            case .endpointsResponse(.failure(let error)):
                state.error = error
                return .none
            case .removeButtonTapped(let id, let name):
                guard state.removing == nil,
                    let endpoint = state.endpoints?.first(where: { $0.id == id })
                else { return .none }
                state.confirmation = .removal(of: endpoint, name: name)
                return .none
            case .confirmation(.presented(.removeConfirmed(let id))):
                guard state.removing == nil else { return .none }
                state.removing = id
                state.error = nil
                return .run { send in
                    try await notificationClient.removePushEndpoint(id: id)
                    await send(.removeResponse(id, nil))
                } catch: { error, send in
                    await send(.removeResponse(id, UserFacingError(catching: error)))
                }
            case .removeResponse(let id, let error):
                state.removing = nil
                // "not-found" means that the endpoint was already removed, as the user wanted.
                if let error, error.code != "not-found" {
                    state.error = error
                } else {
                    state.endpoints?.removeAll { $0.id == id }
                }
                return .none
            case .dismissError:
                state.error = nil
                return .none
            case .confirmation(.dismiss):
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }
}

extension ConfirmationAlertState<PushEndpointsFeature.Action.Confirmation> {
    static func removal(of endpoint: PushEndpoint, name: String) -> Self {
        Self {
            TextState("Remove \(name)?")
        } actions: {
            ButtonState(role: .destructive, action: .removeConfirmed(endpoint.id)) {
                TextState("Remove")
            }
            ButtonState(role: .cancel) { TextState("Keep it") }
        } message: {
            TextState(
                endpoint.kind == .webPush
                    ? """
                    It gets no more messages, alerts included, until LifeSignal is opened there \
                    again. To stop messages for good, turn notifications off there, or sign that \
                    device out.
                    """
                    : "It gets no more messages, alerts included."
            )
        }
    }
}

extension PushEndpointsFeature.State {
    public func removeWords(_ endpoint: PushEndpointID) -> String {
        removing == endpoint ? "Removing …" : "Remove"
    }
}
