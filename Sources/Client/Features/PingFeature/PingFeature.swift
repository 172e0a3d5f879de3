import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Pings ("Are you fine?") and their answers. A contact's id identifies the pending ping.
@Reducer
public struct PingFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// Pending pings, sent and received, newest first.
        public var pendingPings: IdentifiedArrayOf<PingRecord>
        /// Pings in any state, sent and received, newest first.
        public var pingHistory: IdentifiedArrayOf<PingRecord>
        public var selectedPing: PingRecord?
        /// The operations in flight. A second start of the same operation does nothing.
        public var inFlight: Set<Operation>
        public var waitingToBeSent: Set<UserID>
        /// A cursor; nil before the first page and after the last.
        public var nextPage: String?
        public var isLoading: Bool
        public var isLoadingMore = false
        public var error: UserFacingError?

        public init(
            pendingPings: IdentifiedArrayOf<PingRecord> = [],
            pingHistory: IdentifiedArrayOf<PingRecord> = [], selectedPing: PingRecord? = nil,
            inFlight: Set<Operation> = [], waitingToBeSent: Set<UserID> = [],
            nextPage: String? = nil, isLoading: Bool = false,
            error: UserFacingError? = nil
        ) {
            self.pendingPings = pendingPings
            self.pingHistory = pingHistory
            self.selectedPing = selectedPing
            self.inFlight = inFlight
            self.waitingToBeSent = waitingToBeSent
            self.nextPage = nextPage
            self.isLoading = isLoading
            self.error = error
        }

        public func isInFlight(_ operation: Operation) -> Bool { inFlight.contains(operation) }
        public func isWaitingToBeSent(_ dependent: UserID) -> Bool {
            waitingToBeSent.contains(dependent)
        }
        public func pendingPing(to dependent: UserID) -> PingRecord? {
            pendingPings.first { $0.dependentID == dependent }
        }
        public func pendingPing(from responder: UserID) -> PingRecord? {
            pendingPings.first { $0.responderID == responder }
        }
    }

    public enum Operation: Hashable, Sendable {
        case ping(UserID)
        case clear(UserID)
        case respond(UserID)
        case respondToAll
    }

    public enum Action: Equatable, Sendable {
        case pingDependent(UserID)
        /// The ping as the server returned it. `pingDependentSucceeded` follows at once.
        case pingRecorded(PingRecord)
        case pingDependentSucceeded(UserID)
        case pingDependentWaiting(UserID)
        case pingDependentFailed(UserFacingError)
        case clearPing(UserID)
        case clearPingSucceeded(UserID)
        case clearPingFailed(UserFacingError)
        case respondToPing(UserID)
        case respondToPingSucceeded(UserID)
        case respondToPingFailed(UserFacingError)
        case respondToAllPings
        case respondToAllPingsSucceeded(Set<UserID>)
        case respondToAllPingsFailed(UserFacingError)
        case operationEnded(Operation)
        case connectivityChanged(Connectivity)
        case startStream
        case stopStream
        case pingsUpdated([PingRecord])
        case loadPingHistory
        case loadMorePingHistory
        case pingHistoryResponse(Result<ListPage<PingRecord>, UserFacingError>)
        case selectPing(PingRecord?)
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// A request has started, so earlier errors are out of date.
            case began
            case pinged(PingRecord)
            case cleared(UserID)
            case responded(UserID)
            /// All pings are answered. Contains the responders whose pings were pending at the tap.
            case respondedToAll(Set<UserID>)
            case failed(UserFacingError)
        }
    }

    @Dependency(\.connectivityClient) private var connectivityClient
    @Dependency(\.date) private var date
    @Dependency(\.pingClient) private var pingClient
    @Dependency(\.serverClock) private var serverClock
    @Dependency(\.effectOwner) private var effectOwner

    private enum CancelID { case stream, history, connectivity, operation }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .startStream:
                return .merge(
                    .run { send in
                        for await pings in pingClient.pingsStream() {
                            await send(.pingsUpdated(pings))
                        }
                    }
                    .cancellable(id: effectOwner(CancelID.stream), cancelInFlight: true),
                    observeConnectivity())
            case .stopStream:
                (state.isLoading, state.isLoadingMore) = (false, false)
                return .merge(
                    [CancelID.stream, .connectivity, .history].map { .cancel(id: effectOwner($0)) })
            case .connectivityChanged(let connectivity):
                let pings = connectivity.waiting.filter { $0.kind == .ping }
                state.waitingToBeSent = Set(pings.compactMap(\.contact))
                return .none
            case .pingsUpdated(let pings):
                state.replaceNewest(by: pings, at: time)
                // The page in flight may be older than this list, and would bring back removed
                // pings.
                return state.isLoading && !state.isLoadingMore
                    ? loadHistory(before: nil, &state) : .none
            case .loadPingHistory:
                // The first page replaces a later page that is loading.
                (state.error, state.isLoadingMore) = (nil, false)
                return loadHistory(before: nil, &state)
            case .loadMorePingHistory:
                guard let page = state.nextPage, !state.isLoading else { return .none }
                state.error = nil
                state.isLoadingMore = true
                return loadHistory(before: page, &state)
            case .pingHistoryResponse(.success(let page)):
                (state.isLoading, state.isLoadingMore) = (false, false)
                state.nextPage = page.next
                state.merge(page.items, at: time)
                return .none
            case .pingHistoryResponse(.failure(let error)):
                (state.isLoading, state.isLoadingMore) = (false, false)
                state.error = error
                return .send(.delegate(.failed(error)))
            case .selectPing(let ping):
                state.selectedPing = ping
                return .none
            case .dismissError:
                state.error = nil
                return .none
            case .delegate:
                return .none
            case .pingDependent(let id):
                return ping(id, &state)
            case .pingRecorded(let ping):
                return record(ping, &state)
            case .pingDependentSucceeded(let id):
                state.waitingToBeSent.remove(id)
                return .none
            case .pingDependentWaiting(let id):
                state.waitingToBeSent.insert(id)
                return observeConnectivity()
            case .clearPing(let id):
                return clear(id, &state)
            case .clearPingSucceeded(let id):
                state.waitingToBeSent.remove(id)
                state.settle(as: .cleared, at: time) { $0.dependentID == id }
                return .send(.delegate(.cleared(id)))
            case .respondToPing(let id):
                return respond(to: id, &state)
            case .respondToPingSucceeded(let id):
                state.settle(as: .answered, at: time) { $0.responderID == id }
                return .send(.delegate(.responded(id)))
            case .respondToAllPings:
                return respondToAll(&state)
            case .respondToAllPingsSucceeded(let responders):
                return .send(.delegate(.respondedToAll(responders)))
            case .pingDependentFailed(let error), .clearPingFailed(let error),
                .respondToPingFailed(let error), .respondToAllPingsFailed(let error):
                state.error = error
                return .send(.delegate(.failed(error)))
            case .operationEnded(let operation):
                state.inFlight.remove(operation)
                return .none
            }
        }
    }

    /// The present time by the server's clock.
    private var time: Date { serverClock.time(at: date.now) }

    private func loadHistory(before page: String?, _ state: inout State) -> Effect<Action> {
        state.isLoading = true
        return .run { send in
            await send(
                .pingHistoryResponse(.userFacing { try await pingClient.history(before: page) }))
        }
        .cancellable(id: effectOwner(CancelID.history), cancelInFlight: true)
    }
}

