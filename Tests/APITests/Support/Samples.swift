import API
import Domain
import Foundation

/// 1 March 2026, 12:00:00.007 UTC.
let noon = Date(milliseconds: 1_772_366_400_007)

func id<Tag>(_ number: UInt8) -> ID<Tag> {
    ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
}

enum Samples {
    static func all() throws -> [PayloadSample] { try requests() + people() + news() + answers() }

    private static let point = String(repeating: "B", count: 87)
    private static let token = String(repeating: "aB-_", count: 10) + "xyz"

    private static let passkey = Passkey(
        id: id(5), name: "Phone", createdAt: noon, lastUsedAt: noon)
    private static let assertion = PasskeyAssertion(
        credentialID: token, userHandle: token, clientDataJSON: token, authenticatorData: token,
        signature: token)

    private static func requests() throws -> [PayloadSample] {
        [
            PayloadSample(
                SendCodeRequest(
                    phoneNumber: "+4915112345678", deviceKey: id(9), isConfirmed: true,
                    token: token, inviterCode: id(7)),
                minimal: SendCodeRequest(phoneNumber: "+4915112345678")),
            PayloadSample(
                SignInRequest(
                    phoneNumber: "+4915112345678", code: "000042", deviceName: "Ada's phone",
                    requestID: id(8), deviceKey: id(9), token: token,
                    recoveryCode: "7KQ2-M9XD-03TB-WZ5E"),
                minimal: SignInRequest(
                    phoneNumber: "+4915112345678", deviceName: "Ada's phone")),
            PayloadSample(RefreshRequest(refreshToken: token)),
            PayloadSample(
                UpdateProfileRequest(
                    name: "Ada", emergencyNote: "Diabetic", leavesNoteOutOfCopy: true),
                minimal: UpdateProfileRequest()),
            PayloadSample(
                PhoneNumberRequest(phoneNumber: "+4915112345678", code: "123456", requestID: id(8)),
                minimal: PhoneNumberRequest(phoneNumber: "+4915112345678", code: "123456")),
            PayloadSample(EmailRequest(address: "ada@example.org")),
            PayloadSample(EmailCodeRequest(code: "000042")),
            PayloadSample(email(isFull: true), minimal: EmailStatus()),
            PayloadSample(CheckInRequest(occurredAt: noon)),
            PayloadSample(
                AddContactRequest(
                    code: String(repeating: "a", count: 32), isResponder: true,
                    isDependent: false)),
            PayloadSample(ResponderOrder(ids: [id(1), id(2)])),
            PayloadSample(PingRequest(dependentID: id(1))),
            PayloadSample(
                RespondToPingRequest(pressedAt: noon), minimal: RespondToPingRequest()),
            PayloadSample(
                DeleteAccountRequest(code: "123456", requestID: id(9)),
                minimal: DeleteAccountRequest()),
            PayloadSample(RaiseAlertRequest(raisedAt: noon), minimal: RaiseAlertRequest()),
            PayloadSample(
                EndAlertRequest(pressedAt: noon, endedAt: noon), minimal: EndAlertRequest()),
            PayloadSample(ReportRequest(report: .foundSafe)),
            PayloadSample(
                PushEndpointRequest(
                    kind: .webPush, url: "https://push.example.org/1",
                    keys: PushKeys(p256dh: point, auth: String(repeating: "a", count: 22)),
                    token: String(repeating: "a", count: 64), environment: .sandbox,
                    template: .matrix, chat: "!a:example.org"),
                minimal: PushEndpointRequest(kind: .webhook)),
            PayloadSample(PushKeys(p256dh: point, auth: String(repeating: "a", count: 22))),
            PayloadSample(ReceiptRequest(token: String(repeating: "a", count: 96))),
            PayloadSample(
                PauseRequest(until: noon, pressedAt: noon), minimal: PauseRequest(until: noon)),
            PayloadSample(EndPauseRequest(pressedAt: noon), minimal: EndPauseRequest()),
            PayloadSample(
                StartJourneyRequest(
                    id: id(10), name: "Zugspitze", expectedReturn: noon, graceMinutes: 10,
                    note: "By the Höllental,\nalone", responderIds: [id(2)],
                    tellsResponders: true),
                minimal: StartJourneyRequest(
                    id: id(10), name: "Zugspitze", expectedReturn: noon,
                    tellsResponders: false)),
            PayloadSample(
                ExtendJourneyRequest(expectedReturn: noon, pressedAt: noon, isLater: true),
                minimal: ExtendJourneyRequest(expectedReturn: noon, pressedAt: noon)),
            PayloadSample(EndJourneyRequest(pressedAt: noon)),
            PayloadSample(
                ResendJourneyRequest(
                    JourneyRecord(
                        id: id(10), name: "Zugspitze", note: "Alone", startTime: noon,
                        expectedReturn: noon, responderIds: [id(2)], tellsResponders: true),
                    endTime: noon),
                minimal: ResendJourneyRequest(
                    JourneyRecord(
                        id: id(10), name: "Zugspitze", startTime: noon, expectedReturn: noon))),
            PayloadSample(SourceRequest(name: "Kitchen button")),
            PayloadSample(settings(isFull: true), minimal: settings(isFull: false)),
            PayloadSample(settingsWithSleep, minimal: settings(isFull: false)),
            PayloadSample(try ContactRoles(isResponder: true, isDependent: false)),
            PayloadSample(try NotificationPreferences(muted: [.ping, .system])),
        ]
    }

