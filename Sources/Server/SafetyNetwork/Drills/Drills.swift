import Domain
import Foundation
import Persistence

/// A drill sends a test message through all steps of the `Ladder` to the accepted responders.
public struct Drills: Commands {
    public let core: Core
    let notifier: Notifier

    /// Returns the caller's newest drill, and the running drills of others that ask the caller.
    public func drills(of caller: Caller) async throws -> DrillOverview {
        try await database.read { connection in
            let person = caller.userID
            let ended = try connection.missedDrillQuestions(to: person)
                .map { try marked($0, for: person, in: connection) }
                .filter { $0.isEndedByAlert == true }
            return DrillOverview(
                own: try connection.drill(of: person),
                asked: try connection.drillQuestions(to: person),
                ended: ended.isEmpty ? nil : ended)
        }
    }

    /// Returns the closed question, marked if a real alert ended its drill. Marks it only while the
    /// owner has an open alert that the person is told of, because other alerts stay unknown to
    /// them.
    private func marked(
        _ question: DrillQuestion, for person: UserID, in connection: any SQLConnection
    ) throws -> DrillQuestion {
        let owner = question.ownerID
        guard question.answeredAt == nil,
            let drill = try connection.drill(of: owner), drill.id == question.id,
            drill.end == .alert,
            try connection.newestOpenAlert(of: owner, visibleTo: person) != nil
        else { return question }
        var marked = question
        marked.isEndedByAlert = true
        return marked
    }

