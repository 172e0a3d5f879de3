import Delivery
import Domain
import Foundation
import Mail
import Settings

/// The mail server, or its replacement in development.
enum MailSettings: Sendable {
    case console, none
    case server(MailServer, name: String, address: String)

    /// Throws `Failure`, which names the invalid option.
    init(_ options: ReachOptions, _ read: SettingReader) throws {
        let server = read.text(options.mailServer, "MAIL_SERVER", default: "console")
        let from = read.text(options.mailFrom, "MAIL_FROM", default: "")
        let certificates = read.text(options.mailCAFile, "MAIL_CA_FILE", default: "")
        switch server {
        case "console": self = .console
        case "none": self = .none
        default:
            let (name, address) = try Self.sender(from)
            guard certificates.isEmpty || FileManager.default.isReadableFile(atPath: certificates)
            else { throw Failure("--mail-ca-file can't be read: \(certificates)") }
            self = .server(
                try Self.server(
                    server, login: try Self.login(read.environment),
                    certificates: certificates.isEmpty ? nil : certificates),
                name: name, address: address)
        }
    }

    private static func server(
        _ text: String, login: MailServer.Login?, certificates: String?
    ) throws -> MailServer {
        do {
            return try MailServer(url: text, login: login, certificates: certificates)
        } catch .passwordInAddress {
            throw Failure(
                """
                --mail-server must not contain a user name or password. Put them into \
                LIFESIGNAL_MAIL_USER and LIFESIGNAL_MAIL_PASSWORD_FILE.
                """)
        } catch .notAnAddress {
            throw Failure(
                """
                --mail-server must be smtp://HOST:587, smtps://HOST:465, console or none.
                """)
        }
    }

    private static func login(_ environment: SettingValues) throws -> MailServer.Login? {
        let user = environment["LIFESIGNAL_MAIL_USER"] ?? ""
        let password = try Secrets.text("LIFESIGNAL_MAIL_PASSWORD", environment)
        switch (user.isEmpty, password) {
        case (true, nil): return nil
        case (false, .some(let password)):
            return MailServer.Login(user: user, password: password)
        default:
            throw Failure(
                """
                Give both LIFESIGNAL_MAIL_USER and LIFESIGNAL_MAIL_PASSWORD (or \
                LIFESIGNAL_MAIL_PASSWORD_FILE), or none of them.
                """)
        }
    }

    /// Parses `alerts@example.org` or `LifeSignal <alerts@example.org>`.
    private static func sender(_ text: String) throws -> (name: String, address: String) {
        let parts = text.split(separator: "<", maxSplits: 1, omittingEmptySubsequences: false)
        let isNamed = parts.count == 2 && text.hasSuffix(">")
        let name = isNamed ? parts[0].trimmingCharacters(in: .whitespaces) : "LifeSignal"
        guard isNamed || parts.count == 1,
            let address = try? EmailAddress(isNamed ? String(parts[1].dropLast()) : text)
        else {
            throw Failure(
                """
                --mail-from must be the address that e-mail comes from, as \
                "LifeSignal <alerts@example.org>".
                """)
        }
        return (name, address.text)
    }
}

enum Secrets {
    /// Returns nil if neither a variable nor a file contains the secret. Throws `Failure` if the
    /// secret contains control characters.
    static func text(_ name: String, _ environment: SettingValues) throws -> String? {
        guard let value = environment[name] else { return nil }
        guard value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw Failure("\(name) holds control characters.")
        }
        return value
    }
}
