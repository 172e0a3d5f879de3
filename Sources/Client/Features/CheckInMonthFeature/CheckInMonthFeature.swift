import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The check-ins as a month, day by day (product.md, "The month"). Loads the pages of check-ins and
/// alerts that the month needs.
@Reducer
public struct CheckInMonthFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var month: CalendarMonth
        /// The day whose check-ins are listed, from 1; nil if none is chosen.
        public var chosenDay: Int?
        public var isLoading = false
        public var error: UserFacingError?
        /// The month of the opening, which is the last one.
        var latest: CalendarMonth
        /// The zone of the days' dates.
        var zone: TimeZone
        /// "Days by the clock of Berlin"; nil if that is the clock of this device.
        public var zoneWords: String?
        var known = Known()

        /// - Parameter device: the name of this device's zone; nil if unknown.
        public init(zone: TimeZone, device: String?, at now: Date) {
            self.zone = zone
            zoneWords =
                device.map { $0 == zone.identifier } ?? true
                ? nil : "Days by the clock of \(ClockZone.placeWords(zone.identifier))."
            latest = CalendarMonth(containing: now, in: zone)
            month = CalendarMonth(containing: now, in: zone)
        }
    }

    public enum Action: Equatable, Sendable {
        case onOpen
        /// A new check-in may have ended an alert.
        case refresh
        case previousMonthTapped
        case nextMonthTapped
        case dayTapped(Int)
        case loadMoreTapped
        case response(Result<Known, UserFacingError>)
        case dismissError
    }

    @Dependency(\.alertClient) private var alertClient
    @Dependency(\.authClient) private var authClient
    @Dependency(\.checkInClient) private var checkInClient

    private enum CancelID { case load }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onOpen, .loadMoreTapped:
                return load(after: state.known, &state)

            case .refresh:
                return load(after: Known(), &state)

            case .previousMonthTapped:
                guard state.hasPrevious else { return .none }
                state.month = state.month.previous
                state.chosenDay = nil
                return state.isCovered ? .none : load(after: state.known, &state)

            case .nextMonthTapped:
                guard state.hasNext else { return .none }
                state.month = state.month.next
                state.chosenDay = nil
                return .none

            case .dayTapped(let day):
                state.chosenDay = state.chosenDay == day ? nil : day
                return .none

            case .response(.success(let known)):
                state.isLoading = false
                state.known = known
                return .none

            case .response(.failure(let error)):
                state.isLoading = false
                state.error = error
                return .none

            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }

    private func load(after known: Known, _ state: inout State) -> Effect<Action> {
        state.isLoading = true
        state.error = nil
        let start = state.month.start(in: state.zone)
        return .run { [alertClient, authClient, checkInClient] send in
            let me = await authClient.session()?.userID
            await send(
                .response(
                    .userFacing {
                        try await known.extended(
                            to: start, of: me,
                            checkIns: { try await checkInClient.history(before: $0) },
                            alerts: { try await alertClient.history(before: $0) })
                    }))
        }
        .cancellable(id: CancelID.load, cancelInFlight: true)
    }

    /// The loaded part of the history.
    public struct Known: Equatable, Sendable {
        public internal(set) var checkIns: [CheckInRecord] = []
        /// The person's own alerts.
        public internal(set) var alerts: [AlertRecord] = []
        var checkInPages = Pages()
        var alertPages = Pages()

        /// How many pages of a list one load reads. The person then decides whether to continue.
        static let pagesPerLoad = 10

        struct Pages: Equatable, Sendable {
            var isRead = false
            /// A cursor; nil at the end of the list.
            var next: String?
            /// The time of the oldest item.
            var oldest: Date?

            func reaches(_ start: Date) -> Bool {
                guard isRead else { return false }
                return next == nil || (oldest ?? .distantFuture) < start
            }

            mutating func read(to next: String?, _ oldest: Date?) {
                self.isRead = true
                self.next = next
                self.oldest = oldest ?? self.oldest
            }
        }

        public init() {}

        /// Returns true if all check-ins and alerts since this time are loaded.
        public func reaches(_ start: Date) -> Bool {
            checkInPages.reaches(start) && alertPages.reaches(start)
        }

        /// Returns a longer history. It reaches `start`, unless that needs more pages than one
        /// load reads.
        public func extended(
            to start: Date, of user: UserID?,
            checkIns loadCheckIns: @Sendable (String?) async throws -> ListPage<CheckInRecord>,
            alerts loadAlerts: @Sendable (String?) async throws -> ListPage<AlertRecord>
        ) async throws -> Known {
            var known = self
            for _ in 0..<Self.pagesPerLoad where !known.checkInPages.reaches(start) {
                let page = try await loadCheckIns(known.checkInPages.next)
                known.checkIns += page.items
                known.checkInPages.read(to: page.next, page.items.last?.occurredAt)
            }
            for _ in 0..<Self.pagesPerLoad where !known.alertPages.reaches(start) {
                let page = try await loadAlerts(known.alertPages.next)
                known.alerts += page.items.filter { $0.userId == user?.description }
                known.alertPages.read(to: page.next, page.items.last?.startTime)
            }
            return known
        }

        /// Returns the time since which all check-ins and alerts are loaded.
        public func since(in zone: TimeZone) -> Date {
            guard checkInPages.isRead, alertPages.isRead else { return .distantFuture }
            let oldest = checkInPages.oldest ?? .distantFuture
            let checkIns =
                checkInPages.next == nil && checkInPages.oldest != nil
                ? CheckInMonth.startOfDay(oldest, in: zone) : oldest
            let alerts = alertPages.oldest ?? .distantFuture
            return alertPages.next == nil ? checkIns : max(checkIns, alerts)
        }
    }
}

extension CheckInMonthFeature.State {
    fileprivate var start: Date { month.start(in: zone) }

    var isCovered: Bool { known.reaches(start) }

    public var hasNext: Bool { month < latest }

    /// False if the history begins in this month, or a year before the last one.
    public var hasPrevious: Bool {
        let isAtBeginning =
            known.checkInPages.isRead && known.checkInPages.next == nil
            && (known.checkInPages.oldest ?? .distantFuture) >= start
        let age = (latest.year - month.year) * 12 + latest.month - month.month
        return !isAtBeginning && age < 12
    }

    /// True if one load could not read the whole month.
    public var canLoadMore: Bool { !isLoading && !isCovered }

    /// - Parameters:
    ///   - knownUntil: the age of the local copy; nil while the server is reachable.
    public func calendar(
        pause: CheckInPause?, knownUntil: Date? = nil, at now: Date
    ) -> CheckInMonth {
        CheckInMonth(
            month, checkIns: known.checkIns, alerts: known.alerts, pause: pause,
            knownSince: known.since(in: zone), knownUntil: knownUntil, in: zone, at: now)
    }
}
