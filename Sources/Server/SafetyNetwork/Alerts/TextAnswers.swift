import Cryptography
import Domain
import Foundation
import Persistence

/// Answers by text message. The sender's number is the only proof, and some carriers let senders
/// forge it (threats.md).
public struct TextAnswers: Commands {
    public let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords
    let refusedAlerts: RefusedAlerts
    let relations: Relations
    let responding: Responding
    let drills: Drills
    let invitationAnswers: InvitationAnswers
    let lastCallAnswers: LastCallAnswers

    /// The shortest time between two help texts to one person.
    private static let pauseBetweenHelp: Duration = .days(1)
    /// The same answer with the same id within this time is a repeat.
    static let repeatableWithID: Duration = .days(1)
    /// How long an answer still refers to an ended alert that the last reply named.
    static let answersEndedAlert: Duration = .minutes(10)

    /// Handles a text message and returns the reply, if any. A number without a user gets one only
    /// to the answer to an invitation, because replies would reveal who is a user. A repeat of a
    /// handled message gets none.
    /// - Parameter id: the provider's id of the message.
    public func receiveText(
        _ text: String, from number: PhoneNumber, id: String? = nil
    ) async throws -> String? {
        let answer = TextAnswer(text)
        // Unclear messages change nothing, so they may not displace the person's other keys.
        guard let id, answer != .unclear,
            let user = try await database.read({ try $0.user(phoneNumber: number)?.id })
        else { return try await self.reply(to: answer, from: number) }
        let request = RequestKeyRow.text(answer, hash: Digest.sha256(Data(id.utf8)))
        let isRepeat = try await database.read {
            let since = $0.now.adding(.zero - Self.repeatableWithID)
            return try $0.hasRequest(request, of: user, since: since)
        }
        guard !isRepeat else { return nil }
        let reply = try await self.reply(to: answer, from: number)
        // An answer that fails isn't recorded, because the provider must be able to repeat it. A
        // record that fails doesn't withhold the reply.
        try? await database.write(about: Subjects([user])) {
            try $0.insert(
                RequestKeyRow(request: request), key: core.environment.makeID(), of: user)
        }
        return reply
    }

    private func reply(to answer: TextAnswer, from number: PhoneNumber) async throws -> String? {
        if answer == .stops {
            try await stopTexts(to: number)
            return nil
        }
        guard let user = try await database.read({ try $0.user(phoneNumber: number) }) else {
            if answer == .starts { try await allowInvitations(to: number) }
            return [.takesOn, .declines].contains(answer)
                ? try await replyToInvited(number)?.text : nil
        }
        let own = try await ownMatter(of: user.id)
        var reply: TextReply?
        switch answer {
        case .takesOn, .declines, .isFine:
            reply = try await self.reply(
                to: answer, of: user, on: number, unless: own?.reply)
        case .starts: reply = try await startTexts(to: user, on: number)
        case .stops, .unclear: reply = user.smsStoppedAt == nil ? .help : nil
        }
        var unclearlyAnswered: DeliveryID?
        if answer == .unclear, reply == .help {
            if let own {
                reply = own.reply
                unclearlyAnswered = own.delivery
            } else if let awaited = try await lastCallAnswers.awaitedCheckIn(of: user.id) {
                reply = awaited.reply(to: answer)
                unclearlyAnswered = awaited.delivery
            }
        }
        guard let reply, user.smsStoppedAt == nil || reply.isStart else { return nil }
        let isAboutAlert = reply.offered != nil
        let next = isAboutAlert ? try await nextAlert(of: user.id, after: reply) : nil
        let owesDrill = isAboutAlert ? try await owesDrillAnswer(user.id) : false
        // Stores the offer. Nothing may fail after this, or the sender never reads of the offer.
        let mayReply = try await mayReply(
            reply, to: user.id, offering: next?.id, afterUnclearAnswerTo: unclearlyAnswered)
        guard mayReply else { return nil }
        let whole = next.map { reply.offering($0.name) } ?? reply
        return owesDrill ? whole.textNotAboutDrill : whole.text
    }

