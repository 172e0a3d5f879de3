import Clients
import ComposableArchitecture
import Domain
import Foundation

/// A responder changes their mind, reports what they found, or has everyone alerted again.
extension DependentAlertFeature {
    public enum Response: Equatable, Sendable {
        case withdraw
        case report(AlertReport)
        case resume
    }

    func reduceResponse(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .withdrawButtonTapped:
            return state.canWithdraw ? send(.withdraw, &state) : .none
        case .reportButtonTapped(let report):
            return state.canReport(report) ? send(.report(report), &state) : .none
        case .resumeButtonTapped:
            return state.canResume ? send(.resume, &state) : .none
        case .responseSent(.success(let alert)):
            state.response = nil
            // Another one may be shown by now.
            if AlertID(alert.id) == state.alertID { state.show(alert) }
            return .none
        case .responseSent(.failure(let error)):
            state.response = nil
            state.error = error
            // It may be over, or somebody else has answered: the screen says which.
            return load(&state)
        default:
            return .none
        }
    }

    private func send(_ response: Response, _ state: inout State) -> Effect<Action> {
        guard let id = state.alertID else { return .none }
        state.response = response
        state.error = nil
        return .run { send in
            // Closing the sheet ends this effect, but not what the user has sent.
            let work = Task {
                switch response {
                case .withdraw: try await alertClient.withdraw(id: id)
                case .report(let report): try await alertClient.report(id: id, report: report)
                case .resume: try await alertClient.resume(id: id)
                }
            }
            await send(.responseSent(.userFacing { try await work.value }))
        }
    }
}

extension DependentAlertFeature.State {
    public var isBusy: Bool { isAcknowledging || response != nil }

    /// The user is on it.
    public var canWithdraw: Bool { isOpen && isMine && !isBusy }

    /// Any responder may report, whoever is on it. The same report of the same person says nothing new.
    public func canReport(_ report: AlertReport) -> Bool { isOpen && !isBusy && !hasReported(report) }

    public func hasReported(_ report: AlertReport) -> Bool {
        alert?.report.map { $0.kind == report.action && isOwn($0) } ?? false
    }

    /// A report pauses the repeats.
    public var canResume: Bool { isOpen && alert?.report != nil && !isBusy }

    /// When everyone is alerted again by themselves; nil while no report pauses the repeats.
    public var pausedUntil: Date? {
        isOpen ? alert?.report?.time.adding(Escalation.pauseAfterReport) : nil
    }

    /// By the user who looks at it.
    public func isOwn(_ action: AlertAction) -> Bool {
        ownID.map { UserID(action.responderId) == $0 } ?? false
    }

    public var isOpen: Bool { alert?.isActive ?? false }
}
