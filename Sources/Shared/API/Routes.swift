import Domain

/// Every route of version 1. Server and clients refer to routes only by these values.
public enum Routes {
    // MARK: Signing in
    public static let sendCode = Route<SendCodeRequest, SendCodeResponse>(
        .post, "/v1/auth/codes", "sendCode", "Send a sign-in code to a phone number",
        access: .anyone, status: 202)
    public static let signIn = Route<SignInRequest, TokenResponse>(
        .post, "/v1/auth/sessions", "signIn",
        "Exchange a number and its code, its token or a recovery code for a session",
        access: .anyone, parameters: Endpoint.signInAttempt, status: 201,
        errors: [.unauthenticated])
    public static let signInOptions = Route<Empty, SignInOptions>(
        .get, "/v1/auth/options", "getSignInOptions", "Who may sign up, and how", access: .anyone)
    public static let refresh = Route<RefreshRequest, TokenResponse>(
        .post, "/v1/auth/tokens", "refreshTokens", "Exchange a refresh token for new tokens",
        access: .anyone,
        parameters: Endpoint.renewal, errors: [.unauthenticated])
    public static let sessions = Route<Empty, List<Session>>(
        .get, "/v1/auth/sessions", "listSessions", "The devices that are signed in")
    public static let endSession = Route<Empty, Empty>(
        .delete, "/v1/auth/sessions/{id}", "endSession", "End one session", errors: [.notFound])
    public static let signOut = Route<Empty, Empty>(
        .delete, "/v1/auth/sessions/current", "signOut", "End the session that asks")

    public static let signInSecurity = Route<Empty, SignInSecurity>(
        .get, "/v1/me/sign-in-security", "getSignInSecurity",
        "The sign-in lock, a waiting sign-in, and how many recovery codes are left")
    public static let lockSignIn = Route<Empty, SignInSecurity>(
        .put, "/v1/me/sign-in-lock", "lockSignIn",
        "Turn the sign-in lock on, or keep it on: a code alone then waits 7 days")
    public static let unlockSignIn = Route<RecoveryCodeRequest, SignInSecurity>(
        .post, "/v1/me/sign-in-lock/end", "unlockSignIn",
        "Turn the sign-in lock off, in 7 days or at once with a recovery code")
    public static let stopSignInWait = Route<Empty, SignInSecurity>(
        .post, "/v1/me/sign-in-wait/end", "stopSignInWait",
        "Stop the sign-in that waits; no other can begin for 7 days", errors: [.notFound])
    public static let makeRecoveryCodes = Route<RecoveryCodeRequest, RecoveryCodes>(
        .post, "/v1/me/recovery-codes", "makeRecoveryCodes",
        "Make ten recovery codes, which replace the old ones; the answer alone contains them",
        parameters: Endpoint.codes, status: 201)

    private static let validOnce = "valid once, for \(PasskeyRules.challengeLifetime.words)"
    public static let passkeySignInRequest = Route<Empty, PasskeyRequest>(
        .post, "/v1/auth/passkey-requests", "requestPasskeySignIn",
        "What a device needs to sign in by a passkey; \(validOnce)", access: .anyone)
    public static let signInByPasskey = Route<PasskeySignInRequest, TokenResponse>(
        .post, "/v1/auth/passkey-sessions", "signInByPasskey",
        "Exchange the use of a passkey for a session", access: .anyone, status: 201,
        errors: [.unauthenticated])
    public static let passkeys = Route<Empty, List<Passkey>>(
        .get, "/v1/me/passkeys", "listPasskeys", "The user's passkeys")
    public static let newPasskeyRequest = Route<Empty, PasskeyRequest>(
        .post, "/v1/me/passkey-requests", "requestNewPasskey",
        "What a device needs to make a passkey; \(validOnce)")
    public static let addPasskey = Route<AddPasskeyRequest, Passkey>(
        .post, "/v1/me/passkeys", "addPasskey", "Add a passkey that a device has made",
        status: 201, errors: [.alreadyExists])
    public static let renamePasskey = Route<PasskeyNameRequest, Passkey>(
        .patch, "/v1/me/passkeys/{id}", "renamePasskey", "Rename a passkey",
        errors: [.notFound])
    public static let removePasskey = Route<Empty, Empty>(
        .delete, "/v1/me/passkeys/{id}", "removePasskey", "Remove a passkey",
        errors: [.notFound])

