import Clients
import ComposableArchitecture
import Domain

/// Messages to this device while the app is closed: when the person is asked, and what they can do
/// about it. The front end shows the system's own question from a tap only.
@Reducer
public struct PushFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The device's last report; nil before the first one.
        public var status: PushStatus?
        /// A button was pressed, and the device has not reported since.
        public var isBusy: Bool
        /// The permission was asked for here: a refusal is explained where the question was.
        public var hasAsked: Bool
        public var test: Test?
        public var error: UserFacingError?

        public init(
            status: PushStatus? = nil, isBusy: Bool = false, hasAsked: Bool = false,
            test: Test? = nil, error: UserFacingError? = nil
        ) {
            self.status = status
            self.isBusy = isBusy
            self.hasAsked = hasAsked
            self.test = test
            self.error = error
        }

        public var isOn: Bool { status?.endpoint != nil }

        /// The card that asks, where the person comes by. Somebody without contacts needs it for
        /// reminders.
        public var card: Card? {
            guard let status, !isOn, !status.isPutOff else { return nil }
            return switch status.permission {
            case .undecided, .granted: status.hasFailed ? .failed : .question
            case .denied: hasAsked ? .denied : nil
            case .unsupported, .needsInstallation: nil
            }
        }
    }

    public enum Card: Equatable, Sendable {
        case question
        /// The person has said no to the system's question just now.
        case denied
        /// The permission is there, and the device could not register.
        case failed
    }

    public enum Test: Equatable, Sendable { case sending, sent }

    public enum Action: Equatable, Sendable {
        case startStream
        case stopStream
        case statusChanged(PushStatus)
        case turnOnButtonTapped
        case turnOffButtonTapped
        case notNowButtonTapped
        case testButtonTapped
        /// The words for its failure; nil when it is on its way.
        case testResponse(UserFacingError?)
        case dismissError
    }

    @Dependency(\.notificationClient) var notificationClient
    @Dependency(\.pushClient) var pushClient
    @Dependency(\.effectOwner) var effectOwner

    private enum CancelID { case stream, test }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .startStream:
                return .run { send in
                    for await status in pushClient.status() { await send(.statusChanged(status)) }
                }
                .cancellable(id: effectOwner(CancelID.stream), cancelInFlight: true)
            case .stopStream:
                state.test = nil
                return .merge(
                    .cancel(id: effectOwner(CancelID.stream)),
                    .cancel(id: effectOwner(CancelID.test)))
            case .statusChanged(let status):
                state.status = status
                state.isBusy = false
                if status.endpoint == nil { state.test = nil }
                return .none
            case .turnOnButtonTapped:
                guard !state.isBusy else { return .none }
                state.isBusy = true
                state.hasAsked = true
                return .run { _ in await pushClient.turnOn() }
            case .turnOffButtonTapped:
                guard !state.isBusy else { return .none }
                state.isBusy = true
                return .run { _ in await pushClient.turnOff() }
            case .notNowButtonTapped:
                // The device keeps it and reports it; the card need not wait for that.
                state.status?.isPutOff = true
                return .run { _ in await pushClient.putOff() }
            case .testButtonTapped:
                return sendTest(&state)
            case .testResponse(let error):
                state.test = error == nil ? .sent : nil
                state.error = error
                return .none
            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }

    private func sendTest(_ state: inout State) -> Effect<Action> {
        guard let endpoint = state.status?.endpoint, state.test != .sending else { return .none }
        state.test = .sending
        state.error = nil
        return .run { send in
            try await notificationClient.testPushEndpoint(id: endpoint)
            await send(.testResponse(nil))
        } catch: { error, send in
            await send(.testResponse(UserFacingError(catching: error)))
        }
        .cancellable(id: effectOwner(CancelID.test))
    }
}
