import API
import Domain

/// A request that the server has refused. The text depends on the code, then on the operation, and
/// for an invalid argument on its field.
struct RefusedRequest {
    let problem: Problem
    /// How long the server asks to wait.
    let wait: Duration?
    let operation: ClientOperation

    var error: UserFacingError {
        switch problem.code {
        case .unauthenticated: unauthenticated
        case .permissionDenied: permissionDenied
        case .notFound: notFound
        case .alreadyExists: alreadyExists
        case .payloadTooLarge: payloadTooLarge
        case .unsupportedMediaType: unsupportedMediaType
        case .invalidArgument: invalidArgument
        case .accountLocked: because(.accountLocked)
        case .rateLimited: rateLimited
        case .unavailable: unavailable
        case .internal: because(.internalError)
        case .methodNotAllowed, .unknown: misunderstanding
        }
    }

    private func because(_ words: RefusalWords) -> UserFacingError {
        UserFacingError(operation, words, problem.code)
    }

    private func because(_ message: String, _ suggestion: String) -> UserFacingError {
        UserFacingError(operation, message, suggestion, problem.code)
    }

    // MARK: One text or a few for each code

    private var unauthenticated: UserFacingError {
        switch operation {
        case .verifyCode, .changePhoneNumber: wrongCode
        default: .signInAgain
        }
    }

    private var wrongCode: UserFacingError {
        UserFacingError(
            title: "That code isn’t right", message: "It is wrong or has expired.",
            recoverySuggestion: "Check the message, or ask for a new code.",
            code: problem.code)
    }

    private var permissionDenied: UserFacingError {
        switch operation {
        case .removeContactQuietly: because(.quietRemoval)
        case .action(.ping): because(.ping)
        case .addContact: because(.blocked)
        case .acceptRequest: because(.ownRequest)
        case .action(.endAlert): because(.endOfOthersAlert)
        case .reportOnAlert, .resumeAlert: because(.notAccepted)
        case .acknowledgeAlert, .withdrawAcknowledgement, .declineAlert: because(.ownAlert)
        case .invite: because(.senderName)
        default:
            because(
                "Your role does not allow this.", "Ask the other person to change your role.")
        }
    }

    private var notFound: UserFacingError {
        switch operation {
        case .addContact, .lookUpQRCode: because(.unknownCode)
        case .stopSignInWait:
            because(
                "No sign-in is waiting.",
                "Look at your sessions, and end those that are not yours.")
        default:
            because(
                "\(operation.subject) is no longer there.", "Go back and look at the list again.")
        }
    }

    private var alreadyExists: UserFacingError {
        switch operation {
        case .changePhoneNumber: because(.numberTaken)
        case .addContact: because(.alreadyConnected)
        case .invite: because(.alreadyContact)
        case .withdrawInvitation: because(.invitationAccepted)
        case .declineRequest, .withdrawRequest: because(.requestAccepted)
        case .makeRecoveryCodes: because(.recoveryCodesGone)
        case .action(.raiseAlert), .action(.endAlert), .action(.checkIn):
            because(
                "The server gave no reason, and LifeSignal can’t tell whether it was done.",
                "Try again.")
        default:
            because(
                "\(operation.subject) is there already.", "There is nothing more to do.")
        }
    }

    private var payloadTooLarge: UserFacingError {
        switch operation {
        case .uploadPicture, .readQRCode:
            because(
                "The picture is larger than \(UserFacingError.size(ProfilePicture.limitInBytes)).",
                "Choose a smaller one.")
        default: because("That text is too long.", "Shorten it and try again.")
        }
    }

    private var unsupportedMediaType: UserFacingError {
        switch operation {
        case .uploadPicture, .readQRCode:
            because("Only PNG and JPEG pictures can be used.", "Choose another picture.")
        default: misunderstanding
        }
    }