    private static let signInRoutes: [Endpoint] = [
        sendCode.endpoint, signIn.endpoint, signInOptions.endpoint, refresh.endpoint,
        sessions.endpoint, endSession.endpoint, signOut.endpoint, signInSecurity.endpoint,
        lockSignIn.endpoint, unlockSignIn.endpoint, stopSignInWait.endpoint,
        makeRecoveryCodes.endpoint, passkeySignInRequest.endpoint, signInByPasskey.endpoint,
        passkeys.endpoint, newPasskeyRequest.endpoint, addPasskey.endpoint, renamePasskey.endpoint,
        removePasskey.endpoint,
    ]

    // MARK: Profile
    public static let profile = Route<Empty, UserProfile>(
        .get, "/v1/me", "getProfile", "The user's own profile")
    public static let updateProfile = Route<UpdateProfileRequest, UserProfile>(
        .patch, "/v1/me", "updateProfile",
        "Change name or emergency note, or leave the note out of the copy with Google",
        lock: .partly, parameters: Endpoint.edit)
    public static let deleteAccount = Route<DeleteAccountRequest, Empty>(
        .delete, "/v1/me", "deleteAccount",
        "Delete the account and everything in it, at once, with a code if the server sends codes")
    public static let sendDeletionCode = Route<Empty, SendCodeResponse>(
        .post, "/v1/me/deletion-codes", "sendDeletionCode",
        "Send the code that deletes the account to the user's own number", status: 202,
        errors: [.invalidArgument])
    public static let sendNumberCode = Route<SendCodeRequest, SendCodeResponse>(
        .post, "/v1/me/phone-number-codes", "sendNumberCode",
        "Send the code that moves the account to the number", lock: .whole, status: 202)
    public static let export = Route<Empty, AccountExport>(
        .get, "/v1/me/export", "exportAccount", "Everything about the user, as JSON")
    public static let deletePicture = Route<Empty, UserProfile>(
        .delete, "/v1/me/picture", "deletePicture", "Remove the profile picture")
    public static let changePhoneNumber = Route<PhoneNumberRequest, UserProfile>(
        .post, "/v1/me/phone-number", "changePhoneNumber",
        "Move the account to another number, with a code that was sent there; in 7 days with the "
            + "sign-in lock",
        lock: .whole, errors: [.alreadyExists])
    public static let email = Route<Empty, EmailStatus>(
        .get, "/v1/me/email", "getEmail", "The user's e-mail address and its state")
    public static let setEmail = Route<EmailRequest, EmailStatus>(
        .put, "/v1/me/email", "setEmail", "Enter an address; a code is sent to it", lock: .whole,
        status: 202)
    public static let confirmEmail = Route<EmailCodeRequest, EmailStatus>(
        .post, "/v1/me/email/confirmation", "confirmEmail",
        "Confirm the address with the code that was sent there", lock: .whole)
    public static let deleteEmail = Route<Empty, Empty>(
        .delete, "/v1/me/email", "deleteEmail", "Remove the address")
    public static let updateSettings = Route<CheckInSettings, UserProfile>(
        .put, "/v1/me/check-in-settings", "updateCheckInSettings", "Set schedule and reminders",
        parameters: Endpoint.edit)
    public static let pause = Route<PauseRequest, UserProfile>(
        .put, "/v1/me/pause", "pause", "Pause check-ins, or change the end of the pause",
        parameters: Endpoint.edit)
    public static let endPause = Route<EndPauseRequest, UserProfile>(
        .delete, "/v1/me/pause", "endPause", "End the pause", parameters: Endpoint.edit)

