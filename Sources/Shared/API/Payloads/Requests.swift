import Domain
import Foundation

public struct SendCodeRequest: Payload, Equatable {
    /// The number as typed. The server converts it to the canonical form.
    public var phoneNumber: String
    /// A key that the device creates once. Devices that have signed in before have their own
    /// limits.
    public var deviceKey: DeviceKey?
    /// True if the person confirms a number that the numbering plans call impossible.
    public var isConfirmed: Bool?
    /// The operator's token, for a new account or for this number.
    public var token: String?
    /// The code of the person who invites the number's owner to open an account.
    public var inviterCode: QRCodeID?

    public init(
        phoneNumber: String, deviceKey: DeviceKey? = nil, isConfirmed: Bool? = nil,
        token: String? = nil, inviterCode: QRCodeID? = nil
    ) {
        self.phoneNumber = phoneNumber
        self.deviceKey = deviceKey
        self.isConfirmed = isConfirmed
        self.token = token
        self.inviterCode = inviterCode
    }

    public static let schema = Schema.object(
        "SendCodeRequest",
        [
            .required("phoneNumber", .typedPhoneNumber), .optional("deviceKey", .uuid),
            .optional("isConfirmed", .boolean), .optional("token", .token),
            .optional("inviterCode", .uuid),
        ])
}

public struct SignInRequest: Payload, Equatable {
    public var phoneNumber: String
    /// nil with a token for this number.
    public var code: String?
    public var deviceName: String
    /// The request that sent the code. The server counts attempts per request.
    public var requestID: CodeRequestID?
    /// The server remembers this key after a right code, and recognizes the device by it.
    public var deviceKey: DeviceKey?
    /// The operator's token that signs in this number without a code.
    public var token: String?
    /// One of the person's recovery codes, in place of a code.
    public var recoveryCode: String?

    public init(
        phoneNumber: String, code: String? = nil, deviceName: String,
        requestID: CodeRequestID? = nil, deviceKey: DeviceKey? = nil, token: String? = nil,
        recoveryCode: String? = nil
    ) {
        self.phoneNumber = phoneNumber
        self.code = code
        self.deviceName = deviceName
        self.requestID = requestID
        self.deviceKey = deviceKey
        self.token = token
        self.recoveryCode = recoveryCode
    }

    public static let schema = Schema.object(
        "SignInRequest",
        [
            .required("phoneNumber", .typedPhoneNumber), .optional("code", .code),
            .required(
                "deviceName",
                .string(length: SignInRules.deviceNameLength, pattern: Schema.visibleLine)),
            .optional("requestID", .uuid), .optional("deviceKey", .uuid),
            .optional("token", .token), .optional("recoveryCode", .recoveryCode),
        ]
    )
}

/// An unused recovery code, where it skips a wait or proves the owner.
public struct RecoveryCodeRequest: OptionalPayload, Equatable {
    public var recoveryCode: String?

    public init() {}

    public init(recoveryCode: String?) { self.recoveryCode = recoveryCode }

    public static let schema = Schema.object(
        "RecoveryCodeRequest", [.optional("recoveryCode", .nullable(.recoveryCode))])
}

public struct PasskeySignInRequest: Payload, Equatable {
    public var passkey: PasskeyAssertion
    public var deviceName: String
    public var deviceKey: DeviceKey?

    public init(passkey: PasskeyAssertion, deviceName: String, deviceKey: DeviceKey? = nil) {
        self.passkey = passkey
        self.deviceName = deviceName
        self.deviceKey = deviceKey
    }

    public static let schema = Schema.object(
        "PasskeySignInRequest",
        [
            .required("passkey", PasskeyAssertion.schema),
            .required(
                "deviceName",
                .string(length: SignInRules.deviceNameLength, pattern: Schema.visibleLine)),
            .optional("deviceKey", .uuid),
        ])
}

public struct AddPasskeyRequest: Payload, Equatable {
    public var passkey: PasskeyRegistration
    public var name: String

    public init(passkey: PasskeyRegistration, name: String) {
        self.passkey = passkey
        self.name = name
    }

    public static let schema = Schema.object(
        "AddPasskeyRequest",
        [
            .required("passkey", PasskeyRegistration.schema),
            .required(
                "name", .string(length: PasskeyRules.nameLength, pattern: Schema.visibleLine)),
        ])
}

public struct PasskeyNameRequest: Payload, Equatable {
    public var name: String

    public init(name: String) { self.name = name }

    public static let schema = Schema.object(
        "PasskeyNameRequest",
        [
            .required(
                "name", .string(length: PasskeyRules.nameLength, pattern: Schema.visibleLine))
        ])
}

