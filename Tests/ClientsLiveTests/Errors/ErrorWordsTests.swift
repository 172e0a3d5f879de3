import API
import Clients
import Domain
import Foundation
import Testing

@testable import ClientsLive

/// Every combination of failure and operation has a text.
@Suite struct ErrorWordsTests {
    /// Texts that must never be shown. Every refusal in these tests contains one of them.
    private static let secrets = [
        "+15550100999", "918273", "request-77", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "sqlite",
        "Mallory",
    ]
    private static let fields: [String?] = [
        nil, "name", "emergencyNote", "phoneNumber", "code", "deviceName", "isResponder",
        "isDependent", "intervalSeconds", "occurredAt", "muted", "url",
        "id", "body", "before", "limit", "request", "Last-Event-ID", "something.else",
    ]

    private static let failures: [ClientFailure] =
        ErrorCode.allCases.flatMap { code in
            fields.map {
                .refused(
                    Problem(
                        code, detail: secrets.joined(separator: " "), field: $0,
                        requestID: "request-77"), retryAfter: .seconds(3_600))
            }
        } + ErrorCode.allCases.map { .refused(Problem($0, detail: "", requestID: "")) }
        + ClientFailure.Unreachable.allCases.map { .unreachable($0) } + [
            .sessionEnded, .malformedAnswer,
        ]

    static let operations: [ClientOperation] =
        WaitingAction.Kind.allCases.map { .action($0) } + [
            .sendCode, .verifyCode, .signOut, .loadSessions, .endSession, .loadProfile,
            .uploadPicture, .removePicture, .loadPicture, .changePhoneNumber, .deleteAccount,
            .exportAccount, .loadQRCode, .renewQRCode, .lookUpQRCode, .readQRCode, .loadCheckIns,
            .startJourney,
            .loadContacts, .addContact, .removeContact, .acceptRequest, .declineRequest,
            .withdrawRequest, .loadBlocks, .block, .unblock, .loadPings, .respondToAllPings,
            .acknowledgeAlert, .declineAlert, .loadAlerts, .withdrawAcknowledgement, .reportOnAlert,
            .resumeAlert,
            .loadNotifications, .loadPreferences, .saveDevice, .addWebhook, .deleteDevice,
            .loadPushEndpoints, .testPushEndpoint, .watchForChanges, .loadInvitations, .invite,
            .withdrawInvitation, .loadSources, .addSource, .removeSource,
            .loadAdministration, .stopNumberMove, .recover, .loadSignInSecurity, .lockSignIn,
            .unlockSignIn, .stopSignInWait, .makeRecoveryCodes, .signInByPasskey, .loadPasskeys,
            .addPasskey, .renamePasskey, .removePasskey,
        ]

    private static let internalWords = [
        "http", "json", "uuid", "null", "nil", "token", "exception", "sql", "unknown", "error",
        "field", "argument", "payload", "media type", "status", "api",
    ]

