import API
import Domain
import Foundation

extension UserFacingError {
    /// Converts a client's failure to a user-facing text. The server's own text is shown only for a
    /// number in doubt. Other server texts are for programs, are in one language, and could contain
    /// what other people have typed.
    public init(_ failure: ClientFailure, during operation: ClientOperation) {
        self =
            switch failure {
            case .refused(let problem, let wait): .refused(problem, wait, operation)
            case .unreachable(let reason): .unreachable(reason, operation)
            case .sessionEnded: .signInAgain
            case .malformedAnswer:
                UserFacingError(
                    operation,
                    """
                    The answer did not come from LifeSignal. A public network may want you to sign \
                    in to it first.
                    """,
                    "Open a web page to see whether this network lets you through, then try again.",
                    code: "malformed-answer")
            }
        if operation.isCallForHelp { recoverySuggestion = Self.callDirectly + recoverySuggestion }
    }

    /// Converts any error from the live clients to a user-facing text.
    public init(_ error: any Error, during operation: ClientOperation) {
        switch error {
        case let error as ClientFailure: self.init(error, during: operation)
        case let error as UserFacingError: self = error
        case PictureFailure.tooMany:
            self.init(
                operation, PictureFailure.tooMany.words, "Try again in a moment.", .unavailable)
        case let failure as PictureFailure:
            self.init(
                operation, failure.words,
                operation == .readQRCode
                    ? "Choose another picture, or type the id." : "Choose another picture.",
                .invalidArgument)
        case let error as CommandError: self.init(error)
        case is TokenStoreError:
            self.init(
                operation, "This device could not read or keep your sign-in.",
                """
                Check that its storage is not full and that only you may read LifeSignal’s files, \
                then try again.
                """,
                code: "storage")
        default:
            self.init(
                operation,
                "Something went wrong on this device. Nothing that was confirmed before is lost.",
                "Try again. If it keeps happening, restart the app.", code: "unknown")
        }
        if operation.isCallForHelp, !recoverySuggestion.hasPrefix(Self.callDirectly) {
            recoverySuggestion = Self.callDirectly + recoverySuggestion
        }
    }

    private static let callDirectly =
        "Call for help directly: your local emergency number, or someone near you. "

    init(
        _ operation: ClientOperation, _ message: String, _ suggestion: String, code: String
    ) {
        self.init(
            title: "We could not \(operation.attempt)", message: message,
            recoverySuggestion: suggestion, code: code)
    }

    init(
        _ operation: ClientOperation, _ message: String, _ suggestion: String, _ code: ErrorCode
    ) {
        self.init(operation, message, suggestion, code: code.rawValue)
    }

    init(_ operation: ClientOperation, _ words: RefusalWords, _ code: ErrorCode) {
        self.init(operation, words.message, words.suggestion, code)
    }

    static let deletionCodeNeeded = UserFacingError(
        title: "Enter the code", message: "We sent a code to your phone number.",
        recoverySuggestion: "Enter it to delete your account.", code: codeNeeded)

    static let noQuietRemoval = UserFacingError(
        title: "Nothing was changed",
        message: "This server can’t remove a contact without telling them.",
        recoverySuggestion: "Remove them with a message, or ask the people who run the server.",
        code: "unavailable")

    private static let signInAgain = UserFacingError(
        title: "You are signed out", message: RefusalWords.sessionOver.message,
        recoverySuggestion: RefusalWords.sessionOver.suggestion, code: "unauthenticated")

    // MARK: No answer

    private static func unreachable(
        _ reason: ClientFailure.Unreachable, _ operation: ClientOperation
    ) -> UserFacingError {
        let (message, suggestion) =
            switch reason {
            case .offline: ("This device is offline.", "Connect to a network and try again.")
            case .nameNotFound:
                (
                    "LifeSignal’s address could not be found.",
                    "Check your connection, and the server’s address if you typed it."
                )
            case .refused:
                (
                    "Nothing answers at the address of LifeSignal’s server.",
                    "Try again in a few minutes."
                )
            case .timedOut:
                ("LifeSignal did not answer in time.", "Check your connection and try again.")
            case .insecure:
                (
                    "The connection is not safe: the server could not prove who it is.",
                    "Use another network, and check the date of this device."
                )
            case .interrupted:
                (
                    "The connection was lost before the answer arrived.",
                    "Check whether it was done. If not, try again."
                )
            case .other: ("LifeSignal can’t be reached.", "Check your connection and try again.")
            }
        return UserFacingError(operation, message, suggestion, code: "unreachable")
    }

