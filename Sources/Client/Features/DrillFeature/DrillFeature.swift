import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Drills: the user's own with its answers, and other people's that the user should answer.
@Reducer
public struct DrillFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The user's newest drill; nil without a drill, or before it has loaded.
        public var own: DrillRecord?
        public var asked: [DrillQuestion]
        public var isBusy: Bool
        public var answering: Set<DrillID>
        public var error: UserFacingError?
        /// By the server's clock.
        public var now: Date
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            own: DrillRecord? = nil, asked: [DrillQuestion] = [], isBusy: Bool = false,
            answering: Set<DrillID> = [], now: Date = .distantPast
        ) {
            self.own = own
            self.asked = asked
            self.isBusy = isBusy
            self.answering = answering
            self.now = now
        }

        public var isRunning: Bool { own?.isRunning == true }
        /// True if the last known drill began at least a day ago. The server has the final
        /// decision.
        public var mayStart: Bool {
            !isBusy && DrillRules.mayStart(last: own?.startedAt, at: now)
        }
        public var questions: [DrillQuestion] { asked.filter { $0.isOpen(at: now) } }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case tick
        /// A new alert is about this person.
        case alertAnnounced(UserID)
        case loaded(Result<DrillOverview, UserFacingError>)
        case startButtonTapped
        case confirmation(PresentationAction<Confirmation>)
        case stopButtonTapped
        case ownChanged(Result<DrillRecord, UserFacingError>)
        case answerButtonTapped(DrillID)
        case answered(DrillID, Result<DrillQuestion, UserFacingError>)
        case dismissError

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case startConfirmed
        }
    }

    /// The polling interval while the user's own drill runs.
    public static let livePause: Duration = .seconds(2)
    /// The polling interval while another person's drill waits for the user's answer. That drill
    /// may end before the answer.
    public static let pause: Duration = .seconds(15)

    private enum CancelID { case load, stream }

    @Dependency(\.drillClient) private var drillClient
    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.effectOwner) private var effectOwner

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.now = time
                return .merge(load(), listen())
            case .tick:
                state.now = time
                return load()
            case .alertAnnounced(let owner):
                return state.asked.contains { $0.ownerID == owner } ? load() : .none
            case .onDisappear:
                return .merge(
                    .cancel(id: effectOwner(CancelID.load)),
                    .cancel(id: effectOwner(CancelID.stream)))
            case .loaded(let result):
                state.now = time
                // The user didn't request this load, so a failure is not shown. The next poll may
                // succeed.
                if case .success(let overview) = result {
                    if !state.isBusy { state.own = overview.own }
                    state.asked = overview.asked
                }
                return wait(state)
            case .startButtonTapped:
                guard state.mayStart else { return .none }
                state.confirmation = .start
                return .none
            case .confirmation(.presented(.startConfirmed)):
                guard !state.isBusy else { return .none }
                return change(&state) { try await $0.start() }
            case .confirmation:
                return .none
            case .stopButtonTapped:
                guard let own = state.own, own.isRunning, !state.isBusy else { return .none }
                return change(&state) { try await $0.stop(own.id) }
            case .ownChanged(let result):
                state.isBusy = false
                state.now = time
                switch result {
                case .success(let own): state.own = own
                case .failure(let error): state.error = error
                }
                return load()
            case .answerButtonTapped(let id):
                guard state.answering.insert(id).inserted else { return .none }
                state.error = nil
                return .run { [drillClient] send in
                    await send(.answered(id, .userFacing { try await drillClient.answer(id) }))
                }
            case .answered(let id, let result):
                state.answering.remove(id)
                state.now = time
                switch result {
                case .success(let question):
                    state.asked = state.asked.map { $0.id == id ? question : $0 }
                    if question.answeredAt == nil { state.error = .answerCameTooLate(question) }
                case .failure(let error): state.error = error
                }
                return load()
            case .dismissError:
                state.error = nil
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    private var time: Date { serverClock.time(at: date.now) }

    private func load() -> Effect<Action> {
        .run { [drillClient] send in
            await send(.loaded(.userFacing { try await drillClient.overview() }))
        }
        .cancellable(id: effectOwner(CancelID.load), cancelInFlight: true)
    }

    /// Loads the drills when a `.system` notification arrives, which may announce another person's
    /// drill, and when an alert about a drill's owner ends that drill. Ignores other alerts, so
    /// that an alert to many people causes no requests here.
    private func listen() -> Effect<Action> {
        .run { [notificationClient] send in
            var known: NotificationID?
            var knownAlert: NotificationID?
            for await items in notificationClient.notificationStream() {
                let newest = items.first { $0.type == .system }?.id
                if newest != known { await send(.tick) }
                known = newest
                let alert = items.first { $0.type == .alert }
                if let alert, alert.id != knownAlert, let owner = alert.aboutUserID {
                    await send(.alertAnnounced(owner))
                }
                knownAlert = alert?.id
            }
        }
        .cancellable(id: effectOwner(CancelID.stream), cancelInFlight: true)
    }

    private func wait(_ state: State) -> Effect<Action> {
        guard state.isRunning || !state.questions.isEmpty else { return .none }
        let pause = state.isRunning ? Self.livePause : Self.pause
        return .run { [clock] send in
            try await clock.sleep(for: pause)
            await send(.tick)
        }
        .cancellable(id: effectOwner(CancelID.load), cancelInFlight: true)
    }

    /// Sends the user's decision. The request continues when the screen disappears.
    private func change(
        _ state: inout State, _ work: @escaping @Sendable (DrillClient) async throws -> DrillRecord
    ) -> Effect<Action> {
        state.isBusy = true
        state.error = nil
        return .run { [drillClient] send in
            await send(.ownChanged(.userFacing { try await work(drillClient) }))
        }
    }
}

extension UserFacingError {
    fileprivate static func answerCameTooLate(_ question: DrillQuestion) -> Self {
        UserFacingError(
            title: question.alertWords == nil ? "The drill is over" : "This is not a drill",
            message: question.alertWords ?? "Your answer came too late to be counted.",
            recoverySuggestion: "", code: "drill-over")
    }
}

extension ConfirmationAlertState<DrillFeature.Action.Confirmation> {
    public static let start = Self {
        TextState("Start a drill?")
    } actions: {
        ButtonState(action: .startConfirmed) { TextState("Start the drill") }
        ButtonState(role: .cancel) { TextState("Not now") }
    } message: {
        TextState(
            """
            Your responders get a message that is clearly marked as a drill. If they don’t react, \
            a text message and a call may follow. You can do this once a day.
            """)
    }
}

extension DrillFeature.State {
    public var ownWords: String? {
        own.map { $0.isRunning ? "The drill is running. \($0.summary)" : $0.summary }
    }
}

extension [DrillQuestion] {
    /// Returns the questions to show. A real alert ends its owner's drill, and the device may know
    /// of the alert before it hears of that end.
    /// - Parameter contacts: the user's contacts; empty before they are known.
    public func besideAlerts(of contacts: some Sequence<ContactData>) -> [DrillQuestion] {
        let alerted = Set(contacts.filter(\.needsHelp).map(\.id))
        return filter { !alerted.contains($0.ownerID) }
    }
}
