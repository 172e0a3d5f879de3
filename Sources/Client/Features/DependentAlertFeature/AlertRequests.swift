import Clients
import ComposableArchitecture
import Domain

/// A feature that shows the alert of a dependent as a sheet.
protocol PresentsDependentAlert {
    var dependentAlert: DependentAlertFeature.State? { get set }
    var error: UserFacingError? { get set }
}

protocol PresentsDependentAlertAction: Sendable {
    static func dependentAlert(_ action: PresentationAction<DependentAlertFeature.Action>) -> Self
    static func alertRequestAnswered(
        _ request: DependentAlertFeature.Request, _ result: Result<AlertRecord, UserFacingError>
    ) -> Self

    var alertRequestEvent: AlertRequestEvent? { get }
}

enum AlertRequestEvent {
    case requested(DependentAlertFeature.Request)
    case answered(DependentAlertFeature.Request, Result<AlertRecord, UserFacingError>)
}

/// Sends what a responder says in the sheet of an alert. The effect belongs to the feature behind
/// the sheet, so that closing the sheet neither cancels the request nor hides its failure.
struct AlertRequests<State: PresentsDependentAlert, Action: PresentsDependentAlertAction>: Reducer {
    @Dependency(\.alertClient) var alertClient

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action.alertRequestEvent {
        case .requested(let request):
            return .run { send in
                let result = await Result.userFacing { try await alert(after: request) }
                await send(.alertRequestAnswered(request, result))
            }
        case .answered(let request, let result):
            if state.dependentAlert?.isWaiting(for: request) == true {
                return .send(.dependentAlert(.presented(.answered(request, result))))
            }
            // A person who has closed the sheet believes that the others know.
            if case .failure(let error) = result { state.error = error }
            return .none
        case nil:
            return .none
        }
    }

    private func alert(after request: DependentAlertFeature.Request) async throws -> AlertRecord {
        let id = request.alertID
        return switch request.response {
        case .acknowledge: try await alertClient.acknowledge(id: id)
        case .withdraw: try await alertClient.withdraw(id: id)
        case .report(let report): try await alertClient.report(id: id, report: report)
        case .resume: try await alertClient.resume(id: id)
        }
    }
}

extension DependentAlertFeature.State {
    /// A sheet of the same alert that was opened since shows the answer as well.
    fileprivate func isWaiting(for sent: DependentAlertFeature.Request) -> Bool {
        request == sent || alertID == sent.alertID
    }
}

extension DependentsFeature.State: PresentsDependentAlert {}

extension DependentsFeature.Action: PresentsDependentAlertAction {
    var alertRequestEvent: AlertRequestEvent? {
        switch self {
        case .dependentAlert(.presented(.delegate(.requested(let request)))): .requested(request)
        case .alertRequestAnswered(let request, let result): .answered(request, result)
        default: nil
        }
    }
}

extension MainTabFeature.State: PresentsDependentAlert {}

extension MainTabFeature.Action: PresentsDependentAlertAction {
    var alertRequestEvent: AlertRequestEvent? {
        switch self {
        case .dependentAlert(.presented(.delegate(.requested(let request)))): .requested(request)
        case .alertRequestAnswered(let request, let result): .answered(request, result)
        default: nil
        }
    }
}
