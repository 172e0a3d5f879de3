import API
import ArgumentParser
import CommandLine
import Cryptography
import Domain
import Foundation
import SafetyNetwork
import Settings

extension Admin {
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace the server's key while it runs.",
            discussion: """
                The new key is written to KEYFILE.next first and renamed at the end. If a command \
                is interrupted, run it again. Don't delete KEYFILE.next yourself.
                """,
            subcommands: [Prepare.self, Rotate.self, Forget.self])
    }
}

extension Admin.Keys {
    struct Prepare: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the next key, to copy it to the other servers of a database.")

        @OptionGroup var admin: AdminOptions

        func run() async throws {
            do {
                let path = try RotatedKey(admin).prepare()
                let message = "The next key is \(path). Copy it beside the key of each server."
                let json = try WireJSON.encoder().encode(AdminDone(message: message))
                Terminal.printLine(admin.json ? AdminText.json(json) : Plain.line(message))
            } catch {
                let failure = AdminFailure(catching: error)
                try AdminText.show(failure, isJSON: admin.json)
                throw ExitCode(failure.status.rawValue)
            }
        }
    }

    struct Rotate: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "Make a new key the server's. The former one stays accepted.",
            discussion: """
                Run it as the owner of the key file, or as root. With PostgreSQL, run prepare \
                first, and copy KEYFILE.next to all servers.
                """)

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() throws -> AdminRequest {
            let key = try RotatedKey(admin)
            let (old, new) = try key.keys()
            return .rotateKey(from: old.fingerprint, to: new, reason: why.reason)
        }

        func run() async throws {
            try await perform { body in
                try RotatedKey(admin).finish()
                let answer = try WireJSON.tolerantDecoder().decode(Answer.self, from: body)
                Terminal.printLine(
                    admin.json ? AdminText.json(body) : Plain.line(answer.message))
            }
        }
    }

    struct Forget: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "End the former keys, as after a theft.",
            discussion: "\(KeyRotation.forgotten) end.")

        @Flag(help: "Do it. Without this, the command only says what ends.")
        var yes = false

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { yes ? .forgetKeys(reason: why.reason) : .formerKeys }

        func run() async throws {
            try await perform { body in
                let answer = try WireJSON.tolerantDecoder().decode(Answer.self, from: body)
                guard yes else {
                    throw AdminFailure(
                        code: "not-confirmed", message: "\(answer.message) Give --yes to do it.",
                        status: .usage)
                }
                Terminal.printLine(
                    admin.json ? AdminText.json(body) : Plain.line(answer.message))
            }
        }
    }
}

/// The key file that a rotation replaces.
private struct RotatedKey {
    private let path: String
    private let hasOtherServers: Bool

    /// Throws `AdminFailure` for a key that isn't in a file.
    init(_ options: AdminOptions) throws {
        let environment = try SettingsEnvironment.data(config: options.config)
        let location = try DatabaseLocation(option: options.database, environment: environment)
        let read = SettingReader(environment: environment)
        let source = try KeySource(
            path: read.text(options.keyFile, "KEY_FILE", default: location.standardKeyPath),
            isPathGiven: options.keyFile != nil, environment: environment)
        guard case .file(let path) = source else {
            throw AdminFailure(
                code: "key-in-environment", message: KeyRotation.keyIsInEnvironment,
                status: .usage)
        }
        if access(path, R_OK) != 0, errno == EACCES { throw AdminFailure.otherUser(path) }
        guard source.isThere else {
            throw AdminFailure.missingKey(source)
        }
        // A link must still lead to the key.
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // The server would have a key that this command can't put in its place.
        guard !KeyFile.isMountPoint(self.path) else {
            throw AdminFailure(
                code: "key-is-mounted",
                message: """
                    \(path) is a mount of its own, which nothing can replace. Mount its folder \
                    instead.
                    """,
                status: .usage)
        }
        if case .postgreSQL = location { hasOtherServers = true } else { hasOtherServers = false }
    }

    /// Makes the next key, unless it is there, and returns its path.
    func prepare() throws -> String {
        try KeyFile.lock(path)
        _ = try KeyFile.read(path)
        try KeyFile.createNext(to: path)
        return KeyFile.next(path)
    }

    /// Returns the present key and the bytes of the next one, which it makes if no other server
    /// needs a copy.
    func keys() throws -> (old: ServerKey, new: Data) {
        try KeyFile.lock(path)
        let old = try KeyFile.read(path)
        let next = KeyFile.next(path)
        guard !hasOtherServers || FileManager.default.fileExists(atPath: next) else {
            throw AdminFailure(
                code: "not-prepared",
                message: """
                    Other servers may use this database: run lifesignal admin keys prepare, copy \
                    \(next) to each of them, and run this again.
                    """,
                status: .usage)
        }
        try KeyFile.createNext(to: path)
        _ = try KeyFile.read(next)
        guard let new = FileManager.default.contents(atPath: next) else {
            throw Failure("the key file \(next) can't be read.")
        }
        return (old, new)
    }

    /// Renames the next key, which the database has accepted.
    func finish() throws { try KeyFile.replace(path) }
}