    /// Starts a drill. Idempotent by id. Throws `invalidArgument` if no drill may start now, and
    /// `alreadyExists` for the id of another owner's drill that asks one of the responders: an
    /// answer names the drill by its id.
    public func startDrill(_ id: DrillID, by caller: Caller) async throws -> DrillRecord {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            let last = try transaction.drill(of: caller.userID)
            if let last, last.id == id { return last }
            guard let owner = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            let order = try transaction.responderIDs(of: owner.id)
            let responders = try transaction.responders(of: owner.id)
                .filter { order.contains($0.id) }
            try DrillRules.check(
                last: last?.startedAt,
                hasOpenAlert: !transaction.openAlerts(of: owner.id).isEmpty,
                responders: responders.count,
                isPaid: isPaid(by: owner.id, to: responders, in: transaction),
                at: transaction.now)
            guard
                try !transaction.hasDrillQuestion(
                    id, to: responders.map(\.id), notOf: owner.id)
            else { throw CommandError.alreadyExists("This id belongs to another drill.") }
            try transaction.withdrawDrill(of: owner.id, reason: .superseded)
            let notice = Notice(
                text: .drill(name: owner.displayName), about: owner.id, purpose: .drill)
            let sent = try notifier.notify([Announcement(to: responders, notice)], in: transaction)
            let notifications = Dictionary(
                sent.map { ($0.recipient.id, $0.item.id) }, uniquingKeysWith: { $1 })
            let names = Dictionary(
                responders.map { ($0.id, $0.displayName) }, uniquingKeysWith: { $1 })
            let drill = DrillRecord(id: id, startedAt: transaction.now)
            try transaction.insert(
                drill, of: owner.id, named: owner.displayName,
                order.compactMap { person in
                    names[person].map {
                        NewDrillAnswer(
                            person: person, name: $0, notification: notifications[person])
                    }
                },
                nextDue: firstCall(after: transaction.now) ?? drill.endsAt)
            return try transaction.drill(of: owner.id) ?? drill
        }
    }

    /// Returns true if today's budgets allow an SMS and a call to each responder who takes them. A
    /// drill that isn't sent would look like one without an answer.
    private func isPaid(
        by owner: UserID, to responders: [Recipient], in transaction: Transaction
    ) throws -> Bool {
        let phones = responders.filter {
            $0.phoneNumber != nil && $0.preferences.allows(.system)
        }
        let counts = [
            (DeliveryChannel.sms, phones.count { !$0.hasStoppedTexts }),
            (.voice, phones.count { !$0.hasStoppedTexts || !$0.isGuest }),
        ]
        return try !counts.contains { channel, count in
            try availableChannels.contains(channel)
                && !transaction.maySpend(
                    .everyday, times: count, on: channel, by: owner, options.budgets)
        }
    }

    /// Ends the owner's drill early. Doesn't change an ended one.
    public func stopDrill(_ id: DrillID, by caller: Caller) async throws -> DrillRecord {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let drill = try transaction.drill(of: caller.userID), drill.id == id else {
                throw CommandError.noSuchDrill
            }
            if drill.isRunning { try end(drillOf: caller.userID, .stopped, in: transaction) }
            return try transaction.drill(of: caller.userID) ?? drill
        }
    }

    /// Confirms a drill ("Got it"). Changes nothing if the drill is over or answered.
    /// - Parameter channel: the channel of the message; `stream` for an open page or app.
    public func answerDrill(
        _ id: DrillID, by channel: DeliveryChannel, of caller: Caller
    ) async throws -> DrillQuestion {
        let person = caller.userID
        return try await answerDrill(by: channel, person: person) {
            try $0.drillQuestion(id, to: person)
        }
    }

    func answerDrill(
        _ question: DrillQuestion, by channel: DeliveryChannel, person: UserID
    ) async throws -> DrillQuestion {
        try await answerDrill(by: channel, person: person) {
            try $0.drillQuestion(question, to: person)
        }
    }

    private func answerDrill(
        by channel: DeliveryChannel, person: UserID,
        asked: @escaping @Sendable (any SQLConnection) throws -> DrillQuestion?
    ) async throws -> DrillQuestion {
        try await database.write(
            about: Subjects([], isRepeatable: true) {
                try asked($0).map { [$0.ownerID, person] } ?? []
            }
        ) { transaction in
            guard var question = try asked(transaction) else {
                throw CommandError.noSuchDrill
            }
            guard question.isOpen(at: transaction.now) else {
                return try marked(question, for: person, in: transaction)
            }
            let owner = question.ownerID
            try transaction.enterAnswer(of: person, toDrillOf: owner, by: channel)
            try transaction.withdrawDrill(of: owner, for: [person], reason: .answered)
            try transaction.withdrawDrill(of: owner, onlyCalls: true, reason: .takenOn)
            if let notification = question.notificationID,
                try transaction.markRead(.one(notification), of: person) > 0
            {
                let change = UserEvent.NotificationChange(
                    notificationID: notification, readAt: transaction.now)
                try transaction.append(.notificationsChanged(change), to: person)
            }
            if try transaction.drill(of: owner)?.isAnswered == true {
                try end(drillOf: owner, .everyoneAnswered, in: transaction)
            }
            question.answeredAt = transaction.now
            return question
        }
    }

    // MARK: Ends

    private func end(
        drillOf owner: UserID, _ end: DrillRecord.End, in transaction: Transaction
    ) throws {
        try transaction.withdrawDrill(of: owner, reason: .superseded)
        try transaction.endDrill(of: owner, end)
    }

    /// Ends the drills of people with a new alert, so that responders don't mistake the alert for a
    /// drill.
    func endDrills(ofAlerted owners: [UserID], in transaction: Transaction) throws {
        for owner in try transaction.runningDrills(of: owners) {
            try end(drillOf: owner, .alert, in: transaction)
        }
    }

    /// Takes a former responder out of the drill, and ends the drill if it awaits no other answer.
    func leaveDrill(
        of owner: UserID, _ person: UserID, in transaction: Transaction
    ) throws {
        try transaction.withdrawDrill(of: owner, for: [person], reason: .superseded)
        try transaction.deleteDrillAnswer(of: person, toDrillOf: owner)
        guard let drill = try transaction.drill(of: owner), drill.isRunning,
            drill.answers.isEmpty || drill.isAnswered
        else { return }
        try end(
            drillOf: owner, drill.answers.isEmpty ? .timeIsUp : .everyoneAnswered, in: transaction)
    }

    func continueDrill(of owner: UserID, in transaction: Transaction) throws {
        guard let drill = try transaction.drill(of: owner), drill.isRunning else { return }
        let now = transaction.now
        // Servers before version 12 open alerts without ending the drill. A start in the future was
        // written by a server with a wrong clock.
        guard try transaction.openAlerts(of: owner).isEmpty else {
            return try end(drillOf: owner, .alert, in: transaction)
        }
        guard now < drill.endsAt, drill.startedAt <= now else {
            return try end(drillOf: owner, .timeIsUp, in: transaction)
        }
        var nextLook: Date?
        if drill.answers.allSatisfy({ $0.answeredAt == nil }) {
            let calls = try transaction.calls(ofDrillOf: owner)
            let turn = try turn(
                of: calls, order: drill.answers.map(\.personID), in: transaction)
            try transaction.start(turn.calls)
            nextLook = turn.nextLook
        }
        try transaction.saveNextDue(
            ofDrillOf: owner, min(nextLook ?? drill.endsAt, drill.endsAt))
    }

    // MARK: Calls

    /// Records how a call about a drill ended. Key 1 confirms the drill. Returns true if it is the
    /// call's first result.
    func endDrillCall(
        _ delivery: DeliveryID, to user: UserID, attempt: Int?, _ outcome: CallOutcome
    ) async throws -> Bool {
        guard
            let question = try await database.read({
                try $0.drillQuestion(ofDelivery: delivery, to: user)
            })
        else { return false }
        if outcome == .takesOn {
            _ = try await answerDrill(question, by: .voice, person: user)
        }
        let subjects = Subjects([question.ownerID, user], isRepeatable: true)
        return try await database.write(about: subjects) { transaction -> Bool in
            if outcome == .takesOn || outcome == .declines {
                try transaction.prove(delivery, of: user)
            }
            guard try transaction.endCall(delivery, to: user, attempt: attempt, outcome)
            else { return false }
            try transaction.hurryDrill(of: question.ownerID)
            return true
        }
    }
}
