import API
import ClientsLive
import Domain
import Features
import Foundation

extension DeviceRun {
    func edit(_ act: Act, _ device: Device, _ tabs: MainTabFeature.State) async {
        switch act {
        case .rename:
            guard !tabs.profile.isLoading else { return }
            let name = "\(Self.name(of: device.person)) \(Int(draw(0..<1_000)))"
            await device.go(to: .profile)
            await device.send(tabs: .profile(.editButtonTapped))
            await device.send(tabs: .profile(.editingNameChanged(name)))
            await device.send(tabs: .profile(.editingDescriptionChanged("Note of \(name)")))
            guard device.tabs?.profile.canSaveProfile == true else { return }
            press(device, .rename(name))
            await device.send(tabs: .profile(.saveButtonTapped))
        case .mute:
            await device.send(tabs: .notifications(.onAppear))
            // The screen shows the stored choice only once it has loaded.
            _ = await device.shows(within: .seconds(5)) { _ in false }
            guard let preferences = device.tabs?.notifications.preferences,
                preferences.canMute, let type = preferences.mutableTypes.first
            else { return }
            await device.send(tabs: .notifications(.preferences(.muteToggled(type))))
            guard device.tabs?.notifications.preferences.isLoading == true else { return }
            press(device, .mute(preferences.preferences.muted.symmetricDifference([type])))
            mark(.muted)
        default:
            guard !tabs.home.checkIn.isSavingSettings else { return }
            let hours = draw([8, 16, 24, 48, 72])
            await device.go(to: .home)
            await device.send(tabs: .home(.checkIn(.scheduleButtonTapped)))
            func send(_ action: ScheduleFeature.Action) async {
                await device.send(tabs: .home(.checkIn(.schedule(action))))
            }
            await send(.intervalPresetTapped(.seconds(hours * 3_600)))
            guard device.tabs?.home.checkIn.canSaveSchedule == true else { return }
            // The form sends the interval only if it differs from the present one.
            if device.tabs?.home.checkIn.scheduleSheet?.changes.contains(.plan) == true {
                press(device, .interval(hours * 3_600))
            }
            await send(.saveTapped)
            if device.tabs?.home.checkIn.scheduleSheet?.question != nil {
                await send(.questionAnswered(yes: true))
            }
        }
    }

    func tidy(_ act: Act, _ device: Device, _ tabs: MainTabFeature.State) async {
        let centre = tabs.notifications
        if act == .lookAtCentre {
            await device.send(tabs: .notificationCentreButtonTapped)
            await device.send(tabs: .notifications(.onAppear))
            await device.send(tabs: .notifications(.refreshPulled))
            if let some = centre.notifications.last {
                await device.send(tabs: .notifications(.notificationTapped(some.id)))
            }
            await device.send(tabs: .notifications(.loadEarlierButtonTapped))
            await device.send(tabs: .notifications(.onDisappear))
            return await device.send(tabs: .notificationCentreDismissed)
        }
        guard
            let some = centre.notifications.elements.last(where: {
                !centre.inFlight.contains($0.id)
            }),
            !centre.isChangingAll
        else { return }
        switch act {
        case .readOne:
            press(device, .read(some.id))
            await device.send(tabs: .notifications(.markAsReadButtonTapped(some.id)))
        case .deleteOne:
            press(device, .delete(some.id))
            await device.send(tabs: .notifications(.deleteButtonTapped(some.id)))
            await device.send(
                tabs: .notifications(.confirmDelete(.presented(.deleteConfirmed(some.id)))))
        case .readAll:
            tell("\(device.name) reads all")
            await device.send(tabs: .notifications(.markAllAsReadButtonTapped))
        default:
            tell("\(device.name) deletes all")
            await device.send(tabs: .notifications(.deleteAllButtonTapped))
            guard device.tabs?.notifications.confirmDelete != nil else { return }
            await device.send(tabs: .notifications(.confirmDelete(.presented(.deleteAllConfirmed))))
        }
    }

    func useTheRest(_ act: Act, _ device: Device, _ tabs: MainTabFeature.State) async throws {
        switch act {
        case .drill: await drill(device, tabs.responders.drill)
        case .endSession: try await endSession(device)
        default:
            tell("\(device.name) looks at the settings")
            await openSettings(device)
            await device.send(settings: .exportButtonTapped)
            await device.send(settings: .alertTriggerChosen(draw(AlertTrigger.allCases)))
            // The runs raise alerts with four presses.
            await device.send(settings: .alertTriggerChosen(.fourPresses))
            _ = await device.shows(within: .seconds(30)) {
                $0.screen?.main?.profile.settings?.isExporting != true
            }
            await closeSettings(device)
            await device.send(tabs: .profile(.emailButtonTapped))
            await device.send(tabs: .profile(.destination(.presented(.emailAddress(.onAppear)))))
            try await clock.sleep(for: .seconds(1))
            await device.send(tabs: .profile(.destination(.dismiss)))
        }
    }

    func openSettings(_ device: Device) async {
        await device.go(to: .profile)
        await device.send(tabs: .profile(.settingsButtonTapped))
        await device.send(settings: .onAppear)
        await device.send(settings: .blocked(.onAppear))
        _ = await device.shows(within: .seconds(15)) {
            guard let settings = $0.screen?.main?.profile.settings else { return true }
            return !settings.isLoading && settings.blocked.people != nil
        }
    }

    func closeSettings(_ device: Device) async {
        await device.send(settings: .blocked(.onDisappear))
        await device.send(settings: .onDisappear)
        await device.send(tabs: .profile(.destination(.dismiss)))
    }

    private func drill(_ device: Device, _ drill: DrillFeature.State) async {
        await device.go(to: .responders)
        await device.send(tabs: .responders(.drill(.onAppear)))
        try? await clock.sleep(for: .seconds(2))
        if let question = device.tabs?.responders.drill.questions.first {
            tell("\(device.name) answers a drill")
            await device.send(tabs: .responders(.drill(.answerButtonTapped(question.id))))
            let isAnswered = await device.shows(within: .seconds(30)) {
                $0.screen?.main?.responders.drill.answering.isEmpty != false
            }
            if isAnswered, device.tabs?.responders.drill.error == nil { mark(.drillAnswered) }
        } else if device.tabs?.responders.drill.isRunning == true {
            await device.send(tabs: .responders(.drill(.stopButtonTapped)))
        } else {
            tell("\(device.name) starts a drill")
            await device.send(tabs: .responders(.drill(.startButtonTapped)))
            guard device.tabs?.responders.drill.confirmation != nil else { return }
            await device.send(
                tabs: .responders(.drill(.confirmation(.presented(.startConfirmed)))))
            if await device.shows(
                within: .seconds(30), { $0.screen?.main?.responders.drill.isRunning == true })
            {
                mark(.drillStarted)
            }
        }
    }
}
