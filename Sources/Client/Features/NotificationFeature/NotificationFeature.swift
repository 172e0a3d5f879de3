import Clients
import ComposableArchitecture
import Domain

/// The notification centre: what the person was told, and what they want to be told.
@Reducer
public struct NotificationFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// Newest first.
        public var notifications: IdentifiedArrayOf<NotificationItem>
        /// nil shows every type.
        public var selectedFilter: NotificationType?
        /// Leaves out what was read.
        public var showUnreadOnly: Bool
        /// Types of notification that are muted.
        public var preferences: NotificationPreferencesFeature.State
        /// Notifications being marked as read or deleted; a second tap does nothing.
        public var inFlight: Set<NotificationID>
        /// "Read all" or "delete all" is on its way.
        public var isChangingAll: Bool
        /// Tells whether there may be earlier notifications than are shown.
        public var earlier: Earlier
        /// True until the first list has come.
        public var isLoading: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The question before everything is deleted.
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

        /// The older part of a list that is longer than the device keeps.
        public enum Earlier: Equatable, Sendable {
            /// Nobody has asked yet.
            case unknown
            case loading
            /// Some were asked for, and there are more.
            case more
            /// Everything is shown.
            case none
        }

        /// Less than a page is all there is.
        public var canLoadEarlier: Bool {
            earlier != .none && earlier != .loading && notifications.count >= Page.standardLimit
        }

        /// The count of all types, whatever the filter shows: the badge.
        public var unreadCount: Int { notifications.count { $0.readAt == nil } }
    }

    public enum Action: Equatable, Sendable {
        /// The centre is shown. The stream runs on for the badge when it goes, until `stopStream`.
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
        /// The notifications that were there when it was asked come along: what has come since
        /// stays unread.
        case markAllAsReadResponse(Set<NotificationID>, UserFacingError?)
        case deleteButtonTapped(NotificationID)
        case deleteResponse(NotificationID, UserFacingError?)
        case deleteAllButtonTapped
        /// The notifications that were there when it was asked come along: an alert that has come
        /// since stays.
        case deleteAllResponse(Set<NotificationID>, UserFacingError?)
        case confirmDelete(PresentationAction<DeleteConfirmation>)
        case preferences(NotificationPreferencesFeature.Action)
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum DeleteConfirmation: Equatable, Sendable {
            case deleteConfirmed(NotificationID)
            case deleteAllConfirmed
        }

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case opened(NotificationSubject)
        }
    }

    @Dependency(\.date) var date
    @Dependency(\.notificationClient) var notificationClient

    enum CancelID { case stream, refresh, earlier, change }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.preferences, action: \.preferences) { NotificationPreferencesFeature() }
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.error = nil
                return .merge(.send(.startStream), .send(.preferences(.onAppear)))
            case .onDisappear:
                // The next time the list begins with the newest again.
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
