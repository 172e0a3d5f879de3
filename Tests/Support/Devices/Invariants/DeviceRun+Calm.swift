import API
import ClientsLive
import Domain
import Features
import Foundation

/// `once` and `calm`: looked at when everybody has had a good network for a while.
extension DeviceRun {
    func lookAtTheEnd() async throws {
        for person in devices.indices {
            let device = devices[person]
            guard let me = device.userID, let truth = try await server.truth(of: me) else {
                continue
            }
            guard let tabs = device.tabs else {
                note(
                    "calm", "\(device.name) is not at the tabs: \(device.state.errors.map(\.code))")
                continue
            }
            let presses = record.withLock { $0.presses[person] ?? [] }
            lookAtPresses(device, truth, presses)
            lookAtEdits(device, tabs, truth, presses)
            lookAtRest(device)
            try await compare(person, tabs)
        }
    }

    // MARK: once

    private func lookAtPresses(_ device: Device, _ truth: DeviceTruth, _ presses: [Press]) {
        func fail(_ words: String) { note("once", "\(device.name): \(words)") }
        let manual = truth.alerts.filter(\.isManual)
        let raised = presses.filter { $0.kind == .raise }
        if manual.count != raised.count {
            fail("\(raised.count) alerts raised, \(manual.count) at the server")
        }
        for press in raised where manual.count(where: { $0.start == press.moment }) != 1 {
            let starts = manual.map { $0.start.since(press.moment) / .seconds(1) }.sorted {
                abs($0) < abs($1)
            }
            fail(
                """
                no alert began at \(seconds(press)); the next one \(starts.first ?? .infinity) s \
                later
                """
            )
        }
        let last = presses.last { $0.kind == .raise || $0.kind == .end }
        if let last, (truth.openAlert != nil) != (last.kind == .raise) {
            fail("\(last.kind) came last, at \(seconds(last)); open is \(truth.openAlert as Any)")
        }
        for press in presses {
            switch press.kind {
            case .checkIn:
                let count = truth.checkIns.count { $0 == press.moment }
                if count != 1 { fail("the check-in of \(seconds(press)) is there \(count) times") }
            case .ping(let other):
                let isThere = truth.pings.contains {
                    $0.dependent == other
                        && ($0.createdAt >= press.moment
                            || ($0.settledAt ?? .distantFuture) >= press.moment)
                }
                if !isThere, !device.hasSaidNo { fail("the ping of \(seconds(press)) never came") }
            default: break
            }
        }
        let pings = Dictionary(grouping: truth.pings, by: \.dependent)
        for (other, pings) in pings
        where pings.count > presses.count(where: { $0.kind == .ping(other) }) {
            fail("\(pings.count) pings to one person, more than were pressed")
        }
    }

    private func lookAtEdits(
        _ device: Device, _ tabs: MainTabFeature.State, _ truth: DeviceTruth, _ presses: [Press]
    ) {
        for case .rename(let name) in presses.map(\.kind).reversed() {
            if truth.name != name {
                note("once", "\(device.name) is \(truth.name), and chose \(name)")
            }
            break
        }
        for case .interval(let interval) in presses.map(\.kind).reversed() {
            if truth.interval != interval {
                note(
                    "once",
                    "\(device.name)'s interval is \(truth.interval) s, and chosen was \(interval)")
            }
            break
        }
    }

    private func seconds(_ press: Press) -> String {
        String(format: "%.3f", press.moment.since(DeviceServer.start) / .seconds(1))
    }

    // MARK: calm

    private func lookAtRest(_ device: Device) {
        let state = device.state
        guard let tabs = state.screen?.main else { return }
        func fail(_ words: String) { note("calm", "\(device.name): \(words)") }
        if !state.connectivity.isOnline { fail("offline on a good network") }
        if !state.connectivity.waiting.isEmpty {
            fail("\(state.connectivity.waiting.map(\.kind)) still wait")
        }
        let alert = tabs.home.alert
        if alert.isActivatingAlert || alert.isDeactivatingAlert {
            fail("an alert is still under way")
        }
        if alert.isWaitingToBeSent { fail("an alert is shown as waiting") }
        if tabs.home.checkIn.isCheckingIn || tabs.home.checkIn.isWaitingToBeSent {
            fail("a check-in is shown as waiting")
        }
        if tabs.home.checkIn.isSavingSettings || tabs.home.checkIn.areSettingsWaiting {
            fail("settings are shown as waiting")
        }
        for (tab, ping) in [
            ("dependents", tabs.dependents.ping), ("responders", tabs.responders.ping),
        ] {
            if !ping.inFlight.isEmpty { fail("\(tab): a ping is still under way") }
            if !ping.waitingToBeSent.isEmpty { fail("\(tab): a ping is shown as waiting") }
        }
        for details in [tabs.dependents.contactDetails, tabs.responders.contactDetails]
        where details.isSheetPresented && (details.isBusy || details.isWaitingToBeSent) {
            fail("a role change is shown as waiting")
        }
        if !tabs.notifications.inFlight.isEmpty || tabs.notifications.isChangingAll {
            fail("a notification is under way")
        }
        if tabs.profile.isLoading || tabs.profile.isWaitingToBeSent {
            fail("a profile edit is shown as waiting")
        }
        if tabs.dependents.dependentAlert?.isBusy == true { fail("a response is under way") }
    }