    private static let profileRoutes: [Endpoint] = [
        profile.endpoint, updateProfile.endpoint, deleteAccount.endpoint, sendDeletionCode.endpoint,
        sendNumberCode.endpoint, export.endpoint, deletePicture.endpoint,
        changePhoneNumber.endpoint, email.endpoint, setEmail.endpoint, confirmEmail.endpoint,
        deleteEmail.endpoint, updateSettings.endpoint, pause.endpoint, endPause.endpoint,
    ]

    // MARK: QR codes
    public static let qrCode = Route<Empty, QRCodeInfo>(
        .get, "/v1/me/qr-code", "getQRCode", "The user's current code")
    public static let renewQRCode = Route<Empty, QRCodeInfo>(
        .post, "/v1/me/qr-code", "renewQRCode", "A new code; the old one stops working")
    public static let qrCodeOwner = Route<Empty, QRCodeOwner>(
        .get, "/v1/qr-codes/{id}", "getQRCodeOwner", "The owner of a code", errors: [.notFound])
    public static let qrCodeName = Route<Empty, QRCodeName>(
        .get, "/v1/qr-codes/{id}/name", "getQRCodeName",
        "The name of a code's owner, before signing in",
        access: .anyone, errors: [.notFound])

    private static let qrCodeRoutes: [Endpoint] = [
        qrCode.endpoint, renewQRCode.endpoint, qrCodeOwner.endpoint, qrCodeName.endpoint,
    ]

    // MARK: Check-ins
    public static let checkIn = Route<CheckInRequest, CheckInRecord>(
        .put, "/v1/check-ins/{id}", "checkIn",
        "Say \"I am fine\"; the same id again changes nothing")
    public static let checkIns = Route<Empty, List<CheckInRecord>>(
        .get, "/v1/check-ins", "listCheckIns", "The history", parameters: Endpoint.page)
    public static let sources = Route<Empty, List<CheckInSource>>(
        .get, "/v1/sources", "listSources", "The buttons and programs that check in for the user")
    public static let addSource = Route<SourceRequest, NewSource>(
        .post, "/v1/sources", "addSource",
        "Add a source; the answer alone contains its secret address",
        lock: .whole, parameters: Endpoint.edit, status: 201, errors: [.notFound])
    public static let removeSource = Route<Empty, Empty>(
        .delete, "/v1/sources/{id}", "removeSource", "Remove a source; its address stops working",
        errors: [.notFound])
    /// Takes POST only, because link previews send GET.
    public static let checkInBySource = Endpoint(
        method: .post, path: "/s/{secret}", operationID: "checkInBySource",
        summary: "Check in by a source, at most once a minute; ignores the body",
        access: .anyone,
        parameters: [
            .init(
                name: "secret", place: .path, schema: .token,
                summary: "The secret in the source's address.")
        ],
        input: .none, output: .text(mediaType: "text/plain"), status: 200,
        errors: [.notFound, .permissionDenied])

    private static let checkInRoutes: [Endpoint] = [
        checkIn.endpoint, checkIns.endpoint, sources.endpoint, addSource.endpoint,
        removeSource.endpoint, checkInBySource,
    ]

    // MARK: Journeys
    public static let startJourney = Route<StartJourneyRequest, UserProfile>(
        .put, "/v1/me/journey", "startJourney",
        "Start a journey with an expected return; the same id again changes nothing")
    public static let extendJourney = Route<ExtendJourneyRequest, UserProfile>(
        .put, "/v1/journeys/{id}/return", "extendJourney",
        "Move the expected return, which ends the alert about the journey",
        errors: [.notFound])
    public static let endJourney = Route<EndJourneyRequest, UserProfile>(
        .put, "/v1/journeys/{id}/arrival", "endJourney",
        "Say that one has arrived, which ends the journey and the alert about it",
        errors: [.notFound])
    public static let resendJourney = Route<ResendJourneyRequest, UserProfile>(
        .put, "/v1/journeys/{id}", "resendJourney",
        "Send a journey, or its end, that a restore of a backup may have lost")

    private static let journeyRoutes: [Endpoint] = [
        startJourney.endpoint, extendJourney.endpoint, endJourney.endpoint, resendJourney.endpoint,
    ]

