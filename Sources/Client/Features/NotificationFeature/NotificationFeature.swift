import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The notification centre, and the muted types.
@Reducer
public struct NotificationFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// Newest first.
        public var notifications: IdentifiedArrayOf<NotificationItem>
        /// The type that the list is limited to; nil shows all types.
        public var selectedFilter: NotificationType?
        public var showUnreadOnly: Bool
        public var preferences: NotificationPreferencesFeature.State
        /// The notifications that are being marked as read or deleted. A second tap on them does
        /// nothing.
        public var inFlight: Set<NotificationID>
        public var endedSessions: Set<SessionID> = []
        public var isChangingAll: Bool
        public var earlier: Earlier
        /// True until the first list has arrived.
        public var isLoading: Bool
        public var error: UserFacingError?
        @Presents public var confirmDelete: ConfirmationAlertState<Action.DeleteConfirmation>?

        public init(
            notifications: IdentifiedArrayOf<NotificationItem> = [],
            selectedFilter: NotificationType? = nil, showUnreadOnly: Bool = false,
            preferences: NotificationPreferencesFeature.State = .init(),
            inFlight: Set<NotificationID> = [], isChangingAll: Bool = false,
            earlier: Earlier = .unknown, isLoading: Bool = false, error: UserFacingError? = nil
        ) {
            self.notifications = notifications
            self.selectedFilter = selectedFilter
            self.showUnreadOnly = showUnreadOnly
            self.preferences = preferences
            self.inFlight = inFlight
            self.isChangingAll = isChangingAll
            self.earlier = earlier
            self.isLoading = isLoading
            self.error = error
        }

        public var visibleNotifications: [NotificationItem] {
            notifications.filter { item in
                (selectedFilter == nil || item.type == selectedFilter)
                    && (!showUnreadOnly || item.readAt == nil)
            }
        }

        /// Whether the server has more notifications than the list shows.
        public enum Earlier: Equatable, Sendable {
            case unknown
            case loading
            /// Some earlier notifications have loaded, and there are more.
            case more
            /// All notifications are shown.
            case none
        }

        /// True if there may be earlier notifications. A list shorter than a page is complete.
        public var canLoadEarlier: Bool {
            earlier != .none && earlier != .loading && notifications.count >= Page.standardLimit
        }

        /// The badge. Counts all types, regardless of the filter.
        public var unreadCount: Int { notifications.count { $0.readAt == nil } }

        /// `unreadCount`, with "+" if there may be earlier unread notifications.
        public var unreadNumber: String {
            let isCut =
                earlier != .none && notifications.count >= Page.standardLimit
                && notifications.last?.readAt == nil
            return "\(unreadCount)\(isCut ? "+" : "")"
        }
    }

    public enum Action: Equatable, Sendable {
        /// The centre is shown. After it disappears, the stream continues for the badge until
        /// `stopStream`.
        case onAppear
        case onDisappear
        case startStream
        case stopStream
        case notificationsUpdated([NotificationItem])
        case refreshPulled
        case refreshResponse(Result<ListPage<NotificationItem>, UserFacingError>)
        case loadEarlierButtonTapped
        case earlierResponse(Result<ListPage<NotificationItem>, UserFacingError>)
        case filterSelected(NotificationType?)
        case showUnreadOnlyToggled
        case notificationTapped(NotificationID)
        case markAsReadButtonTapped(NotificationID)
        case markAsReadResponse(NotificationID, UserFacingError?)
        case markAllAsReadButtonTapped
        /// The answer to "Read all", with the notifications at the time of the request. Later ones
        /// stay unread.
        case markAllAsReadResponse(Set<NotificationID>, UserFacingError?)
        case deleteButtonTapped(NotificationID)
        case deleteResponse(NotificationID, UserFacingError?)
        case endSessionButtonTapped(NotificationID)
        case endSessionResponse(NotificationID, UserFacingError?)
        case deleteAllButtonTapped
        /// The answer to "Delete all", with the notifications at the time of the request. Later
        /// ones stay.
        case deleteAllResponse(Set<NotificationID>, UserFacingError?)
        case confirmDelete(PresentationAction<DeleteConfirmation>)
        case preferences(NotificationPreferencesFeature.Action)
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum DeleteConfirmation: Equatable, Sendable {
            case deleteConfirmed(NotificationID)
            case deleteAllConfirmed
            case endSessionConfirmed(NotificationID)
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case opened(NotificationSubject)
        }
    }

    @Dependency(\.authClient) private var authClient
    @Dependency(\.date) private var date
    @Dependency(\.notificationClient) private var notificationClient

    private enum CancelID { case stream, refresh, earlier, change }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.preferences, action: \.preferences) { NotificationPreferencesFeature() }
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.error = nil
                return .merge(.send(.startStream), .send(.preferences(.onAppear)))
            case .onDisappear:
                // When the centre next appears, it shows only the newest notifications.
                state.earlier = .unknown
                return .merge(
                    .send(.preferences(.onDisappear)), .cancel(id: CancelID.refresh),
                    .cancel(id: CancelID.earlier))
            case .startStream:
                state.isLoading = state.notifications.isEmpty
                return .run { send in
                    for await items in notificationClient.notificationStream() {
                        await send(.notificationsUpdated(items))
                    }
                }
                .cancellable(id: CancelID.stream, cancelInFlight: true)
            case .stopStream:
                state.isLoading = false
                return .cancel(id: CancelID.stream)
            case .notificationsUpdated(let items):
                state.isLoading = false
                state.notifications = Self.newestFirst(items + state.keptEarlier(than: items))
                return .none
            case .refreshPulled:
                state.error = nil
                return .run { send in
                    await send(
                        .refreshResponse(
                            .userFacing { try await notificationClient.notifications(before: nil) })
                    )
                }
                .cancellable(id: CancelID.refresh, cancelInFlight: true)
            case .refreshResponse(.success(let page)):
                state.isLoading = false
                let fresh = Set(page.items.map(\.id))
                state.notifications = Self.newestFirst(
                    page.items + state.notifications.filter { !fresh.contains($0.id) })
                return .none
            case .loadEarlierButtonTapped:
                return loadEarlier(&state)
            case .earlierResponse(.success(let page)):
                state.earlier = page.next == nil ? .none : .more
                state.notifications = Self.newestFirst(state.notifications + page.items)
                return .none
            case .earlierResponse(.failure(let error)):
                state.earlier = .unknown
                state.error = error
                return .none
            case .filterSelected(let type):
                state.selectedFilter = type
                return .none
            case .showUnreadOnlyToggled:
                state.showUnreadOnly.toggle()
                return .none
            case .notificationTapped(let id):
                guard let item = state.notifications[id: id] else { return .none }
                return .merge(
                    markAsRead(id, &state),
                    NotificationSubject(item).map { .send(.delegate(.opened($0))) } ?? .none)
            case .preferences(.delegate(.began)), .dismissError:
                state.error = nil
                return .none
            case .refreshResponse(.failure(let error)), .preferences(.delegate(.failed(let error))):
                state.error = error
                return .none
            case .preferences, .delegate:
                return .none
            case .markAsReadButtonTapped(let id):
                return markAsRead(id, &state)
            case .markAsReadResponse(let id, let error):
                state.inFlight.remove(id)
                return markedAsRead([id], error, &state)
            case .markAllAsReadButtonTapped:
                return markAllAsRead(&state)
            case .markAllAsReadResponse(let ids, let error):
                state.isChangingAll = false
                return markedAsRead(ids, error, &state)
            case .deleteButtonTapped(let id):
                return askToDelete(id, &state)
            case .deleteAllButtonTapped:
                return askToDeleteAll(&state)
            case .confirmDelete(.presented(.deleteConfirmed(let id))):
                return delete(id, &state)
            case .confirmDelete(.presented(.deleteAllConfirmed)):
                return deleteAll(&state)
            case .endSessionButtonTapped(let id):
                return askToEndSession(id, &state)
            case .confirmDelete(.presented(.endSessionConfirmed(let id))):
                return endSession(id, &state)
            case .endSessionResponse(let id, let error):
                state.inFlight.remove(id)
                return sessionEnded(id, error, &state)
            case .deleteResponse(let id, let error):
                state.inFlight.remove(id)
                return deleted([id], error, &state)
            case .deleteAllResponse(let ids, let error):
                state.isChangingAll = false
                return deleted(ids, error, &state)
            case .confirmDelete(.dismiss):
                return .none
            }
        }
        .ifLet(\.$confirmDelete, action: \.confirmDelete)
    }
}

