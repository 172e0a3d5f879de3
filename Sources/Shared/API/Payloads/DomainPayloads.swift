import Domain
import Foundation

// The values of `Domain` below are sent unchanged.

extension CheckInPlan {
    static let schema = Schema.object(
        "CheckInPlan",
        [
            .required("kind", .enumeration(Kind.allCases.map(\.rawValue))),
            // Both for the kind "times".
            .optional("timeZone", .string()),
            .optional(
                "windows",
                .array(
                    of: .object(
                        "CheckInWindow",
                        [
                            .required(
                                "days",
                                .array(
                                    of: .enumeration(Weekday.allCases.map(\.rawValue)),
                                    limit: Weekday.allCases.count, isUnique: true)),
                            .optional("opens", .string(pattern: TimeOfDay.pattern)),
                            .required("deadline", .string(pattern: TimeOfDay.pattern)),
                        ]), limit: CheckInTimes.windowsPerDay * Weekday.allCases.count)),
            // For the kind "interval".
            .optional(
                "sleep",
                .object(
                    "SleepHours",
                    [
                        .required("from", .string(pattern: TimeOfDay.pattern)),
                        .required("until", .string(pattern: TimeOfDay.pattern)),
                        .required("timeZone", .string()),
                    ])),
        ])
}

extension LastCall {
    static let schema = Schema.object(
        "LastCall",
        [
            .required("sendsMessage", .boolean),
            // Without it, only people without a push endpoint are called.
            .optional("calls", .boolean), .required("takesAnswers", .boolean),
        ])
}

extension CheckInSettings: Payload {
    public static let schema = Schema.object(
        "CheckInSettings",
        [
            // Without it, the interval counts.
            .optional("plan", CheckInPlan.schema),
            // The standard limits. A demonstration server accepts shorter intervals.
            .required("intervalSeconds", .integer(IntervalLimits.standard.seconds)),
            .required("remindTwoHoursBefore", .boolean),
            .required("remindThirtyMinutesBefore", .boolean),
            .optional("lastCall", LastCall.schema),
        ]
    )
}

extension UserProfile: Payload {
    public static let schema = Schema.object(
        "UserProfile",
        [
            .required("id", .uuid), .required("name", .string()),
            .required("phoneNumber", .phoneNumber),
            .required("emergencyNote", .string()), .optional("profilePictureURL", .url),
            .required(
                "settings",
                .object(
                    "StoredCheckInSettings",
                    [
                        .optional("plan", CheckInPlan.schema),
                        .required(
                            "intervalSeconds",
                            .integer(1...IntervalLimits.standard.seconds.upperBound)),
                        .required("remindTwoHoursBefore", .boolean),
                        .required("remindThirtyMinutesBefore", .boolean),
                        .optional("lastCall", LastCall.schema),
                    ]
                )
            ),
            .optional("lastCheckInTime", .time), .optional("nextCheckInTime", .time),
            .required("status", .enumeration(UserStatus.allCases.map(\.rawValue))),
            .required("createdAt", .time),
            .optional("pause", CheckInPause.schema),
            .optional("endedPause", CheckInPause.schema),
            .optional(
                "start",
                .object("FirstDeadline", [.required("from", .time), .required("deadline", .time)])),
            .optional("timeZone", .string()), .optional("journey", JourneyRecord.schema),
            .optional("copiesToGoogle", .boolean), .optional("leavesNoteOutOfCopy", .boolean),
            .optional("lockedAt", .time), .optional("numberMove", NumberMove.schema),
            .optional("maintenance", Maintenance.schema), .optional("isSettingUp", .boolean),
        ]
    )
}

extension CheckInPause {
    static let schema = Schema.object(
        "CheckInPause", [.required("began", .time), .required("until", .time)])
}

extension NumberMove {
    static let schema = Schema.object(
        "NumberMove",
        [.required("phoneNumber", .phoneNumber), .required("takesEffectAt", .time)])
}

extension Maintenance {
    static let schema = Schema.object(
        "Maintenance", [.required("from", .time), .required("until", .time)])
}

extension AdminAct: Payload {
    public static let schema = Schema.object(
        "AdminAct",
        [
            .required("id", .uuid), .required("time", .time),
            .required("kind", .enumeration(Kind.allCases.map(\.rawValue))),
            .required("reason", .string()), .required("doneBy", .string()),
        ])
}

extension SignInWait {
    static let schema = Schema.object(
        "SignInWait",
        [
            .required("deviceName", .string()), .required("startedAt", .time),
            .required("endsAt", .time),
        ])
}