    /// Handles an answer, which is about the person's own journey or alert, an invitation, a last
    /// call, the person's deadline, or else an alert or a drill. All but the last call, alerts and
    /// drills count only as the newest SMS.
    /// - Parameter own: the reply if the newest SMS is about the own journey or alert.
    private func reply(
        to answer: TextAnswer, of user: UserRow, on number: PhoneNumber, unless own: TextReply?
    ) async throws -> TextReply? {
        if let own { return own }
        // "OK" neither accepts nor declines an invitation.
        if answer != .isFine,
            let sent = try await invitationAnswers.newestText(to: user.id, on: number)
        {
            guard try await isAboutAlert(answer, of: user.id, after: sent) else {
                return .openInvitation(answer: answer)
            }
        } else if let reply = try await lastCallAnswers.reply(to: answer, of: user.id) {
            return reply
        } else if let awaited = try await lastCallAnswers.awaitedCheckIn(of: user.id),
            try await !isAboutAlert(answer, of: user.id, after: awaited.sent)
        {
            // A user who answers a reminder must not believe that they have checked in.
            return awaited.reply(to: answer)
        }
        guard answer != .isFine else { return user.smsStoppedAt == nil ? .help : nil }
        guard answer == .takesOn else { return try await declineByText(user.id) }
        return try await takeOnByText(user.id)
    }

    /// Returns the reply to an answer from a number without a user: one for each texted invitation,
    /// and none after STOP. It counts for the inviting user.
    private func replyToInvited(_ number: PhoneNumber) async throws -> TextReply? {
        let asked = try await database.read {
            connection -> (owner: UserID, id: InvitationID, time: Date)? in
            guard try !hasStop(number, in: connection) else { return nil }
            return try invitationAnswers.textedInvitation(to: number, in: connection)
        }
        guard let asked else { return nil }
        let (owner, request) = (asked.owner, RequestKeyRow.reply(to: asked.id))
        let mayReply = try await database.write(about: Subjects([owner])) { transaction in
            let ever = Date(milliseconds: 0)
            guard try !transaction.hasRequest(request, of: owner, since: ever),
                try transaction.spend(.everyday, on: .sms, by: owner, options.budgets)
            else { return false }
            try transaction.insert(
                RequestKeyRow(request: request), key: core.environment.makeID(), of: owner)
            return true
        }
        return mayReply ? .openInvitation() : nil
    }

    /// Returns the newest SMS to the person, and the reply to any answer. Returns nil unless the
    /// SMS is about their own open manual alert, or asks whether they are back, and they have
    /// neither arrived nor chosen another return since then.
    private func ownMatter(
        of user: UserID
    ) async throws -> (delivery: DeliveryID, reply: TextReply)? {
        try await database.read { connection -> (delivery: DeliveryID, reply: TextReply)? in
            let since = connection.now.adding(.zero - LastCallAnswers.answerable)
            if let texted = try connection.textedManualAlert(of: user, since: since) {
                return (delivery: texted.id, reply: .ownAlert)
            }
            guard let texted = try connection.textedJourney(of: user, since: since),
                let journey = try connection.journey(of: user), journey.isRunning,
                journey.returnChosenAt < texted.sent
            else { return nil }
            return (delivery: texted.id, reply: .notBack)
        }
    }

    private func takeOnByText(_ user: UserID) async throws -> TextReply {
        let alert: AlertKey
        switch try await textedSubject(of: user, answer: .takesOn) {
        case .alert(let key): alert = key
        case .drill(let asked):
            let question = try await drills.answerDrill(asked, by: .sms, person: user)
            return question.answeredAt == nil ? .nothingOpen : .drillConfirmed
        case .noAlert(let hasEnded): return .changedNothing(hasEnded: hasEnded)
        case nil: return .nothingOpen
        }
        do {
            let record = try await responding.acknowledgeAlert(alert.id, by: user, over: .sms)
            guard record.isActive, let helper = record.acknowledgement else { return .nothingOpen }
            let name = try await name(of: alert.owner)
            guard UserID(helper.responderId) == user else {
                return .isTaken(responder: helper.name, name: name)
            }
            return .isYours(name: name)
        } catch CommandError.notFound {
            return .nothingOpen
        }
    }

    private func declineByText(_ user: UserID) async throws -> TextReply {
        let alert: AlertKey
        switch try await textedSubject(of: user, answer: .declines) {
        case .alert(let key): alert = key
        case .drill(let asked): return asked.answeredAt == nil ? .drillRefused : .nothingOpen
        case .noAlert(let hasEnded): return .changedNothing(hasEnded: hasEnded)
        case nil: return .nothingOpen
        }
        do {
            let record = try await responding.declineAlert(alert.id, by: user, over: .sms)
            guard record.isActive else { return .nothingOpen }
            let (isRecorded, hasAccepted) = try await database.read { connection in
                let isRecorded = try connection.alert(alert.id, of: alert.owner).map {
                    try alertRecords.hasRefused($0, by: user, in: connection)
                }
                let relation = try connection.contact(alert.owner, of: user)?.relation
                return (isRecorded == true, relation?.dependent.isInForce == true)
            }
            guard isRecorded else { return .notCounted }
            return .declined(
                name: try await name(of: alert.owner),
                record.afterRefusal(hasAccepted: hasAccepted))
        } catch CommandError.notFound {
            return .nothingOpen
        } catch CommandError.rateLimited {
            return .notCounted
        }
    }

