import ArgumentParser
import CommandLine
import Domain
import Foundation

struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Help people, lock spammers, and look at what is stuck.",
        discussion: """
            Runs on the server's machine as root or as the server's user: through a local socket \
            while the server runs, else on the database. Every change needs a --reason; the log \
            keeps it, and the person concerned can read it: in the settings, or after a deletion \
            in the last e-mail.
            """,
        subcommands: [
            People.self, Person.self, Stuck.self, Alert.self, Log.self, Lock.self, Unlock.self,
            Delete.self, Move.self, Announce.self, Test.self, Export.self, Import.self,
            Invite.self, Tokens.self, Revoke.self, Keys.self,
        ])
}

/// A subcommand of `lifesignal admin`.
protocol AdminCommand: AsyncParsableCommand {
    associatedtype Answer: Codable & Sendable

    var admin: AdminOptions { get }
    func request() throws -> AdminRequest
    func lines(_ answer: Answer) -> [String]
}

extension AdminCommand {
    func run() async throws {
        try await perform { body in
            guard !admin.json else { return Terminal.printLine(AdminText.json(body)) }
            let answer = try WireJSON.tolerantDecoder().decode(Answer.self, from: body)
            for line in lines(answer) { Terminal.printLine(Plain.line(line)) }
        }
    }

    /// Sends the request and shows the answer, or shows the failure and throws `ExitCode`.
    func perform(_ show: (Data) throws -> Void) async throws {
        do {
            try show(try await AdminConnection(options: admin).send(try request()))
        } catch {
            let failure = AdminFailure(catching: error)
            try AdminText.show(failure, isJSON: admin.json)
            throw ExitCode(failure.status.rawValue)
        }
    }
}

extension AdminCommand where Answer == AdminDone {
    func lines(_ answer: AdminDone) -> [String] { [answer.message] }
}

struct AdminReason: ParsableArguments {
    @Option(help: "Why. The log keeps it, and the person concerned can read it.")
    var reason: String
}

enum AdminText {
    private struct Shown: Encodable {
        var error: Content

        struct Content: Encodable {
            var code: String
            var message: String
        }
    }

    static func show(_ failure: AdminFailure, isJSON: Bool) throws {
        var text = Plain.text(failure.message)
        if isJSON {
            text = json(
                try WireJSON.encoder().encode(
                    Shown(error: .init(code: failure.code, message: failure.message))))
        }
        try FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Returns an answer's JSON for a terminal.
    static func json(_ body: Data) -> String { Plain.json(String(decoding: body, as: UTF8.self)) }

    static func time(_ date: Date?) -> String {
        guard let date else { return "never" }
        return String(Timestamp.text(date).prefix(16)).replacing("T", with: " ") + " UTC"
    }

    static func act(_ act: AdminAct) -> String {
        "\(time(act.time))  \(act.kind.rawValue) by \(act.doneBy): \(act.reason)"
    }
}

extension AdminPerson {
    var line: String {
        let state =
            switch status {
            case .active: "active"
            case .nonResponsive: "has missed a check-in"
            case .alertActive: "has an alert"
            }
        let ways = channels.isEmpty ? "no channel" : channels.map(\.rawValue).joined(separator: " ")
        let lock = lockedAt == nil ? "" : "  LOCKED"
        let shown = name.isEmpty ? "(no name)" : name
        return
            "\(phoneNumber)  \(shown)  \(state)  last check-in \(AdminText.time(lastCheckIn))"
            + "  \(ways)\(lock)"
    }
}