    // MARK: A refusal

    private static func refused(_ problem: Problem, _ wait: Duration?, _ operation: ClientOperation)
        -> UserFacingError
    {
        let code = problem.code
        switch (code, operation) {
        case (.unauthenticated, .verifyCode), (.unauthenticated, .changePhoneNumber):
            return UserFacingError(
                title: "That code isn’t right", message: "It is wrong or has expired.",
                recoverySuggestion: "Check the message, or ask for a new code.",
                code: code.rawValue)
        case (.unauthenticated, _): return signInAgain
        case (.permissionDenied, .removeContactQuietly):
            return UserFacingError(operation, .quietRemoval, code)
        case (.invalidArgument, .changePhoneNumber) where problem.reason == .guestNumber:
            return UserFacingError(operation, .guestNumber, code)
        case (.invalidArgument, .deleteAccount):
            return UserFacingError(
                title: "That code isn’t right", message: "It is wrong or has expired.",
                recoverySuggestion: "Check the message, or ask for a new code.",
                code: code.rawValue)
        case (.permissionDenied, .action(.ping)):
            return UserFacingError(operation, .ping, code)
        case (.permissionDenied, .addContact):
            return UserFacingError(operation, .blocked, code)
        case (.permissionDenied, .acceptRequest):
            return UserFacingError(operation, .ownRequest, code)
        case (.permissionDenied, .action(.endAlert)):
            return UserFacingError(operation, .endOfOthersAlert, code)
        case (.permissionDenied, .reportOnAlert), (.permissionDenied, .resumeAlert):
            return UserFacingError(operation, .notAccepted, code)
        case (.permissionDenied, .acknowledgeAlert), (.permissionDenied, .withdrawAcknowledgement),
            (.permissionDenied, .declineAlert):
            return UserFacingError(operation, .ownAlert, code)
        case (.permissionDenied, .invite):
            return UserFacingError(operation, .senderName, code)
        case (.permissionDenied, _):
            return UserFacingError(
                operation, "Your role does not allow this.",
                "Ask the other person to change your role.", code)
        case (.notFound, .addContact), (.notFound, .lookUpQRCode):
            return UserFacingError(operation, .unknownCode, code)
        case (.notFound, _):
            return UserFacingError(
                operation, "\(operation.subject) is no longer there.",
                "Go back and look at the list again.", code)
        case (.alreadyExists, .changePhoneNumber):
            return UserFacingError(operation, .numberTaken, code)
        case (.alreadyExists, .addContact):
            return UserFacingError(operation, .alreadyConnected, code)
        case (.alreadyExists, .invite):
            return UserFacingError(operation, .alreadyContact, code)
        case (.alreadyExists, .withdrawInvitation):
            return UserFacingError(operation, .invitationAccepted, code)
        case (.alreadyExists, .declineRequest), (.alreadyExists, .withdrawRequest):
            return UserFacingError(operation, .requestAccepted, code)
        case (.alreadyExists, .makeRecoveryCodes):
            return UserFacingError(operation, .recoveryCodesGone, code)
        case (.alreadyExists, .action(.raiseAlert)), (.alreadyExists, .action(.endAlert)),
            (.alreadyExists, .action(.checkIn)):
            return UserFacingError(
                operation,
                "The server gave no reason, and LifeSignal can’t tell whether it was done.",
                "Try again.", code)
        case (.alreadyExists, _):
            return UserFacingError(
                operation, "\(operation.subject) is there already.", "There is nothing more to do.",
                code)
        case (.unavailable, .sendCode):
            return UserFacingError(
                operation, "No code was sent. This server may send no text messages.",
                "Try again in a minute, or ask the people who run it.", code)
        case (.unavailable, .invite):
            return UserFacingError(
                operation,
                """
                The message could not be sent. This server may send no text messages, or no e-mail.
                """,
                "Try again later, or show them your code instead.", code)
        case (.invalidArgument, _): return invalid(problem, operation)
        case (.payloadTooLarge, .uploadPicture), (.payloadTooLarge, .readQRCode):
            return UserFacingError(
                operation,
                "The picture is larger than \(Self.size(ProfilePicture.limitInBytes)).",
                "Choose a smaller one.", code)
        case (.payloadTooLarge, _):
            return UserFacingError(
                operation, "That text is too long.", "Shorten it and try again.", code)
        case (.unsupportedMediaType, .uploadPicture), (.unsupportedMediaType, .readQRCode):
            return UserFacingError(
                operation, "Only PNG and JPEG pictures can be used.", "Choose another picture.",
                code)
        case (.accountLocked, _): return UserFacingError(operation, .accountLocked, code)
        case (.rateLimited, .sendCode):
            return UserFacingError(
                operation, "You asked for too many codes. \(Self.wait(wait))",
                "Then ask for one code and wait for its message.", code)
        case (.unavailable, .setEmail):
            return UserFacingError(operation, .noEmail, code)
        case (.rateLimited, _):
            return UserFacingError(
                operation, "You tried too often. \(Self.wait(wait))", "Try again after that.", code)
        case (.unavailable, _):
            return UserFacingError(
                operation, "LifeSignal can’t do this at the moment. Nothing was changed.",
                "Try again in a minute.", code)
        case (.internal, _):
            return UserFacingError(operation, .internalError, code)
        case (.methodNotAllowed, _), (.unsupportedMediaType, _), (.unknown, _):
            return UserFacingError(
                operation, "This app and the server do not understand each other.",
                "Update the app and try again.", code)
        }
    }