    private func name(of user: UserID) async throws -> String {
        try await database.read { try $0.user(user)?.displayName } ?? ProfileRules.displayName("")
    }

    private enum TextedSubject {
        case alert(AlertKey)
        case drill(DrillQuestion)
        /// None of the open alerts. True if the alert that the last reply named has ended.
        case noAlert(hasEnded: Bool)
    }

    /// Returns what an answer refers to: an open alert, or else the drill with the newest SMS. "1"
    /// refers to the drill, too, if the user had refused the alerts before its SMS.
    /// Records that text messages reach the user, because the answer proves it.
    private func textedSubject(
        of user: UserID, answer: TextAnswer
    ) async throws -> TextedSubject? {
        let subject: TextedSubject? = try await database.read { connection in
            let drill = try Self.textedDrills(of: user, in: connection)
                .max { $0.newest < $1.newest }
            let since = connection.now.adding(.zero - ActRules.sameAnswer)
            if answer == .takesOn, let drill, Self.isUnanswered(drill.subject, before: since),
                try hadRefusedAll(user, before: drill.newest, in: connection)
            {
                return drill.subject
            }
            return try textedAlert(of: user, answer, in: connection) ?? drill?.subject
        }
        guard let subject else { return nil }
        try await database.write(about: Subjects([user], isRepeatable: true)) {
            try $0.proveTexts(to: user)
        }
        return subject
    }

    /// Returns true if the user refused each texted alert before this time, and got no SMS about
    /// one since then.
    private func hadRefusedAll(
        _ user: UserID, before time: Date, in connection: any SQLConnection
    ) throws -> Bool {
        try connection.textedAlerts(of: user).allSatisfy { alert, newest in
            let key = AlertKey(owner: alert.userID, id: alert.id)
            return try newest < time
                && alertRecords.hasRefused(alert, by: user, in: connection)
                && connection.lastAction(by: user, about: key, since: time) == nil
        }
    }

    /// Returns true if the user hasn't answered the SMS of a drill that is still on.
    private func owesDrillAnswer(_ user: UserID) async throws -> Bool {
        try await database.read { connection in
            try Self.textedDrills(of: user, in: connection).contains { subject, _ in
                Self.isUnanswered(subject, before: .distantFuture)
            }
        }
    }

    /// Returns true for a drill that the user hadn't answered before this time.
    private static func isUnanswered(_ subject: TextedSubject, before time: Date) -> Bool {
        guard case .drill(let question) = subject else { return false }
        return question.answeredAt.map { $0 >= time } ?? true
    }

    /// Returns the open alert that an answer refers to: the one with the newest SMS, unless the
    /// answer repeats or corrects an earlier one. A reply that asks about another alert counts as
    /// an SMS about that alert, until an SMS about a further alert leaves. If the alert in the
    /// reply has ended, returns `noAlert` until the next SMS, but no longer than
    /// `answersEndedAlert`. Returns nil if no alert is open.
    private func textedAlert(
        of user: UserID, _ answer: TextAnswer, in connection: any SQLConnection
    ) throws -> TextedSubject? {
        let texted = try connection.textedAlerts(of: user)
        guard let newest = texted.first else { return nil }
        let alerts = texted.map(\.alert)
        if let answered = try justAnsweredAlert(of: user, answer, among: alerts, in: connection) {
            return .alert(AlertKey(owner: answered.userID, id: answered.id))
        }
        guard try !hasFreshOffer(for: answer, to: user, in: connection) else {
            return .noAlert(hasEnded: false)
        }
        // The user answers the alert in the reply, and no SMS has told them of its end yet.
        let lastText = try connection.textTime(to: user) ?? newest.newest
        let reply = try newestOffer(for: answer, to: user, since: lastText, in: connection)
        if let reply, connection.now.since(reply.time) < Self.answersEndedAlert,
            !alerts.contains(where: { $0.id.uuid == reply.outcome })
        {
            return .noAlert(hasEnded: true)
        }
        let offered = try offeredAlert(
            of: user, answer, among: alerts, after: newest.newest, in: connection)
        let alert = offered ?? newest.alert
        return .alert(AlertKey(owner: alert.userID, id: alert.id))
    }

