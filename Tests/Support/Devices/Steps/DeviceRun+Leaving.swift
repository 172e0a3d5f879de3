import API
import ClientsLive
import Domain
import Features
import Foundation

/// The end of a session: the person signs out, or the session is ended elsewhere.
extension DeviceRun {
    /// Signs out. Keeps unsent actions unless the person discards them. A refused sign-out changes
    /// nothing.
    func signOut(_ device: Device) async throws {
        tell("\(device.name) signs out")
        let isWaiting = !device.state.connectivity.waiting.isEmpty
        await device.go(to: .profile)
        await device.send(tabs: .profile(.signOutButtonTapped))
        await device.send(tabs: .profile(.confirmSignOut(.presented(.signOutConfirmed))))
        _ = await device.shows(within: .seconds(120)) { $0.screen?.main?.profile.isLoading != true }
        if device.tabs?.profile.confirmSignOut != nil {
            mark(.signedOutWithQueue)
            guard draw([true, false, false]) else {
                return await device.send(tabs: .profile(.confirmSignOut(.dismiss)))
            }
            tell("\(device.name) gives up what waits")
            mark(.queueGivenUp)
            giveUp(device)
            let ids = Set(device.tabs?.profile.waiting.map(\.id) ?? [])
            await device.send(tabs: .profile(.confirmSignOut(.presented(.discardConfirmed(ids)))))
            _ = await device.shows(within: .seconds(60)) { $0.screen?.main == nil }
        } else if isWaiting {
            mark(.signedOutWithQueue)
        }
        guard device.tabs == nil else { return }
        tell("\(device.name) is signed out")
        mark(.signedOut)
        try await clock.sleep(for: .seconds(5))
        // Signing in needs two requests. On a dead network, the person could never sign in.
        set(device, to: .good)
        try await arrive(device)
    }

    /// Marks presses as given up if the server hasn't confirmed them to this phone. Such presses
    /// may still take effect.
    private func giveUp(_ device: Device) {
        changePresses(of: device, { $0.moment >= device.lastIdle }) { $0.isMeant = false }
    }

    /// Ends a session from another phone of the person, or through the observer.
    func endSession(_ device: Device) async throws {
        guard let other = devices.first(where: { $0.person == device.person && $0 !== device }),
            let session = other.tokens.load()?.sessionID
        else {
            guard let session = device.tokens.load()?.sessionID else { return }
            tell("\(device.name)'s session is ended elsewhere")
            _ = try? await observers[device.person].call(Routes.endSession, id: session.uuid)
            return mark(.sessionEndedElsewhere)
        }
        await openSettings(device)
        tell("\(device.name) ends the session of \(other.name)")
        await device.send(settings: .endSessionButtonTapped(session))
        guard device.settings?.confirmation != nil else { return await closeSettings(device) }
        await device.send(settings: .confirmation(.presented(.endSessionConfirmed(session))))
        let isEnded = await device.shows(within: .seconds(30)) {
            $0.screen?.main?.profile.settings?.endingSession == nil
        }
        if isEnded, device.settings?.sessions.contains(where: { $0.id == session }) == false {
            mark(.sessionEndedElsewhere)
        }
        await closeSettings(device)
    }

    /// Answers the question about an alert that was unsent at the end of the session.
    func answerAboutUnsentAlert(_ device: Device) async {
        let isToBeSent = draw([true, true, false])
        tell("\(device.name) answers about the unsent alert: \(isToBeSent)")
        mark(.unsentAlertAskedAbout)
        if !isToBeSent {
            // The session of the alert has ended, and the phone may have been idle since.
            let raised = record.withLock { $0.presses[device.person] ?? [] }
                .last { $0.phone == device.number && $0.kind == .raise && $0.isMeant }?.moment
            let since = min(raised ?? device.lastIdle, device.lastIdle)
            changePresses(of: device, { [.raise, .end].contains($0.kind) && $0.moment >= since }) {
                $0.isMeant = false
            }
        }
        await device.send(.unsentAlertAnswered(isToBeSent: isToBeSent))
    }
}