    // MARK: Contacts
    public static let contacts = Route<Empty, List<ContactData>>(
        .get, "/v1/contacts", "listContacts", "All contacts")
    public static let addContact = Route<AddContactRequest, ContactData>(
        .post, "/v1/contacts", "addContact", "Add the person whose code this is", lock: .whole,
        status: 201, errors: [.notFound, .alreadyExists, .permissionDenied])
    public static let changeRoles = Route<ContactRoles, ContactData>(
        .patch, "/v1/contacts/{id}", "changeRoles", "Take roles away, ask for others",
        lock: .partly, parameters: Endpoint.edit, errors: [.notFound])
    public static let orderResponders = Route<ResponderOrder, Empty>(
        .put, "/v1/responder-order", "orderResponders",
        "Set the order in which responders are called; those not named follow, the oldest first")
    public static let removeContact = Route<Empty, Empty>(
        .delete, "/v1/contacts/{id}", "removeContact", "End the relation for both sides",
        errors: [.notFound])

    /// Has its own path, so that an older server rejects the request. With a flag, that server
    /// would notify the other person.
    public static let removeContactQuietly = Route<Empty, Empty>(
        .delete, "/v1/contacts/{id}/quietly", "removeContactQuietly",
        "Remove one's own responder without a message", errors: [.notFound, .permissionDenied])

    /// - Parameter role: the requested role of the other person for the user.
    public static func acceptRequest(_ role: ContactRole) -> Route<Empty, ContactData> {
        Route(
            .put, "/v1/contacts/{id}/requests/\(role.rawValue)",
            "accept\(role.rawValue.capitalized)",
            "Accept that the other becomes the user's \(role.rawValue)",
            lock: .partly, errors: [.notFound, .permissionDenied])
    }
    public static func endRequest(_ role: ContactRole) -> Route<Empty, Empty> {
        Route(
            .delete, "/v1/contacts/{id}/requests/\(role.rawValue)",
            "decline\(role.rawValue.capitalized)", "Decline this request, or take one's own back",
            errors: [.notFound, .alreadyExists])
    }
    public static let blocks = Route<Empty, List<BlockedPerson>>(
        .get, "/v1/blocks", "listBlocks", "The people whom the user has blocked")
    public static let block = Route<Empty, BlockedPerson>(
        .put, "/v1/blocks/{id}", "block", "Block a contact, or somebody a notification is about",
        errors: [.notFound])
    public static let unblock = Route<Empty, Empty>(
        .delete, "/v1/blocks/{id}", "unblock", "Let them add the user again", errors: [.notFound])

    private static let contactRoutes: [Endpoint] = [
        contacts.endpoint, addContact.endpoint, changeRoles.endpoint, orderResponders.endpoint,
        removeContact.endpoint, removeContactQuietly.endpoint, blocks.endpoint, block.endpoint,
        unblock.endpoint,
    ]
    private static let requestRoutes: [Endpoint] = ContactRole.allCases.flatMap {
        [acceptRequest($0).endpoint, endRequest($0).endpoint]
    }

    // MARK: Pings
    public static let ping = Route<PingRequest, PingRecord>(
        .put, "/v1/pings/{id}", "ping",
        "Ask a dependent \"are you fine?\"; a pending ping is returned instead of a second",
        lock: .whole, errors: [.notFound, .permissionDenied])
    public static let pings = Route<Empty, List<PingRecord>>(
        .get, "/v1/pings", "listPings", "Pings sent and received", parameters: Endpoint.page)
    public static let respondToPing = Route<RespondToPingRequest, PingRecord>(
        .post, "/v1/pings/{id}/response", "respondToPing", "Answer one", errors: [.notFound],
        isIdempotentPost: true)
    public static let respondToAllPings = Route<Empty, List<PingRecord>>(
        .post, "/v1/pings/responses", "respondToAllPings", "Answer all that are pending",
        isIdempotentPost: true)
    public static let clearPing = Route<Empty, PingRecord>(
        .delete, "/v1/pings/{id}", "clearPing", "Take a ping back", errors: [.notFound])

    private static let pingRoutes: [Endpoint] = [
        ping.endpoint, pings.endpoint, respondToPing.endpoint, respondToAllPings.endpoint,
        clearPing.endpoint,
    ]

