import Delivery
import Foundation
import Settings

/// The settings for messages to apps. Only the environment and the settings file set them.
struct AppPushSettings: Sendable {
    struct APNs: Sendable {
        var configuration: APNsChannel.Configuration
        var authorities: String?
    }

    struct FCM: Sendable {
        var account: GoogleAccount
        var baseURL: URL
        var authorities: String?
    }

    var apns: APNs?
    var fcm: FCM?

    static let none = AppPushSettings(apns: nil, fcm: nil)

    private init(apns: APNs?, fcm: FCM?) {
        self.apns = apns
        self.fcm = fcm
    }

    /// Throws `Failure` or `SettingError`, which say what to fix.
    init(environment: SettingValues) throws {
        let read = SettingReader(environment: environment)
        apns = try Self.apns(read)
        fcm = try Self.fcm(read)
    }

    private static func apns(_ read: SettingReader) throws -> APNs? {
        let names = ["APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC"]
        let values = names.compactMap { read.optional($0) }
        guard !values.isEmpty else { return nil }
        guard values.count == names.count else {
            let missing = names.filter { read.optional($0) == nil }.map { "LIFESIGNAL_\($0)" }
            throw Failure("push messages by APNs need \(missing.joined(separator: ", ")), too.")
        }
        let (path, topic) = (values[0], values[3])
        let characters = CharacterSet(charactersIn: "-.").union(.alphanumerics)
        guard (1...255).contains(topic.utf8.count),
            topic.unicodeScalars.allSatisfy({ $0.isASCII && characters.contains($0) })
        else {
            throw Failure("LIFESIGNAL_APNS_TOPIC must be a bundle id, as org.example.lifesignal.")
        }
        let key: APNsKey
        do {
            key = try APNsKey(
                pem: String(
                    decoding: try SecretFile.bytes(path, named: "LIFESIGNAL_APNS_KEY_FILE"),
                    as: UTF8.self),
                keyID: values[1], teamID: values[2])
        } catch let error as AppPushSetupError {
            throw Failure("LIFESIGNAL_APNS_KEY_FILE, _KEY_ID and _TEAM_ID: \(error).")
        }
        return APNs(
            configuration: .init(
                key: key, topic: topic,
                productionURL: try url(read, "APNS_BASE_URL", "https://api.push.apple.com"),
                sandboxURL: try url(read, "APNS_BASE_URL", "https://api.sandbox.push.apple.com"),
                allowsCritical: try read.flag(false, "APNS_CRITICAL")),
            authorities: read.optional("APNS_CA_FILE"))
    }

    private static func fcm(_ read: SettingReader) throws -> FCM? {
        guard let path = read.optional("FCM_CREDENTIALS_FILE") else { return nil }
        do {
            return FCM(
                account: try GoogleAccount(
                    file: try SecretFile.bytes(path, named: "LIFESIGNAL_FCM_CREDENTIALS_FILE")),
                baseURL: try url(read, "FCM_BASE_URL", "https://fcm.googleapis.com"),
                authorities: read.optional("FCM_CA_FILE"))
        } catch let error as AppPushSetupError {
            throw Failure("LIFESIGNAL_FCM_CREDENTIALS_FILE: \(error).")
        }
    }

    private static func url(
        _ read: SettingReader, _ name: String, _ standard: String
    ) throws -> URL {
        guard let url = try read.operatorsURL(nil, name) ?? URL(string: standard) else {
            throw Failure("LIFESIGNAL_\(name) is not a URL.")
        }
        return url
    }
}
