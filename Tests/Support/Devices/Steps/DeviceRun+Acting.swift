import Domain
import Features
import Foundation

/// One thing that a person does, of those that their screen offers.
extension DeviceRun {
    func act() async throws {
        let person = Int(draw(0..<Double(devices.count)))
        let acts = Act.allCases.filter { !options.without.contains($0.rawValue) }
        var ticket = Int(draw(0..<Double(acts.map(\.weight).reduce(0, +))))
        let act = acts.first { act in
            ticket -= act.weight
            return ticket < 0
        }
        guard let act else { return }
        record.withLock { $0.acts += 1 }
        try await perform(act, person)
    }

    private func perform(_ act: Act, _ person: Int) async throws {
        let device = devices[person]
        switch act {
        case .network:
            return set(person, to: draw([.good, .slow, .bad, .bad, .bad, .offline, .dead]))
        case .kill:
            tell("\(device.name)'s app is killed")
            await device.kill()
            try await clock.sleep(for: .seconds(Int(draw(0..<20))))
            return await device.start()
        default: break
        }
        guard let tabs = device.tabs else {
            // The session has gone: a person signs in again.
            if device.state.screen?.is(\.signedOut) == true
                || device.state.screen?.is(\.onboarding) == true
            {
                set(person, to: .good)
                try await arrive(person)
            }
            return
        }
        switch act {
        case .checkIn, .raise, .end, .pressAgain: await pressAtHome(act, person, tabs.home)
        case .ping, .clear, .respond, .respondToAll, .acknowledge:
            await pressAtOthers(act, person, tabs)
        case .changeRoles, .answerRequest: await changeContacts(act, person, tabs)
        case .rename, .changeInterval: await edit(act, person, tabs)
        case .readOne, .readAll, .deleteOne, .deleteAll: await tidy(act, person, tabs)
        case .changeTab: await device.go(to: draw(MainTabFeature.Tab.allCases))
        case .signOut: try await signOut(person)
        case .network, .kill: break
        }
    }

    func press(_ person: Int, _ kind: Press.Kind) {
        tell("\(devices[person].name): \(kind)")
        let press = Press(kind: kind, moment: DeviceServer.now())
        record.withLock { $0.presses[person, default: []].append(press) }
    }

    // MARK: Home

    private func pressAtHome(_ act: Act, _ person: Int, _ home: HomeFeature.State) async {
        let device = devices[person]
        switch act {
        case .checkIn where home.checkIn.canCheckIn, .pressAgain where home.checkIn.canCheckIn:
            await device.go(to: .home)
            press(person, .checkIn)
            await device.send(tabs: .home(.checkIn(.checkInButtonTapped)))
        case .raise where home.alert.canActivateAlert:
            await device.go(to: .home)
            if await !isRaisedAlready(person, home.alert) { press(person, .raise) }
            for _ in 1...4 { await device.send(tabs: .home(.alert(.alertButtonTapped))) }
        case .end where home.alert.canDeactivateAlert:
            await device.go(to: .home)
            press(person, .end)
            await device.send(tabs: .home(.alert(.alertDeactivationProgressChanged(1))))
        default: break
        }
    }

    /// On a new device that has not loaded yet: raising it again returns the open one.
    private func isRaisedAlready(_ person: Int, _ alert: AlertFeature.State) async -> Bool {
        guard let me = devices[person].userID, !alert.isSendingEnd else { return false }
        return (try? await server.truth(of: me))??.openAlert != nil
    }

    // MARK: Others

