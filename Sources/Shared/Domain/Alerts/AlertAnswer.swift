import Foundation

/// What a user did about another person's alert, as their export lists it.
public struct AlertAnswer: Codable, Equatable, Sendable {
    public var alertID: AlertID
    /// The name of the person in need, as the user sees it now.
    public var ownerName: String
    public var kind: AlertAction.Kind
    public var time: Date
    /// The channel of the answer; nil for an answer in the app or on a web page.
    public var channel: DeliveryChannel?

    public init(
        alertID: AlertID, ownerName: String, kind: AlertAction.Kind, time: Date,
        channel: DeliveryChannel? = nil
    ) {
        self.alertID = alertID
        self.ownerName = ownerName
        self.kind = kind
        self.time = time
        self.channel = channel
    }
}
