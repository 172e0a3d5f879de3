import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The sheet of the user's schedule, and the question whether to use another time zone.
struct OwnSchedule: Reducer {
    typealias State = CheckInFeature.State
    typealias Action = CheckInFeature.Action

    @Dependency(\.checkInClient) private var checkInClient
    @Dependency(\.settingsClient) private var settingsClient

    private let following = CheckInFollowing()

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .scheduleButtonTapped:
            guard !state.isSavingSettings else { return .none }
            state.error = nil
            state.isScheduleSaved = false
            state.scheduleSheet = ScheduleFeature.State(
                state.present, timeZone: state.pause.timeZone, at: following.serverNow)
            return .none

        case .schedule(.delegate(.save(let settings))):
            return save(settings, only: state.scheduleSheet?.changes, &state)

        case .timeZoneDiffers(let zone):
            state.newTimeZone = zone
            return .none

        case .timeZoneAnswered(let usesNew):
            guard let zone = state.newTimeZone, !state.isSavingSettings else { return .none }
            state.newTimeZone = nil
            guard usesNew, state.settings.plan.timeZone != nil else { return .none }
            let form = ScheduleFeature.State(state.present, movedTo: zone, at: following.serverNow)
            if form.question == nil {
                return save(form.settings, only: form.changes, &state)
            }
            state.scheduleSheet = form
            return .none

        case .sheetDismissed:
            state.scheduleSheet = nil
            return .none

        case .scheduleSavedDismissed:
            state.isScheduleSaved = false
            return .none

        case .settingsResponse(let result, let settings):
            return settingsSaved(result, settings, &state)

        default:
            return .none
        }
    }

    private func save(
        _ settings: CheckInSettings, only changes: Set<CheckInSettings.Part>?, _ state: inout State
    ) -> Effect<Action> {
        guard !state.isSavingSettings else { return .none }
        // Another device may have changed the rest while the form was open.
        let settings = settings.merged(changes, into: state.settings)
        state.error = nil
        state.isSavingSettings = true
        return .run { [checkInClient] send in
            await send(
                .settingsResponse(
                    .userFacing {
                        try await checkInClient.updateSettings(settings: settings, only: changes)
                    },
                    settings))
        }
    }

    private func settingsSaved(
        _ result: Result<Submission<UserProfile>, UserFacingError>, _ settings: CheckInSettings,
        _ state: inout State
    ) -> Effect<Action> {
        state.isSavingSettings = false
        switch result {
        case .success(.confirmed(let profile)):
            state.areSettingsWaiting = false
            state.isScheduleSaved = true
            state.apply(profile)
        case .success(.waiting):
            // The deadline stays until the server sets a new one.
            state.areSettingsWaiting = true
            state.settings = settings
        case .failure(let error):
            state.error = error
            return .none
        }
        state.scheduleSheet = nil
        let isToObserve = state.areSettingsWaiting && !state.hasLeft
        return .merge(
            following.nextMoment(&state),
            isToObserve ? following.observeConnectivity() : .none)
    }

    /// Asks at most once a day. Only the answer changes the schedule's time zone.
    func compareTimeZones(_ state: inout State) -> Effect<Action> {
        let now = following.serverNow
        let own = state.settings.plan.timeZone.flatMap { ClockZone($0) }
        let device = state.pause.timeZone.flatMap { ClockZone($0) }
        let differs = own.flatMap { device?.differs(from: $0, at: now) } ?? false
        // An open question follows the device, and disappears once the clocks agree.
        if state.newTimeZone != nil { state.newTimeZone = differs ? device?.name : nil }
        guard let device, differs, state.newTimeZone == nil else { return .none }
        return .run { [settingsClient] send in
            let asked = await settingsClient.string(key: .timeZoneAsked).flatMap(Int64.init)
            if let asked, now.since(Date(milliseconds: asked)) < .days(1) { return }
            await settingsClient.setString(value: "\(now.milliseconds)", key: .timeZoneAsked)
            await send(.timeZoneDiffers(device.name))
        }
    }
}