    // MARK: Alerts
    public static let raiseAlert = Route<RaiseAlertRequest, AlertRecord>(
        .put, "/v1/alerts/{id}", "raiseAlert",
        "Call for help; an open alert is returned instead of a second")
    public static let alerts = Route<Empty, List<AlertRecord>>(
        .get, "/v1/alerts", "listAlerts", "The user's alerts and those of their dependents",
        parameters: Endpoint.openAlerts + Endpoint.page)
    public static let alert = Route<Empty, AlertRecord>(
        .get, "/v1/alerts/{id}", "getAlert", "One alert with its ledger", errors: [.notFound])
    public static let openAlert = Route<Empty, Empty>(
        .post, "/v1/alerts/{id}/opening", "openAlert",
        "Say that a person has opened the alert: it ends SMS and calls to them",
        errors: [.notFound], isIdempotentPost: true)
    public static let endAlert = Route<EndAlertRequest, AlertRecord>(
        .post, "/v1/alerts/{id}/end", "endAlert", "End one's own alert",
        errors: [.notFound, .permissionDenied], isIdempotentPost: true)
    public static let acknowledgeAlert = Route<Empty, AlertRecord>(
        .post, "/v1/alerts/{id}/acknowledgement", "acknowledgeAlert",
        "Take on a dependent's alert, or confirm that it goes on",
        errors: [.notFound, .permissionDenied], isIdempotentPost: true)
    public static let withdrawAcknowledgement = Route<Empty, AlertRecord>(
        .delete, "/v1/alerts/{id}/acknowledgement", "withdrawAcknowledgement",
        "Say that one is no longer on it; everyone is told", status: 200,
        errors: [.notFound, .permissionDenied])
    public static let declineAlert = Route<Empty, AlertRecord>(
        .post, "/v1/alerts/{id}/refusal", "declineAlert",
        "Say that one can't: SMS and calls to the user end, and the next responder is called",
        errors: [.notFound, .permissionDenied], isIdempotentPost: true)
    public static let reportOnAlert = Route<ReportRequest, AlertRecord>(
        .put, "/v1/alerts/{id}/report", "reportOnAlert",
        "Report what one found; everyone is told, and the repeats pause for 12 hours",
        errors: [.notFound, .permissionDenied])
    public static let resumeAlert = Route<Empty, AlertRecord>(
        .delete, "/v1/alerts/{id}/report", "resumeAlert",
        "Lift a report; the repeats resume unless another than its author is on the alert",
        status: 200, errors: [.notFound, .permissionDenied])

    public static let alertPass = Route<Empty, AlertPassResponse>(
        .post, "/v1/alert-passes", "issueAlertPass",
        "A pass that raises one alert within 7 days, for an app that is suspended",
        status: 201)

    private static let alertRoutes: [Endpoint] = [
        raiseAlert.endpoint, alerts.endpoint, alert.endpoint, openAlert.endpoint, endAlert.endpoint,
        acknowledgeAlert.endpoint, withdrawAcknowledgement.endpoint, declineAlert.endpoint,
        reportOnAlert.endpoint, resumeAlert.endpoint, alertPass.endpoint,
    ]

