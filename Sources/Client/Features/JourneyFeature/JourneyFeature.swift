import Clients
import ComposableArchitecture
import Domain
import Foundation

/// A way home with an expected return: its start, its later returns and the arrival (product.md,
/// "Journeys").
@Reducer
public struct JourneyFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The running journey that the server knows; nil without one.
        public var journey: JourneyRecord?
        /// The IANA name of the person's time zone; nil if unknown.
        public var timeZone: String?
        /// nil while the form is closed.
        public var form: Form?
        /// The form for another return; nil while it is closed.
        public var laterReturn: ReturnTime?
        public var isSaving: Bool
        /// The action that the server doesn't know yet.
        public var waiting: Waiting?
        /// By the server's time, when the stage last changed; nil before a journey is known.
        public var now: Date?
        public var error: UserFacingError?

        public init(
            journey: JourneyRecord? = nil, timeZone: String? = nil, form: Form? = nil,
            laterReturn: ReturnTime? = nil, isSaving: Bool = false, waiting: Waiting? = nil,
            now: Date? = nil, error: UserFacingError? = nil
        ) {
            self.journey = journey
            self.timeZone = timeZone
            self.form = form
            self.laterReturn = laterReturn
            self.isSaving = isSaving
            self.waiting = waiting
            self.now = now
            self.error = error
        }
    }

    public struct Form: Equatable, Sendable {
        /// The same for each try, so that a repeated start changes nothing.
        public var id: JourneyID
        public var name: String
        public var expectedReturn: ReturnTime
        public var graceMinutes: Int
        public var note: String
        /// Responders who have accepted.
        public var responders: [Responder]
        public var tellsAllResponders: Bool
        /// Counts only if not all responders are told.
        public var chosen: Set<UserID>
        /// True if the responders are told of the start.
        public var tellsStart: Bool

        public init(
            id: JourneyID, name: String = "", expectedReturn: ReturnTime,
            graceMinutes: Int = JourneyRules.standardGraceMinutes, note: String = "",
            responders: [Responder] = [], tellsAllResponders: Bool = true,
            chosen: Set<UserID> = [], tellsStart: Bool = false
        ) {
            self.id = id
            self.name = name
            self.expectedReturn = expectedReturn
            self.graceMinutes = graceMinutes
            self.note = note
            self.responders = responders
            self.tellsAllResponders = tellsAllResponders
            self.chosen = chosen
            self.tellsStart = tellsStart
        }
    }

    public struct Responder: Equatable, Sendable, Identifiable {
        public var id: UserID
        public var name: String

        public init(id: UserID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// Who is told if the person doesn't return.
    public struct Told: Equatable, Sendable {
        /// The names of those who are told first; empty if all responders are told at once.
        public var names: [String]
        /// When all others are told; nil if all are told at once.
        public var othersAt: Date?
        /// False if the person has no responders.
        public var isAnyoneTold: Bool

        public init(names: [String] = [], othersAt: Date? = nil, isAnyoneTold: Bool = true) {
            self.names = names
            self.othersAt = othersAt
            self.isAnyoneTold = isAnyoneTold
        }

        /// Like the server, counts only chosen people who are still responders. If none is, all
        /// responders are told at once.
        public init(of journey: JourneyRecord?, among contacts: some Collection<ContactData>) {
            let responders = contacts.filter(\.isResponder)
            let chosen = journey?.responderIds ?? []
            let first = responders.filter { chosen.contains($0.id) }
            self.init(
                names: first.map(\.displayName),
                isAnyoneTold: Protection(of: contacts) != .nobody)
            if let journey, !first.isEmpty, first.count < responders.count {
                othersAt = journey.deadline.adding(JourneyRules.chosenAlone)
            }
        }
    }

    /// A return, as chosen from hours or as a date and a time.
    public struct ReturnTime: Equatable, Sendable {
        /// By the server's time.
        public var openedAt: Date
        /// nil for a date and a time of one's own.
        public var hours: Int?
        /// nil for unfinished text.
        public var date: Date?

        public init(openedAt: Date, hours: Int? = 1) {
            self.openedAt = openedAt
            self.hours = hours
            date = hours.map { openedAt.adding(.hours($0)) }
        }

        public static let hoursToChoose = [1, 2, 4]
    }

    public enum Waiting: Equatable, Sendable {
        case laterReturn, arrival

        /// The last queued press; nil without one.
        init?(_ connectivity: Connectivity) {
            let kinds: [WaitingAction.Kind] = [.extendJourney, .endJourney]
            guard let last = connectivity.waiting.last(where: { kinds.contains($0.kind) }) else {
                return nil
            }
            self = last.kind == .extendJourney ? .laterReturn : .arrival
        }
    }

    public enum Action: Equatable, Sendable {
        /// Opens the form. The parent adds the responders.
        case formButtonTapped
        case nameChanged(String)
        /// For the form and for the later return, as the next two.
        case hoursChosen(Int)
        case returnChosen(Date)
        /// The text of a field for a local date and time, such as "2026-11-28T18:00".
        case returnTyped(String)
        case graceChosen(minutes: Int)
        case noteChanged(String)
        case tellsAllRespondersChosen(Bool)
        case responderToggled(UserID)
        case tellsStartToggled
        case startButtonTapped
        case startResponse(Result<UserProfile, UserFacingError>)
        /// "I have arrived"
        case arriveButtonTapped
        /// "30 minutes more"
        case extendButtonTapped
        case laterReturnButtonTapped
        case confirmReturnButtonTapped
        case response(Result<Submission<UserProfile>, UserFacingError>, Waiting)
        /// The journey, the time or the screen has changed.
        case momentPassed
        /// The screen has disappeared.
        case stopped
        case sheetDismissed
        case dismissError
    }

    @Dependency(\.continuousClock) private var clock
    @Dependency(\.date) private var date
    @Dependency(\.journeyClient) private var journeyClient
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.uuid) private var uuid

    private enum CancelID { case moment }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .formButtonTapped:
                guard !state.isSaving, state.journey == nil else { return .none }
                state.error = nil
                state.form = Form(id: JourneyID(uuid()), expectedReturn: ReturnTime(openedAt: time))
                return .none

            case .nameChanged(let name):
                state.form?.name = name
                return .none

            case .hoursChosen(let hours):
                state.form?.expectedReturn.choose(hours: hours)
                state.laterReturn?.choose(hours: hours)
                return .none

            case .returnChosen(let date):
                state.form?.expectedReturn.choose(date)
                state.laterReturn?.choose(date)
                return .none

            case .returnTyped(let text):
                let date = state.zone?.moment(ofLocalText: text)
                state.form?.expectedReturn.choose(date)
                state.laterReturn?.choose(date)
                return .none

            case .graceChosen(let minutes):
                state.form?.graceMinutes = minutes
                return .none

            case .noteChanged(let note):
                state.form?.note = note
                return .none

            case .tellsAllRespondersChosen(let tellsAll):
                state.form?.tellsAllResponders = tellsAll
                return .none

            case .responderToggled(let id):
                state.form?.chosen.formSymmetricDifference([id])
                return .none

            case .tellsStartToggled:
                state.form?.tellsStart.toggle()
                return .none

            case .startButtonTapped:
                return start(&state)

            case .startResponse(.success(let profile)):
                (state.isSaving, state.form) = (false, nil)
                state.apply(profile)
                return nextMoment(&state)

            case .startResponse(.failure(let error)):
                state.isSaving = false
                state.error = error
                return .none

            case .arriveButtonTapped:
                guard state.canArrive, let journey = state.journey else { return .none }
                return send(.arrival, &state) { [journeyClient] in
                    try await journeyClient.arrive(id: journey.id)
                }

            case .extendButtonTapped:
                guard state.canExtend, let journey = state.journey else { return .none }
                let pressed = time
                return send(.laterReturn, &state) { [journeyClient] in
                    // This screen, a widget or a notification may have queued a later return.
                    let present = await journeyClient.expectedReturn() ?? journey.expectedReturn
                    return try await journeyClient.extend(
                        id: journey.id,
                        expectedReturn: JourneyRules.extended(present, pressedAt: pressed),
                        isLater: true)
                }

            case .laterReturnButtonTapped:
                guard state.canExtend else { return .none }
                state.error = nil
                state.laterReturn = ReturnTime(openedAt: time)
                return .none

            case .confirmReturnButtonTapped:
                guard state.canConfirmReturn, let journey = state.journey,
                    let date = state.laterReturn?.date
                else { return .none }
                return send(.laterReturn, &state) { [journeyClient] in
                    try await journeyClient.extend(
                        id: journey.id, expectedReturn: date, isLater: false)
                }

            case .response(.success(.confirmed(let profile)), _):
                (state.isSaving, state.laterReturn, state.waiting) = (false, nil, nil)
                state.apply(profile)
                return nextMoment(&state)

            case .response(.success(.waiting), let waiting):
                (state.isSaving, state.laterReturn, state.waiting) = (false, nil, waiting)
                return .none

            case .response(.failure(let error), _):
                state.isSaving = false
                state.error = error
                return .none

            case .momentPassed:
                return nextMoment(&state)

            case .stopped:
                return .cancel(id: CancelID.moment)

            case .sheetDismissed:
                (state.form, state.laterReturn) = (nil, nil)
                state.error = nil
                return .none

            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }

    /// By the server's time.
    private var time: Date { serverClock.time(at: date.now) }

    /// Starts the journey. The request continues when the form is closed.
    private func start(_ state: inout State) -> Effect<Action> {
        guard state.canStart, let draft = state.form?.draft else { return .none }
        state.isSaving = true
        state.error = nil
        return .run { [journeyClient] send in
            await send(
                .startResponse(.userFacing { try await journeyClient.start(journey: draft) }))
        }
    }

    private func send(
        _ kind: Waiting, _ state: inout State,
        _ request: @escaping @Sendable () async throws -> Submission<UserProfile>
    ) -> Effect<Action> {
        state.isSaving = true
        state.error = nil
        return .run { send in await send(.response(.userFacing { try await request() }, kind)) }
    }

    /// Sleeps until the return or the deadline passes.
    private func nextMoment(_ state: inout State) -> Effect<Action> {
        guard let journey = state.journey else {
            state.now = nil
            return .cancel(id: CancelID.moment)
        }
        let now = time
        state.now = now
        let changes = [journey.expectedReturn, journey.deadline]
        guard let next = changes.first(where: { $0 > now }) else {
            return .cancel(id: CancelID.moment)
        }
        return .run { [clock] send in
            try await clock.sleep(for: next.since(now))
            await send(.momentPassed)
        }
        .cancellable(id: CancelID.moment, cancelInFlight: true)
    }
}

