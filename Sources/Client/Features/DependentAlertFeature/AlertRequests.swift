import Clients
import ComposableArchitecture
import Domain

/// A feature that shows the alert of a dependent as a sheet.
protocol PresentsDependentAlert: NamesGoneContact, SendableMetatype {
    var dependentAlert: DependentAlertFeature.State? { get set }
}

/// The action of a `PresentsDependentAlert` feature. Its case paths must include those of
/// `DependentAlertCases`.
protocol PresentsDependentAlertAction: CasePathable, Sendable
where AllCasePaths: DependentAlertCases<Self> {
    static func dependentAlert(_ action: PresentationAction<DependentAlertFeature.Action>) -> Self
    static func alertRequested(_ request: DependentAlertFeature.Request) -> Self
    static func alertRequestAnswered(
        _ request: DependentAlertFeature.Request, _ result: Result<AlertRecord, UserFacingError>
    ) -> Self
}

protocol DependentAlertCases<Root>: CasePathReflectable {
    var dependentAlert: AnyCasePath<Root, PresentationAction<DependentAlertFeature.Action>>
    { get }
    var alertRequested: AnyCasePath<Root, DependentAlertFeature.Request> { get }
    var alertRequestAnswered:
        AnyCasePath<
            Root, (DependentAlertFeature.Request, Result<AlertRecord, UserFacingError>)
        >
    { get }
}

/// Sends a responder's response, from the sheet of an alert or from a person's card. Explains why a
/// sheet has closed by itself. The feature behind the sheet owns the effect, so closing the sheet
/// neither cancels the request nor hides its failure.
struct AlertRequests<State: PresentsDependentAlert, Action: PresentsDependentAlertAction>: Reducer {
    @Dependency(\.alertClient) var alertClient

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        let cases = Action.allCasePaths
        if case .presented(.delegate(.requested(let request)))? =
            cases.dependentAlert.extract(from: action)
        {
            return perform(request)
        }
        if let request = cases.alertRequested.extract(from: action) {
            state.error = nil
            return perform(request)
        }
        if case .presented(.delegate(.contactGone(let words)))? =
            cases.dependentAlert.extract(from: action)
        {
            state.error = words
            state.goneContact = state.dependentAlert?.dependentID
            return .none
        }
        guard let (request, result) = cases.alertRequestAnswered.extract(from: action) else {
            return .none
        }
        if state.dependentAlert?.isWaiting(for: request) == true {
            return .send(.dependentAlert(.presented(.answered(request, result))))
        }
        // The sheet may be closed. Without this error, the person would believe that the response
        // was sent.
        if case .failure(let error) = result { state.error = error }
        return .none
    }

    private func perform(_ request: DependentAlertFeature.Request) -> Effect<Action> {
        .run { send in
            let result = await Result.userFacing { try await alert(after: request) }
            await send(.alertRequestAnswered(request, result))
        }
    }

    private func alert(after request: DependentAlertFeature.Request) async throws -> AlertRecord {
        let id = request.alertID
        return switch request.response {
        case .acknowledge: try await alertClient.acknowledge(id: id)
        case .decline: try await alertClient.decline(id: id)
        case .withdraw: try await alertClient.withdraw(id: id)
        case .report(let report): try await alertClient.report(id: id, report: report)
        case .resume: try await alertClient.resume(id: id)
        }
    }
}

extension DependentAlertFeature.State {
    /// True if this sheet shows the alert of the request, even if another sheet has sent the
    /// request.
    fileprivate func isWaiting(for sent: DependentAlertFeature.Request) -> Bool {
        request == sent || alertID == sent.alertID
    }
}

extension DependentsFeature.State: PresentsDependentAlert {}
extension DependentsFeature.Action: PresentsDependentAlertAction {}
extension DependentsFeature.Action.AllCasePaths: DependentAlertCases {}

extension MainTabFeature.State: PresentsDependentAlert {}
extension MainTabFeature.Action: PresentsDependentAlertAction {}
extension MainTabFeature.Action.AllCasePaths: DependentAlertCases {}
