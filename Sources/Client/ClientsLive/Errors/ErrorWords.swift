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
            case .refused(let problem, let wait):
                RefusedRequest(problem: problem, wait: wait, operation: operation).error
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
                "Try again. If it keeps happening, restart the app.", .unknown)
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
        code: .unavailable)

    static let journeyIsOver = UserFacingError(
        .action(.extendJourney),
        "You are not on a journey any more, so your responders aren’t told of your later return.",
        "Start a new journey if you are still on your way.", .notFound)

    static let signInAgain = UserFacingError(
        title: "You are signed out", message: RefusalWords.sessionOver.message,
        recoverySuggestion: RefusalWords.sessionOver.suggestion, code: .unauthenticated)

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
}