    /// Returns the alert that the user gave the same answer to just now, or else the one that they
    /// answered last by text message just now. Returns nil if there is none.
    private func justAnsweredAlert(
        of user: UserID, _ answer: TextAnswer, among alerts: [AlertRow],
        in connection: any SQLConnection
    ) throws -> AlertRow? {
        let since = connection.now.adding(.zero - ActRules.sameAnswer)
        let repeated = try alerts.first { alert in
            let key = AlertKey(owner: alert.userID, id: alert.id)
            let last = try connection.lastAction(by: user, about: key, since: since)
            return answer == .takesOn
                ? last == .acknowledged || last == .confirmed : last?.isRefusal == true
        }
        if let repeated { return repeated }
        // The user hasn't read the reply to the last answer yet, so the other answer corrects it.
        let refusals = AlertAction.Kind.allCases.filter(\.isRefusal)
        return try newestAnswered(
            by: [.acknowledged, .confirmed] + refusals, of: user, among: alerts, since: since,
            in: connection)
    }

    /// Returns the alert that a reply since `time` asked about, unless the user has answered it
    /// since then. For a refusal, the last alert that the user acknowledged by SMS since `time`
    /// comes next. Returns nil if there is none.
    /// - Parameter alerts: the alerts that the user got an SMS about.
    private func offeredAlert(
        of user: UserID, _ answer: TextAnswer, among alerts: [AlertRow], after time: Date,
        in connection: any SQLConnection
    ) throws -> AlertRow? {
        let offer = try newestOffer(for: answer, to: user, since: time, in: connection)
        if let offer, let offered = alerts.first(where: { $0.id.uuid == offer.outcome }),
            try connection.lastAction(
                by: user, about: AlertKey(owner: offered.userID, id: offered.id),
                since: offer.time) == nil
        {
            return offered
        }
        guard answer == .declines else { return nil }
        return try newestAnswered(
            by: [.acknowledged, .confirmed], of: user,
            among: alerts.filter { $0.acknowledgedBy == user }, since: time, in: connection)
    }

    /// Returns the newest reply since `time` that asked for this answer, with the alert's id.
    private func newestOffer(
        for answer: TextAnswer, to user: UserID, since time: Date, in connection: any SQLConnection
    ) throws -> (outcome: UUID?, time: Date)? {
        try [RequestKeyRow.offerForEither, RequestKeyRow.offer(for: answer)]
            .compactMap { try connection.newestRequest($0, of: user) }
            .filter { $0.time >= time }
            .max { $0.time < $1.time }
    }

    /// Returns true within the time of a repeat, when the user can't have read the offer yet.
    private func hasFreshOffer(
        for answer: TextAnswer, to user: UserID, in connection: any SQLConnection
    ) throws -> Bool {
        let since = connection.now.adding(.zero - ActRules.sameAnswer)
        return try newestOffer(for: answer, to: user, since: since, in: connection) != nil
    }

    /// Returns the alert that the user answered last by text message since `time`.
    private func newestAnswered(
        by kinds: [AlertAction.Kind], of user: UserID, among alerts: [AlertRow], since time: Date,
        in connection: any SQLConnection
    ) throws -> AlertRow? {
        try alerts.compactMap { alert -> (alert: AlertRow, time: Date)? in
            try connection.textedAnswer(
                kinds, to: AlertKey(owner: alert.userID, id: alert.id), by: user, since: time
            ).map { (alert: alert, time: $0) }
        }
        .max { $0.time < $1.time }?.alert
    }

    /// Returns true if an answer is about an alert although the newest SMS, which left at `time`,
    /// is an invitation or about the user's own deadline.
    private func isAboutAlert(
        _ answer: TextAnswer, of user: UserID, after time: Date
    ) async throws -> Bool {
        guard answer != .isFine else { return false }
        return try await database.read { connection in
            let alerts = try connection.textedAlerts(of: user).map(\.alert)
            let answered = try justAnsweredAlert(of: user, answer, among: alerts, in: connection)
            guard answered == nil else { return true }
            return try !hasFreshOffer(for: answer, to: user, in: connection)
                && offeredAlert(of: user, answer, among: alerts, after: time, in: connection)
                    != nil
        }
    }

