import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The alert of a dependent. Shows who needs help and since when, how to reach them, and who was
/// told. Has the button "I'm on it".
@Reducer
public struct DependentAlertFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Identifiable, Sendable {
        /// Differs from the id of the sheet that this sheet replaces. A page then treats the sheet
        /// as a new one, and the effects of the other sheet end.
        public private(set) var id: Int
        /// The shown alert. If nil, the sheet takes the open alert of `dependent` once it is known.
        /// A manual alert takes precedence.
        public var alertID: AlertID?
        public var dependent: ContactData?
        /// nil until the record has loaded.
        public var alert: AlertRecord?
        /// The person's other open alerts, the most urgent first.
        public var others: [AlertRecord] = []
        public var ownID: UserID?
        public var isLoading: Bool
        /// The response in flight. No other response is sent until the answer.
        public var request: Request?
        public var error: UserFacingError?
        /// True if the person has tapped to see the alert and the server has not been told yet.
        /// Reloading a page does not count as a tap.
        public var isOpeningUntold: Bool
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        /// Pass the alert's id after a tap on a notification, and the dependent after a tap on a
        /// card.
        /// - Parameter replaced: the open sheet that this sheet replaces, if any.
        public init(
            alertID: AlertID? = nil, dependent: ContactData? = nil, alert: AlertRecord? = nil,
            ownID: UserID? = nil, isLoading: Bool = false, request: Request? = nil,
            error: UserFacingError? = nil, isOpeningUntold: Bool = false,
            replacing replaced: Self? = nil
        ) {
            id = replaced.map { $0.id + 1 } ?? 0
            self.alertID = alertID
            self.dependent = dependent
            self.alert = alert
            self.ownID = ownID
            self.isLoading = isLoading
            self.request = request
            self.error = error
            self.isOpeningUntold = isOpeningUntold
        }

        /// The id of the person in need. Until the contact list has loaded, it comes from the
        /// alert.
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
        /// True if the alert has no acknowledgement yet, or if the acknowledgement is the user's.
        /// The user can confirm that they are still on it.
        public var canAcknowledge: Bool {
            guard let alert, alert.isActive, !isBusy else { return false }
            return alert.acknowledgement == nil || isMine
        }
        /// The other responders who were told, each once, in the order of the messages.
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
        /// The dependent's current state in a loaded contact list; nil if the list lacks them.
        case setDependent(ContactData?)
        case acknowledgeButtonTapped
        case declineButtonTapped
        case withdrawButtonTapped
        case reportButtonTapped(AlertReport)
        case resumeButtonTapped
        case otherAlertTapped(AlertRecord.ID)
        case answered(Request, Result<AlertRecord, UserFacingError>)
        case refreshButtonTapped
        case closeButtonTapped
        case dismissError
        case confirmation(PresentationAction<Confirmation>)
        case delegate(Delegate)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case reportConfirmed(AlertReport)
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// The parent sends the request (`AlertRequests`), because closing a sheet cancels the
            /// sheet's own effects.
            case requested(Request)
            /// The dependent was removed as a contact, and the sheet closes.
            case contactGone(UserFacingError)
        }
    }

    @Dependency(\.alertClient) private var alertClient
    @Dependency(\.dismiss) private var dismiss
    @Dependency(\.userClient) private var userClient

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
                // Without the profile, the list of people who were told also contains the user.
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
                guard state.canReport(report) else { return .none }
                state.confirmation = .report(report, about: state.displayName)
                return .none
            case .confirmation(.presented(.reportConfirmed(let report))):
                return state.canReport(report) ? request(.report(report), &state) : .none
            case .resumeButtonTapped:
                return state.canResume ? request(.resume, &state) : .none
            case .otherAlertTapped(let id):
                return showOther(id, &state)
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
            case .confirmation(.dismiss), .delegate:
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    /// Updates the dependent. Closes the sheet when the user stops being their responder. The sheet
    /// stays open for a person who was never in the list: the alert may have been opened by its id.
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

    private func load(_ state: inout State) -> Effect<Action> {
        guard let id = state.alertID else { return .none }
        state.isLoading = true
        return .run { send in
            await send(.alertResponse(.userFacing { try await alertClient.alert(id: id) }))
        }
        .cancellable(id: CancelID.alert, cancelInFlight: true)
    }

    /// Reports the opening, which stops SMS and calls to this user. Ignores a failure.
    private func tellOpening(_ state: inout State) -> Effect<Action> {
        guard state.isOpeningUntold, let id = state.alertID else { return .none }
        state.isOpeningUntold = false
        return .run { _ in try? await alertClient.opened(id: id) }
    }

    /// Updates the alert from the stream, which lacks the deliveries. Loading the alert itself
    /// brings them.
    private func update(from alerts: [AlertRecord], _ state: inout State) -> Effect<Action> {
        let shown = state.alertToShow(among: alerts)
        state.others = state.others(besides: shown, among: alerts)
        guard let alert = shown, let id = AlertID(alert.id) else { return .none }
        let isKnown = state.alert?.isTheSame(as: alert) ?? false
        state.alertID = id
        let telling = tellOpening(&state)
        guard !isKnown else { return telling }
        state.show(alert)
        return .merge(load(&state), telling)
    }

    /// Shows another open alert of the person. The user has tapped to see it.
    private func showOther(_ id: AlertRecord.ID, _ state: inout State) -> Effect<Action> {
        guard let other = state.others.first(where: { $0.id == id }), let alertID = AlertID(id)
        else { return .none }
        let known = state.others + [state.alert].compactMap(\.self)
        state.others = state.others(besides: other, among: known)
        state.alertID = alertID
        state.show(other)
        state.confirmation = nil
        state.error = nil
        state.isOpeningUntold = true
        return .merge(load(&state), tellOpening(&state))
    }
}

