import API
import ClientsLive
import Domain
import Features
import Foundation

extension DeviceRun {
    func changeContacts(_ act: Act, _ device: Device, _ tabs: MainTabFeature.State) async throws {
        let contacts = tabs.dependents.contacts.contacts.elements
        switch act {
        case .meet: return try await meetSomebody(device)
        case .invite: return await invite(device)
        case .unblock: return await unblock(device)
        case .order:
            let order = tabs.responders.responderOrder
            guard order.count > 1, !tabs.responders.isOrdering else { return }
            tell("\(device.name) moves a responder")
            await device.go(to: .responders)
            await device.send(
                tabs: .responders(.moveResponder(draw(order).id, draw([.up, .down]))))
            return
        default: break
        }
        guard !contacts.isEmpty, !tabs.dependents.contactDetails.isBusy else { return }
        switch act {
        case .answerRequest:
            let asking = contacts.filter { $0.requests.contains { !$0.isMine } }
            guard !asking.isEmpty else { return }
            tell("\(device.name) answers a request")
            let accepts = draw([true, true, true, false])
            if draw([true, false]) {
                await answerOnCard(device, draw(asking), accepts: accepts)
            } else {
                await answer(device, draw(asking), accepts: accepts)
            }
        case .takeBackRequest:
            let asked = contacts.filter { $0.requests.contains(where: \.isMine) }
            guard !asked.isEmpty else { return }
            let other = draw(asked)
            guard let role = other.requests.first(where: \.isMine)?.role else { return }
            tell("\(device.name) takes back a request")
            await open(other, on: device)
            await send(.withdrawButtonTapped(role), device)
            await isDone(.requestTakenBack, device)
        case .remove:
            await remove(device, draw(contacts), draw([.removeConfirmed, .removeQuietlyConfirmed]))
        case .block: await remove(device, draw(contacts), .blockConfirmed)
        default: await changeRoles(device, draw(contacts))
        }
    }

    private func changeRoles(_ device: Device, _ other: ContactData) async {
        await open(other, on: device)
        guard let details = device.tabs?.dependents.contactDetails else { return }
        let isResponderMeant = draw([true, false])
        let isOn = isResponderMeant ? !details.isResponder : !details.isDependent
        // A contact must keep at least one role.
        guard isOn || (isResponderMeant ? details.isDependent : details.isResponder) else { return }
        tell(
            """
            \(device.name) makes \(other.name) a \(isResponderMeant ? "responder" : "dependent"): \
            \(isOn)
            """
        )
        await send(isResponderMeant ? .responderToggleTapped : .dependentToggleTapped, device)
        guard device.tabs?.dependents.contactDetails.confirmation != nil else { return }
        await confirm(
            isResponderMeant ? .responderConfirmed(isOn) : .dependentConfirmed(isOn), device)
        await isDone(.rolesChanged, device)
    }

    func answer(_ device: Device, _ other: ContactData, accepts: Bool) async {
        guard let request = other.requests.first(where: { !$0.isMine }) else { return }
        await open(other, on: device)
        await send(
            accepts ? .acceptButtonTapped(request.role) : .declineButtonTapped(request.role), device
        )
        await isDone(accepts ? .requestAccepted : .requestDeclined, device)
    }

    private func answerOnCard(_ device: Device, _ other: ContactData, accepts: Bool) async {
        guard let request = other.requests.first(where: { !$0.isMine }) else { return }
        await device.go(to: .home)
        await device.send(
            tabs: .home(
                .cards(
                    accepts
                        ? .acceptButtonTapped(other.id, request.role)
                        : .declineButtonTapped(other.id, request.role))))
    }

    private func remove(
        _ device: Device, _ other: ContactData,
        _ how: ContactDetailsSheetViewFeature.Action.Confirmation
    ) async {
        tell("\(device.name) and \(other.name): \(how)")
        await open(other, on: device)
        await send(how == .blockConfirmed ? .blockButtonTapped : .removeButtonTapped, device)
        guard device.tabs?.dependents.contactDetails.confirmation != nil else { return }
        await confirm(how, device)
        await isDone(how == .blockConfirmed ? .contactBlocked : .contactRemoved, device)
    }

