import API
import ClientsLive
import Domain
import Features
import Foundation

/// Checks the invariants `once` and `calm`, after everyone has had a good network for a while.
extension DeviceRun {
    func lookAtTheEnd() async throws {
        for person in 0..<options.people {
            let phones = phones(of: person)
            guard let me = phones.first?.userID, let truth = try await server.truth(of: me) else {
                continue
            }
            let presses = record.withLock { $0.presses[person] ?? [] }
            lookAtPresses(phones, truth, presses)
            try await lookAtEdits(phones, truth, presses)
            for device in phones {
                guard let tabs = device.tabs else {
                    let words = device.state.errors.map(\.code)
                    note("calm", "\(device.name) is not at the tabs: \(words)")
                    continue
                }
                lookAtRest(device)
                try await compare(device, tabs)
            }
        }
    }

    // MARK: once

    private func lookAtPresses(_ phones: [Device], _ truth: DeviceTruth, _ presses: [Press]) {
        let name = phones[0].name
        func fail(_ words: String) { note("once", "\(name): \(words)") }
        lookAtAlerts(phones, truth, presses, fail)
        for press in presses where press.isMeant {
            let phone = devices[press.phone]
            switch press.kind {
            case .checkIn:
                let count = truth.checkIns.count { press.mayBe(at: $0) }
                if count != 1, press.isExact {
                    fail("the check-in of \(seconds(press)) is there \(count) times")
                }
            case .ping(let other):
                let isThere = truth.pings.contains {
                    $0.dependent == other
                        && ($0.createdAt >= press.moment
                            || ($0.settledAt ?? .distantFuture) >= press.moment)
                }
                // The end of a relation ends its pings.
                let isSure = truth.dependents[other].map { $0 <= press.moment } ?? false
                if !isThere, isSure, !phone.hasSaidNo(since: press.moment) {
                    fail("the ping of \(seconds(press)) never came")
                }
            default: break
            }
        }
        let pings = Dictionary(grouping: truth.pings, by: \.dependent)
        for (other, pings) in pings
        where pings.count > presses.count(where: { $0.kind == .ping(other) }) {
            fail("\(pings.count) pings to one person, more than were pressed")
        }
        let times = Dictionary(grouping: truth.checkIns) { $0 }
        for (time, checkIns) in times where checkIns.count > 1 {
            fail("\(checkIns.count) check-ins at \(time)")
        }
    }

    private func lookAtAlerts(
        _ phones: [Device], _ truth: DeviceTruth, _ presses: [Press], _ fail: (String) -> Void
    ) {
        let manual = truth.alerts.filter(\.isManual)
        let raised = presses.filter { $0.kind == .raise }
        let meant = raised.filter(\.isMeant)
        let hasOnePhone = phones.count == 1
        if manual.count > raised.count || hasOnePhone && manual.count < meant.count {
            fail(
                """
                \(raised.count) alerts raised, \(meant.count) of them for sure; \(manual.count) at \
                the server
                """)
        }
        for press in meant where hasOnePhone && press.isExact {
            guard manual.count(where: { press.mayBe(at: $0.start) }) != 1 else { continue }
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
        let own = presses.filter { $0.kind == .raise || $0.kind == .end }
        // If the person gave up the last press, it may or may not have taken effect.
        guard let last = own.last, last.isMeant else { return }
        let isOpen = truth.openAlert != nil
        // Another phone of the person may have raised a later alert.
        guard isOpen != (last.kind == .raise), hasOnePhone || last.kind == .raise else { return }
        fail("\(last.kind) came last, at \(seconds(last)); open is \(truth.openAlert as Any)")
    }

    private func lookAtEdits(
        _ phones: [Device], _ truth: DeviceTruth, _ presses: [Press]
    ) async throws {
        let preferences = try await observers[phones[0].person].call(Routes.preferences)
        for phone in phones {
            // If two phones make the same change, the one that reaches the server last wins, even
            // if it was pressed first.
            let own = presses.filter { $0.phone == phone.number || phones.count == 1 }
            let isSure = phones.count == 1 && own.allSatisfy(\.isMeant)
            func last<Value>(_ value: (Press.Kind) -> Value?) -> Value? {
                own.reversed().compactMap { value($0.kind) }.first
            }
            func check<Value: Equatable>(_ what: String, _ chosen: Value?, _ known: Value) {
                guard isSure, let chosen, chosen != known else { return }
                note("once", "\(phone.name): \(what) is \(known), and chosen was \(chosen)")
            }
            // A name is refused during the alert of somebody whom the person helps.
            let renaming = own.last(where: { if case .rename = $0.kind { true } else { false } })
            if let renaming, case .rename(let name) = renaming.kind,
                !phone.hasRefusedProfile(since: renaming.moment)
            {
                check("the name", name, truth.name)
            }
            check(
                "the interval", last { if case .interval(let time) = $0 { time } else { nil } },
                truth.interval)
            check(
                "what is muted", last { if case .mute(let types) = $0 { types } else { nil } },
                preferences.muted)
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

    /// Checks a tab that has been on the screen for some seconds.
    func lookAt(_ tab: MainTabFeature.Tab, _ device: Device) async {
        let observer = observers[device.person]
        guard let tabs = device.tabs, tabs.selectedTab == tab,
            let known = try? await observer.call(Routes.pings, query: ["limit": "100"])
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

    private func compare(_ device: Device, _ tabs: MainTabFeature.State) async throws {
        let server = observers[device.person]
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
        if home.settings != profile.settings { fail("another schedule") }
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
        // Most news of this device's acts is only for the other devices.
        let session = device.tokens.load()?.sessionID
        let newest = try await server.call(Routes.notifications, query: ["limit": "100"]).items
        let shownHere = newest.compactMap { item -> NotificationItem? in
            guard let session else { return item }
            return item.shown(to: session)
        }
        let told = shownHere.sorted { "\($0.id)" < "\($1.id)" }
        let shown = tabs.notifications.notifications.elements.sorted { "\($0.id)" < "\($1.id)" }
        guard phones(of: device.person).count == 1 else {
            // Notifications that the other phone read or deleted change here at the next load.
            if newest.count < 100, !Set(told.map(\.id)).isSubset(of: shown.map(\.id)) {
                fail("\(shown.count) notifications shown, \(told.count) at the server")
            }
            return
        }
        // The event about the newest notification may be in transit.
        if shown.map(\.id).prefix(100) != told.map(\.id).prefix(100), newest.count < 100 {
            let differing = Set(shown.map(\.id)).symmetricDifference(told.map(\.id))
            let items = (shown + told).filter { differing.contains($0.id) }.map {
                "\($0.id) \($0.title) at \($0.createdAt.since(DeviceServer.start) / .seconds(1)) s"
            }
            fail("\(shown.count) notifications shown, \(told.count) at the server: \(items)")
        } else if newest.count < 100,
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
