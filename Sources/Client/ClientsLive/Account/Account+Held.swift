import Clients
import Domain
import Foundation

/// An alert that waits when the session is ended elsewhere. It was not sent, which the person is
/// told at once. When they sign in again, they are asked whether it is still meant; without an
/// answer it is sent (product.md, "Offline").
extension Account {
    /// Returns everything that waited. Nothing of it is sent before the next sign-in.
    func sessionHasEnded() async -> [WaitingAction] {
        await holdUnsentAlerts()
        return entries.inSendingOrder.map(\.waiting)
    }

    /// Only those that the person has not ended as well.
    func holdUnsentAlerts() async {
        let ended = entries.compactMap { if case .endAlert(let id) = $0.action { id } else { nil } }
        let unsent = entries.filter {
            if case .raiseAlert(let id) = $0.action { !ended.contains(id) } else { false }
        }
        guard !unsent.isEmpty else { return }
        // They are sent at the next sign-in, unasked, if the disk refuses.
        try? await storage?.queue.hold(Set(unsent.map(\.id)), until: nil)
    }

    /// - Parameter isSignIn: the person is asked from now on.
    func takeUpHeld(_ found: [UUID: Date?], isSignIn: Bool) async {
        held = Set(found.keys)
        guard !held.isEmpty else { return }
        let latest = environment.now().adding(UnsentAlert.timeToAnswer)
        // A process that is started meanwhile does not begin anew, and a clock that was set back
        // makes nobody wait for longer.
        let known = isSignIn ? nil : found.values.compactMap(\.self).min()
        if let known, known <= environment.now() {
            return await answerHeldAlerts(isToBeSent: true)
        }
        heldUntil = min(known ?? latest, latest)
        if known == nil { try? await storage?.queue.hold(held, until: heldUntil) }
    }

    var unsentAlert: UnsentAlert? {
        guard let heldUntil else { return nil }
        let times = entries.filter { held.contains($0.id) }.map(\.createdAt)
        return times.min().map { UnsentAlert(raisedAt: $0, sendsAt: heldUntil) }
    }

    func releaseHeldAlerts(at time: Date) -> Task<Void, Never> {
        let pause = max(.zero, time.since(environment.now()))
        return Task { [weak self, clock = environment.clock] in
            guard (try? await clock.sleep(pause)) != nil else { return }
            await self?.answerHeldAlerts(isToBeSent: true)
        }
    }

    func answerHeldAlerts(isToBeSent: Bool) async {
        guard !held.isEmpty, !isStopped else { return }
        let ids = held
        held = []
        heldUntil = nil
        if isToBeSent {
            // One that is still marked after a kill is asked about once more, and sent then.
            try? await storage?.queue.release(ids)
        } else {
            entries.removeAll { ids.contains($0.id) }
            for id in ids { try? await storage?.queue.remove(id, noting: nil) }
        }
        publish()
        for wakeup in wakeups.values { wakeup.wake() }
    }
}