extension JourneyFeature.ReturnTime {
    fileprivate mutating func choose(hours: Int) {
        self = Self(openedAt: openedAt, hours: hours)
    }

    fileprivate mutating func choose(_ date: Date?) {
        hours = nil
        self.date = date
    }

    public var refusalWords: String? {
        guard let date else { return JourneyWords.unfinishedReturn }
        do throws(CommandError) {
            try JourneyRules.check(expectedReturn: date, at: openedAt)
            return nil
        } catch {
            return RefusalWords.journeyReturn.detail
        }
    }
}

extension JourneyFeature.Form {
    public static let graceChoices = [0, 5, 10, 15, 30, 60]

    /// nil for an empty name, which can't be sent either.
    public var nameRefusalWords: String? {
        guard !name.isEmpty else { return nil }
        return (try? JourneyRules.name(name)) == nil ? RefusalWords.journeyName.detail : nil
    }

    public var noteRefusalWords: String? {
        (try? JourneyRules.note(note)) == nil ? RefusalWords.journeyNote.detail : nil
    }

    public var responderRefusalWords: String? {
        guard !responders.isEmpty else { return RefusalWords.journeyResponders.detail }
        guard tellsAllResponders || !presentChoice.isEmpty else {
            return JourneyWords.nobodyChosen
        }
        return nil
    }