    // MARK: Notifications
    public static let notifications = Route<Empty, List<NotificationItem>>(
        .get, "/v1/notifications", "listNotifications", "The notification centre",
        parameters: Endpoint.page)
    public static let readNotification = Route<Empty, Empty>(
        .post, "/v1/notifications/{id}/read", "readNotification", "Mark one as read",
        errors: [.notFound], isIdempotentPost: true)
    public static let readAllNotifications = Route<Empty, Empty>(
        .post, "/v1/notifications/read", "readAllNotifications", "Mark all as read",
        parameters: Endpoint.untilSeen, isIdempotentPost: true)
    public static let deleteNotification = Route<Empty, Empty>(
        .delete, "/v1/notifications/{id}", "deleteNotification", "Delete one", errors: [.notFound])
    public static let deleteAllNotifications = Route<Empty, Empty>(
        .delete, "/v1/notifications", "deleteAllNotifications", "Delete all",
        parameters: Endpoint.untilSeen)
    public static let preferences = Route<Empty, NotificationPreferences>(
        .get, "/v1/notification-preferences", "getNotificationPreferences", "What is muted")
    public static let updatePreferences = Route<NotificationPreferences, NotificationPreferences>(
        .put, "/v1/notification-preferences", "updateNotificationPreferences",
        "Mute types; alerts can't be muted",
        parameters: Endpoint.edit)
    public static let pushEndpoints = Route<Empty, List<PushEndpoint>>(
        .get, "/v1/devices", "listDevices", "The push endpoints and their state")
    public static let savePushEndpoint = Route<PushEndpointRequest, PushEndpointResponse>(
        .put, "/v1/devices/{id}", "saveDevice", "Register a push endpoint for this session",
        errors: [.alreadyExists])
    public static let deletePushEndpoint = Route<Empty, Empty>(
        .delete, "/v1/devices/{id}", "deleteDevice", "Forget a push endpoint", errors: [.notFound])
    public static let testPushEndpoint = Route<Empty, Empty>(
        .post, "/v1/devices/{id}/test", "testDevice",
        "Send a message to one push endpoint, to see whether it arrives", errors: [.notFound])
    public static let pushKey = Route<Empty, PushKeyResponse>(
        .get, "/v1/push-key", "getPushKey", "The key with which a browser subscribes")
    public static let receipt = Route<ReceiptRequest, Empty>(
        .post, "/v1/receipts", "enterReceipt", "Say that a message has arrived on a device",
        access: .anyone)

    private static let notificationRoutes: [Endpoint] = [
        notifications.endpoint, readNotification.endpoint, readAllNotifications.endpoint,
        deleteNotification.endpoint, deleteAllNotifications.endpoint, preferences.endpoint,
        updatePreferences.endpoint, pushEndpoints.endpoint, savePushEndpoint.endpoint,
        deletePushEndpoint.endpoint, testPushEndpoint.endpoint, pushKey.endpoint, receipt.endpoint,
    ]

    // MARK: For operators
    public static let live = Route<Empty, Health>(
        .get, "/health/live", "live", "The process runs", access: .anyone)
    public static let ready = Route<Empty, Health>(
        .get, "/health/ready", "ready", "The server can do its work", access: .anyone)

    private static let operatorRoutes: [Endpoint] = [
        live.endpoint, ready.endpoint,
    ]

    // MARK: Bytes and streams
    public static let putPicture = Endpoint(
        method: .put, path: "/v1/me/picture", operationID: "putPicture",
        summary: """
            Set the profile picture, PNG or JPEG, up to \
            \(UserFacingError.size(ProfilePicture.limitInBytes)); metadata is not kept
            """,
        access: .session, lock: .whole, parameters: [],
        input: .bytes(mediaTypes: ["image/png", "image/jpeg"], limit: Endpoint.pictureLimit),
        output: .json(UserProfile.schema),
        status: 200, errors: [])
    public static let picture = Endpoint(
        method: .get, path: "/v1/pictures/{id}", operationID: "getPicture",
        summary: "A picture of the user's own or a contact's",
        access: .session, parameters: Endpoint.pathParameters(of: "/v1/pictures/{id}"),
        input: .none,
        output: .bytes(mediaTypes: ["image/png", "image/jpeg"], limit: Endpoint.pictureLimit),
        status: 200, errors: [.notFound])
    public static let qrCodePicture = Endpoint(
        method: .get, path: "/v1/me/qr-code.png", operationID: "getQRCodePicture",
        summary: "The current code as a PNG",
        access: .session, parameters: [], input: .none,
        output: .bytes(mediaTypes: ["image/png"], limit: Endpoint.pictureLimit),
        status: 200, errors: [])
    public static let decodeQRCode = Endpoint(
        method: .post, path: "/v1/qr-codes/decode", operationID: "decodeQRCode",
        summary: "The text of the code in a picture",
        access: .session, parameters: [],
        input: .bytes(mediaTypes: ["image/png", "image/jpeg"], limit: Endpoint.pictureLimit),
        isIdempotentPost: true, output: .json(DecodedQRCode.schema),
        status: 200, errors: [])
    public static let events = Endpoint(
        method: .get, path: "/v1/events", operationID: "streamEvents",
        summary: "Server-Sent Events; resumes after Last-Event-ID", access: .session,
        parameters: [
            .init(
                name: "Last-Event-ID", place: .header, schema: .string(pattern: "^[0-9]{1,18}$"),
                summary: "The id of the last event the client has."
            )
        ],
        input: .none, output: .text(mediaType: "text/event-stream"), status: 200, errors: [])
    public static let metrics = Endpoint(
        method: .get, path: "/metrics", operationID: "metrics",
        summary: "Figures in the text form of Prometheus", access: .anyone,
        parameters: [], input: .none, output: .text(mediaType: "text/plain"), status: 200,
        errors: [])
    public static let openAPI = Endpoint(
        method: .get, path: "/openapi.json", operationID: "openAPI", summary: "This document",
        access: .anyone, parameters: [],
        input: .none, output: .text(mediaType: "application/json"), status: 200, errors: [])

