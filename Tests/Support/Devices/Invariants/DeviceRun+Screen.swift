import Clients
import Domain
import Features
import Foundation

/// `screen`: looked at whenever something has changed and everything has come to rest.
///
/// Each person has one phone that acts, so of their own alert, check-ins and pings the screen can
/// always know what the server knows, however bad the network is, or that it does not know.
extension DeviceRun {
    func look() async {
        guard
            record.withLock({ record in
                defer { record.isLooking = true }
                return !record.isLooking
            })
        else { return }
        defer { record.withLock { $0.isLooking = false } }
        record.withLock { $0.looks += 1 }
        for person in devices.indices {
            let device = devices[person]
            guard device.hasAppeared, let tabs = device.tabs, let me = device.userID,
                let truth = try? await server.truth(of: me)
            else { continue }
            let presses = record.withLock { $0.presses[person] ?? [] }
            let connectivity = device.state.connectivity
            lookAtAlert(device, tabs.home.alert, truth, presses)
            if tabs.selectedTab == .home {
                lookAtCheckIn(device, tabs.home.checkIn, connectivity, truth, presses)
            }
            if tabs.selectedTab == .dependents { lookAtPings(device, tabs, truth) }
        }
    }

    private func lookAtAlert(
        _ device: Device, _ alert: AlertFeature.State, _ truth: DeviceTruth, _ presses: [Press]
    ) {
        let isUnderWay =
            alert.isActivatingAlert || alert.isDeactivatingAlert || alert.isWaitingToBeSent
            || device.state.connectivity.unsentAlert != nil
        guard !isUnderWay, device.state.connectivity.lastSynced != nil else { return }
        if alert.isAlertActive, truth.openAlert == nil {
            note("screen", "\(device.name)'s screen says that the alert is on; the server has none")
        }
        let isOpen = truth.openAlert != nil
        if !alert.isAlertActive, isOpen {
            note("screen", "\(device.name)'s alert is open; the screen says nothing of it")
        }
        let raised = presses.count { $0.kind == .raise }
        if !alert.isAlertActive, raised > truth.alerts.count(where: \.isManual) {
            note("screen", "\(device.name) raised an alert; neither server nor screen know of it")
        }
    }

    private func lookAtCheckIn(
        _ device: Device, _ checkIn: CheckInFeature.State, _ connectivity: Connectivity,
        _ truth: DeviceTruth, _ presses: [Press]
    ) {
        if let shown = checkIn.lastCheckInTime, shown > truth.lastCheckIn ?? .distantPast {
            note("screen", "\(device.name)'s screen shows a check-in that the server does not know")
        }
        if let confirmed = checkIn.confirmation, !truth.checkIns.contains(confirmed.occurredAt) {
            note(
                "screen",
                "\(device.name)'s screen confirms a check-in that the server does not know")
        }
        guard !checkIn.isCheckingIn, !checkIn.isWaitingToBeSent, checkIn.error == nil,
            !connectivity.waiting.contains(where: { $0.kind == .checkIn })
        else { return }
        if let last = presses.last(where: { $0.kind == .checkIn }),
            !truth.checkIns.contains(last.moment)
        {
            note(
                "screen",
                "\(device.name)'s check-in is not at the server, and the screen does not say so")
        }
    }

    private func lookAtPings(_ device: Device, _ tabs: MainTabFeature.State, _ truth: DeviceTruth) {
        for contact in tabs.dependents.contacts.contacts {
            guard let pingedAt = contact.pingedAt else { continue }
            // Known by the server at some time: it may have been answered since.
            let isKnown = truth.pings.contains {
                $0.dependent == contact.id && ($0.isPending || $0.createdAt >= pingedAt)
            }
            let ping = tabs.dependents.ping
            let isSaid = ping.isWaitingToBeSent(contact.id) || ping.isInFlight(.ping(contact.id))
            if !isKnown, !isSaid {
                note(
                    "screen",
                    "\(device.name)'s screen shows a ping to \(contact.name) as sent that was not")
            }
        }
    }
}
