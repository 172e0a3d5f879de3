import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The first tab: check-in, the call for help, and the user's code as a sheet.
@Reducer
public struct HomeFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var checkIn: CheckInFeature.State
        public var alert: AlertFeature.State
        public var cards: HomeCardsFeature.State
        /// Push messages to this device. Home and the notification centre ask whether to turn them
        /// on.
        public var push: PushFeature.State
        public var drill: DrillFeature.State
        public var journey = JourneyFeature.State()
        /// What administrators of the server announced or did, while it lasts.
        public var accountNotices = AccountNotices()
        /// The emergency number of the country of the user's phone number; nil if it is not known.
        public var emergencyNumber: EmergencyNumber?
        /// The check-ins as a month; nil while they are shown as a list.
        public var month: CheckInMonthFeature.State?
        @Presents public var qrCode: QRCodeFeature.State?

        public init(
            checkIn: CheckInFeature.State = .init(), alert: AlertFeature.State = .init(),
            cards: HomeCardsFeature.State = .init(), push: PushFeature.State = .init(),
            drill: DrillFeature.State = .init(), qrCode: QRCodeFeature.State? = nil
        ) {
            self.checkIn = checkIn
            self.alert = alert
            self.cards = cards
            self.push = push
            self.drill = drill
            self.qrCode = qrCode
        }

        public var pushCard: PushFeature.Card? {
            // Hidden until the contacts are known, because the card about missing responders is
            // more important.
            cards.contacts == nil ? nil : push.card
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case appBecameActive
        case appBecameInactive
        case qrCodeButtonTapped
        case monthButtonTapped
        case listButtonTapped
        case month(CheckInMonthFeature.Action)
        case checkIn(CheckInFeature.Action)
        case alert(AlertFeature.Action)
        case cards(HomeCardsFeature.Action)
        case push(PushFeature.Action)
        case drill(DrillFeature.Action)
        case journey(JourneyFeature.Action)
        case qrCode(PresentationAction<QRCodeFeature.Action>)
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case codeScanned(String)
        }
    }

    @Dependency(\.uuid) private var uuid

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.checkIn, action: \.checkIn) { CheckInFeature() }
        Scope(state: \.alert, action: \.alert) { AlertFeature() }
        Scope(state: \.cards, action: \.cards) { HomeCardsFeature() }
        Scope(state: \.push, action: \.push) { PushFeature() }
        Scope(state: \.drill, action: \.drill) { DrillFeature() }
        Scope(state: \.journey, action: \.journey) { JourneyFeature() }
        Reduce { state, action in
            switch action {
            case .onAppear:
                return .merge(.send(.checkIn(.onAppear)), .send(.alert(.onAppear)))

            case .onDisappear:
                state.month = nil
                return .merge(.send(.checkIn(.onDisappear)), .send(.alert(.onDisappear)))

            case .appBecameActive:
                return .merge(.send(.checkIn(.appBecameActive)), .send(.alert(.appBecameActive)))

            case .appBecameInactive:
                return .merge(
                    .send(.checkIn(.appBecameInactive)), .send(.alert(.appBecameInactive)))

            case .qrCodeButtonTapped:
                guard state.qrCode == nil else { return .none }
                state.qrCode = QRCodeFeature.State(qrCodeID: uuid().uuidString)
                return .none

            case .monthButtonTapped:
                guard state.month == nil, let now = state.checkIn.now else { return .none }
                state.month = CheckInMonthFeature.State(
                    zone: state.checkInZone, device: state.checkIn.pause.timeZone, at: now)
                return .send(.month(.onOpen))

            case .listButtonTapped:
                state.month = nil
                return .none

            case .checkIn(.checkInResponse(.success)), .checkIn(.checkInDelivered):
                return state.month == nil ? .none : .send(.month(.refresh))

            case .qrCode(.presented(.delegate(.codeScanned(let id)))):
                state.qrCode = nil
                return .send(.delegate(.codeScanned(id)))

            case .checkIn(.profileUpdated(let profile)):
                state.emergencyNumber = EmergencyNumber(for: profile.phoneNumber)
                state.accountNotices = AccountNotices(profile)
                let wasOnJourney = state.journey.journey != nil
                state.journey.apply(profile)
                return .merge(
                    wasOnJourney || profile.journey != nil
                        ? .send(.journey(.momentPassed)) : .none,
                    loadCheckIns(until: profile.lastCheckInTime, state))

            case .checkIn(.connectivityChanged(let connectivity)):
                state.journey.apply(connectivity)
                return .none

            case .checkIn(.appBecameActive) where state.journey.journey != nil:
                return .send(.journey(.momentPassed))

            case .checkIn(.appBecameInactive) where state.journey.journey != nil:
                return .send(.journey(.stopped))

            case .checkIn(.onDisappear)
            where state.checkIn.hasLeft && state.journey.journey != nil:
                return .send(.journey(.stopped))

            case .journey(.formButtonTapped):
                state.journey.setResponders(among: state.cards.contacts ?? [])
                return .none

            case .journey(.response(.success(.waiting), _)):
                return .send(.checkIn(.actionQueued))

            case .alert(.alertsUpdated), .alert(.alertStatusResponse(.success)):
                // The alert may have ended on another device.
                let reason = RefusalWords.pauseDuringAlert.message
                if state.alert.openKinds.isEmpty, state.checkIn.pause.error?.message == reason {
                    state.checkIn.pause.error = nil
                }
                // All responders may have been alerted in place of the chosen ones.
                let isForChosen = state.journey.journey?.responderIds != nil
                return isForChosen && state.alert.overdueJourney != nil
                    ? .send(.journey(.momentPassed)) : .none

            case .month, .checkIn, .alert, .cards, .push, .drill, .journey, .qrCode, .delegate:
                return .none
            }
        }
        .ifLet(\.month, action: \.month) { CheckInMonthFeature() }
        .ifLet(\.$qrCode, action: \.qrCode) { QRCodeFeature() }
    }

    /// Loads the check-ins again if the newest one was made elsewhere, such as on another device.
    private func loadCheckIns(until last: Date?, _ state: State) -> Effect<Action> {
        guard let last, let newest = state.checkIn.checkInHistory.first?.occurredAt, newest < last,
            !state.checkIn.isCheckingIn
        else { return .none }
        return .merge(
            .send(.checkIn(.loadHistory)),
            state.month == nil ? .none : .send(.month(.refresh)))
    }
}