    /// The chosen people, in the order of the form.
    private var presentChoice: [UserID] { responders.map(\.id).filter { chosen.contains($0) } }

    /// nil for a form that can't be sent.
    var draft: JourneyDraft? {
        guard let name = try? JourneyRules.name(name), let date = expectedReturn.date,
            expectedReturn.refusalWords == nil, noteRefusalWords == nil,
            responderRefusalWords == nil
        else { return nil }
        return JourneyDraft(
            id: id, name: name, expectedReturn: date, graceMinutes: graceMinutes, note: note,
            responders: tellsAllResponders ? nil : presentChoice, tellsResponders: tellsStart)
    }
}

extension JourneyFeature.State {
    /// What the person reads about the return.
    public enum Stage: Equatable, Sendable {
        case underway
        /// The return has passed. The responders are told at the deadline.
        case expected
        /// The responders are being told.
        case overdue
    }

    /// nil without a journey.
    public var stage: Stage? {
        guard let journey else { return nil }
        guard journey.alertId == nil else { return .overdue }
        guard let now, now >= journey.expectedReturn else { return .underway }
        return now < journey.deadline ? .expected : .overdue
    }

    /// What the card says once the time is over.
    public func overdueWords(_ told: JourneyFeature.Told) -> String {
        guard journey?.alertId == nil else { return JourneyWords.alertOpen }
        return JourneyWords.overdue(told.names, isAnyoneTold: told.isAnyoneTold)
    }