    private static func people() throws -> [PayloadSample] {
        [
            PayloadSample(try profile(isFull: true), minimal: try profile(isFull: false)),
            PayloadSample(try contact(isFull: true), minimal: try contact(isFull: false)),
            PayloadSample(earlyCheckIn, minimal: checkInWithoutDeadline),
            PayloadSample(
                List(items: [checkIn, earlyCheckIn], next: "1.a"),
                minimal: List(items: [checkInWithoutDeadline])),
            PayloadSample(
                List(items: [try contact(isFull: true)], next: "1.a"), minimal: List(items: [])),
            PayloadSample(source(isFull: true), minimal: source(isFull: false)),
            PayloadSample(
                List(items: [source(isFull: true)], next: "1.a"), minimal: List(items: [])),
            PayloadSample(
                List(items: [administratorAct], next: "1.a"), minimal: List(items: [])),
            PayloadSample(blocked),
            PayloadSample(List(items: [blocked], next: "1.a"), minimal: List(items: [])),
            PayloadSample(session),
            PayloadSample(List(items: [session], next: "1.a"), minimal: List(items: [session])),
            PayloadSample(List(items: [passkey], next: "1.a"), minimal: List(items: [])),
            PayloadSample(try export(isFull: true), minimal: try export(isFull: false)),
        ]
    }

    private static func news() throws -> [PayloadSample] {
        [
            PayloadSample(ping(isFull: true), minimal: ping(isFull: false)),
            PayloadSample(drill(isFull: true), minimal: drill(isFull: false)),
            PayloadSample(drillQuestion(isFull: true), minimal: drillQuestion(isFull: false)),
            PayloadSample(drills, minimal: DrillOverview()),
            PayloadSample(DrillAnswerRequest(channel: .webPush)),
            PayloadSample(
                InvitationRequest(
                    name: "Mia", phoneNumber: "+442071838750", emailAddress: "mia@example.org",
                    isConfirmed: true),
                minimal: InvitationRequest(name: "Mia")),
            PayloadSample(invitation(isFull: true), minimal: invitation(isFull: false)),
            PayloadSample(
                List(items: [invitation(isFull: true)], next: "1.a"), minimal: List(items: [])),
            PayloadSample(List(items: [ping(isFull: true)], next: "1.a"), minimal: List(items: [])),
            PayloadSample(alert(isFull: true), minimal: alert(isFull: false)),
            PayloadSample(
                List(items: [alert(isFull: true)], next: "1.a"), minimal: List(items: [])),
            PayloadSample(notification(isFull: true), minimal: notification(isFull: false)),
            PayloadSample(
                List(items: [notification(isFull: true)], next: "1.a"), minimal: List(items: [])),
            PayloadSample(try device(), minimal: try device(isFull: false)),
            PayloadSample(List(items: [try device()], next: "1.a"), minimal: List(items: [])),
        ]
    }

