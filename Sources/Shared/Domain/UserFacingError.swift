/// A failure in plain language for the person who sees it: what happened, and what to do next.
public struct UserFacingError: Error, Codable, Equatable, Hashable, Sendable {
    public var title: String
    public var message: String
    public var recoverySuggestion: String
    /// The stable name of the error: an `ErrorCode`, an `InvalidInputReason`, or a name that only
    /// clients use, for example `unreachable`.
    public var code: String

    public init(title: String, message: String, recoverySuggestion: String, code: String) {
        self.title = title
        self.message = message
        self.recoverySuggestion = recoverySuggestion
        self.code = code
    }

    public init(title: String, message: String, recoverySuggestion: String, code: ErrorCode) {
        self.init(
            title: title, message: message, recoverySuggestion: recoverySuggestion,
            code: code.rawValue)
    }

    public func has(_ code: ErrorCode) -> Bool { self.code == code.rawValue }

    public static let unknown = UserFacingError(
        title: "That did not work",
        message:
            """
            LifeSignal could not finish what you asked for. Nothing that was confirmed before is \
            lost.
            """,
        recoverySuggestion: "Try again. If it keeps happening, restart the app.",
        code: .unknown
    )

    /// The `code` of an error that asks for the one-time code sent to the person.
    public static let codeNeeded = "code-needed"
    /// The `code` of an error that asks the person to confirm a phone number.
    public static let numberInDoubt = "confirm-number"

    /// The server can't be reached, or answered that it can't work now.
    public static let unavailable = UserFacingError(
        title: "LifeSignal can’t be reached",
        message: "The server did not answer.",
        recoverySuggestion:
            "Check your connection and try again. In an emergency, call for help directly.",
        code: .unavailable
    )
}

extension UserFacingError {
    public init(_ error: CommandError) {
        switch error {
        case .unauthenticated(let detail):
            self.init(
                title: "Please sign in", message: detail,
                recoverySuggestion: "Sign in with your phone number.", code: .unauthenticated)
        case .permissionDenied(let detail):
            self.init(
                title: "Not allowed", message: detail,
                recoverySuggestion: "Ask the other person to change your roles.",
                code: .permissionDenied)
        case .notFound(let detail):
            self.init(
                title: "Not found", message: detail,
                recoverySuggestion: "It may have been removed. Reload and look again.",
                code: .notFound)
        case .alreadyExists(let detail):
            self.init(
                title: "Already there", message: detail,
                recoverySuggestion: "There is nothing more to do.", code: .alreadyExists)
        case QRCodeRules.notACode:
            self.init(
                title: "Not a LifeSignal code", message: RefusalWords.notACode.message,
                recoverySuggestion: RefusalWords.notACode.suggestion, code: .invalidArgument)
        case ContactRules.ownCode:
            self.init(
                title: "Your own code", message: RefusalWords.ownCode.message,
                recoverySuggestion: RefusalWords.ownCode.suggestion, code: .invalidArgument)
        case ContactRoles.noRole:
            self.init(
                title: "A contact needs a role", message: RefusalWords.noRole.message,
                recoverySuggestion: RefusalWords.noRole.suggestion, code: .invalidArgument)
        case .invalidArgument(_, let detail, _):
            self.init(
                title: "Please check what you entered", message: detail,
                recoverySuggestion: "Correct it and try again.", code: .invalidArgument)
        case .payloadTooLarge(let limit):
            self.init(
                title: "Too large", message: "At most \(Self.size(limit)) can be sent.",
                recoverySuggestion: "Choose something smaller.",
                code: .payloadTooLarge)
        case .accountLocked:
            self.init(
                title: "Your account is locked", message: RefusalWords.accountLocked.message,
                recoverySuggestion: RefusalWords.accountLocked.suggestion, code: .accountLocked)
        case .rateLimited(let wait):
            self.init(
                title: "Too many attempts", message: "Please wait \(Self.seconds(toPass: wait)).",
                recoverySuggestion: "Try again after that.",
                code: .rateLimited)
        case .unavailable:
            self = .unavailable
        }
    }

    /// Rounds up, because a retry before the full wait would be refused.
    private static func seconds(toPass wait: Duration) -> String {
        let seconds = max(1, (wait.milliseconds + 999) / 1000)
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }

    /// Returns a size in whole kilobytes or megabytes, such as "5 MB".
    public static func size(_ bytes: Int) -> String {
        bytes < 1_000_000 ? "\(bytes / 1000) kB" : "\(bytes / 1_000_000) MB"
    }
}
