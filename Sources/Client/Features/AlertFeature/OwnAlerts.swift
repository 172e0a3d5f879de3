import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Follows the user's own alerts, which other devices and the server change, too.
struct OwnAlerts: Reducer {
    typealias State = AlertFeature.State
    typealias Action = AlertFeature.Action
    private typealias CancelID = AlertFeature.CancelID
    private typealias AlertStatus = AlertFeature.AlertStatus

    @Dependency(\.alertClient) private var alertClient
    @Dependency(\.authClient) private var authClient
    @Dependency(\.continuousClock) private var clock
    @Dependency(\.settingsClient) private var settingsClient

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .onAppear:
            state.timesShown += 1
            state.error = nil
            return loadStatusAndHistory(&state)
        case .loadAlertStatus:
            return loadStatus()
        case .sessionKnown(let session, let readEnd):
            (state.ownSession, state.readEnd) = (session, readEnd)
            return .none
        case .resumeButtonTapped(let id):
            return resume(id, &state)
        case .resumeResponse(let result):
            return resumed(result, &state)
        case .endElsewhereRead:
            return markEndRead(&state)
        case .signOutElsewhereButtonTapped:
            guard let end = state.endElsewhere else { return .none }
            state.confirmationAlert = .signOut(end)
            return .none
        case .signOutElsewhereConfirmed,
            .confirmationAlert(.presented(.signOutElsewhereConfirmed)):
            return signOutElsewhere(&state)
        case .signOutElsewhereResponse(let session, let error):
            guard state.endElsewhere?.session == session else { return .none }
            state.endElsewhere?.isSessionEnded = error == nil
            state.error = error?.text
            return .none
        case .loadAlertHistory:
            return loadHistory(&state)
        case .loadMoreAlertHistory:
            guard let next = state.nextHistoryPage, !state.isLoadingHistory else { return .none }
            state.isLoadingMore = true
            return loadHistory(before: next, &state)
        case .alertHistoryResponse(.success(let page)):
            (state.isLoadingHistory, state.isLoadingMore) = (false, false)
            state.show(page)
            return .none
        case .alertHistoryResponse(.failure(let error)):
            (state.isLoadingHistory, state.isLoadingMore) = (false, false)
            state.error = error.text
            return .none
        case .loadAlertDetails(let id):
            if AlertID(id) != nil { state.error = nil }
            return loadDetails(id, &state)
        case .alertDetailsResponse(.success(let alert)):
            state.keepInHistory(alert)
            return .none
        case .alertStatusResponse(.failure(let error)), .alertDetailsResponse(.failure(let error)):
            state.error = error.text
            return .none
        // Handled by `AlertFeature` or `AlertCall`.
        case .onDisappear, .startStream, .stopStream, .triggerChanged, .alertButtonTapped,
            .alertActivationConfirmed, .setActivationProgress, .alertActivationResponse,
            .alertDeactivationButtonTapped, .alertDeactivationConfirmed, .holdBegan, .holdEnded,
            .alertDeactivationProgressChanged, .alertDeactivationResponse,
            .alertStatusResponse(.success), .alertsUpdated, .connectivityChanged,
            .raiseAgainButtonTapped, .raiseAgainConfirmed, .timerTick, .endedWordsDismissed,
            .appBecameActive, .appBecameInactive, .confirmationAlert, .addResponderButtonTapped,
            .setError, .dismissError, .delegate:
            return .none
        }
    }

    func follow() -> Effect<Action> {
        .run { [alertClient, authClient, settingsClient] send in
            guard let signedIn = await authClient.session() else { return }
            if let session = signedIn.sessionID {
                let read = await settingsClient.string(key: .readAlertEnd).flatMap(Int64.init)
                await send(.sessionKnown(session, readEnd: read.map(Date.init(milliseconds:))))
            }
            for await alerts in alertClient.alertsStream() {
                await send(.alertsUpdated(alerts.filter { $0.isOf(signedIn.userID) }))
            }
        }
        .cancellable(id: CancelID.stream, cancelInFlight: true)
    }

    func loadStatus() -> Effect<Action> {
        .run { [alertClient, authClient] send in
            guard let me = await authClient.session()?.userID else { return }
            await send(
                .alertStatusResponse(
                    .userFacing {
                        let page = try await alertClient.history(before: nil)
                        return AlertStatus(
                            alerts: page.items.filter { $0.isOf(me) }, isComplete: page.next == nil)
                    }))
        }
        .cancellable(id: CancelID.status, cancelInFlight: true)
    }

    private func resume(_ id: AlertRecord.ID, _ state: inout State) -> Effect<Action> {
        guard state.resumingAlert == nil, let alertID = AlertID(id) else { return .none }
        state.resumingAlert = id
        state.error = nil
        return .run { [alertClient] send in
            await send(.resumeResponse(.userFacing { try await alertClient.resume(id: alertID) }))
        }
    }

    private func resumed(
        _ result: Result<AlertRecord, UserFacingError>, _ state: inout State
    ) -> Effect<Action> {
        state.resumingAlert = nil
        switch result {
        case .success(let alert):
            state.keepInHistory(alert)
            if state.missedCheckIn?.id == alert.id { state.missedCheckIn = alert }
            if state.overdueJourney?.id == alert.id { state.overdueJourney = alert }
        case .failure(let error):
            state.error = error.text
        }
        return .none
    }

    /// Stores on this device that the person has read about the end. Reopening the app doesn't show
    /// the end a second time.
    private func markEndRead(_ state: inout State) -> Effect<Action> {
        guard let end = state.endElsewhere else { return .none }
        state.endElsewhere = nil
        state.readEnd = end.time
        return .run { [settingsClient] _ in
            await settingsClient.setString(value: "\(end.time.milliseconds)", key: .readAlertEnd)
        }
    }

    private func signOutElsewhere(_ state: inout State) -> Effect<Action> {
        guard let session = state.endElsewhere?.session else { return .none }
        state.error = nil
        return .run { [authClient] send in
            do {
                try await authClient.endSession(id: session)
                await send(.signOutElsewhereResponse(session, nil))
            } catch {
                let error = UserFacingError(catching: error)
                // The session has already ended, as the person wanted.
                await send(
                    .signOutElsewhereResponse(session, error.has(.notFound) ? nil : error))
            }
        }
    }

    /// Loads the open alert and the first page of the history with one request.
    private func loadStatusAndHistory(_ state: inout State) -> Effect<Action> {
        // The first page replaces a later page that is loading.
        (state.isLoadingHistory, state.isLoadingMore) = (true, false)
        return .run { [alertClient, authClient] send in
            guard let me = await authClient.session()?.userID else {
                // Without a session, there is nothing to load.
                return await send(.alertHistoryResponse(.success(.none)))
            }
            let first = await Result.userFacing { try await alertClient.history(before: nil) }
            await send(
                .alertStatusResponse(
                    first.map { page in
                        AlertStatus(
                            alerts: page.items.filter { $0.isOf(me) }, isComplete: page.next == nil)
                    }))
            await send(
                .alertHistoryResponse(
                    .userFacing { try await ownAlerts(of: me, in: try first.get(), isFirst: true) })
            )
        }
        .cancellable(id: CancelID.history, cancelInFlight: true)
    }

    /// Handles changed alerts. Answers in flight may be older than the change and would undo it. So
    /// this repeats the loads of the newest alerts and of the deliveries, and cancels the load of
    /// the status. A later page has only older alerts, so its load continues.
    func loadAgain(after known: [AlertRecord], _ state: inout State) -> Effect<Action> {
        let present = state.knownAlerts
        let changed = known.filter { alert in
            present.contains { $0.id == alert.id && $0.withoutDetails != alert.withoutDetails }
        }
        guard !changed.isEmpty else { return .none }
        // An inactive app loads the deliveries when it becomes active.
        let followed = state.isAppActive ? changed.first { $0.id == state.followedAlert } : nil
        return .merge(
            .cancel(id: CancelID.status),
            state.isLoadingHistory && !state.isLoadingMore ? loadStatusAndHistory(&state) : .none,
            followed.map { loadDetails($0.id, &state) } ?? .none)
    }

    /// Skips pages that contain only alerts of dependents. After ten such pages the person decides
    /// whether to continue.
    private func ownAlerts(
        of me: UserID?, in first: ListPage<AlertRecord>, isFirst: Bool
    ) async throws -> HistoryPage<AlertRecord> {
        var (page, pages) = (first, 1)
        while !page.items.contains(where: { $0.isOf(me) }), let next = page.next, pages < 10 {
            page = try await alertClient.history(before: next)
            pages += 1
        }
        return HistoryPage(
            items: page.items.filter { $0.isOf(me) }, next: page.next, isFirst: isFirst)
    }

    private func loadHistory(before: String? = nil, _ state: inout State) -> Effect<Action> {
        guard !state.isLoadingHistory else { return .none }
        state.isLoadingHistory = true
        state.error = nil
        return .run { [alertClient, authClient] send in
            let me = await authClient.session()?.userID
            await send(
                .alertHistoryResponse(
                    .userFacing {
                        let page = try await alertClient.history(before: before)
                        return try await ownAlerts(of: me, in: page, isFirst: before == nil)
                    }))
        }
        .cancellable(id: CancelID.history, cancelInFlight: true)
    }

    /// Loads the deliveries repeatedly while the screen is shown. The owner gets no event when
    /// messages are sent, arrive or fail.
    func loadDetails(_ id: AlertRecord.ID, _ state: inout State) -> Effect<Action> {
        guard let alertID = AlertID(id) else { return .none }
        let isFollowed = state.timesShown > 0
        if isFollowed { state.followedAlert = id }
        return .run { [alertClient, clock] send in
            let first = await Result.userFacing { try await alertClient.alert(id: alertID) }
            await send(.alertDetailsResponse(first))
            var isOpen = (try? first.get())?.isActive ?? true
            while isFollowed {
                try await clock.sleep(for: isOpen ? .seconds(5) : .seconds(30))
                // While the device is offline, the last known state stays.
                guard let alert = try? await alertClient.alert(id: alertID) else { continue }
                isOpen = alert.isActive
                await send(.alertDetailsResponse(.success(alert)))
            }
        }
        .cancellable(id: CancelID.details, cancelInFlight: true)
    }
}

extension AlertRecord {
    /// Returns true for the user's own alerts. The client's lists also include those of dependents.
    fileprivate func isOf(_ user: UserID?) -> Bool {
        user.map { userId == $0.description } ?? false
    }
}
