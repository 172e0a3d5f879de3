import Domain

extension DrillRecord: Payload {
    public static let schema = Schema.object(
        "DrillRecord",
        [
            .required("id", .uuid), .required("startedAt", .time), .required("endsAt", .time),
            .optional("endedAt", .time),
            .optional("end", .enumeration(End.allCases.map(\.rawValue))),
            .required("answers", .array(of: DrillAnswer.schema)),
        ])
}

extension DrillAnswer {
    static let schema = Schema.object(
        "DrillAnswer",
        [
            .required("personID", .uuid), .required("name", .string()),
            .optional("answeredAt", .time), .optional("channel", .deliveryChannel),
            .optional("isAsked", .boolean),
        ])
}

extension DrillQuestion: Payload {
    public static let schema = Schema.object(
        "DrillQuestion",
        [
            .required("id", .uuid), .required("ownerID", .uuid), .required("name", .string()),
            .required("startedAt", .time), .required("endsAt", .time),
            .optional("answeredAt", .time), .optional("notificationID", .uuid),
            .optional("isEndedByAlert", .boolean),
        ])
}

extension DrillOverview: Payload {
    public static let schema = Schema.object(
        "DrillOverview",
        [
            .optional("own", DrillRecord.schema),
            .required("asked", .array(of: DrillQuestion.schema)),
            .optional("ended", .array(of: DrillQuestion.schema)),
        ])
}

public struct DrillAnswerRequest: Payload, Equatable {
    /// The channel of the confirmed message; `stream` for an open page or app.
    public var channel: Channel

    /// The channels whose messages have buttons. Calls are missing, because the server receives the
    /// pressed key itself.
    public enum Channel: String, Codable, Sendable, CaseIterable {
        case stream, webPush, apns, fcm

        public var delivery: DeliveryChannel { DeliveryChannel(rawValue: rawValue) ?? .stream }
    }

    public init(channel: Channel = .stream) { self.channel = channel }

    public static let schema = Schema.object(
        "DrillAnswerRequest",
        [.required("channel", .enumeration(Channel.allCases.map(\.rawValue)))])
}

extension Schema {
    fileprivate static let deliveryChannel = Schema.enumeration(
        DeliveryChannel.allCases.filter { $0 != .unknown }.map(\.rawValue))
}
