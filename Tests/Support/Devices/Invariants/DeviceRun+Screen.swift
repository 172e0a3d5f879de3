import Clients
import Domain
import Features
import Foundation

/// Checks the invariant `screen` after each change, once no task has work left.
///
/// A person's only phone always shows what the server knows of their own alert, check-ins and
/// pings. If the phone can't know it, the screen must say so.
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
        for device in devices {
            guard device.hasAppeared, let tabs = device.tabs, let me = device.userID,
                let truth = try? await server.truth(of: me)
            else { continue }
            trace("\(device.number) \(summary(of: tabs))")
            let presses = record.withLock { $0.presses[device.person] ?? [] }
            let connectivity = device.state.connectivity
            if isUpToDate(device, presses) {
                lookAtAlert(device, tabs.home.alert, truth, presses)
            }
            if tabs.selectedTab == .home {
                lookAtCheckIn(
                    device, tabs.home.checkIn, connectivity, truth,
                    presses.filter { $0.phone == device.number })
            }
            if tabs.selectedTab == .dependents { lookAtPings(device, tabs, truth) }
        }
    }

    /// Returns whether a phone must know what the person's other phone has done: after some time on
    /// a good network.
    private func isUpToDate(_ device: Device, _ presses: [Press]) -> Bool {
        guard phones(of: device.person).count > 1 else { return true }
        let since = record.withLock { $0.goodSince[device.number] }
        guard let since, Scheduler.shared.now - since > .seconds(90) else { return false }
        // Another phone of the person may have something to send.
        return phones(of: device.person).allSatisfy { phone in
            phone.state.connectivity.waiting.isEmpty
                && DeviceServer.now().since(phone.lastIdle) < .seconds(1)
        } && presses.allSatisfy { DeviceServer.now().since($0.moment) > .seconds(90) }
    }

    private func summary(of tabs: MainTabFeature.State) -> String {
        func word(_ isSo: Bool?) -> String { isSo.map { $0 ? "1" : "0" } ?? "-" }
        func time(_ date: Date?) -> String { date.map { "\($0.milliseconds)" } ?? "-" }
        let alert = tabs.home.alert
        let contacts = tabs.dependents.contacts.contacts.map {
            word($0.isResponder) + word($0.isDependent) + word($0.hasPendingPing)
                + time($0.pingedAt) + ($0.watch?.status.rawValue ?? "")
        }
        return [
            word(alert.isAlertActive), word(alert.isWaitingToBeSent),
            time(tabs.home.checkIn.lastCheckInTime), word(tabs.home.checkIn.isWaitingToBeSent),
            contacts.joined(separator: ","), "\(tabs.notifications.notifications.count)",
            "\(tabs.notifications.unreadCount)", tabs.profile.name,
            word(tabs.dependents.dependentAlert?.isMine),
        ].joined(separator: " ")
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
        let raised = presses.count { $0.kind == .raise && $0.isMeant }
        let hasOnePhone = phones(of: device.person).count == 1
        if hasOnePhone, !alert.isAlertActive, raised > truth.alerts.count(where: \.isManual) {
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
        if let last = presses.last(where: { $0.kind == .checkIn && $0.isMeant }), last.isExact,
            !truth.checkIns.contains(where: last.mayBe)
        {
            note(
                "screen",
                "\(device.name)'s check-in of \(last.moment) is not at the server, which has "
                    + "\(truth.checkIns), and the screen does not say so")
        }
    }

    private func lookAtPings(_ device: Device, _ tabs: MainTabFeature.State, _ truth: DeviceTruth) {
        for contact in tabs.dependents.contacts.contacts {
            guard let pingedAt = contact.pingedAt else { continue }
            // The server must have known the ping at some time. The dependent may have answered
            // since.
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
