import Clients
import ComposableArchitecture
import Domain
import Foundation

/// A new user's first minutes: name, emergency note, interval, reminders, the first check-in, which
/// arms the deadline, and the way to the first responder.
@Reducer
public struct OnboardingFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The name as typed; it is trimmed when it is sent.
        public var name: String
        /// Optional; responders can read it.
        public var emergencyNote: String
        /// The time from a check-in to its deadline.
        public var interval: Duration
        /// The number of hours, when it was typed and not one of the presets tapped.
        public var typedHours: Int?
        /// Reminds two hours before the deadline.
        public var remindTwoHoursBefore: Bool
        /// Reminds 30 minutes before the deadline.
        public var remindThirtyMinutesBefore: Bool
        /// One question per step.
        public var step: Step
        /// The last step is on its way; nothing can be changed meanwhile.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The first check-in keeps its id when it is tried again: it is one check-in.
        var checkInID: CheckInID?

        public init(
            name: String = "", emergencyNote: String = "",
            interval: Duration = CheckInSettings.standard.interval,
            remindTwoHoursBefore: Bool = true, remindThirtyMinutesBefore: Bool = true,
            step: Step = .name, isLoading: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.name = name
            self.emergencyNote = emergencyNote
            self.interval = interval
            self.remindTwoHoursBefore = remindTwoHoursBefore
            self.remindThirtyMinutesBefore = remindThirtyMinutesBefore
            self.step = step
            self.isLoading = isLoading
            self.error = error
        }

        public var settings: CheckInSettings {
            CheckInSettings(
                intervalSeconds: Int(interval.components.seconds),
                remindTwoHoursBefore: remindTwoHoursBefore,
                remindThirtyMinutesBefore: remindThirtyMinutesBefore
            )
        }

        public var presets: [Duration] { CheckInSettings.presets }
        public var canContinue: Bool { !isLoading && refusal(of: step) == nil }
        /// The first check-in can't be taken back.
        public var canGoBack: Bool { !isLoading && step != .name && step != .responder }

        /// Why a step's input is not accepted; nil when it is.
        func refusal(of step: Step) -> CommandError? {
            do throws(CommandError) {
                switch step {
                case .name: _ = try ProfileRules.name(name)
                case .emergencyNote: _ = try ProfileRules.emergencyNote(emergencyNote)
                case .interval: try IntervalLimits.standard.check(settings)
                case .reminders, .checkIn, .responder: break
                }
                return nil
            } catch {
                return error
            }
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        /// The server's copy, for an onboarding that was interrupted.
        case profileLoaded(UserProfile)
        case nameChanged(String)
        case emergencyNoteChanged(String)
        case intervalPresetTapped(Duration)
        case customIntervalChanged(hours: Int)
        case twoHoursReminderToggled
        case thirtyMinutesReminderToggled
        case nextButtonTapped
        case backButtonTapped
        /// Everything is sent, and the first check-in with it.
        case checkInButtonTapped
        case finishResponse(Result<Submission<CheckInRecord>, UserFacingError>)
        /// The last step.
        case firstResponderChosen(FirstResponder)
        case onDisappear
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// The first check-in is made, or waits to be sent.
            case finished(FirstResponder)
        }
    }

    @Dependency(\.checkInClient) var checkInClient
    @Dependency(\.date) var date
    @Dependency(\.userClient) var userClient
    @Dependency(\.uuid) var uuid

    private enum CancelID { case profile, finish }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            // The form is locked while it is sent.
            if state.isLoading, action.isInput { return .none }
            switch action {
            case .onAppear:
                return .run { [userClient] send in
                    // If it fails, the person fills in everything.
                    guard let profile = try? await userClient.profile() else { return }
                    await send(.profileLoaded(profile))
                }
                .cancellable(id: CancelID.profile, cancelInFlight: true)

            case .profileLoaded(let profile):
                state.fill(from: profile)
                return .none

            case .nameChanged(let name):
                state.name = name
                state.error = nil
                return .none

            case .emergencyNoteChanged(let note):
                state.emergencyNote = note
                state.error = nil
                return .none

            case .intervalPresetTapped(let interval):
                state.interval = interval
                state.typedHours = nil
                state.error = nil
                return .none

            case .customIntervalChanged(let hours):
                state.interval = CheckInSettings.interval(typedHours: hours)
                state.typedHours = hours
                state.error = nil
                return .none

            case .twoHoursReminderToggled:
                state.remindTwoHoursBefore.toggle()
                return .none

            case .thirtyMinutesReminderToggled:
                state.remindThirtyMinutesBefore.toggle()
                return .none

            case .nextButtonTapped:
                state.error = state.refusal(of: state.step).map { UserFacingError($0) }
                // The first check-in leads to the last step.
                guard state.error == nil, state.step != .checkIn,
                    let next = Step(rawValue: state.step.rawValue + 1)
                else { return .none }
                state.step = next
                return .none

            case .backButtonTapped:
                guard state.canGoBack, let previous = Step(rawValue: state.step.rawValue - 1)
                else { return .none }
                state.error = nil
                state.step = previous
                return .none

            case .checkInButtonTapped:
                return finish(&state)

            case .finishResponse(.success):
                state.isLoading = false
                state.step = .responder
                return .none

            case .firstResponderChosen(let choice):
                guard state.step == .responder else { return .none }
                return .send(.delegate(.finished(choice)))

            case .finishResponse(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none

            case .onDisappear:
                state.isLoading = false
                return .merge(.cancel(id: CancelID.profile), .cancel(id: CancelID.finish))

            case .dismissError:
                state.error = nil
                return .none

            case .delegate:
                return .none
            }
        }
    }

    /// Each part can be sent again: what a failure left undone is done at the next tap, what was
    /// done is not done twice. The name goes last: whoever has none is led back here, and so nobody
    /// gets to the tabs without a deadline.
    private func finish(_ state: inout State) -> Effect<Action> {
        guard state.step == .checkIn else { return .none }
        if let step = Step.allCases.first(where: { state.refusal(of: $0) != nil }) {
            state.step = step
            state.error = state.refusal(of: step).map { UserFacingError($0) }
            return .none
        }
        let id = state.checkInID ?? CheckInID(uuid())
        state.checkInID = id
        state.isLoading = true
        state.error = nil
        return .run {
            [
                checkInClient, userClient, now = date.now, name = state.name,
                note = state.emergencyNote, settings = state.settings
            ] send in
            await send(
                .finishResponse(
                    .userFacing {
                        _ = try await checkInClient.updateSettings(settings: settings)
                        let checkIn = try await checkInClient.checkIn(id: id, occurredAt: now)
                        _ = try await userClient.updateProfile(
                            name: ProfileRules.name(name), emergencyNote: note)
                        return checkIn
                    }))
        }
        .cancellable(id: CancelID.finish, cancelInFlight: true)
    }
}
