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
        /// The emergency number of the country of the user's phone number; nil if it is not known.
        public var emergencyNumber: EmergencyNumber?
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
        case checkIn(CheckInFeature.Action)
        case alert(AlertFeature.Action)
        case cards(HomeCardsFeature.Action)
        case push(PushFeature.Action)
        case drill(DrillFeature.Action)
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
        Reduce { state, action in
            switch action {
            case .onAppear:
                return .merge(.send(.checkIn(.onAppear)), .send(.alert(.onAppear)))

            case .onDisappear:
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

            case .qrCode(.presented(.delegate(.codeScanned(let id)))):
                state.qrCode = nil
                return .send(.delegate(.codeScanned(id)))

            case .checkIn(.profileUpdated(let profile)):
                state.emergencyNumber = EmergencyNumber(for: profile.phoneNumber)
                return .none

            case .checkIn, .alert, .cards, .push, .drill, .qrCode, .delegate:
                return .none
            }
        }
        .ifLet(\.$qrCode, action: \.qrCode) { QRCodeFeature() }
    }
}

extension HomeFeature.State {
    /// True if the deadline has passed, or if the alert about a missed deadline is open.
    public var hasMissed: Bool { checkIn.isOverdue || alert.missedCheckIn != nil }

    /// Responders who have accepted and have a phone number.
    public var respondersToCall: [ContactData] {
        (cards.contacts ?? []).filter { $0.isResponder && $0.phoneNumber != nil }
    }
}