extension SignInSecurity: Payload {
    public static let schema = Schema.object(
        "SignInSecurity",
        [
            .required("isLocked", .boolean), .optional("lockEndsAt", .time),
            .optional("wait", SignInWait.schema),
            .required("recoveryCodes", .integer(0...RecoveryCodeRules.count)),
        ])
}

extension Passkey: Payload {
    public static let schema = Schema.object(
        "Passkey",
        [
            .required("id", .uuid), .required("name", .string()), .required("createdAt", .time),
            .optional("lastUsedAt", .time),
        ])
}

extension PasskeyRequest.Account {
    static let schema = Schema.object(
        "PasskeyAccount",
        [
            .required("handle", .webBytes), .required("name", .string()),
            .required("otherPasskeys", .array(of: .webBytes)),
        ])
}

extension PasskeyRequest: Payload {
    public static let schema = Schema.object(
        "PasskeyRequest",
        [
            .required("challenge", .webBytes), .required("site", .string()),
            .optional("account", Account.schema),
        ])
}

extension PasskeyRegistration {
    static let schema = Schema.object(
        "PasskeyRegistration",
        [.required("clientDataJSON", .webBytes), .required("attestationObject", .webBytes)])
}

extension PasskeyAssertion {
    static let schema = Schema.object(
        "PasskeyAssertion",
        [
            .required("credentialID", .webBytes), .required("userHandle", .webBytes),
            .required("clientDataJSON", .webBytes), .required("authenticatorData", .webBytes),
            .required("signature", .webBytes),
        ])
}

extension RecoveryCodes: Payload {
    public static let schema = Schema.object(
        "RecoveryCodes", [.required("codes", .array(of: .string()))])
}

extension JourneyRecord {
    static let schema = Schema.object(
        "JourneyRecord",
        [
            .required("id", .uuid), .required("name", .string()), .required("note", .string()),
            .required("startTime", .time), .required("expectedReturn", .time),
            .required("graceMinutes", .integer(JourneyRules.graceMinutes)),
            .optional("responderIds", .array(of: .uuid)),
            .required("tellsResponders", .boolean), .optional("alertId", .uuid),
            .optional("endTime", .time),
        ]
    )
}

extension CheckInRecord: Payload {
    public static let schema = Schema.object(
        "CheckInRecord",
        [
            .required("id", .uuid), .required("occurredAt", .time), .required("receivedAt", .time),
            .optional("nextCheckInTime", .time), .optional("opensAt", .time),
            .optional("source", .string()),
        ]
    )
}

extension SignInOptions: Payload {
    public static let schema = Schema.object(
        "SignInOptions",
        [
            .required("signUp", .enumeration(SignUpMode.allCases.map(\.rawValue))),
            .required("sendsCodes", .boolean), .optional("operatorContact", .string()),
            .optional("limitsCountries", .boolean),
        ])
}

extension CheckInSource: Payload {
    public static let schema = Schema.object(
        "CheckInSource",
        [
            .required("id", .uuid), .required("name", .string()), .required("createdAt", .time),
            .optional("lastUsedAt", .time),
        ]
    )
}

extension NewSource: Payload {
    public static let schema = Schema.object(
        "NewSource", [.required("source", CheckInSource.schema), .required("address", .url)])
}

extension ContactRoles: Payload {
    public static let schema = Schema.object(
        "ContactRoles", [.required("isResponder", .boolean), .required("isDependent", .boolean)],
        anyTrue: ["isResponder", "isDependent"]
    )
}

extension ContactData: Payload {
    public static let schema = Schema.object(
        "ContactData",
        [
            .required("id", .uuid), .required("name", .string()),
            .optional("phoneNumber", .phoneNumber),
            .optional("profilePictureURL", .url), .required("isResponder", .boolean),
            .required("isDependent", .boolean),
            .required("dateAdded", .time), .required("hasPendingPing", .boolean),
            .optional("pingedAt", .time),
            .optional("position", .integer(0...1_000_000)),
            .optional(
                "watch",
                .object(
                    "WatchedState",
                    [
                        .required("emergencyNote", .string()), .optional("lastCheckInTime", .time),
                        .optional("nextCheckInTime", .time),
                        .required(
                            "checkInIntervalSeconds",
                            .integer(1...IntervalLimits.standard.seconds.upperBound)),
                        .required("status", .enumeration(UserStatus.allCases.map(\.rawValue))),
                        .optional("timeZone", .string()),
                        .optional("plan", CheckInPlan.schema), .optional("pausedUntil", .time),
                        .optional(
                            "journey",
                            .object(
                                "WatchedJourney",
                                [.required("name", .string()), .required("expectedReturn", .time)])
                        ),
                    ]
                )
            ),
            .required(
                "requests",
                .array(
                    of: .object(
                        "RoleRequest",
                        [
                            .required("role", .enumeration(ContactRole.allCases.map(\.rawValue))),
                            .required("isMine", .boolean), .required("requestedAt", .time),
                        ]))),
            .optional(
                "reachability",
                .object(
                    "Reachability",
                    [
                        .required(
                            "state",
                            .enumeration(Reachability.State.allCases.map(\.rawValue))),
                        .optional(
                            "channel",
                            .enumeration(
                                DeliveryChannel.allCases.filter { $0 != .unknown }
                                    .map(\.rawValue))),
                        .optional("provenOn", .time), .optional("failingSince", .time),
                        .optional("hasStoppedTexts", .boolean),
                    ])),
            .optional("hearsPings", .boolean),
            .optional("isGuest", .boolean),
        ]
    )
}

