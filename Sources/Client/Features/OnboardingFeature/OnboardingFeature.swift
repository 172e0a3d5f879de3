import Clients
import ComposableArchitecture
import Domain
import Foundation

/// A new user's onboarding: name, emergency note, schedule, reminders, the first check-in and the
/// first responder. The first check-in starts the deadline.
@Reducer
public struct OnboardingFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// Trimmed before it is sent.
        public var name: String
        /// Optional. Responders can read it.
        public var emergencyNote: String
        /// True if the server keeps a copy with Google. nil until the profile is known.
        public var copiesToGoogle: Bool?
        public var leavesNoteOutOfCopy = false
        /// True once the person has continued from the step while it named the copy.
        var hasReadOfCopy = false
        public var schedule: ScheduleFeature.State
        /// The offer of a passkey in the last step.
        public var passkeys = PasskeysFeature.State(passkeys: [])
        public var step: Step
        /// True while the request of the last step is in flight. The form is then locked.
        public var isLoading: Bool
        public var error: UserFacingError?
        /// The id of the first check-in. Retries use the same id, so that they don't add another
        /// check-in.
        var checkInID: CheckInID?

        public init(
            name: String = "", emergencyNote: String = "",
            schedule: ScheduleFeature.State = .ofNewUser,
            step: Step = .name, isLoading: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.name = name
            self.emergencyNote = emergencyNote
            self.schedule = schedule
            self.step = step
            self.isLoading = isLoading
            self.error = error
        }

        public var canContinue: Bool { !isLoading && refusal(of: step) == nil }
        /// True if the person can return to the previous step. The last step can't go back, because
        /// the first check-in can't be undone.
        public var canGoBack: Bool { !isLoading && step != .name && step != .responder }

        /// Returns why a step's input is refused; nil for accepted input.
        fileprivate func refusal(of step: Step) -> CommandError? {
            do throws(CommandError) {
                switch step {
                case .name: _ = try ProfileRules.name(name)
                case .emergencyNote: _ = try ProfileRules.emergencyNote(emergencyNote)
                case .schedule:
                    if let refusal = schedule.refusalWords {
                        throw .invalidArgument(field: "plan", refusal)
                    }
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
        /// The server's profile. After an interrupted onboarding, it already has values.
        case profileLoaded(UserProfile)
        case nameChanged(String)
        case emergencyNoteChanged(String)
        case leaveNoteOutToggled
        case schedule(ScheduleFeature.Action)
        case passkeys(PasskeysFeature.Action)
        case nextButtonTapped
        case backButtonTapped
        case checkInButtonTapped
        case finishResponse(Result<Submission<CheckInRecord>, UserFacingError>)
        case firstResponderChosen(FirstResponder)
        case onDisappear
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// The first check-in is confirmed or queued.
            case finished(FirstResponder)
        }
    }

    @Dependency(\.checkInClient) private var checkInClient
    @Dependency(\.date) private var date
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.userClient) private var userClient
    @Dependency(\.uuid) private var uuid

    private enum CancelID { case profile, finish }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.schedule, action: \.schedule) { ScheduleFeature() }
        Scope(state: \.passkeys, action: \.passkeys) { PasskeysFeature() }
        Reduce { state, action in
            // The form is locked while the request is in flight.
            if state.isLoading, action.isInput { return .none }
            switch action {
            case .onAppear:
                state.schedule.begin(at: serverClock.time(at: date.now))
                return .run { [userClient] send in
                    var profile = try? await userClient.profile()
                    if profile == nil {
                        profile = await userClient.profileStream().first { _ in true }
                    }
                    guard let profile else { return }
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

            case .leaveNoteOutToggled:
                state.leavesNoteOutOfCopy.toggle()
                return .none

            case .schedule(.delegate(.save)):
                if state.step == .schedule { state.step = .reminders }
                return .none

            case .schedule:
                state.error = nil
                return .none

            case .nextButtonTapped:
                state.error = state.refusal(of: state.step).map { UserFacingError($0) }
                // Only the first check-in leads to the last step.
                guard state.error == nil, state.step != .checkIn,
                    let next = Step(rawValue: state.step.rawValue + 1)
                else { return .none }
                if state.step == .schedule {
                    state.schedule.question = state.schedule.questionBeforeSaving
                    guard state.schedule.question == nil else { return .none }
                }
                if state.step == .emergencyNote { state.hasReadOfCopy = state.copyWords != nil }
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

            case .passkeys, .delegate:
                return .none
            }
        }
    }

    /// Sends the inputs one after the other. Each request is idempotent, so a retry sends all
    /// inputs. The name comes last: a user without a name returns to the onboarding, and not to
    /// tabs without a deadline. The choice about the copy comes before the note.
    private func finish(_ state: inout State) -> Effect<Action> {
        guard state.step == .checkIn else { return .none }
        if let step = Step.allCases.first(where: { state.refusal(of: $0) != nil }) {
            state.step = step
            state.error = state.refusal(of: step).map { UserFacingError($0) }
            return .none
        }
        // The profile may arrive after the step that names the copy.
        guard state.copiesToGoogle != true || state.hasReadOfCopy else {
            state.step = .emergencyNote
            return .none
        }
        let id = state.checkInID ?? CheckInID(uuid())
        state.checkInID = id
        state.isLoading = true
        state.error = nil
        return .run {
            [
                checkInClient, userClient, now = date.now, name = state.name,
                note = state.emergencyNote, settings = state.schedule.settings,
                leavesNoteOut = state.choiceAboutCopy
            ] send in
            await send(
                .finishResponse(
                    .userFacing {
                        _ = try await checkInClient.updateSettings(settings: settings, only: nil)
                        let checkIn = try await checkInClient.checkIn(id: id, occurredAt: now)
                        if let leavesNoteOut {
                            _ = try await userClient.setLeavesNoteOutOfCopy(
                                leavesOut: leavesNoteOut)
                        }
                        _ = try await userClient.updateProfile(
                            name: ProfileRules.name(name), emergencyNote: note)
                        return checkIn
                    }))
        }
        .cancellable(id: CancelID.finish, cancelInFlight: true)
    }
}

