import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Invites people without LifeSignal to be responders, with one message each.
@Reducer
public struct InvitationsFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var invitations: [Invitation]
        public var name: String
        /// A phone number or an e-mail address, as typed.
        public var recipient: String
        /// For a number that is typed without a country code.
        public var country: PhoneCountry?
        /// False at first, because a short menu of countries keeps the page small.
        public var showsAllCountries = false
        /// How many times another screen has opened the form. A change moves the focus into the
        /// form.
        public var timesOpened = 0
        public var isLoading: Bool
        public var error: UserFacingError?
        /// True if an error that a field shows is about the name, false if about the recipient.
        public var isNameRefused = false
        /// A number in doubt. Sending the same number again confirms it.
        var numberInDoubt: String?

        public init(
            invitations: [Invitation] = [], name: String = "", recipient: String = "",
            country: PhoneCountry? = nil, isLoading: Bool = false, error: UserFacingError? = nil
        ) {
            self.invitations = invitations
            self.name = name
            self.recipient = recipient
            self.country = country
            self.isLoading = isLoading
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// A notification arrived, perhaps about an answer to an invitation.
        case newsCame
        case loaded(Result<[Invitation], UserFacingError>)
        case nameChanged(String)
        case recipientChanged(String)
        case countryChosen(PhoneCountry?)
        case otherCountryButtonTapped
        case inviteButtonTapped
        case invited(Result<[Invitation], UserFacingError>)
        case withdrawButtonTapped(InvitationID)
        case withdrawn(Result<[Invitation], UserFacingError>)
        case dismissError
    }

    private enum CancelID { case load, stream }

    @Dependency(\.invitationClient) private var invitationClient
    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.effectOwner) private var effectOwner

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                return .merge(load(), listen())
            case .newsCame:
                return load()
            case .onDisappear:
                return .merge(
                    .cancel(id: effectOwner(CancelID.load)),
                    .cancel(id: effectOwner(CancelID.stream)))
            case .loaded(let result):
                // The user didn't request this load, so a failure is not shown.
                if case .success(let invitations) = result, !state.isLoading {
                    state.invitations = invitations
                }
                return .none
            case .nameChanged(let name):
                guard !state.isLoading else { return .none }
                state.name = name
                return .none
            case .recipientChanged(let recipient):
                guard !state.isLoading else { return .none }
                state.recipient = recipient
                return .none
            case .countryChosen(let country):
                guard !state.isLoading else { return .none }
                state.country = country
                state.numberInDoubt = nil
                return .none
            case .otherCountryButtonTapped:
                state.showsAllCountries = true
                return .none
            case .inviteButtonTapped:
                return invite(&state)
            case .withdrawButtonTapped(let id):
                let others = state.invitations.filter { $0.id != id }
                return change(&state, Action.withdrawn) {
                    try await $0.withdraw(id)
                    return others
                }
            case .invited(.success(let invitations)):
                (state.name, state.recipient) = ("", "")
                return finish(&state, with: invitations)
            case .withdrawn(.success(let invitations)):
                return finish(&state, with: invitations)
            case .invited(.failure(let error)), .withdrawn(.failure(let error)):
                state.isLoading = false
                state.error = error
                state.numberInDoubt =
                    error.code == UserFacingError.numberInDoubt ? state.recipient : nil
                return .none
            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }

    private func load() -> Effect<Action> {
        .run { [invitationClient] send in
            await send(.loaded(.userFacing { try await invitationClient.invitations() }))
        }
        .cancellable(id: effectOwner(CancelID.load), cancelInFlight: true)
    }

    private func listen() -> Effect<Action> {
        .run { [notificationClient] send in
            var known: NotificationID?
            for await items in notificationClient.notificationStream() {
                let newest = items.first?.id
                if newest != known { await send(.newsCame) }
                known = newest
            }
        }
        .cancellable(id: effectOwner(CancelID.stream), cancelInFlight: true)
    }

    private func invite(_ state: inout State) -> Effect<Action> {
        state.isNameRefused = (try? InvitationRules.name(state.name)) == nil
        do {
            let name = try InvitationRules.name(state.name)
            let recipient = try TypedRecipient(state.recipient, in: state.country)
            let isConfirmed = state.numberInDoubt == state.recipient
            let known = state.invitations
            return change(&state, Action.invited) {
                let made = try await $0.invite(
                    name: name, recipient: recipient, isConfirmed: isConfirmed)
                return known.filter { $0.id != made.id } + [made]
            }
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    private func finish(
        _ state: inout State, with invitations: [Invitation]
    ) -> Effect<Action> {
        state.isLoading = false
        state.invitations = invitations
        return .none
    }

    /// Sends the user's decision. The request continues when the screen disappears.
    /// - Parameter work: sends the decision, and returns the list to show if the new one can't be
    ///   loaded. The decision holds even then.
    private func change(
        _ state: inout State,
        _ action: @escaping @Sendable (Result<[Invitation], UserFacingError>) -> Action,
        _ work: @escaping @Sendable (InvitationClient) async throws -> [Invitation]
    ) -> Effect<Action> {
        guard !state.isLoading else { return .none }
        state.isLoading = true
        state.error = nil
        return .run { [invitationClient] send in
            await send(
                action(
                    .userFacing {
                        let expected = try await work(invitationClient)
                        return (try? await invitationClient.invitations()) ?? expected
                    }))
        }
    }
}

extension Invitation {
    public var words: String {
        @Dependency(\.date.now) var now
        return words(at: now)
    }

    public func words(at now: Date) -> String {
        switch state {
        case .pending where !InvitationRules.canBeAccepted(since: createdAt, at: now):
            "too old: invite them again"
        case .pending: "no answer yet"
        case .accepted: "said yes"
        case .declined: "said no"
        }
    }
}

extension InvitationsFeature.State {
    public var sendWords: String { isLoading ? "Sending …" : "Send one message" }

    /// What to do if a number or address has another holder since a "no"; nil without a "no".
    public var newHolderWords: String? {
        invitations.contains { $0.state == .declined } ? InvitationsFeature.newHolderWords : nil
    }

    /// What to do without an answer; nil if none is missing.
    public var noAnswerWords: String? { InvitationsFeature.noAnswerWords(about: invitations) }
}

extension InvitationsFeature {
    public static let inviteWords = "Invite someone by phone number or e-mail"
    /// Shown after each "no", because the sender must not learn whether the holder has changed.
    public static let newHolderWords =
        "If someone else has the number or address now, take the invitation back and invite them."

    /// Shown with each unanswered invitation, whether or not its message was delivered: a failure
    /// that only some senders saw would tell the others of a block or of another's message.
    public static func noAnswerWords(about invitations: [Invitation]) -> String? {
        guard invitations.contains(where: { $0.state == .pending }) else { return nil }
        return """
            LifeSignal does not show whether the message arrived. If they do not answer, check the \
            number or address, and ask them.
            """
    }
}
