import Domain
import Features
import Foundation

extension DeviceRun {
    /// Performs an act, unless the person is in the middle of another act on this phone.
    func act(_ act: Act, on device: Device) async throws {
        guard record.withLock({ $0.busy.insert(device.number).inserted }) else { return }
        defer { record.withLock { _ = $0.busy.remove(device.number) } }
        record.withLock { $0.acts += 1 }
        try await perform(act, device)
    }

    private func perform(_ act: Act, _ device: Device) async throws {
        switch act {
        case .network: return set(device, to: draw(habits.networks))
        case .kill: return try await kill(device)
        case .loseEvents:
            tell("\(device.name) loses events")
            device.connection.loseEvents(Int(draw(1..<4))) { [self] in mark(.eventsLost) }
            return
        case .setClock: return setClock(device)
        default: break
        }
        guard let tabs = device.tabs else {
            // The session has ended, so the person signs in.
            if device.state.screen?.is(\.signedOut) == true
                || device.state.screen?.is(\.onboarding) == true
            {
                set(device, to: .good)
                try await arrive(device)
            }
            return
        }
        if device.state.unsentAlert != nil { return await answerAboutUnsentAlert(device) }
        switch act {
        case .checkIn, .raise, .end, .pressAgain: await pressAtHome(act, device, tabs.home)
        case .ping, .clear, .respond, .respondToAll: await pressAtOthers(act, device, tabs)
        case .acknowledge, .decline, .withdraw, .report, .resume:
            await respond(act, device, tabs)
        case .changeRoles, .answerRequest, .takeBackRequest, .remove, .block, .unblock, .meet,
            .order, .invite:
            try await changeContacts(act, device, tabs)
        case .rename, .changeInterval, .mute: await edit(act, device, tabs)
        case .lookAtSettings, .endSession, .drill: try await useTheRest(act, device, tabs)
        case .readOne, .readAll, .deleteOne, .deleteAll, .lookAtCentre:
            await tidy(act, device, tabs)
        case .changeTab: await device.go(to: draw(MainTabFeature.Tab.allCases))
        case .refresh: await refresh(device)
        case .suspend: await suspend(device)
        case .dismiss:
            await device.send(.dismissError)
            await device.send(tabs: .dependents(.dismissError))
            await device.send(tabs: .home(.alert(.dismissError)))
        case .signOut: try await signOut(device)
        case .network, .kill, .loseEvents, .setClock: break
        }
    }

    func changePresses(
        of device: Device, _ isConcerned: (Press) -> Bool, _ change: (inout Press) -> Void
    ) {
        record.withLock { record in
            let presses = record.presses[device.person] ?? []
            record.presses[device.person] = presses.map { press in
                var press = press
                if press.phone == device.number, isConcerned(press) { change(&press) }
                return press
            }
        }
    }

    func press(_ device: Device, _ kind: Press.Kind, isMeant: Bool = true) {
        tell("\(device.name): \(kind)")
        let press = Press(
            kind: kind, moment: DeviceServer.now(), phone: device.number,
            isExact: device.isClockTrusted, isMeant: isMeant)
        record.withLock { record in
            let earlier = record.presses[device.person, default: []]
            if let last = earlier.last, last.phone != press.phone {
                record.marks.insert(.pressedOnBothPhones)
            }
            if device.wasSetBack(since: earlier.last { $0.phone == press.phone }?.moment) {
                record.marks.insert(.clockSetBackBetweenPresses)
            }
            record.presses[device.person, default: []].append(press)
        }
    }

    // MARK: Home

    private func pressAtHome(_ act: Act, _ device: Device, _ home: HomeFeature.State) async {
        switch act {
        case .checkIn where home.checkIn.canCheckIn, .pressAgain where home.checkIn.canCheckIn:
            await device.go(to: .home)
            press(device, .checkIn)
            await device.send(tabs: .home(.checkIn(.checkInButtonTapped)))
        case .raise where home.alert.canActivateAlert:
            await device.go(to: .home)
            let isRaised = await isRaisedAlready(device, home.alert)
            // Before this phone sends the alert, the other phone may end the open one. The server
            // then opens a second alert.
            if !isRaised || phones(of: device.person).count > 1 {
                press(device, .raise, isMeant: !isRaised)
                mark(.raised)
                if [.offline, .dead].contains(device.connection.quality) {
                    mark(.raisedWithoutNetwork)
                }
            }
            for _ in 1...4 { await device.send(tabs: .home(.alert(.alertButtonTapped))) }
            follow(device)
        case .end where home.alert.canDeactivateAlert:
            await device.go(to: .home)
            press(device, .end)
            mark(home.alert.isWaitingToBeSent ? .endedBeforeItWasSent : .ended)
            await device.send(tabs: .home(.alert(.alertDeactivationProgressChanged(1))))
        default: break
        }
    }