extension DependentAlertFeature.State {
    /// Returns the alert to show. If the shown alert has ended, prefers one that is still open and
    /// began before that end. Otherwise the sheet would say "over" although the person still needs
    /// help.
    fileprivate func alertToShow(among alerts: [AlertRecord]) -> AlertRecord? {
        guard let alertID else {
            return dependentID.flatMap { AlertRules.mostUrgent(of: $0, among: alerts) }
        }
        guard let shown = alerts.first(where: { AlertID($0.id) == alertID }) else { return nil }
        guard let end = shown.endTime, let user = UserID(shown.userId) else { return shown }
        return AlertRules.mostUrgent(of: user, among: alerts.filter { $0.startTime < end }) ?? shown
    }

    /// Returns the person's open alerts except the shown one, the most urgent first.
    fileprivate func others(
        besides shown: AlertRecord?, among alerts: [AlertRecord]
    ) -> [AlertRecord] {
        guard let user = shown.flatMap({ UserID($0.userId) }) ?? dependentID else { return [] }
        let id = shown.flatMap { AlertID($0.id) } ?? alertID
        return AlertRules.open(of: user, among: alerts).filter { AlertID($0.id) != id }
    }

    /// Shows a newer record. Keeps the loaded deliveries, because records from lists lack them.
    mutating func show(_ new: AlertRecord) {
        alert = alert.map { new.keepingDetails(of: $0) } ?? new
    }

    public var isBusy: Bool { request != nil }
    public var response: DependentAlertFeature.Response? { request?.response }
    public var isAcknowledging: Bool { response == .acknowledge }

    /// True if the user can say "I can't". This requires that no responder is on the alert. A user
    /// who is on it withdraws instead.
    public var canDecline: Bool {
        isOpen && alert?.acknowledgement == nil && !hasDeclined && !isBusy
    }

    public var hasDeclined: Bool {
        guard let alert, let ownID else { return false }
        return alert.isDeclined(by: ownID)
    }

    public var canWithdraw: Bool { isOpen && isMine && !isBusy }

    /// True if the user can make this report. Any responder may report, even if another one is on
    /// the alert. The same report can't be made twice in a row.
    public func canReport(_ report: AlertReport) -> Bool {
        isOpen && !isBusy && !hasReported(report)
    }