    /// Returns true if no responder is on the alert and the user hasn't refused it, or if the
    /// server has asked the user whether they are still helping.
    private func awaitsAnswer(
        _ alert: AlertRow, of user: UserID, in connection: any SQLConnection
    ) throws -> Bool {
        if alert.acknowledgedBy == user { return alert.askedAt != nil }
        guard alert.escalation.attention == .none else { return false }
        return try !alertRecords.hasRefused(alert, by: user, in: connection)
    }

    /// Returns the alert with the newest SMS that awaits the user's answer, and its owner's name.
    /// If none awaits it and the answer changed nothing, returns the one with the newest SMS.
    private func nextAlert(
        of user: UserID, after reply: TextReply
    ) async throws -> (id: AlertID, name: String)? {
        try await database.read { connection -> (id: AlertID, name: String)? in
            let alerts = try connection.textedAlerts(of: user).map(\.alert)
            let waiting = try alerts.first { try awaitsAnswer($0, of: user, in: connection) }
            return try (waiting ?? (reply.isChangedNothing ? alerts.first : nil)).map {
                (id: $0.id, name: try connection.displayName(of: $0.userID))
            }
        }
    }

    /// Returns drills that await an answer, and recent answered ones. A gateway may deliver an
    /// answer twice, and the repeat must get the same reply. Omits answered ones if an SMS about an
    /// alert is newer.
    private static func textedDrills(
        of user: UserID, in connection: any SQLConnection
    ) throws -> [(subject: TextedSubject, newest: Date)] {
        let now = connection.now
        let newestAlert = try connection.textedOwners(of: user).map(\.newest).max()
        return try connection.allDrillQuestions(to: user).compactMap { question in
            let isCurrent =
                question.isOpen(at: now)
                || question.answeredAt != nil && now < question.startedAt.adding(DrillRules.length)
            guard isCurrent, let notification = question.notificationID,
                let newest = try connection.textTime(of: notification, to: user)
            else { return nil }
            if question.answeredAt != nil, let newestAlert, newestAlert > newest { return nil }
            return (.drill(question), newest)
        }
    }

    /// Returns true if the reply may be sent, and charges it to the budget. The help text is sent
    /// at most once a day. Unclear answers to one SMS get one reply, because a phone may answer
    /// each reply automatically.
    /// - Parameters:
    ///   - alert: the other alert that the reply asks about. The offer is stored.
    ///   - delivery: the SMS that got an unclear answer; nil after other answers.
    private func mayReply(
        _ reply: TextReply, to user: UserID, offering alert: AlertID?,
        afterUnclearAnswerTo delivery: DeliveryID?
    ) async throws -> Bool {
        try await database.write(about: Subjects([user])) { transaction in
            if let delivery {
                let key = delivery.uuid
                guard try transaction.requestKey(key, of: user) == nil else { return false }
                try transaction.insert(
                    RequestKeyRow(request: RequestKeyRow.unclearTextAnswer), key: key, of: user)
            }
            if reply == .help {
                let before = transaction.now.adding(.zero - Self.pauseBetweenHelp)
                guard try transaction.noteHelp(to: user, unlessAfter: before) else { return false }
            }
            // Without the reply that offers an alert, the next answer could not be about it.
            let offersAlert = alert != nil && reply.asksForSameAnswer
            let use = offersAlert ? BudgetUse.alertBegin : reply.budgetUse
            guard try transaction.spend(use, on: .sms, by: user, options.budgets) else {
                return false
            }
            if let alert, let answer = reply.offered {
                let request =
                    reply.asksForSameAnswer
                    ? RequestKeyRow.offer(for: answer) : RequestKeyRow.offerForEither
                try offer(alert, request, to: user, in: transaction)
            }
            return true
        }
    }

    /// Notes that a reply asks about an alert. A quick repeat keeps the earlier time, which decides
    /// from when the offer counts.
    private func offer(
        _ alert: AlertID, _ request: String, to user: UserID, in transaction: Transaction
    ) throws {
        let last = try transaction.newestRequest(request, of: user)
        let since = transaction.now.adding(.zero - ActRules.sameAnswer)
        if let last, last.outcome == alert.uuid, last.time >= since { return }
        try transaction.insert(
            RequestKeyRow(request: request, outcome: alert.uuid),
            key: core.environment.makeID(), of: user)
    }

    // MARK: STOP and START