    /// Returns whether the person has an open alert. A new device that hasn't loaded the alert can
    /// raise it a second time; the server then returns the open one.
    private func isRaisedAlready(_ device: Device, _ alert: AlertFeature.State) async -> Bool {
        guard let me = device.userID, !alert.isSendingEnd else { return false }
        return (try? await server.truth(of: me))??.openAlert != nil
    }

    /// Makes the people around an alert act within the next minutes.
    private func follow(_ owner: Device) {
        let others = devices.filter { $0.person != owner.person }
        for _ in 0..<habits.followers {
            let act = draw(
                [.acknowledge, .acknowledge, .decline, .withdraw, .report, .resume, .end, .raise]
                    + [.network, .kill, .ping, .refresh] as [Act])
            let device = [.end, .raise].contains(act) ? owner : draw(others)
            let pause = draw([1, 5, 20, 60, 200] as [Double]) * draw(0.2..<1)
            start(act, on: device, after: .milliseconds(Int(pause * 1_000)))
        }
    }

    // MARK: Others

    private func pressAtOthers(_ act: Act, _ device: Device, _ tabs: MainTabFeature.State) async {
        let contacts = tabs.dependents.contacts.contacts.elements
        func one(_ isMeant: (ContactData) -> Bool) -> ContactData? {
            let some = contacts.filter(isMeant)
            return some.isEmpty ? nil : draw(some)
        }
        switch act {
        case .ping:
            guard let other = one({ $0.isDependent && $0.pingedAt == nil }),
                !tabs.dependents.ping.isInFlight(.ping(other.id))
            else { return }
            await device.go(to: .dependents)
            press(device, .ping(other.id))
            mark(.pinged)
            await device.send(tabs: .dependents(.ping(.pingDependent(other.id))))
        case .clear:
            guard let other = one({ $0.pingedAt != nil }),
                !tabs.dependents.ping.isInFlight(.clear(other.id))
            else { return }
            await device.go(to: .dependents)
            press(device, .clear(other.id))
            mark(.pingCleared)
            await device.send(tabs: .dependents(.ping(.clearPing(other.id))))
        case .respond:
            guard let other = one(\.hasPendingPing), tabs.responders.ping.inFlight.isEmpty else {
                return
            }
            await device.go(to: .responders)
            press(device, .respond(other.id))
            mark(.pingAnswered)
            await device.send(tabs: .responders(.ping(.respondToPing(other.id))))
        default:
            guard tabs.responders.ping.inFlight.isEmpty else { return }
            await device.go(to: .responders)
            for other in contacts where other.hasPendingPing { press(device, .respond(other.id)) }
            await device.send(tabs: .responders(.ping(.respondToAllPings)))
        }
    }

    // MARK: The phone

    private func kill(_ device: Device) async throws {
        tell("\(device.name)'s app is killed")
        if !device.state.connectivity.waiting.isEmpty { mark(.killedWithQueue) }
        await device.kill()
        try await clock.sleep(for: .seconds(Int(draw(0..<20))))
        await device.start()
    }

    private func setClock(_ device: Device) {
        guard habits.hasWrongClocks else { return }
        let error = draw([-7_200, -300, -30, 0, 0, 30, 300, 7_200])
        tell("\(device.name)'s clock is \(error) s ahead")
        // The server believes a clock that is wrong by at most two minutes.
        if error.magnitude == 30 {
            changePresses(of: device, { $0.moment >= device.lastIdle }) { $0.isExact = false }
        } else if error != 0 {
            changePresses(of: device, { $0.moment >= device.lastIdle }) {
                $0.lateness = BadConnection.longestWay
            }
        }
        if device.set(clockAheadBy: .seconds(error)) { mark(.clockSetBack) }
    }

    /// Sends the app to the background for a while. Meanwhile, the system sends the queued
    /// requests.
    private func suspend(_ device: Device) async {
        tell("\(device.name)'s app is suspended")
        if !device.state.connectivity.waiting.isEmpty { mark(.suspendedWithQueue) }
        await device.suspend()
        try? await clock.sleep(for: .seconds(Int(draw(1..<90))))
        await device.send(.becameActive)
    }

    /// Refreshes the tab. Sometimes starts a second refresh during the first.
    private func refresh(_ device: Device) async {
        tell("\(device.name) refreshes")
        guard let tab = device.tabs?.selectedTab else { return }
        if device.connection.callsUnderWay > 0 { mark(.refreshedDuringLoad) }
        for _ in 0..<draw([1, 1, 2]) {
            switch tab {
            case .home:
                await device.send(tabs: .home(.checkIn(.loadHistory)))
                await device.send(tabs: .home(.alert(.loadAlertHistory)))
                await device.send(tabs: .home(.alert(.loadAlertStatus)))
            case .responders: await device.send(tabs: .responders(.refreshPulled))
            case .dependents:
                await device.send(tabs: .dependents(.refreshPulled))
                await device.send(tabs: .dependents(.ping(.loadPingHistory)))
            case .profile: await device.send(.retryButtonTapped)
            }
            try? await clock.sleep(for: .milliseconds(Int(draw(0..<400))))
        }
    }
}
