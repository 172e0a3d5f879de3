import Domain
import Foundation
import Persistence

/// What responders do about an alert (product.md, "Escalation").
public struct Responding: Commands {
    public let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords
    let refusedAlerts: RefusedAlerts

    /// Acknowledges an alert, or confirms the caller's acknowledgement after the server asked. The
    /// first acknowledgement wins. Throws `notFound` for an alert that the caller isn't notified
    /// of, and `permissionDenied` for the caller's own alert.
    public func acknowledgeAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await acknowledgeAlert(id, by: caller.userID)
    }

    /// - Parameter channel: the channel of the answer; nil for the app or a page.
    @discardableResult
    func acknowledgeAlert(
        _ id: AlertID, by user: UserID, over channel: DeliveryChannel? = nil
    ) async throws -> AlertRecord {
        try await respond(to: id, by: user, over: channel, isRepeatable: true) { alert, scene in
            let isNews = alert.acknowledgedBy == nil
            guard isNews || (alert.acknowledgedBy == scene.me.id && alert.askedAt != nil) else {
                try scene.stopLadder(of: alert)
                return try scene.takeRefusalBack(of: alert)
            }
            alert.acknowledgedBy = scene.me.id
            alert.acknowledgedAt = scene.now
            alert.askedAt = nil
            try scene.save(alert, isNews ? .acknowledged : .confirmed)
            try scene.noteAnswer(to: alert)
            let (me, name) = (scene.me.displayName, scene.owner.displayName)
            if isNews {
                // News of a report stays valid while the report is in force.
                if alert.report == nil { try scene.supersedeNews(of: alert) }
                try scene.supersedeAlarms(of: alert, for: .all)
                try notifyOthers(.alertAcknowledged(responder: me, name: name), alert, scene)
                try notifyOwner(.helpIsComing(responder: me), alert, scene)
            } else {
                try notifyOthers(
                    .alertConfirmed(responder: me, name: name), alert, scene, bySMS: false)
            }
        }
    }

    /// Withdraws the caller's acknowledgement, and the caller's report. Notifies everyone at once,
    /// and resumes the repeats unless another responder's report pauses them.
    public func withdrawAcknowledgement(
        of id: AlertID, by caller: Caller
    ) async throws -> AlertRecord {
        try await respond(to: id, by: caller.userID) { alert, scene in
            guard alert.acknowledgedBy == scene.me.id else { return }
            try withdraw(&alert, scene)
        }
    }

    /// Declines an alert: ends the caller's SMS and calls of this round, and calls the next
    /// responder. If the caller is on the alert, withdraws the acknowledgement and the caller's
    /// report. Otherwise, ends only the caller's report "I am with them". Once everyone has
    /// refused, a further refusal alerts everyone again, at most every 30 minutes. Throws like
    /// `acknowledgeAlert`.
    public func declineAlert(_ id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await declineAlert(id, by: caller.userID)
    }

    /// - Parameter channel: the channel of the answer; nil for the app or a page.
    @discardableResult
    func declineAlert(
        _ id: AlertID, by user: UserID, over channel: DeliveryChannel? = nil
    ) async throws -> AlertRecord {
        try await respond(to: id, by: user, over: channel) { alert, scene in
            guard alert.acknowledgedBy != scene.me.id else { return try withdraw(&alert, scene) }
            // Other reports may be true without the author.
            if alert.report == .withThem, alert.reportedBy == scene.me.id {
                try scene.endSteps(of: alert)
                return try withdraw(&alert, scene, by: .declined)
            }
            let wasRefused = try alertRecords.hasEveryoneRefused(alert, in: scene.transaction)
            let isDue = Escalation.restartsAfterRefusals(last: alert.refusedAt, at: scene.now)
            guard try scene.decline(alert, restarts: wasRefused && isDue) else { return }
            if try (isDue || !wasRefused)
                && alertRecords.hasEveryoneRefused(alert, in: scene.transaction)
            {
                try refusedAlerts.restartRefused(
                    &alert, of: scene.owner, by: scene.me.id, in: scene.transaction)
            }
        }
    }

    /// - Parameter action: what the person did. A person who had only reported declines.
    private func withdraw(
        _ alert: inout AlertRow, _ scene: Scene, by action: AlertAction.Kind = .withdrew
    ) throws {
        let wasOnIt = alert.acknowledgedBy == scene.me.id
        // An answer to the server's question is never refused.
        if !wasOnIt || alert.askedAt == nil { try scene.expectFewChanges(of: alert) }
        scene.releaseOwn(&alert)
        try scene.save(alert, action)
        try scene.supersedeNews(of: alert)
        let isRefused = try alertRecords.hasEveryoneRefused(alert, in: scene.transaction)
        let isPaused = alert.escalation.attention != .none
        let me = scene.me.displayName
        if isPaused { try notifyOfRemainingAttention(of: alert, scene, tellsOwner: !isRefused) }
        if isRefused {
            if !isPaused,
                !Escalation.restartsAfterRefusals(last: alert.refusedAt, at: scene.now)
            {
                try notifyReleased(by: me, alert, scene, wasOnIt: wasOnIt)
            }
            return try refusedAlerts.restartRefused(
                &alert, of: scene.owner, by: scene.me.id, in: scene.transaction)
        }
        guard !isPaused else { return }
        try notifyReleased(by: me, alert, scene, wasOnIt: wasOnIt)
        try widenIfLate(&alert, scene)
        try notifyOwnerOfRelease(alert, scene, wasOnIt: wasOnIt)
    }

    /// Lets the alert about a journey reach all responders once its last acknowledgement is
    /// withdrawn and the time of the chosen responders is over.
    private func widenIfLate(_ alert: inout AlertRow, _ scene: Scene) throws {
        guard alert.escalation.isTimeToTellOwner(at: scene.now) else { return }
        // A responder who is leaving isn't among the scene's responders.
        let isLeaving = !scene.responders.contains { $0.id == scene.me.id }
        try refusedAlerts.widening.widen(
            &alert, of: scene.owner, announcing: nil, except: isLeaving ? scene.me.id : nil,
            in: scene.transaction)
    }

    /// - Parameter wasOnIt: false if the responder had only reported. Those who haven't accepted
    ///   don't know of the report.
    private func notifyReleased(
        by name: String, _ alert: AlertRow, _ scene: Scene, wasOnIt: Bool = true
    ) throws {
        let text = NotificationText.alertReleased(
            responder: name, name: scene.owner.displayName, wasOnIt: wasOnIt)
        guard !wasOnIt else { return try notifyOfResumption(text, alert, scene, to: .all) }
        try notifyOfResumption(text, alert, scene, to: .accepted)
        try notifyAsked(ofResumptionOf: alert, scene)
    }

    private func notifyOfResumption(
        _ text: NotificationText, _ alert: AlertRow, _ scene: Scene, to audience: Audience
    ) throws {
        let (name, number) = (scene.owner.displayName, scene.owner.phoneNumber)
        try notifyOthers(
            text.withEmergencyNumber(of: name, number), alert, scene, .alertUntaken, to: audience,
            callsFollow: true)
    }

    /// Tells those who haven't accepted that the report's pause is over, without its author.
    private func notifyAsked(ofResumptionOf alert: AlertRow, _ scene: Scene) throws {
        try notifyOfResumption(
            .alertedAgain(name: scene.owner.displayName), alert, scene, to: .asked)
    }

    private func notifyOwnerOfRelease(
        _ alert: AlertRow, _ scene: Scene, wasOnIt: Bool
    ) throws {
        let text = NotificationText.helpIsNotComing(
            responder: scene.me.displayName, wasOnIt: wasOnIt
        ).withOwnEmergencyNumber(scene.owner.phoneNumber)
        try notifyOwner(text, alert, scene, .alertUntaken)
    }

    /// Tells everyone which report or acknowledgement of another responder still pauses the repeats
    /// after the person's own has ended. Those who haven't accepted hear only of acknowledgements.
    /// - Parameter tellsOwner: false if the owner gets other news at once.
    private func notifyOfRemainingAttention(
        of alert: AlertRow, _ scene: Scene, tellsOwner: Bool
    ) throws {
        let (me, owner) = (scene.me.displayName, scene.owner.displayName)
        guard let report = alert.report, let reportedAt = alert.reportedAt else {
            return try notifyOfRemainingHelp(alert, afterReportBy: me, scene)
        }
        let reporter = try scene.transaction.displayName(of: alert.reportedBy)
        func text(about person: String?) -> NotificationText {
            .reportStillHolds(
                report, reporter: reporter, name: person, withdrawn: me,
                pausedUntil: reportedAt.adding(Escalation.pauseAfterReport))
        }
        try notifyOthers(text(about: owner), alert, scene, to: .accepted)
        try notifyOthers(.alertReleased(responder: me, name: owner), alert, scene, to: .asked)
        if tellsOwner { try notifyOwner(text(about: nil), alert, scene) }
    }

    /// Tells everyone that a report has ended, and which responder is still on the alert. That
    /// responder gets a text of their own. The owner who has ended the report isn't told.
    private func notifyOfRemainingHelp(
        _ alert: AlertRow, afterReportBy reporter: String, _ scene: Scene
    ) throws {
        let name = scene.owner.displayName
        let helper = try scene.transaction.displayName(of: alert.acknowledgedBy)
        let text = NotificationText.helpStillComes(responder: helper, reporter: reporter)
        try notifyOthers(text, alert, scene, to: .accepted, except: alert.acknowledgedBy)
        try notifyOthers(
            .youStillHelp(name: name, reporter: reporter), alert, scene,
            to: .helper(alert.acknowledgedBy))
        try notifyOthers(
            .alertConfirmed(responder: helper, name: name), alert, scene, to: .asked,
            except: alert.acknowledgedBy)
        guard scene.me.id != scene.owner.id else { return }
        try notifyOwner(text, alert, scene)
    }

    /// Records a report, such as "found safe". Notifies everyone who has accepted, and pauses the
    /// repeats for 12 hours.
    public func report(
        _ report: AlertReport, on id: AlertID, by caller: Caller
    ) async throws -> AlertRecord {
        try await respond(to: id, by: caller.userID, isRepeatable: true) { alert, scene in
            try scene.expectConsent()
            guard alert.report != report || alert.reportedBy != scene.me.id else { return }
            try scene.expectFewChanges(of: alert)
            try scene.supersedeReport(on: alert)
            alert.forgetRefusalsOfPause()
            alert.report = report
            alert.reportedBy = scene.me.id
            alert.reportedAt = scene.now
            try scene.save(alert, report.action)
            try scene.noteAnswer(to: alert)
            // Those who have only been asked don't hear of the report, so their repeats stay.
            try scene.supersedeAlarms(of: alert, for: .accepted)
            let me = scene.me.displayName
            try notifyOthers(
                .alertReported(
                    report, responder: me, name: scene.owner.displayName, kind: alert.kind),
                alert, scene, to: .accepted)
            try notifyOwner(
                .reportedToOwner(report, responder: me, kind: alert.kind), alert, scene)
        }
    }

    /// Resumes the repeats despite a report. Any responder and the owner can do this. If another
    /// responder than the report's author is on the alert, only the report ends.
    public func resumeRepeats(of id: AlertID, by caller: Caller) async throws -> AlertRecord {
        try await resumeRepeats(of: id, by: caller.userID)
    }

    @discardableResult
    func resumeRepeats(of id: AlertID, by user: UserID) async throws -> AlertRecord {
        try await respond(to: id, by: user, isForOwner: true, isRepeatable: true) { alert, scene in
            let isOwner = scene.me.id == scene.owner.id
            if !isOwner { try scene.expectConsent() }
            guard alert.report != nil else { return }
            // Only the report's author has a limit here. Reports themselves are limited.
            if alert.reportedBy == scene.me.id { try scene.expectFewChanges(of: alert) }
            let reporter = try scene.transaction.displayName(of: alert.reportedBy)
            let alertsEveryone = AlertRules.liftingAlertsEveryone(
                by: alert.reportedBy, whileHelpedBy: alert.acknowledgedBy)
            guard alertsEveryone else {
                alert.endReport()
                try scene.save(alert, .resumed)
                try scene.supersedeNews(of: alert, tellsOwner: !isOwner)
                return try notifyOfRemainingHelp(alert, afterReportBy: reporter, scene)
            }
            scene.release(&alert)
            // The owner is told again after 15 minutes of silence, even if all had refused before.
            alert.isOwnerNotified = false
            try scene.save(alert, .resumed)
            try scene.supersedeNews(of: alert, tellsOwner: !isOwner)
            let (me, name) = (scene.me.displayName, scene.owner.displayName)
            let text: NotificationText =
                isOwner
                ? .alertContradicted(responder: reporter, name: name)
                : .alertResumed(responder: me, name: name)
            try notifyOfResumption(text, alert, scene, to: .accepted)
            try notifyAsked(ofResumptionOf: alert, scene)
            try widenIfLate(&alert, scene)
            guard !isOwner else { return }
            try notifyOwner(
                .repeatsGoOn(responder: me).withOwnEmergencyNumber(scene.owner.phoneNumber), alert,
                scene, .alertUntaken)
        }
    }

    /// Removes a person who stops being a responder from the owner's open alerts. Ends the person's
    /// acknowledgements, reports and refusals. Notifies the owner and the other responders of the
    /// first two. The caller reads `RefusedAlerts.unrefusedAlerts` before, and restarts them after
    /// the removal.
    /// - Returns: how the person was told of alerts whose end they don't know yet; nil if there are
    ///   none.
    @discardableResult
    func releaseAcknowledgements(
        by responder: UserID, owner: UserID, in transaction: Transaction
    ) throws -> AlertReach? {
        guard let me = try transaction.user(responder).map(Recipient.init),
            let person = try transaction.user(owner)
        else { return nil }
        var reached = try transaction.reachOfOpenAlerts(of: owner).filter { $0.key == responder }
        try transaction.supersedeDeliveries(ofAlertsOf: owner, to: responder)
        for var alert in try transaction.openAlerts(of: owner) {
            try transaction.addAttempts(about: alert, to: &reached)
            guard alert.acknowledgedBy == responder || alert.reportedBy == responder else {
                if try alertRecords.hasRefused(alert, by: responder, in: transaction) {
                    try transaction.enterLossOfRefusal(by: me, about: alert)
                }
                continue
            }
            let scene = Scene(
                owner: person, me: me,
                responders: try transaction.audience(of: alert).filter { $0.id != responder },
                others: try OtherAlerts(
                    besides: alert, of: person, without: responder, in: transaction),
                transaction: transaction, responding: self)
            let wasOnIt = alert.acknowledgedBy == responder
            scene.releaseOwn(&alert)
            try scene.saveLossOfRole(alert)
            try scene.supersedeNews(of: alert)
            // The caller restarts the alert then, which tells the owner and mostly the others.
            let isRefused = try alertRecords.hasEveryoneRefused(
                alert, without: responder, in: transaction)
            guard alert.escalation.attention == .none else {
                try notifyOfRemainingAttention(of: alert, scene, tellsOwner: !isRefused)
                continue
            }
            if !isRefused
                || !Escalation.restartsAfterRefusals(last: alert.refusedAt, at: transaction.now)
            {
                try notifyReleased(by: me.displayName, alert, scene, wasOnIt: wasOnIt)
            }
            guard !isRefused else { continue }
            try widenIfLate(&alert, scene)
            try notifyOwnerOfDeparture(alert, scene, wasOnIt: wasOnIt)
        }
        return reached[responder]
    }

    /// Tells the owner that a responder who was on the alert, or had reported, has lost the role.
    /// An owner without other responders reads that there are none.
    private func notifyOwnerOfDeparture(
        _ alert: AlertRow, _ scene: Scene, wasOnIt: Bool
    ) throws {
        let (owner, me) = (scene.owner, scene.me)
        let others = try scene.transaction.responders(of: owner.id).filter { $0.id != me.id }
        guard others.isEmpty else {
            return try notifyOwnerOfRelease(alert, scene, wasOnIt: wasOnIt)
        }
        // The caller widens an alert for chosen responders, which tells the owner the same.
        guard alert.onlyFor == nil else { return }
        let text = NotificationText.noResponderIsLeft(
            responder: me.displayName, wasOnIt: wasOnIt
        ).withOwnEmergencyNumber(owner.phoneNumber)
        try notifier.notify(
            Recipient(owner),
            .urgent(text, about: owner.id, alert: alert, .alertUntaken, by: me.id),
            in: scene.transaction)
    }

    // MARK: Shared parts

    private struct Scene {
        let owner: UserRow
        let me: Recipient
        let responders: [Recipient]
        let others: OtherAlerts
        let transaction: Transaction
        let responding: Responding
        var channel: DeliveryChannel?

        var now: Date { transaction.now }

        /// Throws unless the person has accepted the role of responder.
        func expectConsent() throws(CommandError) {
            if responders.contains(where: { $0.id == me.id && $0.isAccepted }) { return }
            throw .permissionDenied(RefusalWords.notAccepted.detail)
        }

        /// Throws `rateLimited` if the person changes their answer too often. Each change notifies
        /// everyone and adds to the alert's history.
        func expectFewChanges(of alert: AlertRow) throws {
            if let wait = try waitForChange(of: alert) {
                throw CommandError.rateLimited(retryAfter: wait)
            }
        }

        private func waitForChange(of alert: AlertRow) throws -> Duration? {
            let changes = try transaction.changes(
                by: me.id, about: AlertKey(owner: owner.id, id: alert.id),
                since: now.adding(.zero - ActRules.window))
            return ActRules.wait(after: changes, at: now)
        }

        /// Ends the person's SMS and calls, because they have answered.
        func stopLadder(of alert: AlertRow) throws {
            try transaction.withdrawSteps(
                about: AlertKey(owner: owner.id, id: alert.id), for: [me.id], reason: .answered)
        }

        /// Ends the SMS and calls of a person who declines, and starts the next call earlier.
        func endSteps(of alert: AlertRow) throws {
            let key = AlertKey(owner: owner.id, id: alert.id)
            try transaction.withdrawSteps(about: key, for: [me.id], reason: .declined)
            try transaction.hurryCalls(about: key)
        }

        /// Records that the person declined, and starts the next call earlier. Returns false for a
        /// repeated answer, and beyond the limit of changes.
        /// - Parameter restarts: true to record a further refusal of the same round.
        func decline(_ alert: AlertRow, restarts: Bool) throws -> Bool {
            try endSteps(of: alert)
            guard try restarts || !isRepeatedRefusal(of: alert),
                try waitForChange(of: alert) == nil
            else { return false }
            try save(alert, .declined)
            return true
        }

        /// Returns true if this refusal is a repeat: the person's last answer is a refusal that
        /// counts, and was given since everyone was last alerted again, or in the last 10 minutes
        /// (`ActRules.sameRefusal`).
        private func isRepeatedRefusal(of alert: AlertRow) throws -> Bool {
            var since = alert.escalationFrom
            if let refusedAt = alert.refusedAt {
                let recent = now.adding(.zero - ActRules.sameRefusal)
                since = max(since, min(recent, refusedAt.adding(.milliseconds(1))))
            }
            let last = try transaction.lastAction(
                by: me.id, about: AlertKey(owner: owner.id, id: alert.id), since: since)
            return try last == .declined
                && responding.alertRecords.hasRefused(alert, by: me.id, in: transaction)
        }

        /// Records, without a message, that a person who had refused would help, too, while
        /// another responder is on it.
        func takeRefusalBack(of alert: AlertRow) throws {
            let hadRefused = try responding.alertRecords.hasRefused(
                alert, by: me.id, in: transaction)
            guard hadRefused else { return }
            try transaction.enterEndOfRefusal(by: me, about: alert, over: channel)
        }

        func noteAnswer(to alert: AlertRow) throws {
            try stopLadder(of: alert)
            try transaction.withdrawSteps(
                from: .call, about: AlertKey(owner: owner.id, id: alert.id), reason: .takenOn)
            try transaction.markAcknowledged(alert: alert.id, owner: owner.id, by: me.id)
        }

        /// Resumes the repeats. Calls follow as after an alarm.
        func release(_ alert: inout AlertRow) {
            alert.release(at: now, nextCallAt: responding.firstCall(after: now))
        }

        /// Ends the person's own acknowledgement and report. Resumes the repeats unless another
        /// responder's acknowledgement or report pauses them.
        func releaseOwn(_ alert: inout AlertRow) {
            alert.endAttention(of: me.id)
            if alert.escalation.attention == .none { release(&alert) }
        }

        /// Withdraws older news: "Ben is on it" must never arrive after "Ben is no longer on it".
        func supersedeNews(of alert: AlertRow, tellsOwner: Bool = true) throws {
            try transaction.supersedeNews(
                about: alert, for: responders.map(\.id) + (tellsOwner ? [owner.id] : []))
        }

        /// Withdraws news of the report in force, because another report replaces it. News of an
        /// acknowledgement stays.
        func supersedeReport(on alert: AlertRow) throws {
            guard let report = alert.report else { return }
            let reporter = try transaction.displayName(of: alert.reportedBy)
            try transaction.supersedeNews(
                about: alert, for: responders.filter(\.isAccepted).map(\.id) + [owner.id],
                of: .report(report, by: reporter, name: owner.displayName))
        }

        /// Withdraws messages of the alarm to the owner and the audience: "No one is on it yet"
        /// must never arrive after "Ben is on it" or a report. Another person who is on it or has
        /// reported keeps theirs: only they are told of another missed deadline.
        func supersedeAlarms(of alert: AlertRow, for audience: Audience) throws {
            let others = Set([alert.acknowledgedBy, alert.reportedBy].compactMap(\.self))
                .subtracting([me.id])
            let people = responders.filter { audience.includes($0) && !others.contains($0.id) }
            try transaction.supersedeAlarms(about: alert, for: people.map(\.id) + [owner.id])
        }

        func save(_ alert: AlertRow, _ action: AlertAction.Kind) throws {
            try transaction.update(alert)
            try transaction.enter(action, by: me, about: alert, over: channel)
            try publish(alert)
        }

        func saveLossOfRole(_ alert: AlertRow) throws {
            try transaction.update(alert)
            try transaction.enterLossOfRole(by: me, about: alert)
            try publish(alert)
        }

        private func publish(_ alert: AlertRow) throws {
            try responding.alertRecords.publish(alert, to: responders.map(\.id), in: transaction)
        }
    }

    /// Runs `act` on an open alert that the caller is notified of. Doesn't change an ended alert.
    /// - Parameters:
    ///   - isForOwner: true if the person in need can do this as well.
    ///   - isRepeatable: true if a second run of `act` changes and tells nothing more.
    private func respond(
        to id: AlertID, by user: UserID, over channel: DeliveryChannel? = nil,
        isForOwner: Bool = false, isRepeatable: Bool = false,
        _ act: @escaping @Sendable (inout AlertRow, Scene) throws -> Void
    ) async throws -> AlertRecord {
        try await database.write(
            about: Subjects([], isRepeatable: isRepeatable) { try $0.owners(ofAlert: id) }
        ) { transaction in
            // If one of the caller's own alerts has the same id, the other person's alert counts.
            func own() throws -> AlertRow? { try transaction.alert(id, of: user) }
            guard
                var alert = try transaction.alert(id, watchedBy: user) ?? (isForOwner ? own() : nil)
            else {
                guard try own() == nil else {
                    throw CommandError.permissionDenied(RefusalWords.ownAlert.detail)
                }
                throw CommandError.noSuchAlert
            }
            guard let owner = try transaction.user(alert.userID),
                let me = try transaction.user(user).map(Recipient.init)
            else { throw CommandError.noSuchAlert }
            if alert.isOpen {
                let scene = Scene(
                    owner: owner, me: me, responders: try transaction.audience(of: alert),
                    others: try OtherAlerts(besides: alert, of: owner, in: transaction),
                    transaction: transaction, responding: self, channel: channel)
                try act(&alert, scene)
            }
            return try alertRecords.record(of: alert, for: viewer(user), in: transaction)
        }
    }

    /// The responders who get a piece of news. Of the others' acts, those who have only been asked
    /// learn who is on it.
    private enum Audience {
        case all, accepted, asked
        /// The responder who is on the alert, if they have accepted.
        case helper(UserID?)

        func includes(_ responder: Recipient) -> Bool {
            switch self {
            case .all: true
            case .accepted: responder.isAccepted
            case .asked: !responder.isAccepted
            case .helper(let id): responder.isAccepted && responder.id == id
            }
        }
    }

    private func notifyOthers(
        _ text: NotificationText, _ alert: AlertRow, _ scene: Scene,
        _ purpose: DeliveryPurpose = .alertNews, to audience: Audience = .all,
        except spared: UserID? = nil, bySMS: Bool = true, callsFollow: Bool = false
    ) throws {
        let readers = scene.responders.filter {
            $0.id != scene.me.id && $0.id != spared && audience.includes($0)
        }
        let announcements = scene.others.announcements(text, to: readers) {
            .urgent(
                $0, about: scene.owner.id, alert: alert, purpose, by: scene.me.id, bySMS: bySMS,
                callsFollow: callsFollow)
        }
        try notifier.notify(announcements, in: scene.transaction)
    }

    private func notifyOwner(
        _ text: NotificationText, _ alert: AlertRow, _ scene: Scene,
        _ purpose: DeliveryPurpose = .alertNews
    ) throws {
        let news = Notice.urgent(
            scene.others.text(text, for: scene.owner.id), about: scene.me.id, alert: alert,
            purpose, by: scene.me.id)
        try notifier.notify(Recipient(scene.owner), news, in: scene.transaction)
    }
}
