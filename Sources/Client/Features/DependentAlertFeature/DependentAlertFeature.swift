import Clients
import ComposableArchitecture
import Domain
import Foundation

/// A dependent needs help: who, since when, how to reach them, who was told, and "I'm on it".
@Reducer
public struct DependentAlertFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil until it is known: then it is the open alert of `dependent`, and of two the call for
        /// help.
        public var alertID: AlertID?
        /// The person in need, as the contact list has them.
        public var dependent: ContactData?
        /// nil until it is known.
        public var alert: AlertRecord?
        /// The user who looks at it.
        public var ownID: UserID?
        /// Something was asked of the server and has not been answered.
        public var isLoading: Bool
        /// The request on its way; another one waits until it is answered.
        public var request: Request?
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// A person has tapped to see the alert, and the server does not know yet. Only people open
        /// alerts; a page that loads again does not.
        public var isOpeningUntold: Bool

        /// The subject is the alert when a notification was tapped, the dependent when a card was.
        public init(
            alertID: AlertID? = nil, dependent: ContactData? = nil, alert: AlertRecord? = nil,
            ownID: UserID? = nil, isLoading: Bool = false, request: Request? = nil,
            error: UserFacingError? = nil, isOpeningUntold: Bool = false
        ) {
            self.alertID = alertID
            self.dependent = dependent
            self.alert = alert
            self.ownID = ownID
            self.isLoading = isLoading
            self.request = request
            self.error = error
            self.isOpeningUntold = isOpeningUntold
        }

        /// The dependent, known from the alert before the contact list has loaded.
        public var dependentID: UserID? { dependent?.id ?? alert.flatMap { UserID($0.userId) } }
        public var displayName: String { ProfileRules.displayName(dependent?.name ?? "") }
        public var startTime: Date? { alert?.startTime }
        public var callURL: URL? { dependent?.phoneNumber?.callURL }
        public var emergencyNote: String? {
            dependent?.watch.flatMap { $0.emergencyNote.isEmpty ? nil : $0.emergencyNote }
        }
        public var isOver: Bool { alert.map { !$0.isActive } ?? false }
        public var isMine: Bool {
            alert?.acknowledgement.flatMap { UserID($0.responderId) }.map { $0 == ownID } ?? false
        }
        /// The first acknowledgement wins. Whoever has it can say again that it goes on.
        public var canAcknowledge: Bool {
            guard let alert, alert.isActive, !isBusy else { return false }
            return alert.acknowledgement == nil || isMine
        }
        /// The other responders who were told, each once, in the order of being told.
        public var othersTold: [String] {
            (alert?.othersTold ?? []).map(ProfileRules.displayName)
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case profileResponse(Result<UserProfile, UserFacingError>)
        case alertResponse(Result<AlertRecord, UserFacingError>)
        case alertsUpdated([AlertRecord])
        /// The dependent's present state in a contact list that has loaded; nil if they are not in
        /// it.
        case setDependent(ContactData?)
        case acknowledgeButtonTapped
        case declineButtonTapped
        case withdrawButtonTapped
        case reportButtonTapped(AlertReport)
        case resumeButtonTapped
        case answered(Request, Result<AlertRecord, UserFacingError>)
        case refreshButtonTapped
        case closeButtonTapped
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// The parent runs it (`AlertRequests`): closing a sheet cancels what the sheet began.
            case requested(Request)
            /// The dependent is no contact any more; the sheet closes.
            case contactGone(UserFacingError)
        }
    }

    @Dependency(\.alertClient) var alertClient
    @Dependency(\.dismiss) var dismiss
    @Dependency(\.userClient) var userClient

    private enum CancelID { case profile, alert, stream }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                return .merge(
                    .run { send in
                        await send(.profileResponse(.userFacing { try await userClient.profile() }))
                    }
                    .cancellable(id: CancelID.profile, cancelInFlight: true),
                    .run { send in
                        for await alerts in alertClient.alertsStream() {
                            await send(.alertsUpdated(alerts))
                        }
                    }
                    .cancellable(id: CancelID.stream, cancelInFlight: true),
                    load(&state), tellOpening(&state)
                )
            case .onDisappear:
                state.isLoading = false
                return .merge(
                    .cancel(id: CancelID.profile), .cancel(id: CancelID.stream),
                    .cancel(id: CancelID.alert))
            case .profileResponse(let result):
                // If it is missing, the list of people told names the user, too.
                state.ownID = (try? result.get())?.id ?? state.ownID
                return .none
            case .alertsUpdated(let alerts):
                return update(from: alerts, &state)
            case .alertResponse(.success(let alert)):
                state.isLoading = false
                state.alert = alert
                return .none
            case .alertResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none
            case .setDependent(let dependent):
                return set(dependent, &state)
            case .acknowledgeButtonTapped:
                return state.canAcknowledge ? request(.acknowledge, &state) : .none
            case .declineButtonTapped:
                return state.canDecline ? request(.decline, &state) : .none
            case .withdrawButtonTapped:
                return state.canWithdraw ? request(.withdraw, &state) : .none
            case .reportButtonTapped(let report):
                return state.canReport(report) ? request(.report(report), &state) : .none
            case .resumeButtonTapped:
                return state.canResume ? request(.resume, &state) : .none
            case .answered(let request, let result):
                return answered(request, result, &state)
            case .refreshButtonTapped:
                state.error = nil
                return load(&state)
            case .closeButtonTapped:
                return .run { _ in await dismiss() }
            case .dismissError:
                state.error = nil
                return .none
            case .delegate:
                return .none
            }
        }
    }

    /// For a responder who is removed, the alert is over. Whoever was never in the list stays: the
    /// alert may have been opened by its id.
    private func set(_ dependent: ContactData?, _ state: inout State) -> Effect<Action> {
        let wasDependent = state.dependent?.isConsidered(.dependent) == true
        state.dependent = dependent ?? state.dependent
        guard wasDependent, dependent?.isConsidered(.dependent) != true else { return .none }
        let gone = dependent == nil ? UserFacingError.contactGone(state.displayName) : nil
        return .run { send in
            if let gone { await send(.delegate(.contactGone(gone))) }
            await dismiss()
        }
    }

    func load(_ state: inout State) -> Effect<Action> {
        guard let id = state.alertID else { return .none }
        state.isLoading = true
        return .run { send in
            await send(.alertResponse(.userFacing { try await alertClient.alert(id: id) }))
        }
        .cancellable(id: CancelID.alert, cancelInFlight: true)
    }

    /// The person is told no more by SMS or a call. A failure changes nothing of what they see.
    private func tellOpening(_ state: inout State) -> Effect<Action> {
        guard state.isOpeningUntold, let id = state.alertID else { return .none }
        state.isOpeningUntold = false
        return .run { _ in try? await alertClient.opened(id: id) }
    }

    /// The stream says what has changed; who was told comes with the alert alone.
    private func update(from alerts: [AlertRecord], _ state: inout State) -> Effect<Action> {
        guard let alert = state.alertToShow(among: alerts), let id = AlertID(alert.id) else {
            return .none
        }
        let isKnown = state.alert?.isTheSame(as: alert) ?? false
        state.alertID = id
        let telling = tellOpening(&state)
        guard !isKnown else { return telling }
        state.show(alert)
        return .merge(load(&state), telling)
    }
}

extension DependentAlertFeature.State {
    /// The one that is shown, as long as it is open. When another that was open beside it outlasts
    /// it, that one: "over" would be taken for good news.
    fileprivate func alertToShow(among alerts: [AlertRecord]) -> AlertRecord? {
        guard let alertID else {
            return dependentID.flatMap { AlertRules.mostUrgent(of: $0, among: alerts) }
        }
        guard let shown = alerts.first(where: { AlertID($0.id) == alertID }) else { return nil }
        guard let end = shown.endTime, let user = UserID(shown.userId) else { return shown }
        return AlertRules.mostUrgent(of: user, among: alerts.filter { $0.startTime < end }) ?? shown
    }

    /// Keeps who was told, which lists leave out.
    mutating func show(_ new: AlertRecord) {
        alert = alert.map { new.keepingDetails(of: $0) } ?? new
    }
}

extension AlertRecord {
    fileprivate func isTheSame(as other: AlertRecord) -> Bool {
        withoutDetails == other.withoutDetails
    }
}
