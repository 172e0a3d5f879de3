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
        public var test: Test?
        public var webhook = WebhookFeature.State()
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            endpoints: [PushEndpoint]? = nil, removing: PushEndpointID? = nil, test: Test? = nil,
            error: UserFacingError? = nil
        ) {
            self.endpoints = endpoints
            self.removing = removing
            self.test = test
            self.error = error
        }
    }

    /// A test message to one endpoint.
    public struct Test: Equatable, Sendable {
        public var endpoint: PushEndpointID
        /// False until the server has queued the message.
        public var isSent: Bool

        public init(_ endpoint: PushEndpointID, isSent: Bool) {
            self.endpoint = endpoint
            self.isSent = isSent
        }
    }

    public enum Action: Equatable, Sendable {
        case load
        /// Another device may have added or removed an endpoint.
        case newsCame
        case onDisappear
        case endpointsResponse(Result<[PushEndpoint], UserFacingError>)
        /// `name` is the endpoint's name in the list.
        case removeButtonTapped(PushEndpointID, name: String)
        /// The removal has ended; nil means success.
        case removeResponse(PushEndpointID, UserFacingError?)
        case testButtonTapped(PushEndpointID)
        /// nil means that the message is queued.
        case testResponse(PushEndpointID, UserFacingError?)
        case webhook(WebhookFeature.Action)
        case dismissError
        case confirmation(PresentationAction<Confirmation>)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case removeConfirmed(PushEndpointID)
        }
    }

    @Dependency(\.continuousClock) private var clock
    @Dependency(\.notificationClient) private var notificationClient

    private enum CancelID { case load, test }

    /// When the list is loaded again after a test, to show the service's answer.
    private static let answerPauses: [Duration] = [.seconds(1), .seconds(3)]

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.webhook, action: \.webhook) { WebhookFeature() }
        Reduce { state, action in
            switch action {
            case .load:
                return load(&state)
            case .newsCame:
                return reload(state)
            case .onDisappear:
                state.test = nil
                return .merge(.cancel(id: CancelID.load), .cancel(id: CancelID.test))
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
                if let error, !error.has(.notFound) {
                    state.error = error
                } else {
                    state.endpoints?.removeAll { $0.id == id }
                }
                return .none
            case .testButtonTapped(let id):
                return sendTest(to: id, &state)
            case .testResponse(let id, let error):
                state.test = error == nil ? Test(id, isSent: true) : nil
                state.error = error
                return .none
            case .webhook(.addResponse(.success)):
                return .send(.load)
            case .webhook:
                return .none
            case .dismissError:
                // Otherwise the screen would say forever that it loads.
                guard state.endpoints != nil else { return load(&state) }
                state.error = nil
                return .none
            case .confirmation(.dismiss):
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    private func load(_ state: inout State) -> Effect<Action> {
        state.error = nil
        return .run { [notificationClient] send in
            await send(
                .endpointsResponse(.userFacing { try await notificationClient.pushEndpoints() }))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    /// The person didn't request this load, so a failure is not shown.
    private func reload(_ state: State) -> Effect<Action> {
        // The first load and the end of a removal show the news themselves.
        guard state.endpoints != nil, state.removing == nil else { return .none }
        return .run { [notificationClient] send in
            guard let endpoints = try? await notificationClient.pushEndpoints() else { return }
            await send(.endpointsResponse(.success(endpoints)))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    private func sendTest(to id: PushEndpointID, _ state: inout State) -> Effect<Action> {
        guard state.test?.isSent != false else { return .none }
        state.test = Test(id, isSent: false)
        state.error = nil
        return .run { [clock, notificationClient] send in
            try await notificationClient.testPushEndpoint(id: id)
            await send(.testResponse(id, nil))
            for pause in Self.answerPauses {
                try await clock.sleep(for: pause)
                await send(
                    .endpointsResponse(
                        .userFacing { try await notificationClient.pushEndpoints() }))
            }
        } catch: { error, send in
            await send(.testResponse(id, UserFacingError(catching: error)))
        }
        .cancellable(id: CancelID.test, cancelInFlight: true)
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

    public func testWords(_ endpoint: PushEndpointID) -> String {
        test == PushEndpointsFeature.Test(endpoint, isSent: false) ? "Sending …" : "Send a test"
    }

    /// What a person sees after a test; nil for other endpoints.
    public func testNote(_ endpoint: PushEndpointID) -> String? {
        test == PushEndpointsFeature.Test(endpoint, isSent: true)
            ? "The test is sent. The service’s answer appears here within a few seconds." : nil
    }
}