    private static let byteRoutes: [Endpoint] = [
        putPicture, picture, qrCodePicture, decodeQRCode, events, metrics, openAPI,
    ]

    // MARK: Drills
    public static let drills = Route<Empty, DrillOverview>(
        .get, "/v1/drills", "listDrills",
        "The user's newest drill with its answers, and the drills of others that ask them now")
    public static let startDrill = Route<Empty, DrillRecord>(
        .put, "/v1/drills/{id}", "startDrill",
        "Start a drill; at most one begins a day, and responders have to have accepted",
        lock: .whole)
    public static let stopDrill = Route<Empty, DrillRecord>(
        .post, "/v1/drills/{id}/end", "stopDrill", "End the user's own drill",
        errors: [.notFound], isIdempotentPost: true)
    public static let answerDrill = Route<DrillAnswerRequest, DrillQuestion>(
        .post, "/v1/drills/{id}/answer", "answerDrill",
        "\"Got it\", to somebody else's drill", errors: [.notFound], isIdempotentPost: true)

    private static let drillRoutes: [Endpoint] = [
        drills.endpoint, startDrill.endpoint, stopDrill.endpoint, answerDrill.endpoint,
    ]

    // MARK: Invitations
    public static let invitations = Route<Empty, List<Invitation>>(
        .get, "/v1/invitations", "listInvitations", "People without an account who were invited")
    public static let invite = Route<InvitationRequest, Invitation>(
        .post, "/v1/invitations", "invite",
        "Ask somebody by one text message to be a responder without an account", lock: .whole,
        status: 201, errors: [.alreadyExists, .permissionDenied])
    public static let withdrawInvitation = Route<Empty, Empty>(
        .delete, "/v1/invitations/{id}", "withdrawInvitation", "Take an invitation back",
        errors: [.notFound, .alreadyExists])

    private static let invitationRoutes: [Endpoint] = [
        invitations.endpoint, invite.endpoint, withdrawInvitation.endpoint,
    ]

    // MARK: Administrators
    public static let administratorActs = Route<Empty, List<AdminAct>>(
        .get, "/v1/me/administration", "listAdministratorActs",
        "What administrators of the server did with the account, and why; the newest 200")
    public static let stopNumberMove = Route<Empty, UserProfile>(
        .delete, "/v1/me/number-move", "stopNumberMove",
        "Stop a change of the account's phone number that waits", errors: [.notFound])

    private static let administratorRoutes: [Endpoint] = [
        administratorActs.endpoint, stopNumberMove.endpoint,
    ]

    // MARK: All
    public static let all: [Endpoint] = [
        signInRoutes, profileRoutes, qrCodeRoutes, checkInRoutes, journeyRoutes, contactRoutes,
        requestRoutes, pingRoutes, alertRoutes, notificationRoutes, operatorRoutes, byteRoutes,
        drillRoutes, invitationRoutes, administratorRoutes,
    ].flatMap(\.self)
}
