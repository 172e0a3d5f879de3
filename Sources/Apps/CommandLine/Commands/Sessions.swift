import ArgumentParser
import Clients
import Domain
import Foundation

struct Sessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the devices that are signed in as you, and sign one out.",
        subcommands: [List.self, End.self], defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show them with their last use. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let sessions = try await session.values.authClient.sessions()
            let words = ClientProcess.words
            return Report(
                lines: sessions.map { session in
                    let use =
                        session.isCurrent ? "this one" : "used \(words.past(session.lastUsedAt))"
                    return "\(Plain.line(session.deviceName)) (\(use))  \(session.id)"
                },
                json: ListView(key: "sessions", items: sessions))
        }
    }

    struct End: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign another device out. Needs a connection.",
            discussion: "It gets no more messages and can no longer act as you.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "The session's id, as `lifesignal sessions` prints it.")
        var session: String

        func validate() throws {
            guard SessionID(session) != nil else {
                throw ValidationError("\(Plain.line(session)) is not the id of a session.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            guard let id = SessionID(self.session) else { throw UserFacingError.unknown }
            let sessions = try await session.values.authClient.sessions()
            guard sessions.first(where: { $0.id == id })?.isCurrent != true else {
                throw CommandFailure(
                    .refused, "current-session", title: "That is this device",
                    "You are signed in with this session.", "Use `lifesignal sign-out`.")
            }
            try await session.values.authClient.endSession(id)
            return Report(
                lines: ["Signed out. It gets no more messages."],
                json: DoneView("session", id, isWaiting: false))
        }
    }
}

extension SignOut {
    struct SignedOutView: Encodable, Sendable {
        var signedOut = true
        /// What stays on the server, and what became of an unsent alert or end, in sentences.
        var unfinished: [String]
        /// The names of the webhooks that the server has removed with the session.
        var removedEndpoints: [String]
        /// The copy's time, if the server could not be reached.
        var asOf: Date?
    }

    /// Returns whether the copy still tells what stays on the server. It shows these actions as
    /// done, and they are discarded.
    static func tellsWhatStays(afterDiscarding waiting: [WaitingAction]) -> Bool {
        !waiting.contains { action in
            switch action.kind {
            case .raiseAlert, .endAlert, .pause, .endPause, .updateSettings, .extendJourney,
                .endJourney, .resendJourney:
                true
            case .checkIn, .ping, .respondToPing, .clearPing, .updateProfile, .changeRoles,
                .updatePreferences, .markAsRead, .deleteNotification:
                false
            }
        }
    }

    /// Returns what became of the alert whose beginning or end is discarded unsent. An alert whose
    /// beginning and end are discarded needs no line.
    static func lines(discarding waiting: [WaitingAction]) -> [String] {
        let changes = waiting.filter { $0.kind == .raiseAlert || $0.kind == .endAlert }
            .sorted { $0.createdAt < $1.createdAt }
        let end = "The end of your alert was not sent: it stays on. Sign in again to end it."
        return (changes.first?.kind == .endAlert ? [end] : [])
            + (changes.last?.kind == .raiseAlert
                ? ["Your alert was not sent and is discarded."] : [])
    }

    /// Sends the queue, and returns the server's state after it, or else the copy. Sends no queue
    /// that is to be discarded.
    func newest(_ session: ClientSession) async throws -> Snapshot? {
        let copy = try? await session.snapshot()
        let hasUnsent = copy.map {
            !$0.connectivity.waiting.isEmpty || $0.connectivity.unsentAlert != nil
        }
        if discard, hasUnsent ?? true { return copy }
        do {
            try await session.sendWaiting()
            return try await session.loadSnapshot()
        } catch {
            guard !discard, CommandFailure(catching: error).status == .notSignedIn else {
                return copy
            }
            throw await ClientRun.close(session, copy, after: error)
        }
    }
}
