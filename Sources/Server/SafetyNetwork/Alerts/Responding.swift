import Domain
import Foundation
import Persistence

/// The responders' actions on an alert (product.md, "Escalation").
extension SafetyNetwork {
    /// "I'm on it", or that it goes on, for the one who was asked. The first acknowledgement wins.
    /// Throws `notFound` for an alert of which the caller is not notified, `permissionDenied` for
    /// their own.
    public func acknowledgeAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await acknowledgeAlert(id, by: caller.userID)
    }

    /// - Parameter channel: how the person said it, unless it was in the app or on a page.
    @discardableResult
    func acknowledgeAlert(
        _ id: AlertID, by user: UserID, over channel: DeliveryChannel? = nil
    ) async throws -> AlertRecord {
        try await respond(to: id, by: user, over: channel) { alert, scene in
            let isNews = alert.acknowledgedBy == nil
            guard isNews || (alert.acknowledgedBy == scene.me.id && alert.askedAt != nil) else {
                return try scene.stopLadder(of: alert)
            }
            alert.acknowledgedBy = scene.me.id
            alert.acknowledgedAt = scene.now
            alert.askedAt = nil
            try scene.save(alert, isNews ? .acknowledged : .confirmed)
            try scene.noteAnswer(to: alert)
            let (me, name) = (scene.me.displayName, scene.owner.displayName)
            if isNews {
                // A report that is in force stays news.
                if alert.report == nil { try scene.overtakeNews(of: alert) }
                try notifyOthers(.alertAcknowledged(responder: me, name: name), alert, scene)
                try notifyOwner(.helpIsComing(responder: me), alert, scene)
            } else {
                try notifyOthers(
                    .alertConfirmed(responder: me, name: name), alert, scene, bySMS: false)
            }
        }
    }

    /// The caller is not on it any more: everyone is notified at once, and the repeats go on.
    public func withdrawAcknowledgement(
        of id: AlertID, by caller: Caller
    ) async throws -> AlertRecord {
        try await respond(to: id, by: caller.userID) { alert, scene in
            guard alert.acknowledgedBy == scene.me.id else { return }
            try withdraw(&alert, scene)
        }
    }

    /// "I can't": the caller is told no more by SMS or a call in this round, and the next one is
    /// called. Whoever is on it withdraws. Throws as `acknowledgeAlert` does.
    public func declineAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await declineAlert(id, by: caller.userID)
    }

    /// - Parameter channel: how the person said it, unless it was in the app or on a page.
    @discardableResult
    func declineAlert(
        _ id: AlertID, by user: UserID, over channel: DeliveryChannel? = nil
    ) async throws -> AlertRecord {
        try await respond(to: id, by: user, over: channel) { alert, scene in
            guard alert.acknowledgedBy != scene.me.id else { return try withdraw(&alert, scene) }
            try scene.decline(alert)
        }
    }

    private func withdraw(_ alert: inout AlertRow, _ scene: Scene) throws {
        scene.release(&alert)
        try scene.save(alert, .withdrew)
        try scene.overtakeNews(of: alert)
        let me = scene.me.displayName
        try notifyOthers(
            .alertReleased(responder: me, name: scene.owner.displayName), alert, scene,
            callsFollow: true)
        try notifyOwner(.helpIsNotComing(responder: me), alert, scene)
    }

    /// "I am with them", "found safe" or "emergency services called": everyone learns who said so,
    /// and the repeats pause for 12 hours.
    public func report(
        _ report: AlertReport, on id: AlertID, by caller: Caller
    ) async throws -> AlertRecord {
        try await respond(to: id, by: caller.userID) { alert, scene in
            try scene.expectConsent()
            guard alert.report != report || alert.reportedBy != scene.me.id else { return }
            alert.report = report
            alert.reportedBy = scene.me.id
            alert.reportedAt = scene.now
            try scene.save(alert, report.action)
            try scene.noteAnswer(to: alert)
            let me = scene.me.displayName
            try notifyOthers(
                .alertReported(report, responder: me, name: scene.owner.displayName), alert, scene)
            try notifyOwner(.reportedToOwner(report, responder: me), alert, scene)
        }
    }

    /// The repeats go on in spite of a report. Any responder can ask for it.
    public func resumeRepeats(of id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await respond(to: id, by: caller.userID) { alert, scene in
            try scene.expectConsent()
            guard alert.report != nil else { return }
            scene.release(&alert)
            try scene.save(alert, .resumed)
            try scene.overtakeNews(of: alert, tellsOwner: false)
            try notifyOthers(
                .alertResumed(
                    responder: scene.me.displayName, name: scene.owner.displayName), alert, scene,
                callsFollow: true)
        }
    }

    /// Someone stops being a responder: for them, this is the end of every alert. What they were
    /// doing about it is released, and the others are notified.
    /// - Returns: how they had been notified of an alert whose end they have not heard; nil if they
    ///   had not.
    @discardableResult
    func releaseAcknowledgements(
        by responder: UserID, owner: UserID, in transaction: Transaction
    ) throws -> AlertReach? {
        guard let me = try transaction.user(responder).map(Recipient.init),
            let person = try transaction.user(owner)
        else { return nil }
        let reached = try transaction.reachOfOpenAlerts(of: owner)[responder]
        try transaction.supersedeDeliveries(ofAlertsOf: owner, to: responder)
        for var alert in try transaction.openAlerts(of: owner) {
            guard alert.acknowledgedBy == responder || alert.reportedBy == responder else {
                continue
            }
            let scene = Scene(
                owner: person, me: me,
                responders: try transaction.responders(of: owner).filter { $0.id != responder },
                transaction: transaction, network: self)
            scene.release(&alert)
            try scene.save(alert, .withdrew)
            try scene.overtakeNews(of: alert)
            try notifyOthers(
                .alertReleased(responder: me.displayName, name: person.displayName), alert, scene,
                callsFollow: true)
            try notifyOwner(.helpIsNotComing(responder: me.displayName), alert, scene)
        }
        return reached
    }

    // MARK: Shared parts

    /// An open alert, the responder who acts, and everyone it concerns.
    private struct Scene {
        let owner: UserRow
        let me: Recipient
        let responders: [Recipient]
        let transaction: Transaction
        let network: SafetyNetwork
        var channel: DeliveryChannel?

        var now: Date { transaction.now }

        /// A report pauses the repeats for hours: it is for people who have said yes.
        func expectConsent() throws(CommandError) {
            if responders.contains(where: { $0.id == me.id && $0.isAccepted }) { return }
            throw .permissionDenied("Accept the request to be a responder first.")
        }

        /// The person has answered, and is told no more by SMS or a call.
        func stopLadder(of alert: AlertRow) throws {
            try transaction.withdrawSteps(
                about: AlertKey(owner: owner.id, id: alert.id), for: [me.id], reason: .answered)
        }

        /// The person can't, and the next one is called.
        func decline(_ alert: AlertRow) throws {
            let key = AlertKey(owner: owner.id, id: alert.id)
            try transaction.withdrawSteps(about: key, for: [me.id], reason: .declined)
            try transaction.hurryCalls(about: key)
            guard try transaction.lastAction(by: me.id, about: key) != .declined else { return }
            try save(alert, .declined)
        }

        /// Nobody is called any more.
        func noteAnswer(to alert: AlertRow) throws {
            try stopLadder(of: alert)
            try transaction.withdrawSteps(
                from: .call, about: AlertKey(owner: owner.id, id: alert.id), reason: .takenOn)
            try transaction.markAcknowledged(alert: alert.id, owner: owner.id, by: me.id)
        }

        /// Nobody is on it any more: the repeats go on, and calls as after an alarm.
        func release(_ alert: inout AlertRow) {
            alert.release(repeats: alert.repeats(passedAt: now))
            alert.nextCallAt = network.firstCall(after: now)
        }

        /// "Ben is on it" must not come after "Ben is no longer on it", nor the other way round.
        func overtakeNews(of alert: AlertRow, tellsOwner: Bool = true) throws {
            try transaction.supersedeNews(
                about: alert, for: responders.map(\.id) + (tellsOwner ? [owner.id] : []))
        }

        func save(_ alert: AlertRow, _ action: AlertAction.Kind) throws {
            try transaction.update(alert)
            try transaction.enter(action, by: me, about: alert, over: channel)
            try network.publish(alert, to: responders.map(\.id), in: transaction)
        }
    }

    /// Runs `act` on an open alert of which the caller is notified; one that is over stays as it
    /// is.
    private func respond(
        to id: AlertID, by user: UserID, over channel: DeliveryChannel? = nil,
        _ act: @escaping @Sendable (inout AlertRow, Scene) throws -> Void
    ) async throws -> AlertRecord {
        try await database.write(about: Subjects([]) { try $0.owners(ofAlert: id) }) {
            transaction in
            guard var alert = try transaction.alert(id, visibleTo: user),
                let owner = try transaction.user(alert.userID),
                let me = try transaction.user(user).map(Recipient.init)
            else { throw Self.noSuchAlert }
            guard alert.userID != user else {
                throw CommandError.permissionDenied(
                    "An alert is taken on by a responder, not by the person who needs help.")
            }
            if alert.isOpen {
                let scene = Scene(
                    owner: owner, me: me, responders: try transaction.responders(of: owner.id),
                    transaction: transaction, network: self, channel: channel)
                try act(&alert, scene)
            }
            return try transaction.record(of: alert, for: viewer(user))
        }
    }

    private func notifyOthers(
        _ text: NotificationText, _ alert: AlertRow, _ scene: Scene, bySMS: Bool = true,
        callsFollow: Bool = false
    ) throws {
        try notify(
            scene.responders.filter { $0.id != scene.me.id },
            .urgent(
                text, about: scene.owner.id, alert: alert, by: scene.me.id, bySMS: bySMS,
                callsFollow: callsFollow),
            in: scene.transaction)
    }

    private func notifyOwner(_ text: NotificationText, _ alert: AlertRow, _ scene: Scene) throws {
        let news = Notice.urgent(text, about: scene.me.id, alert: alert, by: scene.me.id)
        try notify(Recipient(scene.owner), news, in: scene.transaction)
    }
}