    private func pressAtOthers(_ act: Act, _ person: Int, _ tabs: MainTabFeature.State) async {
        let device = devices[person]
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
            press(person, .ping(other.id))
            await device.send(tabs: .dependents(.ping(.pingDependent(other.id))))
        case .clear:
            guard let other = one({ $0.pingedAt != nil }),
                !tabs.dependents.ping.isInFlight(.clear(other.id))
            else { return }
            await device.go(to: .dependents)
            press(person, .clear(other.id))
            await device.send(tabs: .dependents(.ping(.clearPing(other.id))))
        case .respond:
            guard let other = one(\.hasPendingPing), tabs.responders.ping.inFlight.isEmpty else {
                return
            }
            await device.go(to: .responders)
            press(person, .respond(other.id))
            await device.send(tabs: .responders(.ping(.respondToPing(other.id))))
        case .respondToAll:
            guard tabs.responders.ping.inFlight.isEmpty else { return }
            await device.go(to: .responders)
            for other in contacts where other.hasPendingPing { press(person, .respond(other.id)) }
            await device.send(tabs: .responders(.ping(.respondToAllPings)))
        default:
            guard let other = one({ $0.isDependent && $0.watch?.status != .active }) else { return }
            await device.go(to: .dependents)
            tell("\(device.name) is on it")
            await device.send(tabs: .dependents(.alertTapped(other)))
            await device.send(tabs: .dependents(.dependentAlert(.presented(.onAppear))))
            _ = await device.shows(within: .seconds(10)) {
                $0.screen?.main?.dependents.dependentAlert?.canAcknowledge != false
            }
            guard device.tabs?.dependents.dependentAlert?.canAcknowledge == true else { return }
            await device.send(
                tabs: .dependents(.dependentAlert(.presented(.acknowledgeButtonTapped))))
        }
    }

    private func changeContacts(_ act: Act, _ person: Int, _ tabs: MainTabFeature.State) async {
        let device = devices[person]
        let contacts = tabs.dependents.contacts.contacts.elements
        guard !contacts.isEmpty, !tabs.dependents.contactDetails.isBusy else { return }
        guard act == .changeRoles else {
            let asking = contacts.filter { $0.requests.contains { !$0.isMine } }
            guard !asking.isEmpty else { return }
            tell("\(device.name) answers a request")
            return await answer(device, draw(asking), accepts: draw([true, true, true, false]))
        }
        let other = draw(contacts)
        await device.go(to: .dependents)
        await device.send(tabs: .dependents(.selectContact(other)))
        guard let details = device.tabs?.dependents.contactDetails else { return }
        let isResponderMeant = draw([true, false])
        let isOn = isResponderMeant ? !details.isResponder : !details.isDependent
        // At least one role stays.
        guard isOn || (isResponderMeant ? details.isDependent : details.isResponder) else { return }
        tell(
            """
            \(device.name) makes \(other.name) a \(isResponderMeant ? "responder" : "dependent"): \
            \(isOn)
            """
        )
        await device.send(
            tabs: .dependents(
                .contactDetails(isResponderMeant ? .responderToggleTapped : .dependentToggleTapped))
        )
        guard device.tabs?.dependents.contactDetails.confirmation != nil else { return }
        await device.send(
            tabs: .dependents(
                .contactDetails(
                    .confirmation(
                        .presented(
                            isResponderMeant ? .responderConfirmed(isOn) : .dependentConfirmed(isOn)
                        )))))
    }

    // MARK: One's own

    private func edit(_ act: Act, _ person: Int, _ tabs: MainTabFeature.State) async {
        let device = devices[person]
        switch act {
        case .rename:
            guard !tabs.profile.isLoading else { return }
            let name = "\(device.name) \(Int(draw(0..<1_000)))"
            await device.go(to: .profile)
            await device.send(tabs: .profile(.editButtonTapped))
            await device.send(tabs: .profile(.editingNameChanged(name)))
            guard device.tabs?.profile.canSaveProfile == true else { return }
            press(person, .rename(name))
            await device.send(tabs: .profile(.saveButtonTapped))
        default:
            guard !tabs.home.checkIn.isSavingSettings else { return }
            let hours = draw([8, 16, 24, 48, 72])
            await device.go(to: .home)
            await device.send(tabs: .home(.checkIn(.scheduleButtonTapped)))
            await device.send(tabs: .home(.checkIn(.intervalPresetTapped(.seconds(hours * 3_600)))))
            guard device.tabs?.home.checkIn.canSaveSchedule == true else { return }
            press(person, .interval(hours * 3_600))
            await device.send(tabs: .home(.checkIn(.saveScheduleButtonTapped)))
        }
    }

    private func tidy(_ act: Act, _ person: Int, _ tabs: MainTabFeature.State) async {
        let device = devices[person]
        let centre = tabs.notifications
        guard
            let some = centre.notifications.elements.last(where: {
                !centre.inFlight.contains($0.id)
            }),
            !centre.isChangingAll
        else { return }
        switch act {
        case .readOne:
            press(person, .read(some.id))
            await device.send(tabs: .notifications(.markAsReadButtonTapped(some.id)))
        case .deleteOne:
            press(person, .delete(some.id))
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

    /// Gives up nothing that waits: a sign-out that is refused leaves everything as it was.
    private func signOut(_ person: Int) async throws {
        let device = devices[person]
        tell("\(device.name) signs out")
        await device.go(to: .profile)
        await device.send(tabs: .profile(.signOutButtonTapped))
        await device.send(tabs: .profile(.confirmSignOut(.presented(.signOutConfirmed))))
        _ = await device.shows(within: .seconds(120)) { $0.screen?.main?.profile.isLoading != true }
        guard device.tabs == nil else { return }
        tell("\(device.name) is signed out")
        try await clock.sleep(for: .seconds(5))
        // Signing in needs a code and its answer; on a dead network nobody would arrive.
        set(person, to: .good)
        try await arrive(person)
    }
}