extension NotificationFeature {
    private func markAllAsRead(_ state: inout State) -> Effect<Action> {
        guard !state.isChangingAll, state.unreadCount > 0 else { return .none }
        let ids = Set(state.notifications.ids)
        return changeAll(&state) {
            .markAllAsReadResponse(
                ids, await Self.failure(of: { try await notificationClient.markAllAsRead() }))
        }
    }

    private func markedAsRead(
        _ ids: Set<NotificationID>, _ error: UserFacingError?, _ state: inout State
    ) -> Effect<Action> {
        if let error { state.error = error } else { state.markAsRead(ids, at: date.now) }
        return .none
    }

    private func askToDelete(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard let item = state.notifications[id: id], !state.inFlight.contains(id) else {
            return .none
        }
        state.confirmDelete = .delete(item)
        return .none
    }

    private func askToDeleteAll(_ state: inout State) -> Effect<Action> {
        guard !state.isChangingAll, !state.notifications.isEmpty else { return .none }
        state.confirmDelete = .deleteAll(
            count: state.canLoadEarlier ? nil : state.notifications.count)
        return .none
    }

    private func delete(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard state.notifications[id: id] != nil, state.inFlight.insert(id).inserted else {
            return .none
        }
        return change(&state) {
            .deleteResponse(
                id, await Self.failure(of: { try await notificationClient.delete(id: id) }))
        }
    }