    public func hasReported(_ report: AlertReport) -> Bool {
        alert?.report.map { $0.kind == report.action && isOwn($0) } ?? false
    }

    public var canResume: Bool { isOpen && alert?.report != nil && !isBusy }

    public var pausedUntil: Date? { alert?.pausedUntil }

    public func isOwn(_ action: AlertAction) -> Bool {
        ownID.map { UserID(action.responderId) == $0 } ?? false
    }

    public var isOpen: Bool { alert?.isActive ?? false }

    public var title: String {
        guard let alert else { return "Alert of \(displayName)" }
        if isOver { return "\(displayName)’s alert has ended" }
        return switch alert.kind {
        case .manual: "\(displayName) needs help"
        case .missedCheckIn: "\(displayName) has not checked in"
        case .journey: JourneyWords.notBack(displayName, from: alert.journey)
        }
    }

    /// "Ben has also raised an alert. No one is on it yet."
    public func otherWords(_ other: AlertRecord) -> String {
        let what =
            switch other.kind {
            case .manual: "\(displayName) has also raised an alert"
            case .missedCheckIn: "\(displayName) has also missed a check-in"
            case .journey: JourneyWords.notBack(displayName, from: other.journey)
            }
        if let answer = other.acknowledgement {
            let isMine = ownID.map { UserID(answer.responderId) == $0 } ?? false
            return "\(what). \(answer.words(isMine: isMine))."
        }
        let help = other.report.map { "\(words(for: $0))." } ?? other.noHelpWords
        return "\(what). \(help)"
    }

    public var startTitle: String {
        switch alert?.kind {
        case .manual: "Raised"
        case .journey: JourneyWords.expectedAt
        case .missedCheckIn, nil: "Should have checked in by"
        }
    }

    /// The note of the journey, as the person wrote it; nil without one.
    public var journeyNote: String? { alert?.note.flatMap { $0.isEmpty ? nil : $0 } }
    public var journeyNoteTitle: String { JourneyWords.noteTitle(displayName) }

    public var endingWords: String? { alert.map { endWords($0.kind, displayName) } }

    public var helpersTitle: String { isOver ? "Who helped" : "Who’s helping" }

    public var helperWords: String {
        let reported = alert?.report.map { words(for: $0) }
        guard let acknowledgement = alert?.acknowledgement else {
            if isOver { return reported ?? alert?.noHelpWords ?? "" }
            // The author of a report may be with the person.
            let said = reported.map { "\($0)." } ?? "No one yet."
            return "\(said) If you say you’re on it, the others are told."
        }
        guard isOver else { return acknowledgement.words(isMine: isMine) }
        let helper = isMine ? "You" : ProfileRules.displayName(acknowledgement.name)
        guard let end = alert?.acknowledgementEnd else { return "\(helper) helped" }
        return ["\(helper) took it on\(end.words)", reported].compactMap(\.self)
            .joined(separator: ". ")
    }

    /// When the person who is on the alert, or was on it until its end, took it on; nil without
    /// such a person.
    public var helpedSince: Date? {
        alert?.acknowledgementEnd == nil ? alert?.acknowledgement?.time : nil
    }

    public var showsAcknowledge: Bool { isOpen && (alert?.acknowledgement == nil || isMine) }
    public var showsRefusal: Bool { isOpen && alert?.acknowledgement == nil }
    public var showsWithdrawal: Bool { isMine && !isOver }

    public var acknowledgeWords: String {
        if isAcknowledging { return "Telling the others …" }
        return isMine ? "I’m still on it" : "I’m on it"
    }
    public var declineWords: String { response == .decline ? "Saying so …" : "I can’t" }
    public var withdrawWords: String {
        response == .withdraw ? "Telling everyone …" : "I can’t after all"
    }
    public var resumeWords: String {
        let alertsEveryone = alert?.liftingAlertsEveryone ?? true
        guard response == .resume else { return AlertWords.lift(alertsEveryone: alertsEveryone) }
        return alertsEveryone ? "Alerting everyone …" : "Saying so …"
    }