    private var rateLimited: UserFacingError {
        switch operation {
        case .sendCode:
            because(
                "You asked for too many codes. \(waitWords)",
                "Then ask for one code and wait for its message.")
        case .action(.pause):
            because(
                "You tried too often, or your last pause began only just now. \(waitWords)",
                "Until then your deadline stays. Try again after that.")
        default: because("You tried too often. \(waitWords)", "Try again after that.")
        }
    }

    /// Says how long to wait. Rounds up, so that a user who waits this long is not refused again.
    private var waitWords: String {
        guard let wait else { return "Please wait a little." }
        let seconds = max(1, (wait.milliseconds + 999) / 1000)
        guard seconds > 90 else {
            return seconds == 1 ? "Please wait 1 second." : "Please wait \(seconds) seconds."
        }
        return "Please wait \((seconds + 59) / 60) minutes."
    }

    private var unavailable: UserFacingError {
        switch operation {
        case .sendCode:
            because(
                "No code was sent. This server may send no text messages.",
                "Try again in a minute, or ask the people who run it.")
        case .invite:
            because(
                """
                The message could not be sent. This server may send no text messages, or no e-mail.
                """,
                "Try again later, or show them your code instead.")
        case .setEmail: because(.noEmail)
        default:
            because(
                "LifeSignal can’t do this at the moment. Nothing was changed.",
                "Try again in a minute.")
        }
    }

    private var misunderstanding: UserFacingError {
        because(
            "This app and the server do not understand each other.",
            "Update the app and try again.")
    }

    // MARK: An invalid argument

    private var invalidArgument: UserFacingError {
        if operation == .changePhoneNumber, problem.reason == .guestNumber {
            return because(.guestNumber)
        }
        if operation == .deleteAccount {
            let words = RefusalWords.deletionWaits
            return suggestion(after: words).map { because(words.message, $0) } ?? wrongCode
        }
        if let reason = problem.reason,
            let words = RefusalWords.signUp[reason] ?? RefusalWords.signInSecurity[reason]
        {
            var error = because(words)
            error.code = reason.rawValue
            if [.signInWaits, .signInStopped].contains(reason) {
                error.title = "You can’t sign in yet"
                error.recoverySuggestion = suggestion(after: words) ?? words.suggestion
            }
            return error
        }
        return switch operation {
        case .startJourney: because(journey)
        case .startDrill: drill
        case .lookUpQRCode: because(.notACode)
        case .invite where problem.reason == .contactsFull: because(.contactsFull)
        default: invalidField
        }
    }

    /// The rest of the server's text, which has the time; nil if it isn't the expected text.
    private func suggestion(after words: RefusalWords) -> String? {
        let beginning = "\(words.message) "
        guard problem.detail.hasPrefix(beginning) else { return nil }
        return String(problem.detail.dropFirst(beginning.count))
    }

    private var invalidField: UserFacingError {
        switch problem.field {
        case "name": invalidName
        case "phoneNumber": invalidNumber
        case "emailAddress" where operation == .invite:
            because(
                "This address can’t be invited.",
                """
                Enter another person’s address, like mia@example.org. You can have \
                \(InvitationRules.limit) invitations and \(ContactRules.limit) contacts.
                """)
        case "code": invalidCode
        case "recoveryCode": because(.recoveryCodeLength)
        case "address": because(.emailAddress)
        case "emergencyNote": because(.emergencyNote)
        case "deviceName": because(.deviceName)
        case "requests": because(.openRequests)
        case _ where problem.reason == .guestContact:
            because(.guestContact(problem.field == "isDependent" ? .dependent : .responder))
        case "isResponder", "isDependent": because(.noRole)
        case "expectedReturn": because(.journeyReturn)
        case "plan": because(.times)
        case _ where problem.reason == .pauseChanged: because(.pauseChangedSince)
        case "until": because(pauseEnd)
        case "intervalSeconds": because(IntervalLimits.standard.refusal)
        case "occurredAt": because(.checkInTime)
        case "muted": because(.muted)
        default: invalidRequest
        }
    }