extension BlockedPerson: Payload {
    public static let schema = Schema.object(
        "BlockedPerson",
        [.required("id", .uuid), .required("name", .string()), .required("blockedAt", .time)])
}

extension QRCodeInfo: Payload {
    public static let schema = Schema.object(
        "QRCodeInfo",
        [
            .required("id", .uuid), .required("payload", .string()), .required("shareLink", .url),
            .required("createdAt", .time),
        ]
    )
}

extension PingRecord: Payload {
    public static let schema = Schema.object(
        "PingRecord",
        [
            .required("id", .uuid), .required("responderID", .uuid),
            .required("dependentID", .uuid), .required("createdAt", .time),
            .required("state", .enumeration(State.allCases.map(\.rawValue))),
            .optional("settledAt", .time),
        ]
    )
}

extension NotificationItem: Payload {
    public static let schema = Schema.object(
        "NotificationItem",
        [
            .required("id", .uuid),
            .required("type", .enumeration(NotificationType.allCases.map(\.rawValue))),
            .required("title", .string()), .required("body", .string()),
            .required("createdAt", .time), .optional("readAt", .time),
            .optional("aboutUserID", .uuid), .optional("alertID", .uuid),
            .optional("pingID", .uuid), .optional("sessionID", .uuid),
            .optional("kind", .enumeration(NotificationKind.allCases.map(\.rawValue))),
        ]
    )
}

extension NotificationPreferences: Payload {
    public static let schema = Schema.object(
        "NotificationPreferences",
        [
            .required(
                "muted",
                .array(
                    of: .enumeration(
                        NotificationType.allCases.filter { $0 != .alert }.map(\.rawValue)),
                    limit: NotificationType.allCases.count, isUnique: true
                )
            )
        ]
    )
}

extension Session: Payload {
    public static let schema = Schema.object(
        "Session",
        [
            .required("id", .uuid), .required("deviceName", .string()),
            .required("createdAt", .time), .required("lastUsedAt", .time),
            .required("isCurrent", .boolean),
        ]
    )
}

extension PushEndpoint: Payload {
    public static let schema = Schema.object(
        "Device",
        [
            .required("id", .uuid), .required("kind", .enumeration(Kind.allCases.map(\.rawValue))),
            .required("url", .url),
            .required("createdAt", .time), .optional("lastSuccessAt", .time),
            .optional("failingSince", .time), .optional("lastFailure", .string()),
            .optional("template", .enumeration(WebhookTemplate.allCases.map(\.rawValue))),
            .optional("chat", .string()),
        ]
    )
}

extension AccountExport: Payload {
    public static let schema = Schema.object(
        "AccountExport",
        [
            .required("exportedAt", .time), .required("profile", UserProfile.schema),
            .optional("email", EmailStatus.schema),
            .required("notificationPreferences", NotificationPreferences.schema),
            .optional("qrCodeID", .uuid),
            .required("contacts", .array(of: ContactData.schema)),
            .required("blocks", .array(of: BlockedPerson.schema)),
            .optional("invitations", .array(of: Invitation.schema)),
            .optional("drills", DrillOverview.schema),
            .optional("sources", .array(of: CheckInSource.schema)),
            .optional("administration", .array(of: AdminAct.schema)),
            .optional("signInSecurity", SignInSecurity.schema),
            .optional("passkeys", .array(of: Passkey.schema)),
            .required("checkIns", .array(of: CheckInRecord.schema)),
            .required("alerts", .array(of: AlertRecord.schema)),
            .optional("answers", .array(of: AlertAnswer.schema)),
            .required("pings", .array(of: PingRecord.schema)),
            .required("notifications", .array(of: NotificationItem.schema)),
            .required("sessions", .array(of: Session.schema)),
            .required("devices", .array(of: PushEndpoint.schema)),
            .optional("textMessagesStoppedAt", .time), .optional("timeZone", .string()),
            .optional("journey", JourneyRecord.schema),
            .optional("picture", .string(format: "byte")),
        ]
    )
}
