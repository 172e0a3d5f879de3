import Foundation

/// What a person enters to start a journey.
public struct JourneyDraft: Equatable, Sendable {
    public var id: JourneyID
    public var name: String
    public var expectedReturn: Date
    public var graceMinutes: Int
    public var note: String
    /// The chosen responders; nil for all.
    public var responders: [UserID]?
    /// True if the chosen responders are told of the start.
    public var tellsResponders: Bool

    public init(
        id: JourneyID, name: String, expectedReturn: Date,
        graceMinutes: Int = JourneyRules.standardGraceMinutes, note: String = "",
        responders: [UserID]? = nil, tellsResponders: Bool = false
    ) {
        self.id = id
        self.name = name
        self.expectedReturn = expectedReturn
        self.graceMinutes = graceMinutes
        self.note = note
        self.responders = responders
        self.tellsResponders = tellsResponders
    }
}
