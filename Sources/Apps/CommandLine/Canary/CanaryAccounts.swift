import Clients
import ClientsLive
import ComposableArchitecture
import Domain
import Foundation

struct CanaryNumber: Sendable, Equatable {
    var number: PhoneNumber
    var code: String

    /// Parses the owner's and the responder's number from `+15550190=123456,+15550191=123456`.
    /// Throws `CommandFailure`.
    static func pair(_ text: String?) throws -> (owner: CanaryNumber, responder: CanaryNumber) {
        let numbers = (text ?? "").split(separator: ",").compactMap { entry -> CanaryNumber? in
            let parts = entry.split(separator: "=").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard parts.count == 2, let number = try? PhoneNumber(parts[0]),
                let code = try? SignInRules.canaryCode(parts[1])
            else { return nil }
            return CanaryNumber(number: number, code: code)
        }
        guard numbers.count == 2, numbers[0].number != numbers[1].number else {
            throw CommandFailure(
                .usage, "usage", title: "The canary has no accounts",
                "It needs the two numbers and codes that the server has.",
                """
                Set LIFESIGNAL_CANARY_PHONES for both, as +15550190=CODE,+15550191=CODE, with \
                codes that `openssl rand -hex 16` makes.
                """)
        }
        return (numbers[0], numbers[1])
    }
}

struct CanaryAccount: Sendable {
    private let name: String
    private let number: CanaryNumber
    private let live: LiveClients
    private let tokens: FileTokenStore
    let values: DependencyValues

    init(_ name: String, _ number: CanaryNumber, server: URL, home: Home) {
        self.name = name
        self.number = number
        tokens = FileTokenStore(path: home.path("\(name).json"))
        live = LiveClients(
            transport: HTTPTransport(base: server), tokens: tokens, storage: .session,
            options: .init(deviceName: "Canary"))
        var values = DependencyValues()
        live.install(in: &values)
        self.values = values
    }

    func open() async throws {
        if try await live.start() == nil { try await signIn() }
        _ = try await values.userClient.updateProfile("Canary \(name)", "")
    }

    /// Deletes the account and makes another, because an alert every minute would fill the history.
    /// Throws `UserFacingError` or `CommandFailure`.
    func renew() async throws {
        if try await live.start() == nil { try await signIn() }
        try await values.userClient.deleteAccount(nil)
        try await signIn()
        _ = try await values.userClient.updateProfile("Canary \(name)", "")
    }

    private func signIn() async throws {
        do {
            _ = try await values.authClient.sendCode(number.number.text, false)
            _ = try await values.authClient.signIn(number.number.text, number.code)
        } catch let error as UserFacingError
            where [.refused, .notSignedIn].contains(ExitStatus(error)) && !error.has(.rateLimited)
        {
            throw CommandFailure(
                .refused, error.code, title: "The canary can't sign in",
                """
                The server refuses the canary's numbers and codes. If the server \
                lacks them, set its LIFESIGNAL_CANARY_PHONES to the canary's, and restart it. \
                The server said: \(error.message)
                """)
        }
    }

    func close() async { await live.stop() }
}

struct CanaryAccounts: Sendable {
    static let longestHistory: Duration = .days(1)

    let owner: CanaryAccount
    let responder: CanaryAccount
    private let home: Home

    private struct Note: Codable { var begunAt: Date }

    init(
        server: URL, home: Home, _ numbers: (owner: CanaryNumber, responder: CanaryNumber)
    ) {
        self.home = home
        owner = CanaryAccount("owner", numbers.owner, server: server, home: home)
        responder = CanaryAccount("responder", numbers.responder, server: server, home: home)
    }

    /// Whether the accounts are older than `longestHistory`. True if their age is unknown.
    func isOld(at now: Date) -> Bool {
        guard let bytes = FileManager.default.contents(atPath: home.path("canary.json")),
            let note = try? WireJSON.decoder().decode(Note.self, from: bytes)
        else { return true }
        return now < note.begunAt || now.since(note.begunAt) > Self.longestHistory
    }

    /// Signs in, replaces old accounts, and adds the owner to the dependents of the responder.
    /// Throws `UserFacingError` or `CommandFailure`.
    func open(at now: Date) async throws {
        let isOld = isOld(at: now)
        for account in [owner, responder] {
            if isOld { try await account.renew() } else { try await account.open() }
        }
        let code = try await owner.values.userClient.qrCode()
        let known = try await responder.values.contactClient.contacts()
        if !known.contains(where: \.isDependent) {
            _ = try await responder.values.contactClient.addContact(
                code.payload, ContactRoles(isResponder: false, isDependent: true))
        }
        if isOld {
            try WireJSON.encoder().encode(Note(begunAt: now)).write(
                to: URL(fileURLWithPath: home.path("canary.json")), options: .atomic)
        }
    }

    /// Closes both accounts. Sets a long interval first, so that no deadline passes soon if closing
    /// fails.
    func close() async {
        _ = try? await owner.values.checkInClient.updateSettings(
            CanaryRound.settings(interval: 86_400), nil)
        for account in [owner, responder] { await account.close() }
    }
}