    /// A tab that has been on the screen for some seconds.
    func lookAt(_ tab: MainTabFeature.Tab, _ person: Int) async {
        let device = devices[person]
        guard let tabs = device.tabs, tabs.selectedTab == tab,
            let known = try? await observers[person].call(Routes.pings, query: ["limit": "100"])
                .items
        else { return }
        let pending = Set(known.filter { $0.state == .pending }.map(\.id))
        let shown: PingFeature.State
        switch tab {
        case .responders: shown = tabs.responders.ping
        case .dependents: shown = tabs.dependents.ping
        case .home, .profile: return
        }
        if Set(shown.pendingPings.map(\.id)) != pending {
            let expected = known.filter {
                shown.pendingPings.map(\.id).contains($0.id) || $0.state == .pending
            }
            note(
                "calm",
                """
                \(device.name): other pings among \(tab.rawValue): shown \(shown.pendingPings), \
                known \(expected)
                """
            )
        }
    }

    private func compare(_ person: Int, _ tabs: MainTabFeature.State) async throws {
        let (device, server) = (devices[person], observers[person])
        func fail(_ words: String) { note("calm", "\(device.name): \(words)") }
        let profile = try await server.call(Routes.profile)
        let home = tabs.home.checkIn
        if home.lastCheckInTime != profile.lastCheckInTime {
            fail(
                """
                last check-in shown \(home.lastCheckInTime as Any), known \
                \(profile.lastCheckInTime as Any)
                """
            )
        }
        if home.nextCheckInTime != profile.nextCheckInTime { fail("another deadline") }
        if home.checkInInterval != profile.settings.interval { fail("another interval") }
        if tabs.profile.name != profile.name {
            fail("shown is \(tabs.profile.name), known \(profile.name)")
        }
        let alerts = try await server.call(Routes.alerts, query: ["limit": "100"]).items
        let own = alerts.first { $0.isActive && $0.kind == .manual && $0.userId == "\(profile.id)" }
        if tabs.home.alert.isAlertActive != (own != nil) {
            fail("own alert shown \(tabs.home.alert.isAlertActive)")
        }
        if let own, tabs.home.alert.alertStartTime != own.startTime {
            fail("another start of the alert")
        }
        let contacts = try await server.call(Routes.contacts).items.sorted {
            "\($0.id)" < "\($1.id)"
        }
        for (tab, shown) in [
            ("dependents", tabs.dependents.contacts), ("responders", tabs.responders.contacts),
        ] {
            let shown = shown.contacts.elements.sorted { "\($0.id)" < "\($1.id)" }
            if shown != contacts { fail("other \(tab):\n    \(difference(shown, contacts))") }
        }
        let told = try await server.call(Routes.notifications, query: ["limit": "100"]).items.sorted
        { "\($0.id)" < "\($1.id)" }
        let shown = tabs.notifications.notifications.elements.sorted { "\($0.id)" < "\($1.id)" }
        // Word of the newest may be on its way.
        if shown.map(\.id).prefix(100) != told.map(\.id).prefix(100), told.count < 100 {
            fail("\(shown.count) notifications shown, \(told.count) at the server")
        } else if told.count < 100,
            shown.map({ $0.readAt == nil }) != told.map({ $0.readAt == nil })
        {
            let differing = zip(shown, told).filter { ($0.readAt == nil) != ($1.readAt == nil) }
            fail("other unread notifications: \(differing.map { "shown \($0), known \($1)" })")
        }
    }

    private func difference<Item: Equatable>(_ shown: [Item], _ known: [Item]) -> String {
        let pairs = zip(shown, known).filter { $0 != $1 }
        guard let pair = pairs.first else { return "\(shown.count) shown, \(known.count) known" }
        return "shown \(pair.0)\n    known \(pair.1)"
    }
}
