import API
import Domain
import Foundation

extension UserFacingError {
    /// Every failure of a client in words, in this one place. What the server wrote is never shown
    /// as it is: it is for programs, in one language, and could hold what somebody else has typed.
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

    /// Any error that comes out of the live clients.
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

    private static let signInAgain = UserFacingError(
        title: "You are signed out",
        message: "Your session has ended. It may have been ended on another of your devices.",
        recoverySuggestion: "Sign in with your phone number.", code: "unauthenticated")

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
            case .refused: ("LifeSignal’s server is not running.", "Try again in a few minutes.")
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
                    "See whether it has happened already, and try again if not."
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
        case (.permissionDenied, .action(.ping)):
            return UserFacingError(
                operation, "You can ping only people who have made you their responder.",
                "Ask them to change your role.", code)
        case (.permissionDenied, .addContact):
            return UserFacingError(
                operation, "You blocked this person.",
                "Unblock them first, then scan their code again.", code)
        case (.permissionDenied, .acceptRequest):
            return UserFacingError(
                operation, "This is your own request: the other person answers it.",
                "Wait, or take it back.", code)
        case (.permissionDenied, .action(.endAlert)):
            return UserFacingError(
                operation, "Only the person who raised an alert can end it.",
                "You can take it on, or call them.", code)
        case (.permissionDenied, .reportOnAlert), (.permissionDenied, .resumeAlert):
            return UserFacingError(
                operation, "Only a responder who has accepted can do this.",
                "Accept the request under Contacts first.", code)
        case (.permissionDenied, .acknowledgeAlert), (.permissionDenied, .withdrawAcknowledgement),
            (.permissionDenied, .declineAlert):
            return UserFacingError(
                operation, "An alert is taken on by a responder, not by the person who needs help.",
                "End it when you are safe.", code)
        case (.permissionDenied, .invite):
            return UserFacingError(
                operation, "Your own name can’t stand in a message.",
                "Use at most 40 letters as the name in your profile.", code)
        case (.permissionDenied, _):
            return UserFacingError(
                operation, "Your role does not allow this.",
                "Ask the other person to change your role.", code)
        case (.notFound, .addContact), (.notFound, .lookUpQRCode):
            return UserFacingError(
                operation, "No one has this code. It may have been renewed.",
                "Ask for their current code.", code)
        case (.notFound, _):
            return UserFacingError(
                operation, "\(operation.subject) is no longer there.",
                "Go back and look at the list again.", code)
        case (.alreadyExists, .changePhoneNumber):
            return UserFacingError(
                operation, "Another account has this phone number.",
                "Sign in with that number, or choose another one.", code)
        case (.alreadyExists, .addContact):
            return UserFacingError(
                operation, "You are connected to this person already.",
                "Change their roles in your contacts if you want to.", code)
        case (.alreadyExists, .invite):
            return UserFacingError(
                operation, "This person is your contact already.",
                "Ask them in your contacts to be your responder.", code)
        case (.alreadyExists, .withdrawInvitation):
            return UserFacingError(
                operation, "This person said yes, and is your contact.",
                "Remove the contact instead.", code)
        case (.alreadyExists, .declineRequest), (.alreadyExists, .withdrawRequest):
            return UserFacingError(
                operation, "This request was accepted already.",
                "Take the role away in the contact’s details.", code)
        case (.alreadyExists, _):
            return UserFacingError(
                operation, "\(operation.subject) is there already.", "There is nothing more to do.",
                code)
        case (.unavailable, .invite):
            return UserFacingError(
                operation, "The message could not be sent. This server may send no text messages.",
                "Try again later, or show them your code instead.", code)
        case (.invalidArgument, _): return invalid(problem, operation)
        case (.payloadTooLarge, .uploadPicture), (.payloadTooLarge, .readQRCode):
            return UserFacingError(
                operation, "The picture is larger than 5 MB.", "Choose a smaller one.", code)
        case (.payloadTooLarge, _):
            return UserFacingError(
                operation, "That text is too long.", "Shorten it and try again.", code)
        case (.unsupportedMediaType, .uploadPicture), (.unsupportedMediaType, .readQRCode):
            return UserFacingError(
                operation, "Only PNG and JPEG pictures can be used.", "Choose another picture.",
                code)
        case (.rateLimited, .sendCode):
            return UserFacingError(
                operation, "You asked for too many codes. \(Self.wait(wait))",
                "Then ask for one code and wait for its message.", code)
        case (.unavailable, .setEmail):
            return UserFacingError(
                operation, "This server sends no e-mail.", "Ask the people who run it.", code)
        case (.rateLimited, _):
            return UserFacingError(
                operation, "You tried too often. \(Self.wait(wait))", "Try again after that.", code)
        case (.unavailable, _):
            return UserFacingError(
                operation, "LifeSignal can’t do this at the moment. Nothing was changed.",
                "Try again in a minute.", code)
        case (.internal, _):
            return UserFacingError(
                operation,
                "Something went wrong at LifeSignal. It was noted and will be looked at.",
                "Try again. If it keeps happening, wait a little.", code)
        case (.methodNotAllowed, _), (.unsupportedMediaType, _), (.unknown, _):
            return UserFacingError(
                operation, "This app and the server do not understand each other.",
                "Update the app and try again.", code)
        }
    }

    /// Rounded up: whoever waits that long is not refused again.
    private static func wait(_ wait: Duration?) -> String {
        guard let wait else { return "Please wait a little." }
        let seconds = max(1, (wait.milliseconds + 999) / 1000)
        guard seconds > 90 else {
            return seconds == 1 ? "Please wait 1 second." : "Please wait \(seconds) seconds."
        }
        return "Please wait \((seconds + 59) / 60) minutes."
    }
}