    private func open(_ other: ContactData, on device: Device) async {
        await device.go(to: .dependents)
        await device.send(tabs: .dependents(.selectContact(other)))
        await send(.onAppear, device)
    }

    private func send(_ action: ContactDetailsSheetViewFeature.Action, _ device: Device) async {
        await device.send(tabs: .dependents(.contactDetails(action)))
    }

    private func confirm(
        _ confirmation: ContactDetailsSheetViewFeature.Action.Confirmation, _ device: Device
    ) async {
        await send(.confirmation(.presented(confirmation)), device)
    }

    /// Waits for the answer. Records the mark if the answer is a success.
    private func isDone(_ mark: Mark, _ device: Device) async {
        let isAnswered = await device.shows(within: .seconds(20)) {
            $0.screen?.main?.dependents.contactDetails.isBusy != true
        }
        if isAnswered, device.tabs?.dependents.contactDetails.error == nil { self.mark(mark) }
        if draw([true, false]) { await send(.closeButtonTapped, device) }
    }

    // MARK: Somebody new

    private func meetSomebody(_ device: Device) async throws {
        let others = (0..<options.people).filter { $0 != device.person }
        guard !others.isEmpty, let code = try? await observers[draw(others)].call(Routes.qrCode).id
        else { return }
        let roles = draw([(true, false), (false, true), (true, true)])
        tell("\(device.name) opens a link")
        if await add(device, code: code, isResponder: roles.0, isDependent: roles.1) {
            mark(.contactAdded)
        }
    }

    func add(_ device: Device, code: String, isResponder: Bool, isDependent: Bool) async -> Bool {
        await device.send(tabs: .linkOpened(code: code))
        _ = await device.shows(within: .seconds(60)) {
            $0.screen?.main?.dependents.addContact.owner != nil
        }
        func send(_ action: AddContactFeature.Action) async {
            await device.send(tabs: .dependents(.addContact(action)))
        }
        await send(.isResponderChanged(isResponder))
        await send(.isDependentChanged(isDependent))
        guard device.tabs?.dependents.addContact.canAdd == true else {
            await send(.cancelButtonTapped)
            return false
        }
        await send(.addButtonTapped)
        return await device.shows(within: .seconds(60)) {
            $0.screen?.main?.dependents.addContact.isSheetPresented == false
        }
    }

    private func invite(_ device: Device) async {
        tell("\(device.name) invites somebody")
        await device.go(to: .responders)
        func send(_ action: InvitationsFeature.Action) async {
            await device.send(tabs: .responders(.invitations(action)))
        }
        if let known = device.tabs?.responders.invitations.invitations.first, draw([true, false]) {
            return await send(.withdrawButtonTapped(known.id))
        }
        await send(.nameChanged("Gil"))
        await send(.recipientChanged("+1555010\(2_000 + Int(draw(0..<9)))"))
        await send(.inviteButtonTapped)
        let isAnswered = await device.shows(within: .seconds(30)) {
            $0.screen?.main?.responders.invitations.isLoading != true
        }
        if isAnswered, device.tabs?.responders.invitations.invitations.isEmpty == false {
            mark(.invited)
        }
    }

    private func unblock(_ device: Device) async {
        await openSettings(device)
        guard let person = device.settings?.blocked.people?.first else {
            return await closeSettings(device)
        }
        tell("\(device.name) unblocks \(person.name)")
        await device.send(settings: .blocked(.unblockButtonTapped(person.id)))
        let isAnswered = await device.shows(within: .seconds(30)) {
            $0.screen?.main?.profile.settings?.blocked.unblocking == nil
        }
        if isAnswered, device.settings?.blocked.error == nil { mark(.contactUnblocked) }
        await closeSettings(device)
    }
}