    /// Returns the text about how long to wait. Rounds up, so that a user who waits this long is
    /// not refused again.
    private static func wait(_ wait: Duration?) -> String {
        guard let wait else { return "Please wait a little." }
        let seconds = max(1, (wait.milliseconds + 999) / 1000)
        guard seconds > 90 else {
            return seconds == 1 ? "Please wait 1 second." : "Please wait \(seconds) seconds."
        }
        return "Please wait \((seconds + 59) / 60) minutes."
    }
}

extension UserFacingError {
    static func invalid(_ problem: Problem, _ operation: ClientOperation) -> UserFacingError {
        func words(_ message: String, _ suggestion: String) -> UserFacingError {
            UserFacingError(operation, message, suggestion, .invalidArgument)
        }
        func refusal(_ words: RefusalWords) -> UserFacingError {
            UserFacingError(operation, words, .invalidArgument)
        }
        if let reason = problem.reason,
            let words = RefusalWords.signUp[reason] ?? RefusalWords.signInSecurity[reason]
        {
            var error = refusal(words)
            error.code = reason.rawValue
            return error
        }
        switch (problem.field, operation) {
        case (_, .invite) where problem.reason == .contactsFull: return refusal(.contactsFull)
        case (_, .startJourney): return refusal(journey(problem))
        case ("expectedReturn", _): return refusal(.journeyReturn)
        case ("name", .invite): return refusal(.invitedName)
        case ("phoneNumber", _) where problem.reason == .confirmNumber:
            var question = words(
                problem.detail, "Correct the number, or press the button again to use it.")
            question.code = UserFacingError.numberInDoubt
            return question
        case ("phoneNumber", .invite):
            return words(
                "This number can’t be invited.",
                """
                Enter another person’s number, starting with +. You can have \
                \(InvitationRules.limit) invitations and \(ContactRules.limit) contacts.
                """)
        case ("emailAddress", .invite):
            return words(
                "This address can’t be invited.",
                """
                Enter another person’s address, like mia@example.org. You can have \
                \(InvitationRules.limit) invitations and \(ContactRules.limit) contacts.
                """)
        case ("name", .addPasskey), ("name", .renamePasskey): return refusal(.passkeyName)
        case ("name", .addSource):
            return refusal(problem.reason == .sourcesFull ? .sourcesFull : .sourceName)
        case ("name", _):
            return words(
                "Enter your name.", "Use 1 to 100 characters on one line.")
        case ("emergencyNote", _): return refusal(.emergencyNote)
        case ("phoneNumber", _):
            return words(
                "There is no such phone number.",
                "Start with +, e.g. +1 555 0100, and check the digits.")
        case ("deviceName", _): return refusal(.deviceName)
        case ("code", .addContact) where problem.reason == .ownCode: return refusal(.ownCode)
        case ("code", .addContact) where problem.reason == .contactsFull:
            return refusal(.contactsFull)
        case ("code", .addContact) where problem.reason == .otherContactsFull:
            return refusal(.otherContactsFull)
        case ("code", .addContact) where problem.reason == .codeHeld: return refusal(.codeHeld)
        case (_, .startDrill): return drill(problem)
        case ("code", .addContact), (_, .lookUpQRCode): return refusal(.notACode)
        case ("address", _): return refusal(.emailAddress)
        case ("code", .confirmEmail):
            return words(
                "That code is wrong, or has expired.",
                "Check the message, or use another address.")
        case ("recoveryCode", _): return refusal(.recoveryCodeLength)
        case ("code", _): return refusal(.codeLength)
        case (_, .uploadPicture):
            return words(
                "This file is not a complete PNG or JPEG picture.", "Choose another picture.")
        case (_, .readQRCode):
            return words(
                "No QR code was found in the picture.",
                "Take it again: closer, straight and in good light.")
        case ("requests", _): return refusal(.openRequests)
        case ("isResponder", _), ("isDependent", _), (_, .action(.changeRoles)):
            return refusal(.noRole)
        case ("plan", _): return refusal(.times)
        case ("until", _) where problem.reason == .alertOpen: return refusal(.pauseDuringAlert)
        case ("until", _): return refusal(.pauseEnd)
        case ("intervalSeconds", _), (_, .action(.updateSettings)):
            return refusal(IntervalLimits.standard.refusal)
        case ("occurredAt", _): return refusal(.checkInTime)
        case (_, .action(.endAlert)): return refusal(endOfAlert(problem))
        case ("muted", _): return refusal(.muted)
        case (_, .addWebhook):
            return words(
                "This webhook can’t be added.",
                """
                Check its address, and remove a device you do not need if you have \
                \(PushEndpoint.limit).
                """)
        case (_, .saveDevice):
            return words(
                "This endpoint can’t be registered.",
                "Check its address, or remove one you do not need.")
        default:
            return words("Something you entered can’t be used.", "Check it and try again.")
        }
    }

    private static func endOfAlert(_ problem: Problem) -> RefusalWords {
        switch problem.reason {
        case .journeyAlert: .endOfJourney
        // Older servers give no reason. Then only the text tells the two kinds of alerts apart.
        case nil where problem.detail == RefusalWords.endOfJourney.detail: .endOfJourney
        default: .endOfMissedCheckIn
        }
    }

    private static func journey(_ problem: Problem) -> RefusalWords {
        guard problem.reason != .journeyRuns else { return .journeyRuns }
        return switch problem.field {
        case "name": .journeyName
        case "note": .journeyNote
        case "graceMinutes": .journeyGrace
        case "responderIds": .journeyResponders
        default: .journeyReturn
        }
    }

    private static func drill(_ problem: Problem) -> UserFacingError {
        func refusal(_ words: RefusalWords) -> UserFacingError {
            UserFacingError(.startDrill, words, .invalidArgument)
        }
        return switch problem.reason {
        case .drillToday: refusal(.drillToday)
        case .noResponders: refusal(.noResponders)
        case .alertOpen: refusal(.alertOpen)
        default:
            UserFacingError(
                .startDrill, "You can’t start a drill now.", "Try again later.", .invalidArgument)
        }
    }
}
