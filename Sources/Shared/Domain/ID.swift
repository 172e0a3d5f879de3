import Foundation

/// A typed identifier. The tag prevents mixing the ids of different types. Encoded as a lower-case
/// UUID string.
public struct ID<Tag>: Hashable, Sendable {
    public let uuid: UUID

    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Parses 36 characters, upper or lower case. Returns nil for any other text.
    public init?(_ text: String) {
        guard let uuid = UUID(wireText: text) else { return nil }
        self.uuid = uuid
    }
}

extension ID: CustomStringConvertible {
    public var description: String { uuid.wireText }
}

extension ID: Comparable {
    public static func < (left: ID, right: ID) -> Bool { left.uuid < right.uuid }
}

extension ID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = ID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be a UUID")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

public typealias UserID = ID<UserProfile>
public typealias SessionID = ID<Session>
public typealias CheckInID = ID<CheckInRecord>
public typealias SignUpTokenID = ID<SignUpToken>
public typealias PasskeyID = ID<Passkey>
public typealias SourceID = ID<CheckInSource>
public typealias AlertID = ID<AlertRecord>
public typealias JourneyID = ID<JourneyRecord>
public typealias PingID = ID<PingRecord>
public typealias DrillID = ID<DrillRecord>
public typealias InvitationID = ID<Invitation>
public typealias NotificationID = ID<NotificationItem>
public typealias DeliveryID = ID<DeliveryRecord>
public typealias PushEndpointID = ID<PushEndpoint>
public typealias PictureID = ID<ProfilePicture>
public typealias QRCodeID = ID<QRCodeData>
public typealias AdminActID = ID<AdminAct>