    private static func answers() throws -> [PayloadSample] {
        [
            PayloadSample(
                SendCodeResponse(
                    requestID: id(8), phoneNumber: try PhoneNumber("+4915112345678"),
                    needsCode: true),
                minimal: SendCodeResponse(requestID: id(8))),
            PayloadSample(
                SignInOptions(
                    signUp: .invited, sendsCodes: true, operatorContact: "ops@example.org",
                    limitsCountries: true),
                minimal: SignInOptions(signUp: .open, sendsCodes: false)),
            PayloadSample(
                TokenResponse(
                    accessToken: token, refreshToken: token, expiresAt: noon, isNewUser: true,
                    userID: id(1), sessionID: id(2))
            ),
            PayloadSample(
                QRCodeInfo(
                    id: "\(id(3) as QRCodeID)", payload: "{}",
                    shareLink: try url("https://example.org/add/3"), createdAt: noon)),
            PayloadSample(AlertPassResponse(pass: token, expiresAt: noon)),
            PayloadSample(QRCodeOwner(id: id(1), name: "Ada")),
            PayloadSample(QRCodeName(name: "Ada")),
            PayloadSample(DecodedQRCode(text: "hello")),
            PayloadSample(
                PushEndpointResponse(try device(), signingSecret: "whsec_AAAA"),
                minimal: PushEndpointResponse(try device(isFull: false))),
            PayloadSample(
                NewSource(
                    source: source(isFull: true), address: try url("https://example.org/s/1")),
                minimal: NewSource(
                    source: source(isFull: false), address: try url("https://example.org/s/1"))),
            PayloadSample(administratorAct),
            PayloadSample(
                signInSecurity(isFull: true), minimal: signInSecurity(isFull: false)),
            PayloadSample(
                passkey, minimal: Passkey(id: id(5), name: "Phone", createdAt: noon)),
            PayloadSample(
                PasskeyRequest(
                    challenge: token, site: "example.org",
                    account: PasskeyRequest.Account(
                        handle: token, name: "Ada", otherPasskeys: [token])),
                minimal: PasskeyRequest(challenge: token, site: "example.org")),
            PayloadSample(
                PasskeySignInRequest(
                    passkey: assertion, deviceName: "Phone", deviceKey: id(9)),
                minimal: PasskeySignInRequest(passkey: assertion, deviceName: "Phone")),
            PayloadSample(
                AddPasskeyRequest(
                    passkey: PasskeyRegistration(
                        clientDataJSON: token, attestationObject: token),
                    name: "Phone")),
            PayloadSample(PasskeyNameRequest(name: "Phone")),
            PayloadSample(RecoveryCodes(codes: ["7KQ2-M9XD-03TB-WZ5E"])),
            PayloadSample(
                RecoveryCodeRequest(recoveryCode: "7KQ2-M9XD-03TB-WZ5E"),
                minimal: RecoveryCodeRequest()),
            PayloadSample(PushKeyResponse(publicKey: point)),
            PayloadSample(
                Health(problems: ["the disk is full"], warnings: ["the watch is late"]),
                minimal: Health()),
            PayloadSample(
                Problem(
                    .invalidArgument, detail: "This is your own code.", field: "code",
                    reason: .ownCode, requestID: "1"),
                minimal: Problem(.notFound, detail: "There is no such thing.", requestID: "1")
            ),
        ]
    }
}

struct NoAddress: Error {}

func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw NoAddress() }
    return url
}