    private func askToEndSession(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard let item = state.notifications[id: id], state.canEndSession(of: item) else {
            return .none
        }
        state.confirmDelete = .endSession(item)
        return .none
    }

    private func endSession(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard let item = state.notifications[id: id], state.canEndSession(of: item),
            let session = item.sessionID, state.inFlight.insert(id).inserted
        else { return .none }
        return change(&state) {
            .endSessionResponse(
                id, await Self.failure(of: { try await authClient.endSession(id: session) }))
        }
    }

    private func sessionEnded(
        _ id: NotificationID, _ error: UserFacingError?, _ state: inout State
    ) -> Effect<Action> {
        // "not-found" means that the session has already ended, as the person wanted.
        if let error, !error.has(.notFound) {
            state.error = error
        } else if let session = state.notifications[id: id]?.sessionID {
            state.endedSessions.insert(session)
        }
        return .none
    }

    private func deleteAll(_ state: inout State) -> Effect<Action> {
        guard !state.isChangingAll else { return .none }
        let ids = Set(state.notifications.ids)
        return changeAll(&state) {
            .deleteAllResponse(
                ids, await Self.failure(of: { try await notificationClient.deleteAll() }))
        }
    }

    private func deleted(
        _ ids: Set<NotificationID>, _ error: UserFacingError?, _ state: inout State
    ) -> Effect<Action> {
        if let error {
            state.error = error
        } else {
            state.notifications.removeAll { ids.contains($0.id) }
        }
        return .none
    }

    private func markAsRead(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard let item = state.notifications[id: id], item.readAt == nil,
            state.inFlight.insert(id).inserted
        else { return .none }
        return change(&state) {
            .markAsReadResponse(
                id, await Self.failure(of: { try await notificationClient.markAsRead(id: id) }))
        }
    }

    private func changeAll(_ state: inout State, _ response: @escaping @Sendable () async -> Action)
        -> Effect<Action>
    {
        state.isChangingAll = true
        return change(&state, response)
    }

    private func change(_ state: inout State, _ response: @escaping @Sendable () async -> Action)
        -> Effect<Action>
    {
        state.error = nil
        return .run { send in await send(await response()) }.cancellable(id: CancelID.change)
    }