extension HomeFeature.State {
    /// True if the deadline has passed, or if the alert about a missed deadline is open.
    public var hasMissed: Bool { checkIn.isOverdue || alert.missedCheckIn != nil }

    /// The deadline of the open alert about a missed check-in. The schedule may have a later one.
    public var missedDeadline: Date? { alert.missedCheckIn?.deadline }

    /// True if "All is well" may be shown: every responder would hear of a missed check-in, and no
    /// journey is overdue.
    public var isProtected: Bool {
        cards.isProtected && alert.overdueJourney == nil && journey.stage != .overdue
    }

    /// What Home shows above the check-in.
    public enum Situation: Equatable, Sendable { case journey, pause, deadline }

    /// One thing at a time. A journey is the more urgent of the two.
    public var situation: Situation {
        if journey.journey != nil { return .journey }
        return checkIn.pause.pause == nil ? .deadline : .pause
    }

    /// Who is told if the person doesn't return from the running journey.
    public var journeyTold: JourneyFeature.Told {
        cards.contacts.map { JourneyFeature.Told(of: journey.journey, among: $0) } ?? .init()
    }

    /// The drills of others that Home asks the user to answer.
    public var drillQuestions: [DrillQuestion] {
        drill.questions.besideAlerts(of: cards.contacts ?? [])
    }

    /// True if the user may start a drill now.
    public var mayDrill: Bool {
        drill.mayStart && !alert.isOnOrBeingRaised && alert.missedCheckIn == nil
            && alert.overdueJourney == nil
    }

    mutating func setContacts(_ contacts: IdentifiedArrayOf<ContactData>) {
        cards.contacts = contacts
        journey.setResponders(among: contacts)
    }

    /// The zone of the days' dates in `month`.
    fileprivate var checkInZone: TimeZone {
        CheckInMonth.zone(of: checkIn.settings, device: checkIn.pause.timeZone)
    }

    /// nil unless the check-ins are shown as a month.
    public var checkInMonth: CheckInMonth? {
        guard let month, let now = checkIn.now else { return nil }
        return month.calendar(
            pause: checkIn.pause.pause, knownUntil: checkIn.knownUntil, at: now)
    }

    /// Responders who have accepted and have a phone number, in the order of calls.
    public var respondersToCall: [ContactData] {
        (cards.contacts ?? []).filter { $0.isResponder && $0.phoneNumber != nil }
            .sorted { $0.isCalledBefore($1) }
    }
}