    public var tone: Tone {
        switch stage {
        case .underway, nil: .normal
        case .expected: .warning
        case .overdue: .critical
        }
    }

    mutating func apply(_ profile: UserProfile) {
        // A return chosen for one journey is not one for the next, which another device began.
        if profile.journey?.id != journey?.id { laterReturn = nil }
        journey = profile.journey
        timeZone = profile.timeZone
        if journey != nil { form = nil }
    }

    mutating func apply(_ connectivity: Connectivity) {
        waiting = JourneyFeature.Waiting(connectivity)
    }

    /// Sets the people to choose from, while the form is open.
    mutating func setResponders(among contacts: IdentifiedArrayOf<ContactData>) {
        form?.responders = contacts.filter(\.isResponder).map {
            JourneyFeature.Responder(id: $0.id, name: $0.displayName)
        }
    }

    fileprivate var zone: ClockZone? { timeZone.flatMap { ClockZone($0) } }

    /// True if a local date and time can be typed.
    public var canType: Bool { zone != nil }

    /// The return for a field of a local date and time; nil if the field should keep its text.
    public func returnText(of time: JourneyFeature.ReturnTime) -> String? {
        time.date.flatMap { date in zone?.localText(of: date) }
    }

    public var canStart: Bool { !isSaving && form?.draft != nil }
    public var canArrive: Bool { journey != nil && !isSaving && waiting != .arrival }
    /// True also while an arrival is queued, which a later return takes back.
    public var canExtend: Bool { journey != nil && !isSaving }
    public var canConfirmReturn: Bool {
        canExtend && laterReturn.map { $0.refusalWords == nil } ?? false
    }

    public var startWords: String { isSaving ? "Starting …" : JourneyWords.start }
    public var confirmReturnWords: String { isSaving ? "Saving …" : JourneyWords.changeReturn }

    public var waitingWords: String? {
        switch waiting {
        case .laterReturn:
            """
            Your later return will be sent as soon as LifeSignal can be reached. Until then the \
            earlier one counts.
            """
        case .arrival:
            """
            Your arrival will be sent as soon as LifeSignal can be reached. Until then your \
            responders don’t know about it.
            """
        case nil: nil
        }
    }
}
