import Domain
import Foundation

extension AlertAction: Payload {
    public static let schema = Schema.object(
        "AlertAction",
        [
            .required("kind", .enumeration(Kind.allCases.map(\.rawValue))),
            .required("responderId", .uuid), .required("name", .string()), .required("time", .time),
            .optional(
                "channel",
                .enumeration(
                    DeliveryChannel.allCases.filter { $0 != .unknown }.map(\.rawValue))),
            .optional("isLossOfRole", .boolean),
        ]
    )
}

extension AlertAnswer: Payload {
    public static let schema = Schema.object(
        "AlertAnswer",
        [
            .required("alertID", .uuid), .required("ownerName", .string()),
            .required("kind", .enumeration(AlertAction.Kind.allCases.map(\.rawValue))),
            .required("time", .time),
            .optional(
                "channel",
                .enumeration(
                    DeliveryChannel.allCases.filter { $0 != .unknown }.map(\.rawValue))),
        ]
    )
}

extension AlertRecord: Payload {
    public static let schema = Schema.object(
        "AlertRecord",
        [
            .required("id", .uuid), .required("startTime", .time), .optional("endTime", .time),
            .required("userId", .uuid),
            .required("isActive", .boolean),
            .required("kind", .enumeration(AlertKind.allCases.map(\.rawValue))),
            .optional("deadline", .time), .optional("journey", .string()),
            .optional("note", .string()), .required("toldLate", .boolean),
            .optional("receivedTime", .time),
            .optional("report", AlertAction.schema),
            .optional("refusals", .array(of: AlertAction.schema)),
            .optional("isRefusedByAll", .boolean), .optional("isUnheard", .boolean),
            .optional(
                "ending",
                .object(
                    "AlertEnding",
                    [.required("sessionId", .uuid), .required("deviceName", .string())])),
            .required("history", .array(of: AlertAction.schema)),
            .required("othersTold", .array(of: .string())),
            .optional(
                "acknowledgement",
                .object(
                    "Acknowledgement",
                    [
                        .required("responderId", .uuid), .required("name", .string()),
                        .required("time", .time), .required("afterSeconds", .number),
                        .optional(
                            "end",
                            .enumeration(Acknowledgement.End.allCases.map(\.rawValue))),
                    ]
                )
            ),
            .required(
                "ledger",
                .array(
                    of: .object(
                        "LedgerEntry",
                        [
                            .required("recipientId", .uuid), .required("name", .string()),
                            .required(
                                "channel",
                                .enumeration(
                                    DeliveryChannel.allCases.filter { $0 != .unknown }.map(
                                        \.rawValue))),
                            .required(
                                "state",
                                .enumeration(
                                    DeliveryState.allCases.filter { $0 != .unknown }.map(\.rawValue)
                                )),
                            .required("time", .time),
                            .required("attempts", .integer(0...1_000_000)),
                            .optional("reason", .string()),
                            .optional("receivedTime", .time),
                            .optional("changedTime", .time),
                            .optional("sentTime", .time),
                            .optional("openedTime", .time),
                            .optional("nextTime", .time),
                        ]
                    )
                )
            ),
        ]
    )
}

/// A pass that can raise one alert. `PUT /v1/alerts/{id}` accepts it instead of an access token, as
/// `Authorization: AlertPass …`.
public struct AlertPassResponse: Payload, Equatable {
    public var pass: String
    public var expiresAt: Date

    public init(pass: String, expiresAt: Date) {
        self.pass = pass
        self.expiresAt = expiresAt
    }

    public static let schema = Schema.object(
        "AlertPassResponse", [.required("pass", .token), .required("expiresAt", .time)])
}