    public var declinedWords: String {
        let declined = "You have said that you can’t."
        let after = alert?.afterRefusal(hasAccepted: seesOthers)
        if after == .isInHand { return declined }
        // Older servers send `isRefusedByAll` only to the owner, so the names decide first.
        let next =
            if othersTold.isEmpty, seesOthers {
                "There is no one else to ask: call \(displayName), or the emergency number."
            } else if after == .noOneIsLeft {
                "No one else is left: call \(displayName), or the emergency number."
            } else if after == .othersAreAsked {
                "\(displayName)’s other responders are being asked."
            } else {
                "\(displayName)’s other responders have the alert, too."
            }
        return "\(declined) \(next)"
    }

    /// What a screen reader reads out when it changes: who is on it, and the user's refusal.
    public var helpNews: String {
        showsRefusal && hasDeclined ? "\(helperWords) \(declinedWords)" : helperWords
    }

    public var reportHint: String {
        let end = AlertWords.untilEnd(of: alert?.kind ?? .manual, name: displayName)
        return "Everyone who has accepted sees your report. The alert stays open \(end)."
    }
    public func words(for report: AlertReport) -> String {
        response == .report(report) ? "Telling everyone …" : report.title
    }

    /// The title of the list of everyone who is asked, even if no message has reached them.
    public var othersTitle: String { "Other responders" }
    public var noOthersWords: String {
        seesOthers ? "None." : "You see them once you have accepted."
    }
    /// False for a user who hasn't accepted the role of responder. The server then sends no names.
    private var seesOthers: Bool { dependent?.isDependent != false }

    public func words(for action: AlertAction) -> String {
        action.wordsWithMeans(
            by: isOwn(action) ? nil : ProfileRules.displayName(action.name), about: displayName)
    }

    /// The text before the details have loaded. A call is already possible.
    public var unknownWords: String {
        "The alert’s details have not loaded yet. You can still call \(displayName)."
    }
}

extension AlertRecord {
    fileprivate func isTheSame(as other: AlertRecord) -> Bool {
        withoutDetails == other.withoutDetails
    }
}

/// A responder's answers to an alert, and the requests that send them.
extension DependentAlertFeature {
    public enum Response: Equatable, Sendable {
        case acknowledge
        case decline
        case withdraw
        case report(AlertReport)
        case resume
    }

    /// A response and its alert. When the answer arrives, the sheet may show another alert.
    public struct Request: Equatable, Sendable {
        public var response: Response
        public var alertID: AlertID

        public init(_ response: Response, to alertID: AlertID) {
            self.response = response
            self.alertID = alertID
        }
    }

    private func answered(
        _ request: Request, _ result: Result<AlertRecord, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        if state.request == request { state.request = nil }
        switch result {
        case .success(let alert):
            guard request.alertID == state.alertID else { return .none }
            state.show(alert)
        case .failure(let error):
            state.error = error
        }
        // A successful answer lacks the history. After a failure, the load shows whether the alert
        // has ended or another responder was faster.
        return load(&state)
    }

    private func request(_ response: Response, _ state: inout State) -> Effect<Action> {
        guard let id = state.alertID else { return .none }
        let request = Request(response, to: id)
        state.request = request
        state.error = nil
        return .send(.delegate(.requested(request)))
    }
}

extension ConfirmationAlertState<DependentAlertFeature.Action.Confirmation> {
    /// The question before a report, which silences the alert for hours.
    static func report(_ report: AlertReport, about name: String) -> Self {
        Self {
            switch report {
            case .withThem: TextState("Report that you are with \(name)?")
            case .foundSafe: TextState("Report that \(name) is safe?")
            case .emergencyServicesCalled:
                TextState("Report that emergency services were called?")
            }
        } actions: {
            ButtonState(action: .reportConfirmed(report)) { TextState("Yes, report it") }
            ButtonState(role: .cancel) { TextState("Go back") }
        } message: {
            TextState(
                """
                Everyone sees that it comes from you. No one is alerted again for \
                \(Escalation.pauseAfterReport.words), unless \(name) or another responder asks for \
                it.
                """
            )
        }
    }
}