public struct RefreshRequest: Payload, Equatable {
    public var refreshToken: String

    public init(refreshToken: String) { self.refreshToken = refreshToken }

    public static let schema = Schema.object("RefreshRequest", [.required("refreshToken", .token)])
}

public struct UpdateProfileRequest: Payload, Equatable {
    /// If a field is absent or null, the stored value stays.
    public var name: String?
    public var emergencyNote: String?
    public var leavesNoteOutOfCopy: Bool?

    public init(
        name: String? = nil, emergencyNote: String? = nil, leavesNoteOutOfCopy: Bool? = nil
    ) {
        self.name = name
        self.emergencyNote = emergencyNote
        self.leavesNoteOutOfCopy = leavesNoteOutOfCopy
    }

    public static let schema = Schema.object(
        "UpdateProfileRequest",
        [
            .optional(
                "name",
                .nullable(.string(length: ProfileRules.nameLength, pattern: Schema.visibleLine))),
            .optional(
                "emergencyNote",
                .nullable(
                    .string(length: ProfileRules.emergencyNoteLength, pattern: #"^[^\u0000]*$"#))),
            .optional("leavesNoteOutOfCopy", .nullable(.boolean)),
        ]
    )
}

public struct PhoneNumberRequest: Payload, Equatable {
    public var phoneNumber: String
    public var code: String
    /// The request that sent the code.
    public var requestID: CodeRequestID?

    public init(phoneNumber: String, code: String, requestID: CodeRequestID? = nil) {
        self.phoneNumber = phoneNumber
        self.code = code
        self.requestID = requestID
    }

    public static let schema = Schema.object(
        "PhoneNumberRequest",
        [
            .required("phoneNumber", .typedPhoneNumber), .required("code", .code),
            .optional("requestID", .uuid),
        ]
    )
}

public struct CheckInRequest: Payload, Equatable {
    /// The time of the press, by the device's clock.
    public var occurredAt: Date

    public init(occurredAt: Date) { self.occurredAt = occurredAt }

    public init(from decoder: any Decoder) throws {
        occurredAt = try decoder.container(keyedBy: CodingKeys.self).pressTime(.occurredAt)
    }

    enum CodingKeys: String, CodingKey { case occurredAt }

    public static let schema = Schema.object("CheckInRequest", [.required("occurredAt", .time)])
}

public struct PauseRequest: Payload, Equatable {
    /// The end of the pause.
    public var until: Date
    /// The time of the press, by the device's clock. Without it, the time of the receipt counts.
    public var pressedAt: Date?

    public init(until: Date, pressedAt: Date? = nil) {
        self.until = until
        self.pressedAt = pressedAt
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        until = try container.decode(Date.self, forKey: .until)
        pressedAt = try container.pressTimeIfPresent(.pressedAt)
    }

    enum CodingKeys: String, CodingKey { case until, pressedAt }

    public static let schema = Schema.object(
        "PauseRequest", [.required("until", .time), .optional("pressedAt", .time)])
}

public struct EndPauseRequest: OptionalPayload, Equatable {
    /// As in `PauseRequest`.
    public var pressedAt: Date?

    public init() {}

    public init(pressedAt: Date?) { self.pressedAt = pressedAt }

    public init(from decoder: any Decoder) throws {
        pressedAt = try decoder.container(keyedBy: CodingKeys.self).pressTimeIfPresent(.pressedAt)
    }

    enum CodingKeys: String, CodingKey { case pressedAt }

    public static let schema = Schema.object(
        "EndPauseRequest", [.optional("pressedAt", .nullable(.time))])
}

public struct StartJourneyRequest: Payload, Equatable {
    public var id: JourneyID
    public var name: String
    public var expectedReturn: Date
    /// Without it, 10 minutes.
    public var graceMinutes: Int?
    /// The route, the company, the car. Only the page of the alert shows it.
    public var note: String?
    /// The chosen responders, who have accepted. Without it, all.
    public var responderIds: [UserID]?
    /// True if the chosen responders are told of the start, and see the journey.
    public var tellsResponders: Bool

    public init(
        id: JourneyID, name: String, expectedReturn: Date, graceMinutes: Int? = nil,
        note: String? = nil, responderIds: [UserID]? = nil, tellsResponders: Bool
    ) {
        self.id = id
        self.name = name
        self.expectedReturn = expectedReturn
        self.graceMinutes = graceMinutes
        self.note = note
        self.responderIds = responderIds
        self.tellsResponders = tellsResponders
    }

    public static let schema = Schema.object(
        "StartJourneyRequest",
        [
            .required("id", .uuid),
            .required(
                "name", .string(length: JourneyRules.nameLength, pattern: Schema.visibleLine)),
            .required("expectedReturn", .time),
            .optional("graceMinutes", .integer(JourneyRules.graceMinutes)),
            .optional(
                "note", .string(length: JourneyRules.noteLength, pattern: #"^[^\u0000]*$"#)),
            .optional(
                "responderIds",
                .array(of: .uuid, limit: ContactRules.limit, isUnique: true)),
            .required("tellsResponders", .boolean),
        ])
}

public struct ExtendJourneyRequest: Payload, Equatable {
    public var expectedReturn: Date
    /// The time of the press, by the device's clock.
    public var pressedAt: Date
    /// True for "30 minutes more", which never moves the return earlier. The device may know an
    /// older return. Nil from clients of older versions.
    public var isLater: Bool?

    public init(expectedReturn: Date, pressedAt: Date, isLater: Bool? = nil) {
        self.expectedReturn = expectedReturn
        self.pressedAt = pressedAt
        self.isLater = isLater
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        expectedReturn = try container.decode(Date.self, forKey: .expectedReturn)
        pressedAt = try container.pressTime(.pressedAt)
        isLater = try container.decodeIfPresent(Bool.self, forKey: .isLater)
    }

    enum CodingKeys: String, CodingKey { case expectedReturn, pressedAt, isLater }

    public static let schema = Schema.object(
        "ExtendJourneyRequest",
        [
            .required("expectedReturn", .time), .required("pressedAt", .time),
            .optional("isLater", .boolean),
        ])
}

public struct EndJourneyRequest: Payload, Equatable {
    /// The time of the press, by the device's clock.
    public var pressedAt: Date

    public init(pressedAt: Date) { self.pressedAt = pressedAt }

    public init(from decoder: any Decoder) throws {
        pressedAt = try decoder.container(keyedBy: CodingKeys.self).pressTime(.pressedAt)
    }

    enum CodingKeys: String, CodingKey { case pressedAt }

    public static let schema = Schema.object("EndJourneyRequest", [.required("pressedAt", .time)])
}

public struct ResendJourneyRequest: Payload, Equatable {
    public var name: String
    public var startTime: Date
    public var expectedReturn: Date
    public var graceMinutes: Int
    public var note: String?
    public var responderIds: [UserID]?
    public var tellsResponders: Bool
    /// The end; nil while the journey is running. Older apps send it by the device's clock.
    public var endTime: Date?

    public init(_ journey: JourneyRecord, endTime: Date? = nil) {
        name = journey.name
        startTime = journey.startTime
        expectedReturn = journey.expectedReturn
        graceMinutes = journey.graceMinutes
        note = journey.note.isEmpty ? nil : journey.note
        responderIds = journey.responderIds
        tellsResponders = journey.tellsResponders
        self.endTime = endTime
    }

    public static let schema = Schema.object(
        "ResendJourneyRequest",
        [
            .required(
                "name", .string(length: JourneyRules.nameLength, pattern: Schema.visibleLine)),
            .required("startTime", .time), .required("expectedReturn", .time),
            .required("graceMinutes", .integer(JourneyRules.graceMinutes)),
            .optional(
                "note", .string(length: JourneyRules.noteLength, pattern: #"^[^\u0000]*$"#)),
            .optional(
                "responderIds",
                .array(of: .uuid, limit: ContactRules.limit, isUnique: true)),
            .required("tellsResponders", .boolean), .optional("endTime", .time),
        ])
}

public struct SourceRequest: Payload, Equatable {
    public var name: String

    public init(name: String) { self.name = name }

    public static let schema = Schema.object(
        "SourceRequest",
        [
            .required(
                "name", .string(length: SourceRules.nameLength, pattern: Schema.visibleLine))
        ])
}

public struct AddContactRequest: Payload, Equatable {
    /// The code as scanned or typed: its JSON, a bare id, or a share link.
    public var code: String
    public var isResponder: Bool
    public var isDependent: Bool

    public init(code: String, isResponder: Bool, isDependent: Bool) {
        self.code = code
        self.isResponder = isResponder
        self.isDependent = isDependent
    }

    public static let schema = Schema.object(
        "AddContactRequest",
        [
            .required("code", .string(length: 32...4_096)), .required("isResponder", .boolean),
            .required("isDependent", .boolean),
        ],
        anyTrue: ["isResponder", "isDependent"]
    )
}

public struct ResponderOrder: Payload, Equatable {
    public var ids: [UserID]

    public init(ids: [UserID]) { self.ids = ids }

    public static let schema = Schema.object(
        "ResponderOrder", [.required("ids", .array(of: .uuid))])
}

/// Earlier clients send no body. A server that can send codes refuses such a request.
public struct DeleteAccountRequest: OptionalPayload, Equatable {
    public var code: String?
    /// The request that sent the code.
    public var requestID: CodeRequestID?

    public init() {}

    public init(code: String?, requestID: CodeRequestID? = nil) {
        self.code = code
        self.requestID = requestID
    }

    public static let schema = Schema.object(
        "DeleteAccountRequest",
        [.optional("code", .code), .optional("requestID", .uuid)])
}

public struct RaiseAlertRequest: OptionalPayload, Equatable {
    /// When the person raised the alert, by the device's clock; nil for now.
    public var raisedAt: Date?

    public init() {}

    public init(raisedAt: Date?) { self.raisedAt = raisedAt }

    public init(from decoder: any Decoder) throws {
        raisedAt = try decoder.container(keyedBy: CodingKeys.self).pressTimeIfPresent(.raisedAt)
    }

    enum CodingKeys: String, CodingKey { case raisedAt }

    public static let schema = Schema.object(
        "RaiseAlertRequest", [.optional("raisedAt", .nullable(.time))])
}

public struct EndAlertRequest: OptionalPayload, Equatable {
    /// When the person ended the alert, by the device's clock. Only an end of an alert that the
    /// device had raised under another id has it.
    public var pressedAt: Date?
    /// When the alert ended, by the server's clock as far as the device knows it. Only an end that
    /// comes more than a minute later has it. It counts if a restore has lost the end.
    public var endedAt: Date?

    public init() {}

    public init(pressedAt: Date?, endedAt: Date? = nil) {
        (self.pressedAt, self.endedAt) = (pressedAt, endedAt)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        pressedAt = try container.pressTimeIfPresent(.pressedAt)
        endedAt = try container.pressTimeIfPresent(.endedAt)
    }

    enum CodingKeys: String, CodingKey { case pressedAt, endedAt }

    public static let schema = Schema.object(
        "EndAlertRequest",
        [
            .optional("pressedAt", .nullable(.time)), .optional("endedAt", .nullable(.time)),
        ])
}

public struct RespondToPingRequest: OptionalPayload, Equatable {
    /// The time of the press, by the device's clock. Without it, the time of the receipt counts.
    public var pressedAt: Date?

    public init() {}

    public init(pressedAt: Date?) { self.pressedAt = pressedAt }

    public init(from decoder: any Decoder) throws {
        pressedAt = try decoder.container(keyedBy: CodingKeys.self).pressTimeIfPresent(.pressedAt)
    }

    enum CodingKeys: String, CodingKey { case pressedAt }

    public static let schema = Schema.object(
        "RespondToPingRequest", [.optional("pressedAt", .nullable(.time))])
}

extension KeyedDecodingContainer {
    /// Returns the time of a press, in any year (`Timestamp.deviceTime`).
    fileprivate func pressTime(_ key: Key) throws -> Date {
        if let text = try? decode(String.self, forKey: key),
            let time = Timestamp.deviceTime(text)
        {
            return time
        }
        return try decode(Date.self, forKey: key)
    }

    fileprivate func pressTimeIfPresent(_ key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try pressTime(key)
    }
}

public struct ReportRequest: Payload, Equatable {
    public var report: AlertReport

    public init(report: AlertReport) { self.report = report }

    public static let schema = Schema.object(
        "ReportRequest",
        [.required("report", .enumeration(AlertReport.allCases.map(\.rawValue)))])
}

public struct PingRequest: Payload, Equatable {
    public var dependentID: UserID

    public init(dependentID: UserID) { self.dependentID = dependentID }

    public static let schema = Schema.object("PingRequest", [.required("dependentID", .uuid)])
}

extension Schema {
    /// As typed, with or without hyphens.
    static let recoveryCode = Schema.string(length: 1...100)
    /// Bytes in base64url.
    static let webBytes = Schema.string(length: 1...22_000, pattern: "^[A-Za-z0-9_-]+={0,2}$")
    static let code = Schema.string(length: 6...6, pattern: "^[0-9]{6}$")
    static let token = Schema.string(length: 43...43, pattern: "^[A-Za-z0-9_-]{43}$")
    /// A line with at least one visible character and no control characters.
    static let visibleLine =
        #"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f]"#
        + #"[^\u0000-\u001f\u007f-\u009f]*$"#
}
