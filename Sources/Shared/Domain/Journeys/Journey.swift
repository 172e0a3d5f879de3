import Foundation

/// A way home with an expected return (product.md, "Journeys"), as the server keeps it.
public struct Journey: Equatable, Sendable {
    public var id: JourneyID
    public var name: String
    public var note: String
    public var startedAt: Date
    public var expectedReturn: Date
    /// When the person chose this return. An older press that arrives later changes nothing.
    public var returnChosenAt: Date
    public var graceMinutes: Int
    /// The chosen responders; nil for all.
    public var responders: [UserID]?
    /// True if the chosen responders see the journey from its start.
    public var tellsResponders: Bool
    public var remindersSent: Set<JourneyStep>
    /// The alert that the journey's end opened; nil before.
    public var alert: AlertID?
    public var endedAt: Date?

    public init(
        id: JourneyID, name: String, note: String, startedAt: Date, expectedReturn: Date,
        returnChosenAt: Date? = nil, graceMinutes: Int, responders: [UserID]?,
        tellsResponders: Bool,
        remindersSent: Set<JourneyStep> = [], alert: AlertID? = nil, endedAt: Date? = nil
    ) {
        self.id = id
        self.name = name
        self.note = note
        self.startedAt = startedAt
        self.expectedReturn = expectedReturn
        self.returnChosenAt = returnChosenAt ?? startedAt
        self.graceMinutes = graceMinutes
        self.responders = responders
        self.tellsResponders = tellsResponders
        self.remindersSent = remindersSent
        self.alert = alert
        self.endedAt = endedAt
    }

    public var isRunning: Bool { endedAt == nil }

    /// When the alert opens.
    public var deadline: Date { expectedReturn.adding(.minutes(graceMinutes)) }

    /// When this step is due; nil if it is left out.
    public func moment(of step: JourneyStep) -> Date? {
        JourneyRules.moment(of: step, expectedReturn: expectedReturn, graceMinutes: graceMinutes)
    }

    /// The step that is due. After an outage, several may be; the latest one says everything.
    public func dueStep(at now: Date) -> JourneyStep? {
        guard isRunning, alert == nil else { return nil }
        return JourneyStep.allCases.last { step in
            !remindersSent.contains(step) && moment(of: step).map { $0 <= now } == true
        }
    }

    /// When the next step is due; nil after the alert or the end.
    public var nextDue: Date? {
        guard isRunning, alert == nil else { return nil }
        return JourneyStep.allCases.filter { !remindersSent.contains($0) }
            .compactMap { moment(of: $0) }.min()
    }

    /// Records that a reminder was sent. Earlier reminders count as sent.
    public mutating func note(sent step: JourneyStep) {
        for earlier in JourneyStep.allCases {
            remindersSent.insert(earlier)
            if earlier == step { break }
        }
    }

    /// Moves the return. Its reminders become due again.
    public mutating func extend(until new: Date, chosenAt: Date, at now: Date) {
        expectedReturn = new
        returnChosenAt = chosenAt
        alert = nil
        setReminders(at: now)
    }

    /// Leaves out a reminder that would be due at once, because it says nothing new.
    public mutating func setReminders(at now: Date) {
        remindersSent = moment(of: .remindBefore).map { $0 <= now } == true ? [.remindBefore] : []
    }

    public mutating func end(at now: Date) { endedAt = now }
}

/// What the server does about a journey, in the order of time.
public enum JourneyStep: Int, CaseIterable, Sendable {
    case remindBefore, remindAtReturn, alert
}
