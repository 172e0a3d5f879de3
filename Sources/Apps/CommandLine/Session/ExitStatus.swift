import ArgumentParser
import Domain

/// The exit codes. They are documented and must not change.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    /// Something is wrong on this device: its disk, its permissions, or an unexpected error.
    case failed = 1
    /// The arguments are invalid, or name an unknown person.
    case usage = 2
    case notSignedIn = 3
    /// The command was valid, but the server rejected it, or its object does not exist.
    case refused = 4
    /// The server can't be reached, and nothing was queued.
    case unreachable = 5
    /// The action is queued on this device.
    case waiting = 6
    /// Another command of the same home holds the lock.
    case busy = 7

    static let help = """
        EXIT CODES: 0 done; 1 something is wrong on this device; 2 the command can't be \
        understood; 3 not signed in; 4 refused; 5 the server can't be reached and nothing was \
        kept; 6 kept, and waiting to be sent; 7 another command is using this home.
        """

    init(_ error: UserFacingError) {
        self =
            switch error.code {
            case "unreachable", "malformed-answer", ErrorCode.unavailable.rawValue,
                ErrorCode.internal.rawValue:
                .unreachable
            case ErrorCode.unauthenticated.rawValue: .notSignedIn
            case "unsent": .waiting
            case "storage", ErrorCode.unknown.rawValue: .failed
            default: .refused
            }
    }
}

struct CommandFailure: Error, Equatable {
    var error: UserFacingError
    var status: ExitStatus

    init(_ error: UserFacingError, _ status: ExitStatus? = nil) {
        self.error = error
        self.status = status ?? ExitStatus(error)
        // The apps show the reason in Settings.
        if error.has(.accountLocked) {
            self.error.recoverySuggestion = """
                Check-ins and alerts work as before. `lifesignal administrators` says why it is \
                locked.
                """
        }
    }

    init(
        _ status: ExitStatus, _ code: String, title: String, _ message: String,
        _ suggestion: String = ""
    ) {
        self.init(
            UserFacingError(
                title: title, message: message, recoverySuggestion: suggestion, code: code), status)
    }

    init(
        _ status: ExitStatus, _ code: ErrorCode, title: String, _ message: String,
        _ suggestion: String = ""
    ) {
        self.init(status, code.rawValue, title: title, message, suggestion)
    }

    init(catching error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as UserFacingError: self.init(error)
        case let error as CommandError: self.init(UserFacingError(error), .usage)
        default: self.init(.unknown)
        }
    }

    static func lostOutput(of report: Report) -> CommandFailure {
        CommandFailure(
            .failed, "storage", title: "The answer could not be written",
            report.isWaiting
                ? "The action is queued on this device." : "The command has been carried out.",
            report.ifLost)
    }

    /// Returns the failure with more sentences in its message.
    func adding(_ sentences: [String]) -> CommandFailure {
        var failure = self
        failure.error.message = ([error.message] + sentences).joined(separator: " ")
        return failure
    }

    static let notSignedIn = CommandFailure(
        .notSignedIn, .unauthenticated, title: "You are not signed in",
        "No one is signed in here.", "Sign in with `lifesignal sign-in`.")
}