    @Test(arguments: Self.operations) func saysWhatHappenedAndWhatToDo(
        operation: ClientOperation
    ) {
        for failure in Self.failures {
            let words = UserFacingError(failure, during: operation)
            #expect(
                words.title.count > 5 && words.message.count > 10
                    && words.recoverySuggestion.count > 5, "\(operation) \(failure)")
            #expect(!words.code.isEmpty)
            let text = "\(words.title) \(words.message) \(words.recoverySuggestion)"
            for secret in Self.secrets {
                #expect(!text.contains(secret), "\(operation) \(failure)")
            }
            let spoken = text.lowercased().split { !$0.isLetter }.joined(separator: " ")
            for word in Self.internalWords {
                #expect(!" \(spoken) ".contains(" \(word) "), "\(operation): \(text)")
            }
            #expect(
                words.message.hasSuffix(".") && words.recoverySuggestion.hasSuffix("."), "\(text)")
        }
    }

    @Test(arguments: Self.operations) func differentFailuresHaveDifferentTexts(
        operation: ClientOperation
    ) {
        let failures =
            ErrorCode.allCases.filter { ![.methodNotAllowed, .unsupportedMediaType].contains($0) }
            .map {
                ClientFailure.refused(Problem($0, detail: "", requestID: ""))
            } + ClientFailure.Unreachable.allCases.map { .unreachable($0) } + [.malformedAnswer]
        let messages = failures.map { UserFacingError($0, during: operation).message }
        #expect(Set(messages).count == messages.count, "\(operation)")
    }

    @Test(arguments: failuresOfAnAlert) func failedAlertSaysToCallForHelp(
        failure: ClientFailure
    ) {
        #expect(
            UserFacingError(failure, during: .action(.raiseAlert)).recoverySuggestion.hasPrefix(
                "Call for help directly"))
        #expect(
            !UserFacingError(failure, during: .action(.checkIn)).recoverySuggestion.contains(
                "Call for help")
        )
    }

    static let failuresOfAnAlert = failures

    @Test func heldBackSignInHasTheTimeOfTheServer() {
        func words(_ detail: String) -> UserFacingError {
            let problem = Problem(
                .invalidArgument, detail: detail, field: "code", reason: .signInWaits,
                requestID: "")
            return UserFacingError(ClientFailure.refused(problem), during: .verifyCode)
        }
        let time = RefusalWords.heldBack(.signInWaits, until: "12:00 UTC on 5 December")
        let told = words(time.detail)
        #expect(told.title == "You can’t sign in yet" && told.code == "sign-in-waits")
        #expect(told.message == time.message && told.recoverySuggestion == time.suggestion)
        let older = words("Something else.")
        #expect(older.recoverySuggestion == RefusalWords.signInWaits.suggestion)
    }

    @Test func unexpectedErrorHasAText() {
        struct Surprise: Error {}
        for operation in Self.operations {
            for error: any Error in [
                Surprise(), TokenStoreError.damaged(path: "/home/ana/.config/session.json"),
                ClientFailure.sessionEnded,
            ] {
                let words = UserFacingError(error, during: operation)
                #expect(
                    !words.title.isEmpty && !words.message.isEmpty
                        && !words.recoverySuggestion.isEmpty && !words.message.contains("/home"))
                #expect(
                    operation != .action(.raiseAlert)
                        || words.recoverySuggestion.hasPrefix("Call for help directly"))
            }
        }
    }

    private func words(
        _ code: ErrorCode, _ operation: ClientOperation, field: String? = nil,
        detail: String = "", reason: InvalidInputReason? = nil, wait: Duration? = nil
    ) -> UserFacingError {
        let problem = Problem(code, detail: detail, field: field, reason: reason, requestID: "")
        return UserFacingError(.refused(problem, retryAfter: wait), during: operation)
    }

    @Test func importantFailuresHaveExactTexts() {
        #expect(
            words(.unauthenticated, .verifyCode).title == "That code isn’t right")
        #expect(
            words(.unauthenticated, .changePhoneNumber).title
                == "That code isn’t right")
        #expect(words(.unauthenticated, .action(.checkIn)).title == "You are signed out")
        #expect(
            words(.alreadyExists, .addContact).message
                == "You are connected to this person already.")
        #expect(
            words(.notFound, .addContact).message
                == "No one has this code. It may have been renewed.")
        #expect(
            words(.permissionDenied, .action(.ping)).message
                == "You can ping only people who have made you their responder.")
        #expect(
            words(.payloadTooLarge, .uploadPicture).message == "The picture is larger than 5 MB.")
        #expect(
            words(.invalidArgument, .addSource, field: "name").message
                == "A source’s name has 1 to 40 characters on one line.")
        #expect(
            words(.invalidArgument, .addSource, field: "name", reason: .sourcesFull).message
                == "You have reached the limit of 10 sources.")
        #expect(
            words(.invalidArgument, .action(.updateProfile), field: "name", reason: .alertOpen)
                .message == RefusalWords.nameDuringAlert.message)
        for (kind, field) in [
            (.pause, "until"), (.endPause, "pressedAt"),
        ] as [(WaitingAction.Kind, String)] {
            #expect(
                words(.invalidArgument, .action(kind), field: field, reason: .pauseChanged)
                    .message == RefusalWords.pauseChangedSince.message)
        }
        for refusal in [RefusalWords.pauseEndPassed, .pauseEnd] {
            #expect(
                words(
                    .invalidArgument, .action(.pause), field: "until", detail: refusal.detail
                ).message == refusal.message)
        }
        let untilMonday = RefusalWords.nameWaits(until: "12:00 UTC on Monday")
        #expect(
            words(
                .invalidArgument, .action(.updateProfile), field: "name", detail: untilMonday
            ).message == untilMonday)
        let deletion = RefusalWords.deletionHeld(until: "12:00 UTC on Monday")
        let waits = words(
            .invalidArgument, .deleteAccount, field: "code", detail: deletion.detail)
        #expect(waits.message == deletion.message)
        #expect(waits.recoverySuggestion == deletion.suggestion)
        #expect(
            words(.invalidArgument, .deleteAccount, field: "code").title
                == "That code isn’t right")
        #expect(words(.notFound, .removeSource).message == "This source is no longer there.")
        #expect(words(.notFound, .stopSignInWait).message == "No sign-in is waiting.")
        #expect(
            words(.alreadyExists, .changePhoneNumber).message
                == "Another account has this phone number.")
        #expect(
            words(
                .invalidArgument, .changePhoneNumber, field: "phoneNumber", reason: .guestNumber
            ).message == "This phone number has accepted an invitation to help somebody.")
        for (field, advice) in [
            ("isResponder", "invite them again"), ("isDependent", "once they have an account"),
        ] {
            let refused = words(
                .invalidArgument, .action(.changeRoles), field: field, reason: .guestContact)
            #expect(refused.message == "This contact has no account, and can’t accept a request.")
            #expect(refused.recoverySuggestion.contains(advice))
        }
        #expect(
            words(.invalidArgument, .addContact, field: "code", reason: .ownCode)
                .message == "This is your own code.")
        #expect(
            words(.invalidArgument, .addContact, field: "code", reason: .contactsFull)
                .message == "You have reached the limit of 200 contacts.")
        #expect(
            words(.invalidArgument, .addContact, field: "code", reason: .otherContactsFull)
                .message == "This person has reached the limit of 200 contacts.")
        #expect(
            words(.invalidArgument, .addContact, field: "code", reason: .codeHeld)
                .message == "This person can’t be added now.")
        #expect(
            words(.invalidArgument, .addContact, field: "code", reason: .unknown).message
                == "This is not a LifeSignal code.")
        #expect(
            words(.invalidArgument, .addContact, field: "code").message
                == "This is not a LifeSignal code.")
        #expect(
            words(.invalidArgument, .verifyCode, field: "code").message == "The code has 6 digits.")
    }

    @Test(arguments: [
        ("name", RefusalWords.journeyName), ("note", .journeyNote),
        ("graceMinutes", .journeyGrace), ("expectedReturn", .journeyReturn),
        ("responderIds", .journeyResponders),
    ])
    func startOfAJourneySaysWhatIsWrong(field: String, refusal: RefusalWords) {
        let words = words(.invalidArgument, .startJourney, field: field)
        #expect(words.message == refusal.message)
        #expect(words.recoverySuggestion == refusal.suggestion)
        #expect(words.title == "We could not start the journey")
        let running = self.words(
            .invalidArgument, .startJourney, field: field, reason: .journeyRuns)
        #expect(running.message == RefusalWords.journeyRuns.message)
    }

    @Test func laterReturnHasLimits() {
        #expect(
            words(.invalidArgument, .action(.extendJourney), field: "expectedReturn").message
                == RefusalWords.journeyReturn.message)
    }

    @Test func endOfAnAlertNamesWhatEndsIt() {
        func message(_ detail: String, _ reason: InvalidInputReason? = nil) -> String {
            let problem = Problem(
                .invalidArgument, detail: detail, field: "id", reason: reason, requestID: "")
            return UserFacingError(
                .refused(problem, retryAfter: nil), during: .action(.endAlert)
            ).message
        }
        let journey = RefusalWords.endOfJourney
        #expect(message("Reworded.", .journeyAlert) == journey.message)
        #expect(
            message(journey.detail, .missedCheckInAlert)
                == RefusalWords.endOfMissedCheckIn.message)
        // Older servers give no reason.
        #expect(message(journey.detail) == journey.message)
        #expect(message("") == RefusalWords.endOfMissedCheckIn.message)
    }

    private func detail(_ rule: () throws -> Void) -> String? {
        do {
            try rule()
            return nil
        } catch CommandError.permissionDenied(let detail) {
            return detail
        } catch CommandError.invalidArgument(_, let detail, _) {
            return detail
        } catch {
            return nil
        }
    }

    /// For a broken rule, the server's message begins with the text that the client shows.
    @Test func serverAndClientGiveTheSameReason() {
        let noon = Date(milliseconds: 1_000_000_000_000)
        func start(
            last: Date?, hasOpenAlert: Bool, responders: Int, isPaid: Bool = true
        ) -> String? {
            detail {
                try DrillRules.check(
                    last: last, hasOpenAlert: hasOpenAlert, responders: responders,
                    isPaid: isPaid, at: noon)
            }
        }
        let pairs: [(String?, UserFacingError)] = [
            (
                start(last: noon, hasOpenAlert: false, responders: 1),
                words(.invalidArgument, .startDrill, reason: .drillToday)
            ),
            (
                start(last: nil, hasOpenAlert: false, responders: 0),
                words(.invalidArgument, .startDrill, reason: .noResponders)
            ),
            (
                start(last: nil, hasOpenAlert: true, responders: 1),
                words(.invalidArgument, .startDrill, reason: .alertOpen)
            ),
            (
                start(last: nil, hasOpenAlert: false, responders: 1, isPaid: false),
                words(.invalidArgument, .startDrill, reason: .drillOverBudget)
            ),
            (
                detail { try PingRules.check(.shown(isResponder: true, isDependent: false)) },
                words(.permissionDenied, .action(.ping))
            ),
            (
                detail { _ = try InvitationRules.sender("1") },
                words(.permissionDenied, .invite)
            ),
            (
                detail { _ = try InvitationRules.name("1") },
                words(.invalidArgument, .invite, field: "name")
            ),
            (
                detail { _ = try ContactRoles(isResponder: false, isDependent: false) },
                words(.invalidArgument, .action(.changeRoles))
            ),
            (
                detail { _ = try EmailAddress("ana") },
                words(.invalidArgument, .setEmail, field: "address")
            ),
            (
                detail { _ = try SignInRules.deviceName("") },
                words(.invalidArgument, .verifyCode, field: "deviceName")
            ),
            (
                detail { _ = try NotificationPreferences(muted: [.alert]) },
                words(.invalidArgument, .loadPreferences, field: "muted")
            ),
            (
                detail {
                    _ = try CheckInRules.moment(noon.adding(.days(1)), receivedAt: noon)
                },
                words(.invalidArgument, .action(.checkIn), field: "occurredAt")
            ),
            (
                detail {
                    var settings = CheckInSettings.standard
                    settings.intervalSeconds = 1
                    try IntervalLimits.standard.check(settings)
                },
                words(.invalidArgument, .action(.updateSettings), field: "intervalSeconds")
            ),
        ]
        for (detail, shown) in pairs {
            #expect(detail?.hasPrefix(shown.message) == true, "\(shown.message)")
        }
    }

    @Test func contactsAreFullForInvitationsToo() {
        #expect(
            words(.invalidArgument, .invite, field: "phoneNumber", reason: .contactsFull).message
                == "You have reached the limit of 200 contacts.")
    }

    @Test func pictureWithoutCodeHasItsOwnText() {
        let words = UserFacingError(
            PictureFailure.noCodeFound, during: .readQRCode)
        #expect(
            words.title == "We could not read the code in the picture"
                && words.message == "No QR code was found in the picture.")
        #expect(words.recoverySuggestion == "Choose another picture, or type the id.")
    }

    @Test(arguments: [
        (Duration.milliseconds(1), "1 second."), (.seconds(1), "1 second."),
        (.milliseconds(1_001), "2 seconds."), (.seconds(90), "90 seconds."),
        (.seconds(91), "2 minutes."), (.seconds(3_600), "60 minutes."),
        (.seconds(3_601), "61 minutes."),
    ])
    func waitIsNamedAndRoundedUp(wait: Duration, text: String) {
        #expect(words(.rateLimited, .sendCode, wait: wait).message.hasSuffix("Please wait \(text)"))
        #expect(
            words(.rateLimited, .action(.ping), wait: wait).message.hasSuffix("Please wait \(text)")
        )
    }
}