extension OnboardingFeature {
    public enum Step: Int, Equatable, Sendable, CaseIterable {
        case name, emergencyNote, schedule, reminders, checkIn, responder
    }

    public enum FirstResponder: Equatable, Sendable {
        /// The responder scans the user's code, or gets its link.
        case showCode
        case scanCode
        /// The responder gets a message, and doesn't need an account.
        case invite
        case later
    }
}

extension OnboardingFeature.State {
    fileprivate mutating func fill(from profile: UserProfile) {
        if name.isEmpty { name = profile.name }
        if emergencyNote.isEmpty { emergencyNote = profile.emergencyNote }
        // A choice that was made before the profile arrived stays.
        if copiesToGoogle != true, !leavesNoteOutOfCopy {
            leavesNoteOutOfCopy = profile.leavesNoteOutOfCopy ?? false
        }
        copiesToGoogle = profile.copiesToGoogle ?? false
        schedule.fill(from: profile.settings, timeZone: profile.timeZone)
    }

    /// What the person reads of the copy with Google before the name is sent; nil without a copy.
    public var copyWords: String? {
        switch copiesToGoogle {
        case .some(true): CopyWords.explanation
        case .some(false): nil
        case .none: CopyWords.explanationBeforeItIsKnown
        }
    }

    /// The answer to send; nil if there is none. Without a known copy only "leave it out" is sent.
    fileprivate var choiceAboutCopy: Bool? {
        switch copiesToGoogle {
        case .some(true): leavesNoteOutOfCopy
        case .some(false): nil
        case .none: leavesNoteOutOfCopy ? true : nil
        }
    }

    /// True if the step has a field that shows its own error.
    public var hasFieldOfItsOwn: Bool {
        switch step {
        case .name, .emergencyNote, .schedule: true
        case .reminders, .checkIn, .responder: false
        }
    }

    public var stepWords: String {
        "Step \(step.rawValue + 1) of \(OnboardingFeature.Step.allCases.count)"
    }

    public var title: String {
        switch step {
        case .name: "What is your name?"
        case .emergencyNote: "What should your responders know?"
        case .schedule: "How do you want to check in?"
        case .reminders: "When do you want to be reminded?"
        case .checkIn: "Your first check-in"
        case .responder: "Who should we tell?"
        }
    }

    public var firstCheckInWords: String {
        switch schedule.settings.plan {
        case .interval, .intervalWithSleep, .times:
            """
            From now on you check in \(schedule.settings.planWords.loweringFirst). The time begins \
            when you press the button.
            """
        case .none: "You never owe a check-in. You can still say that you are fine at any time."
        }
    }
    public var checkInButtonWords: String { isLoading ? "Checking in …" : "Check in" }
}

extension OnboardingFeature.Action {
    fileprivate var isInput: Bool {
        switch self {
        case .onAppear, .finishResponse, .onDisappear, .dismissError, .passkeys, .delegate: false
        case .profileLoaded, .nameChanged, .emergencyNoteChanged, .leaveNoteOutToggled, .schedule,
            .nextButtonTapped, .backButtonTapped, .checkInButtonTapped, .firstResponderChosen:
            true
        }
    }
}