extension PingFeature.State {
    /// Replaces the newest pings with those of the stream. Also removes pings from the same period
    /// that the stream lacks, because the server has refused them.
    fileprivate mutating func replaceNewest(by pings: [PingRecord], at now: Date) {
        let ids = Set(pings.map(\.id))
        let isComplete = pings.count < Page.standardLimit
        let oldest = isComplete ? .distantPast : pings.map(\.createdAt).min() ?? .distantPast
        pingHistory.removeAll { $0.createdAt >= oldest && !ids.contains($0.id) }
        merge(pings, at: now)
    }

    /// Merges pings. Newer states replace older ones, and settled pings leave the pending list.
    fileprivate mutating func merge(_ pings: [PingRecord], at now: Date) {
        let fresh = IdentifiedArray(pings, uniquingIDsWith: { first, _ in first })
        let all = fresh.elements + pingHistory.filter { fresh[id: $0.id] == nil }
        pingHistory = IdentifiedArray(
            all.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) },
            uniquingIDsWith: { first, _ in first }
        )
        pendingPings = pingHistory.filter {
            $0.state == .pending && !PingRules.isExpired(createdAt: $0.createdAt, at: now)
        }
        if let id = selectedPing?.id { selectedPing = pingHistory[id: id] ?? selectedPing }
    }

    /// Shows a ping as settled before the stream reports it.
    fileprivate mutating func settle(
        as end: PingRecord.State, at now: Date, where isMeant: (PingRecord) -> Bool
    ) {
        let settled = pendingPings.filter(isMeant).map { ping in
            var ping = ping
            (ping.state, ping.settledAt) = (end, now)
            return ping
        }
        merge(settled, at: now)
    }
}

