import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Buttons, tags and programs that check in without the app (product.md, "Sources").
@Reducer
public struct SourcesFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The oldest first; nil until the server has answered.
        public var sources: [CheckInSource]?
        public var name: String
        public var isAdding: Bool
        /// The source that was just added. Its address can't be shown again.
        public var added: NewSource?
        /// True for two seconds after the address was copied.
        public var isCopied: Bool
        public var removing: SourceID?
        public var error: UserFacingError?
        @Presents public var confirmation: ConfirmationAlertState<Action.Confirmation>?

        public init(
            sources: [CheckInSource]? = nil, name: String = "", isAdding: Bool = false,
            added: NewSource? = nil, isCopied: Bool = false, removing: SourceID? = nil,
            error: UserFacingError? = nil
        ) {
            self.sources = sources
            self.name = name
            self.isAdding = isAdding
            self.added = added
            self.isCopied = isCopied
            self.removing = removing
            self.error = error
        }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        case loaded(Result<[CheckInSource], UserFacingError>)
        case retryButtonTapped
        case nameChanged(String)
        case addButtonTapped
        case addResponse(Result<NewSource, UserFacingError>)
        case copyButtonTapped
        case copyExpired
        /// The person has stored the address.
        case doneButtonTapped
        case removeButtonTapped(SourceID)
        case removeResponse(SourceID, UserFacingError?)
        case dismissError
        case confirmation(PresentationAction<Confirmation>)

        @CasePathable
        public enum Confirmation: Equatable, Sendable {
            case removalConfirmed(SourceID)
        }
    }

    @Dependency(\.continuousClock) private var clock
    @Dependency(\.sourceClient) private var sourceClient

    private enum CancelID { case load, copied }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear, .retryButtonTapped:
                return load(&state)
            case .onDisappear:
                state.isCopied = false
                return .merge(.cancel(id: CancelID.load), .cancel(id: CancelID.copied))
            case .loaded(.success(let sources)):
                state.sources = sources
                return .none
            case .loaded(.failure(let error)):
                state.error = error
                return .none
            case .nameChanged(let name):
                guard !state.isAdding else { return .none }
                state.name = name
                return .none
            case .addButtonTapped:
                return add(&state)
            case .addResponse(.success(let added)):
                state.isAdding = false
                state.name = ""
                state.added = added
                let others = (state.sources ?? []).filter { $0.id != added.source.id }
                state.sources = others + [added.source]
                // The answer of an earlier load lacks the new source.
                return .cancel(id: CancelID.load)
            case .addResponse(.failure(let error)):
                state.isAdding = false
                state.error = error
                return .none
            case .copyButtonTapped:
                guard state.added != nil else { return .none }
                state.isCopied = true
                return .run { [clock] send in
                    try await clock.sleep(for: .seconds(2))
                    await send(.copyExpired)
                }
                .cancellable(id: CancelID.copied, cancelInFlight: true)
            case .copyExpired:
                state.isCopied = false
                return .none
            case .doneButtonTapped:
                state.added = nil
                state.isCopied = false
                return .cancel(id: CancelID.copied)
            case .removeButtonTapped(let id):
                guard state.removing == nil,
                    let source = state.sources?.first(where: { $0.id == id })
                else { return .none }
                state.confirmation = .removal(of: source)
                return .none
            case .confirmation(.presented(.removalConfirmed(let id))):
                return remove(id, &state)
            case .removeResponse(let id, let error):
                state.removing = nil
                // "not-found" means that another device has removed the source, as the user wanted.
                if let error, !error.has(.notFound) {
                    state.error = error
                } else {
                    state.sources?.removeAll { $0.id == id }
                    if state.added?.source.id == id { state.added = nil }
                }
                return .none
            case .dismissError:
                // Otherwise the screen would say forever that it loads.
                guard state.sources != nil else { return load(&state) }
                state.error = nil
                return .none
            case .confirmation(.dismiss):
                return .none
            }
        }
        .ifLet(\.$confirmation, action: \.confirmation)
    }

    private func load(_ state: inout State) -> Effect<Action> {
        state.error = nil
        return .run { [sourceClient] send in
            await send(.loaded(.userFacing { try await sourceClient.sources() }))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    /// Sends the name. The request continues when the screen disappears.
    private func add(_ state: inout State) -> Effect<Action> {
        guard !state.isAdding, state.added == nil else { return .none }
        guard let name = try? SourceRules.name(state.name) else {
            state.error = .sourceName
            return .none
        }
        state.isAdding = true
        state.error = nil
        return .run { [sourceClient] send in
            await send(.addResponse(.userFacing { try await sourceClient.add(name: name) }))
        }
    }

    private func remove(_ id: SourceID, _ state: inout State) -> Effect<Action> {
        guard state.removing == nil else { return .none }
        state.removing = id
        state.error = nil
        return .run { [sourceClient] send in
            do {
                try await sourceClient.remove(id: id)
                await send(.removeResponse(id, nil))
            } catch {
                await send(.removeResponse(id, UserFacingError(catching: error)))
            }
        }
    }
}

extension ConfirmationAlertState<SourcesFeature.Action.Confirmation> {
    static func removal(of source: CheckInSource) -> Self {
        Self {
            TextState("Remove \(source.name)?")
        } actions: {
            ButtonState(role: .destructive, action: .removalConfirmed(source.id)) {
                TextState("Remove")
            }
            ButtonState(role: .cancel) { TextState("Keep it") }
        } message: {
            TextState("Its address stops working at once, and can’t be used again.")
        }
    }
}

extension UserFacingError {
    static let sourceName = UserFacingError(
        title: "We could not add the source", message: RefusalWords.sourceName.message,
        recoverySuggestion: RefusalWords.sourceName.suggestion, code: .invalidArgument)
}

extension SourcesFeature {
    public static let title = "Other ways to check in"
    public static let hint =
        """
        A button, an NFC tag or a program can check in for you, without the app. Add a source, and \
        let it send a POST request to its address.
        """
    public static let nameTitle = "Name of the source"
    public static let nameHint = "Up to 40 characters, such as “Kitchen button”."
    public static let addressTitle = "Address of"
    public static let addressHint =
        """
        Copy it now: it is not shown again. Anyone who has it can check in for you, so keep it \
        secret. To try it, run:
        """
    public static let noSources = "None yet."
}

extension SourcesFeature.State {
    public var addWords: String { isAdding ? "Adding …" : "Add a source" }
    public var copyWords: String { isCopied ? "Copied" : "Copy address" }
    public var isFull: Bool { (sources?.count ?? 0) >= SourceRules.limit }

    public func removeWords(_ source: SourceID) -> String {
        removing == source ? "Removing …" : "Remove"
    }
}

extension NewSource {
    /// A command for a terminal.
    public var example: String { "curl -X POST \(address.absoluteString)" }
}
