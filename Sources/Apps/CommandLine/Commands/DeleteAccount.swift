import ArgumentParser
import Clients
import Domain
import Foundation

struct DeleteAccount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-account",
        abstract: "Delete your account and everything about you, here and on the server.",
        discussion: """
            No one will be alerted for you any more, and your contacts are told. To come back, you \
            may need a new invitation. A server that can send a code asks for it. A script runs \
            the command once without --code and once with it.
            """)

    @OptionGroup var client: ClientOptions

    @Flag(help: "Delete it without asking.")
    var yes = false

    @Option(help: "The code that was sent.")
    var code: String?

    func run() async throws {
        try await ClientRun.run(client) { home in
            try await home.checkSignedIn()
            let user = home.user
            let interruption = Interruption {
                guard let user else { return Interruption.Rest() }
                return Interruption.Rest(
                    waiting: await home.unsentAlerts(of: user), isHeldBack: true)
            }
            defer { interruption.cancel() }
            try await confirm()
            let lock = try await HomeLock.acquire(home)
            defer { lock.release() }
            let session = try await ClientSession.open(home)
            let sending = Interruption(of: session)
            interruption.cancel()
            defer { sending.cancel() }
            do {
                try await delete(session.values.userClient)
            } catch {
                throw await ClientRun.close(session, after: error)
            }
            await session.close()
            home.removeAll(of: user)
            return (
                Report(
                    lines: ["Your account is deleted. Your data in this home was removed."],
                    json: ["deleted": true]),
                Circumstances(isOnline: true, connectivity: nil), ClientProcess.words
            )
        }
    }

    private func confirm() async throws {
        guard !yes else { return }
        let question = """
            Delete your account? No one will be alerted for you any more, and your alert or \
            journey ends. To come back, you may need a new invitation. Type DELETE:\u{20}
            """
        guard await answer(to: question) == "DELETE" else {
            throw CommandFailure(
                .refused, "not-confirmed", title: "Nothing was deleted",
                "You did not type DELETE.", "In a script, give --yes.")
        }
    }

    private func delete(_ user: UserClient) async throws {
        do {
            try await user.deleteAccount(code: code)
        } catch let error as UserFacingError where error.code == UserFacingError.codeNeeded {
            guard let typed = await answer(to: "\(error.message)\nCode: "), !typed.isEmpty
            else {
                throw CommandFailure(
                    .refused, error.code, title: error.title, error.message,
                    "Give it with --code.")
            }
            try await user.deleteAccount(code: typed.trimmingCharacters(in: .whitespaces))
        }
    }

    /// Prints no question with `--json`, because standard error must then contain a single JSON
    /// value.
    private func answer(to question: String) async -> String? {
        await TypedLine.answer(to: client.json ? "" : question)
    }
}
