import API
import Domain
import Foundation
import SafetyNetwork

/// The answer to an administrator's command.
public struct AdminAnswer: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The answer as JSON; a problem document (RFC 9457) for a refusal.
    public var body: Data
    /// A detail for the log; nil if there is none.
    public var internalDetail: String?
}

/// Answers the commands of `lifesignal admin`, which arrive through the server's local socket or,
/// while the server is down, from the program itself.
public struct AdminDesk: Sendable {
    /// Sends one test message and returns the provider's answer in words.
    public typealias Test = @Sendable (AdminTestChannel, String) async throws -> AdminDone

    private let network: SafetyNetwork
    private let phoneNumbers: PhoneNumberCheck
    private let test: Test
    private let health: @Sendable () async -> Health

    /// - Parameter health: returns the answer of `/health/ready`; empty without a server.
    public init(
        _ network: SafetyNetwork, phoneNumbers: PhoneNumberCheck, test: @escaping Test,
        health: @escaping @Sendable () async -> Health = { Health() }
    ) {
        self.network = network
        self.phoneNumbers = phoneNumbers
        self.test = test
        self.health = health
    }

    /// Answers or refuses a command.
    /// - Parameters:
    ///   - body: the JSON of an `AdminRequest`.
    ///   - administrator: the name of the user on the server's machine, for the log.
    public func respond(
        to body: Data, by administrator: String, requestID: String
    ) async -> AdminAnswer {
        do {
            guard let command = try? WireJSON.decoder().decode(AdminRequest.self, from: body)
            else {
                throw CommandError.invalidArgument(
                    field: "body",
                    "The server doesn't know this command: it may have another version.")
            }
            return AdminAnswer(status: 200, body: try await answer(command, by: administrator))
        } catch {
            let refusal = ProblemResponse.refusal(for: error, requestID: requestID)
            return AdminAnswer(
                status: refusal.problem.status,
                body: (try? WireJSON.encoder().encode(refusal.problem)) ?? Data(),
                internalDetail: refusal.internalDetail)
        }
    }

    private func answer(
        _ request: AdminRequest, by administrator: String
    ) async throws -> Data {
        let administration = network.administration
        switch request {
        case .people(let search, let after, let limit):
            return try Self.json(
                try await administration.people(search, after: after, limit: limit))
        case .person(let number):
            return try Self.json(try await administration.person(try account(number)))
        case .stuck(let after):
            return try Self.json(try await administration.stuck(after: after))
        case .alert(let id):
            return try Self.json(try await administration.alert(id))
        case .log(let number, let limit):
            let person = try number.map { try account($0) }
            return try Self.json(try await administration.log(about: person, limit: limit))
        case .lock(let number, let reason):
            return try Self.json(
                try await administration.lock(
                    try account(number), reason: reason, by: administrator))
        case .unlock(let number, let reason):
            return try Self.json(
                try await administration.unlock(
                    try account(number), reason: reason, by: administrator))
        case .delete(let number, let reason):
            return try Self.json(
                try await administration.delete(
                    try account(number), reason: reason, by: administrator))
        case .announce(let text, let maintenance, let reason):
            return try Self.json(
                try await network.announcements.announce(
                    text, maintenance: maintenance, reason: reason, by: administrator))
        case .move(let number, let new, let reason, let recoveryCode):
            return try Self.json(
                try await network.numberMoves.move(
                    try account(number), to: try phoneNumbers.read(new).text, reason: reason,
                    recoveryCode: recoveryCode, by: administrator))
        case .export(let number, let reason):
            return try await network.personTransfers.export(
                try account(number), reason: reason, by: administrator)
        case .importPerson(var file, let reason):
            // An older server may have stored another form of the number.
            file.profile.phoneNumber = try phoneNumbers.read(file.profile.phoneNumber.text)
            return try Self.json(
                try await network.personTransfers.importPerson(
                    file, reason: reason, by: administrator))
        case .invite(let number, let uses, let days, let note, let reason):
            let phone = try number.map { try phoneNumbers.read($0) }
            return try Self.json(
                try await administration.invite(
                    phone, uses: uses, days: days, note: note, reason: reason,
                    by: administrator))
        case .tokens:
            let now = network.database.now()
            let tokens = try await network.signUpTokens.list()
            return try Self.json(AdminTokens(tokens: tokens.map { AdminToken($0, at: now) }))
        case .revoke(let text, let reason):
            return try Self.json(
                try await administration.revoke(text, reason: reason, by: administrator))
        case .rotateKey(let old, let new, let reason):
            return try Self.json(
                try await network.keyRotation.rotate(
                    to: new, from: old, reason: reason, by: administrator))
        case .health: return try Self.json(await health())
        case .formerKeys: return try Self.json(try network.keyRotation.losses())
        case .forgetKeys(let reason):
            return try Self.json(
                try await network.keyRotation.forget(reason: reason, by: administrator))
        case .test(let channel, let recipient, let reason):
            let address = try address(recipient, for: channel)
            try await administration.record(.test, reason: reason, by: administrator)
            return try Self.json(try await send(by: channel, to: address))
        }
    }

    private func send(
        by channel: AdminTestChannel, to recipient: String
    ) async throws -> AdminDone {
        switch channel {
        case .push: try await network.administration.testPush(to: recipient)
        case .sms, .call, .mail: try await test(channel, recipient)
        }
    }

    /// Returns the canonical form of a test's address. Throws for a malformed one.
    private func address(_ text: String, for channel: AdminTestChannel) throws -> String {
        switch channel {
        case .push: try account(text)
        case .sms, .call: try phoneNumbers.read(text).text
        case .mail: try EmailAddress(text).text
        }
    }

    /// Returns the canonical form of a number, in which accounts have it. Keeps an account's id.
    private func account(_ text: String) throws -> String {
        if UserID(text) != nil { return text }
        return try phoneNumbers.read(text).text
    }

    private static func json(_ value: some Encodable) throws -> Data {
        try WireJSON.encoder().encode(value)
    }
}
