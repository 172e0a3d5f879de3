import Domain
import Features
import Foundation

extension DeviceRun {
    func respond(_ act: Act, _ device: Device, _ tabs: MainTabFeature.State) async {
        let inNeed = tabs.dependents.contacts.contacts.filter {
            $0.isDependent && $0.watch?.status != .active
        }
        guard !inNeed.isEmpty, let me = device.userID,
            let sheet = await openAlert(of: draw(Array(inNeed)), on: device),
            let alert = sheet.alertID
        else { return }
        let report = draw(AlertReport.allCases)
        let wish: (action: DependentAlertFeature.Action, kind: AlertAction.Kind, mark: Mark)
        switch act {
        case .acknowledge where sheet.canAcknowledge:
            wish = (.acknowledgeButtonTapped, .acknowledged, .acknowledged)
        case .decline where sheet.canDecline:
            wish = (.declineButtonTapped, .declined, .declined)
        case .withdraw where sheet.canWithdraw:
            wish = (.withdrawButtonTapped, .withdrew, .withdrew)
        case .report where sheet.canReport(report):
            wish = (.confirmation(.presented(.reportConfirmed(report))), report.action, .reported)
        case .resume where sheet.canResume:
            wish = (.resumeButtonTapped, .resumed, .resumed)
        default: return await leave(device)
        }
        tell("\(device.name) on the alert: \(wish.kind)")
        if case .confirmation = wish.action {
            await send(.reportButtonTapped(report), device)
        }
        await send(wish.action, device)
        // Sometimes the person closes the sheet before the answer arrives.
        guard draw([true, true, true, false]) else { return await leave(device) }
        let isAnswered = await device.shows(within: .seconds(120)) {
            $0.screen?.main?.dependents.dependentAlert?.isBusy != true
        }
        guard isAnswered, let sheet = device.tabs?.dependents.dependentAlert,
            sheet.alertID == alert, sheet.error == nil, !sheet.isOver
        else { return }
        mark(wish.mark)
        // The screen says that the act is done, so the server must have recorded it.
        let kinds: [AlertAction.Kind] =
            wish.kind == .acknowledged ? [.acknowledged, .confirmed] : [wish.kind]
        let acts = (try? await server.acts(of: me, on: alert)) ?? []
        if !acts.contains(where: { kinds.contains($0) }) {
            note(
                "screen",
                """
                \(device.name) was told that "\(wish.kind)" is done; the server has of them: \
                \(acts)
                """)
        }
        if draw([true, false]) { await leave(device) }
    }

    private func openAlert(
        of other: ContactData, on device: Device
    ) async -> DependentAlertFeature.State? {
        await device.go(to: .dependents)
        await device.send(tabs: .dependents(.alertTapped(other)))
        await send(.onAppear, device)
        _ = await device.shows(within: .seconds(10)) {
            guard let sheet = $0.screen?.main?.dependents.dependentAlert else { return true }
            return sheet.alert != nil && !sheet.isLoading
        }
        return device.tabs?.dependents.dependentAlert
    }

    private func send(_ action: DependentAlertFeature.Action, _ device: Device) async {
        guard device.tabs?.dependents.dependentAlert != nil else { return }
        await device.send(tabs: .dependents(.dependentAlert(.presented(action))))
    }

    private func leave(_ device: Device) async {
        guard device.tabs?.dependents.dependentAlert != nil else { return }
        await send(.onDisappear, device)
        await device.send(tabs: .dependents(.dependentAlert(.dismiss)))
    }
}