/// Sends a ping, withdraws one, and answers one or all. Each operation runs once at a time, and
/// continues when its screen disappears.
extension PingFeature {
    private func ping(_ id: UserID, _ state: inout State) -> Effect<Action> {
        run(.ping(id), &state, failed: Action.pingDependentFailed) { send in
            switch try await pingClient.pingDependent(id: id) {
            case .confirmed(let ping):
                await send(.pingRecorded(ping))
                await send(.pingDependentSucceeded(id))
            case .waiting:
                await send(.pingDependentWaiting(id))
            }
        }
    }

    private func record(_ ping: PingRecord, _ state: inout State) -> Effect<Action> {
        // The stream may have reported the end of the ping before this answer arrived.
        if state.pingHistory[id: ping.id].map({ $0.state == .pending }) ?? true {
            state.merge([ping], at: time)
        }
        return .send(.delegate(.pinged(ping)))
    }

    private func clear(_ id: UserID, _ state: inout State) -> Effect<Action> {
        run(.clear(id), &state, failed: Action.clearPingFailed) { send in
            try await pingClient.clearPing(id: id)
            await send(.clearPingSucceeded(id))
        }
    }

    private func respond(to id: UserID, _ state: inout State) -> Effect<Action> {
        guard !state.isInFlight(.respondToAll) else { return .none }
        return run(.respond(id), &state, failed: Action.respondToPingFailed) { send in
            try await pingClient.respondToPing(id: id)
            await send(.respondToPingSucceeded(id))
        }
    }

    private func respondToAll(_ state: inout State) -> Effect<Action> {
        // Excludes a ping that arrives during the request.
        let responders = Set(state.pendingPings.map(\.responderID))
        return run(.respondToAll, &state, failed: Action.respondToAllPingsFailed) { send in
            try await pingClient.respondToAllPings()
            await send(.respondToAllPingsSucceeded(responders))
        }
    }

    /// Follows which pings are queued, because the list of pings doesn't mark them. Call this after
    /// each queued ping.
    private func observeConnectivity() -> Effect<Action> {
        .run { send in
            for await connectivity in connectivityClient.status() {
                await send(.connectivityChanged(connectivity))
            }
        }
        .cancellable(id: effectOwner(CancelID.connectivity), cancelInFlight: true)
    }

    private func run(
        _ operation: Operation, _ state: inout State,
        failed: @escaping @Sendable (UserFacingError) -> Action,
        _ request: @escaping @Sendable (Send<Action>) async throws -> Void
    ) -> Effect<Action> {
        guard state.inFlight.insert(operation).inserted else { return .none }
        state.error = nil
        return .merge(
            .send(.delegate(.began)),
            .run { send in
                do {
                    try await request(send)
                } catch {
                    await send(failed(UserFacingError(catching: error)))
                }
                await send(.operationEnded(operation))
            }
            .cancellable(id: effectOwner(CancelID.operation))
        )
    }
}