    private var pauseEnd: RefusalWords {
        if problem.reason == .alertOpen { return .pauseDuringAlert }
        let passed = RefusalWords.pauseEndPassed
        return problem.detail == passed.detail ? passed : .pauseEnd
    }

    private var invalidName: UserFacingError {
        switch operation {
        case .invite: because(.invitedName)
        case .addPasskey, .renamePasskey: because(.passkeyName)
        case .addSource: because(problem.reason == .sourcesFull ? .sourcesFull : .sourceName)
        case _ where problem.reason == .alertOpen: because(.nameDuringAlert)
        case _ where problem.detail.hasPrefix(RefusalWords.namesTold.message):
            because(problem.detail, RefusalWords.namesTold.suggestion)
        default:
            if let words = RefusalWords.names.first(where: { $0.detail == problem.detail }) {
                because(words)
            } else {
                because("Enter your name.", "Use 1 to 100 characters on one line.")
            }
        }
    }

    private var invalidNumber: UserFacingError {
        switch operation {
        case _ where problem.reason == .confirmNumber: numberInDoubt
        case .invite:
            because(
                "This number can’t be invited.",
                """
                Enter another person’s number, starting with +. You can have \
                \(InvitationRules.limit) invitations and \(ContactRules.limit) contacts.
                """)
        default:
            because(
                "There is no such phone number.",
                "Start with +, e.g. +1 555 0100, and check the digits.")
        }
    }

    private var numberInDoubt: UserFacingError {
        var question = because(
            problem.detail, "Correct the number, or press the button again to use it.")
        question.code = UserFacingError.numberInDoubt
        return question
    }

    private var invalidCode: UserFacingError {
        switch operation {
        case .addContact: because(addedCode)
        case .confirmEmail:
            because(
                "That code is wrong, or has expired.", "Check the message, or use another address.")
        default: because(.codeLength)
        }
    }

    private var addedCode: RefusalWords {
        switch problem.reason {
        case .ownCode: .ownCode
        case .contactsFull: .contactsFull
        case .otherContactsFull: .otherContactsFull
        case .codeHeld: .codeHeld
        default: .notACode
        }
    }

    /// Refusals that depend on the operation alone.
    private var invalidRequest: UserFacingError {
        switch operation {
        case .uploadPicture:
            because("This file is not a complete PNG or JPEG picture.", "Choose another picture.")
        case .readQRCode:
            because(
                "No QR code was found in the picture.",
                "Take it again: closer, straight and in good light.")
        case .action(.changeRoles): because(.noRole)
        case .action(.updateSettings): because(IntervalLimits.standard.refusal)
        case .action(.endAlert): because(endOfAlert)
        case .addWebhook:
            because(
                "This webhook can’t be added.",
                """
                Check its address, and remove a device you do not need if you have \
                \(PushEndpoint.limit).
                """)
        case .saveDevice:
            because(
                "This endpoint can’t be registered.",
                "Check its address, or remove one you do not need.")
        default: because("Something you entered can’t be used.", "Check it and try again.")
        }
    }

    private var endOfAlert: RefusalWords {
        switch problem.reason {
        case .journeyAlert: .endOfJourney
        // Older servers give no reason. Then only the text tells the two kinds of alerts apart.
        case nil where problem.detail == RefusalWords.endOfJourney.detail: .endOfJourney
        default: .endOfMissedCheckIn
        }
    }

    private var journey: RefusalWords {
        guard problem.reason != .journeyRuns else { return .journeyRuns }
        return switch problem.field {
        case "name": .journeyName
        case "note": .journeyNote
        case "graceMinutes": .journeyGrace
        case "responderIds": .journeyResponders
        default: .journeyReturn
        }
    }

    private var drill: UserFacingError {
        switch problem.reason {
        case .drillToday: because(.drillToday)
        case .drillOverBudget: because(.drillOverBudget)
        case .noResponders: because(.noResponders)
        case .alertOpen: because(.alertOpen)
        default: because("You can’t start a drill now.", "Try again later.")
        }
    }
}
