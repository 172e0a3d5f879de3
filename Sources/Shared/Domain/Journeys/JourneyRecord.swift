import Foundation

/// A journey as its owner sees it.
public struct JourneyRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: JourneyID
    public var name: String
    public var note: String
    public var startTime: Date
    public var expectedReturn: Date
    public var graceMinutes: Int
    /// The chosen responders; nil for all.
    public var responderIds: [UserID]?
    /// True if the chosen responders see the journey from its start.
    public var tellsResponders: Bool
    /// The open alert about the journey; nil before.
    public var alertId: AlertID?
    /// nil while the journey is running. Only an export has a journey that has ended.
    public var endTime: Date?

    public init(
        id: JourneyID, name: String, note: String = "", startTime: Date, expectedReturn: Date,
        graceMinutes: Int = JourneyRules.standardGraceMinutes, responderIds: [UserID]? = nil,
        tellsResponders: Bool = false, alertId: AlertID? = nil, endTime: Date? = nil
    ) {
        self.id = id
        self.name = name
        self.note = note
        self.startTime = startTime
        self.expectedReturn = expectedReturn
        self.graceMinutes = graceMinutes
        self.responderIds = responderIds
        self.tellsResponders = tellsResponders
        self.alertId = alertId
        self.endTime = endTime
    }

    public init(_ journey: Journey) {
        self.init(
            id: journey.id, name: journey.name, note: journey.note,
            startTime: journey.startedAt, expectedReturn: journey.expectedReturn,
            graceMinutes: journey.graceMinutes, responderIds: journey.responders,
            tellsResponders: journey.tellsResponders, alertId: journey.alert,
            endTime: journey.endedAt)
    }

    /// When the responders are told.
    public var deadline: Date { expectedReturn.adding(.minutes(graceMinutes)) }
}

/// A running journey as a chosen responder sees it.
public struct WatchedJourney: Codable, Equatable, Sendable {
    public var name: String
    public var expectedReturn: Date

    public init(name: String, expectedReturn: Date) {
        self.name = name
        self.expectedReturn = expectedReturn
    }
}