    /// Handles a STOP: ends texts to the number, except codes that its owner requests. Ends calls
    /// as well if the owner has no account. Notifies the people who rely on the owner, and declines
    /// invitations to the number, except from these people.
    ///
    /// Stores nothing if the server can't receive START. The provider then blocks messages itself
    /// until a START.
    public func stopTexts(to number: PhoneNumber) async throws {
        guard options.takesTextAnswers else { return }
        try await database.write(
            about: Subjects(
                [], names: [number.text], isRepeatable: true,
                search: { connection in
                    let inviting = try connection.pendingInvitations(to: number).map(\.owner)
                    guard let user = try connection.user(phoneNumber: number) else {
                        return inviting
                    }
                    let contacts = try connection.contacts(of: user.id).map(\.contact)
                    return inviting + [user.id] + contacts
                })
        ) { transaction in
            for (owner, id, _) in try transaction.pendingInvitations(to: number) {
                guard let me = try transaction.user(owner),
                    let invitation = try transaction.invitation(id, of: owner),
                    try invitationAnswers.responder(
                        of: owner, by: invitation, in: transaction) == nil
                else { continue }
                try invitationAnswers.decline(invitation, for: me, in: transaction)
            }
            guard let user = try transaction.user(phoneNumber: number) else {
                return try keepStop(of: number, in: transaction)
            }
            guard user.smsStoppedAt == nil else { return }
            let unrefused = try refusedAlerts.unrefusedAlerts(
                of: try transaction.contacts(of: user.id).map(\.contact), in: transaction)
            try transaction.stopTexts(to: user)
            try notifyOwners(
                of: user, .textsStopped(user), insteadOf: .textsStarted(user), in: transaction)
            try refusedAlerts.restartRefused(among: unrefused, by: user.id, in: transaction)
        }
    }

    /// Undoes the STOP of a number without a user.
    private func allowInvitations(to number: PhoneNumber) async throws {
        try await database.write(
            about: Subjects([], names: [number.text], isRepeatable: true)
        ) {
            try forgetStop(of: number, in: $0)
        }
    }

    /// Handles a STOP that the SMS provider reports about a message. Ignores a report about a
    /// message to the number that the user had before.
    public func stopTexts(to user: UserID, reportedFor delivery: DeliveryID) async throws {
        let number = try await database.read { connection -> PhoneNumber? in
            guard try connection.presentCarrier(of: delivery, to: user) != nil else { return nil }
            return try connection.user(user)?.phoneNumber
        }
        if let number { try await stopTexts(to: number) }
    }

    /// Lifts a STOP of the user, and one of the number before it had a user. Notifies the people
    /// who rely on the user. Alarms the user of the open alerts of these people. Returns the reply,
    /// which names ended alerts; nil without a STOP of the user.
    private func startTexts(to user: UserRow, on number: PhoneNumber) async throws -> TextReply? {
        try await database.write(
            about: Subjects(
                [user.id], names: [number.text],
                search: { try $0.contacts(of: user.id).map(\.contact) })
        ) { transaction -> TextReply? in
            try forgetStop(of: number, in: transaction)
            let unrefused = try refusedAlerts.unrefusedAlerts(
                of: try transaction.contacts(of: user.id).map(\.contact), in: transaction)
            guard try transaction.startTexts(to: user.id) else { return nil }
            let owners = try notifyOwners(
                of: user, .textsStarted(user), insteadOf: .textsStopped(user), in: transaction)
            guard let started = try transaction.user(user.id) else { return .started }
            for owner in owners {
                var responder = Recipient(started)
                responder.readTimes(like: owner)
                try relations.notifyOfOpenAlerts(
                    of: owner, to: responder, isAcceptance: true, isStart: true,
                    in: transaction)
            }
            try refusedAlerts.publishUnrefused(
                of: owners.map(\.id), besides: unrefused, in: transaction)
            return try startReply(to: user, in: transaction)
        }
    }

    /// Notifies the people who rely on the user of a STOP or START, and returns them. Withdraws
    /// news of the other one that a rate limit holds back.
    @discardableResult
    private func notifyOwners(
        of user: UserRow, _ notice: Notice, insteadOf other: Notice, in transaction: Transaction
    ) throws -> [UserRow] {
        let owners = try transaction.owners(relyingOn: user.id)
        guard !owners.isEmpty else { return [] }
        try transaction.deleteHeldNews(
            [other.text.type], titled: other.text.title, about: user.id,
            to: owners.map(\.id).sorted())
        for owner in owners { try notifier.notify(Recipient(owner), notice, in: transaction) }
        return owners
    }
}