    private static func failure(of request: @Sendable () async throws -> Void) async
        -> UserFacingError?
    {
        do {
            try await request()
            return nil
        } catch {
            return UserFacingError(catching: error)
        }
    }
}

extension NotificationFeature.State {
    public func canEndSession(of item: NotificationItem) -> Bool {
        item.sessionID.map { !endedSessions.contains($0) } == true && !inFlight.contains(item.id)
    }

    mutating func markAsRead(_ ids: Set<NotificationID>, at now: Date) {
        for id in ids where notifications[id: id]?.readAt == nil {
            notifications[id: id]?.readAt = now
        }
    }

    /// Returns the loaded notifications that are earlier than the newest list.
    fileprivate func keptEarlier(than items: [NotificationItem]) -> [NotificationItem] {
        guard earlier != .unknown, let oldest = items.map(\.createdAt).min() else { return [] }
        return notifications.filter { $0.createdAt < oldest }
    }

    public var unreadWords: String { unreadCount == 0 ? "All read" : "\(unreadNumber) unread" }

    public var earlierWords: String {
        earlier == .loading ? "Loading …" : "Show earlier notifications"
    }

    public var emptyTitle: String {
        notifications.isEmpty ? "Nothing yet" : "Nothing of this kind"
    }
    public var emptyWords: String {
        notifications.isEmpty
            ? "Notifications are kept here for 30 days, and for 7 days after you read them."
            : "There are others: choose “Everything” to see them."
    }
}

extension ConfirmationAlertState<NotificationFeature.Action.DeleteConfirmation> {
    static func delete(_ item: NotificationItem) -> Self {
        Self {
            TextState("Delete this notification?")
        } actions: {
            ButtonState(role: .destructive, action: .deleteConfirmed(item.id)) {
                TextState("Delete")
            }
            ButtonState(role: .cancel) { TextState("Keep") }
        } message: {
            TextState("“\(item.title)” is removed from your list. Nothing else changes.")
        }
    }

    static func endSession(_ item: NotificationItem) -> Self {
        Self {
            TextState("End this session?")
        } actions: {
            ButtonState(role: .destructive, action: .endSessionConfirmed(item.id)) {
                TextState("End it")
            }
            ButtonState(role: .cancel) { TextState("That was me") }
        } message: {
            TextState("The device that did this is signed out and gets no more messages.")
        }
    }

    /// - Parameter count: the number of notifications; nil if there may be more than are shown.
    static func deleteAll(count: Int?) -> Self {
        Self {
            TextState("Delete all notifications?")
        } actions: {
            ButtonState(role: .destructive, action: .deleteAllConfirmed) { TextState("Delete all") }
            ButtonState(role: .cancel) { TextState("Keep them") }
        } message: {
            TextState(
                """
                \(count == 1
                    ? "1 notification is"
                    : "\(count.map { "\($0)" } ?? "All") notifications are") \
                removed from your list, shown or not. Nothing else changes.
                """
            )
        }
    }
}

extension NotificationFeature {
    private func loadEarlier(_ state: inout State) -> Effect<Action> {
        guard state.canLoadEarlier, let oldest = state.notifications.last else { return .none }
        state.earlier = .loading
        state.error = nil
        let place = Page.Cursor(time: oldest.createdAt, id: oldest.id.uuid).description
        return .run { send in
            await send(
                .earlierResponse(
                    .userFacing { try await notificationClient.notifications(before: place) }))
        }
        .cancellable(id: CancelID.earlier, cancelInFlight: true)
    }

    private static func newestFirst(_ items: [NotificationItem]) -> IdentifiedArrayOf<
        NotificationItem
    > {
        IdentifiedArray(
            items.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) },
            uniquingIDsWith: { first, _ in first })
    }
}

extension NotificationType {
    public var words: String {
        switch self {
        case .alert: "Alerts"
        case .ping: "Pings"
        case .checkIn: "Check-ins"
        case .contactAdded: "New contacts"
        case .contactRemoved: "Removed contacts"
        case .roleChanged: "Changes of roles"
        case .system: "From LifeSignal"
        }
    }
}
