import Clients
import ComposableArchitecture
import Domain
import Foundation

/// A responder takes the alert on, withdraws, reports what they found, or resumes the repeats.
extension DependentAlertFeature {
    public enum Response: Equatable, Sendable {
        case acknowledge
        case decline
        case withdraw
        case report(AlertReport)
        case resume
    }

    /// A response to one alert: another alert may be shown when the answer arrives.
    public struct Request: Equatable, Sendable {
        public var response: Response
        public var alertID: AlertID

        public init(_ response: Response, to alertID: AlertID) {
            self.response = response
            self.alertID = alertID
        }
    }

    func answered(
        _ request: Request, _ result: Result<AlertRecord, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        if state.request == request { state.request = nil }
        switch result {
        case .success(let alert):
            guard request.alertID == state.alertID else { return .none }
            state.show(alert)
        // The answer has no history.
        case .failure(let error):
            state.error = error
        // It may be over, or somebody else has answered: the screen says which.
        }
        return load(&state)
    }

    func request(_ response: Response, _ state: inout State) -> Effect<Action> {
        guard let id = state.alertID else { return .none }
        let request = Request(response, to: id)
        state.request = request
        state.error = nil
        return .send(.delegate(.requested(request)))
    }
}

extension DependentAlertFeature.State {
    public var isBusy: Bool { request != nil }
    public var response: DependentAlertFeature.Response? { request?.response }
    public var isAcknowledging: Bool { response == .acknowledge }

    /// "I can't" is for an alert that nobody is on; whoever is on it withdraws.
    public var canDecline: Bool {
        isOpen && alert?.acknowledgement == nil && !hasDeclined && !isBusy
    }

    /// The last thing that the user did about the alert.
    public var hasDeclined: Bool { alert?.history.last(where: isOwn)?.kind == .declined }

    /// The user is on it.
    public var canWithdraw: Bool { isOpen && isMine && !isBusy }

    /// Any responder may report, whoever is on it. The same report of the same person says nothing
    /// new.
    public func canReport(_ report: AlertReport) -> Bool {
        isOpen && !isBusy && !hasReported(report)
    }

    public func hasReported(_ report: AlertReport) -> Bool {
        alert?.report.map { $0.kind == report.action && isOwn($0) } ?? false
    }

    /// A report pauses the repeats.
    public var canResume: Bool { isOpen && alert?.report != nil && !isBusy }

    /// The time when everyone is alerted again by themselves; nil while no report pauses the
    /// repeats.
    public var pausedUntil: Date? {
        isOpen ? alert?.report?.time.adding(Escalation.pauseAfterReport) : nil
    }

    /// True if the user who looks at the alert took the action.
    public func isOwn(_ action: AlertAction) -> Bool {
        ownID.map { UserID(action.responderId) == $0 } ?? false
    }

    public var isOpen: Bool { alert?.isActive ?? false }
}
