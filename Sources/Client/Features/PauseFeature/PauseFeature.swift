import Clients
import ComposableArchitecture
import Domain
import Foundation

/// A time without deadlines: its beginning, its change and its end (product.md, "Pause").
@Reducer
public struct PauseFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The pause that the server knows; nil without one.
        public var pause: CheckInPause?
        /// The IANA name of the person's time zone; nil if unknown.
        public var timeZone: String?
        /// nil while the sheet is closed.
        public var sheet: Sheet?
        public var isSaving: Bool
        /// The action that the server doesn't know yet.
        public var waiting: Waiting?
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            pause: CheckInPause? = nil, timeZone: String? = nil, sheet: Sheet? = nil,
            isSaving: Bool = false, waiting: Waiting? = nil, error: UserFacingError? = nil
        ) {
            self.pause = pause
            self.timeZone = timeZone
            self.sheet = sheet
            self.isSaving = isSaving
            self.waiting = waiting
            self.error = error
        }
    }

    public struct Sheet: Equatable, Sendable {
        /// By the server's time.
        public var openedAt: Date
        /// nil for unfinished text.
        public var end: Date?

        public init(openedAt: Date, end: Date?) {
            self.openedAt = openedAt
            self.end = end
        }
    }

    public enum Waiting: Equatable, Sendable { case beginning, end }

    public enum Action: Equatable, Sendable {
        case pauseButtonTapped
        case lengthChosen(days: Int)
        case endChosen(Date)
        /// The text of a field for a local date and time, such as "2026-11-28T08:00".
        case endTyped(String)
        case confirmButtonTapped
        /// Asks before it ends the pause.
        case endPauseButtonTapped
        case confirmation(PresentationAction<Confirmation>)
        case response(Result<Submission<UserProfile>, UserFacingError>, Waiting)
        case sheetDismissed
        case dismissError

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case endConfirmed
        }
    }

    @Dependency(\.checkInClient) private var checkInClient
    @Dependency(\.date) private var date
    @Dependency(\.serverClock) private var serverClock

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .pauseButtonTapped:
                guard !state.isSaving else { return .none }
                let now = serverClock.time(at: date.now)
                state.error = nil
                let end = state.pause?.until ?? now.adding(.days(1))
                state.sheet = Sheet(openedAt: now, end: end)
                return .none

            case .lengthChosen(let days):
                guard let sheet = state.sheet else { return .none }
                state.sheet?.end = sheet.openedAt.adding(.days(days))
                return .none

            case .endChosen(let end):
                state.sheet?.end = end
                return .none

            case .endTyped(let text):
                let end = state.zone?.moment(ofLocalText: text)
                state.sheet?.end = end
                return .none

            case .confirmButtonTapped:
                guard state.canConfirm, let end = state.sheet?.end else { return .none }
                return send(.beginning, &state) { [checkInClient] in
                    try await checkInClient.pause(until: end)
                }

            case .endPauseButtonTapped:
                guard !state.isSaving else { return .none }
                state.confirmation = .endPause
                return .none

            case .confirmation(.presented(.endConfirmed)):
                guard !state.isSaving else { return .none }
                return send(.end, &state) { [checkInClient] in try await checkInClient.endPause() }

            case .confirmation(.dismiss):
                return .none

            case .response(let result, let waiting):
                return received(result, waiting, &state)

            case .sheetDismissed:
                state.sheet = nil
                state.error = nil
                return .none

            case .dismissError:
                state.error = nil
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    private func received(
        _ result: Result<Submission<UserProfile>, UserFacingError>, _ waiting: Waiting,
        _ state: inout State
    ) -> Effect<Action> {
        switch result {
        case .success(.confirmed(let profile)):
            (state.isSaving, state.sheet, state.waiting) = (false, nil, nil)
            state.apply(profile)
        case .success(.waiting):
            (state.isSaving, state.sheet, state.waiting) = (false, nil, waiting)
        case .failure(let error):
            state.isSaving = false
            state.error = error
        }
        return .none
    }

    private func send(
        _ kind: Waiting, _ state: inout State,
        _ request: @escaping @Sendable () async throws -> Submission<UserProfile>
    ) -> Effect<Action> {
        state.isSaving = true
        state.error = nil
        return .run { send in await send(.response(.userFacing { try await request() }, kind)) }
    }
}

extension ConfirmationAlertState<PauseFeature.Action.Confirmation> {
    static var endPause: Self {
        Self {
            TextState("\(ScheduleWords.endPause)?")
        } actions: {
            ButtonState(action: .endConfirmed) { TextState("End it now") }
            ButtonState(role: .cancel) { TextState("Keep the pause") }
        } message: {
            TextState("You get deadlines again, and your responders are told.")
        }
    }
}

extension PauseFeature.State {
    /// Days to choose from.
    public static let lengths = [1, 3, 7, 14]

    mutating func apply(_ profile: UserProfile) {
        // Saving an end that the person hasn't changed would undo another device's change.
        if let old = pause?.until, let new = profile.pause?.until, sheet?.end == old {
            sheet?.end = new
        }
        pause = profile.pause
        timeZone = profile.timeZone
    }

    mutating func apply(_ connectivity: Connectivity) {
        let last = connectivity.waiting.last { [.pause, .endPause].contains($0.kind) }
        waiting = last.map { $0.kind == .pause ? .beginning : .end }
    }

    fileprivate var zone: ClockZone? { timeZone.flatMap { ClockZone($0) } }

    /// True if a local date and time can be typed.
    public var canType: Bool { zone != nil }

    /// The end for a field of a local date and time; nil if the field should keep its text.
    public var endText: String? {
        sheet?.end.flatMap { end in zone?.localText(of: end) }
    }

    public var refusalWords: String? {
        guard let sheet else { return nil }
        guard let end = sheet.end else { return "Enter a date and a time." }
        return CheckInPause.refusal(until: end, at: sheet.openedAt)?.detail
    }

    public var canConfirm: Bool { !isSaving && sheet != nil && refusalWords == nil }

    public var title: String { pause == nil ? ScheduleWords.pause : Self.changeTitle }
    public static let changeTitle = "Change your pause"

    public var confirmWords: String {
        isSaving ? "Saving …" : pause == nil ? "Begin the pause" : "Change the end"
    }

    /// What a pause does, before it begins.
    public static let explanation = """
        Until the end, nobody is told that you haven’t checked in. Your responders are told of the \
        pause. Alerts and pings still work. Beginning a pause is a check-in.
        """

    public var waitingWords: String? {
        switch waiting {
        case .beginning:
            """
            Your pause will be sent as soon as LifeSignal can be reached. Until then your deadline \
            stays.
            """
        case .end: "The end of your pause will be sent as soon as LifeSignal can be reached."
        case nil: nil
        }
    }
}
