import ArgumentParser
import Delivery
import Domain
import Foundation
import HTTPServer
import Logging
import Settings
import WebPush

struct ServeSettings: Sendable {
    var host: String
    var port: Int
    /// The Unix socket to listen on, instead of host and port.
    var socketPath: String?
    /// The port for health and metrics; nil if they are on the public one.
    var internalPort: Int?
    /// nil if a proxy in front of the server speaks TLS.
    var tls: TLSSettings?
    var database: DatabaseLocation
    var databaseConnections: Int
    var key: KeySource
    var acceptsNewKey: Bool
    var beginsAnew: Bool
    var publicURL: URL
    var isPublicURLGiven: Bool
    var otherURLs: [URL]
    var pushContact: VAPIDContact
    var apps: AppPushSettings
    var linkedApps: LinkedApps
    /// nil if the server keeps no copy in Firestore.
    var firestore: FirestoreSettings?
    var sms: SMSSettings
    var smsValidity: Duration
    /// The source of answers by SMS; nil if the server accepts none.
    var smsAnswers: SMSAnswers?
    var reach: ReachSettings
    /// The fixed codes by number, including the canary's numbers.
    var testNumbers: [PhoneNumber: String]
    var canaryNumbers: Set<PhoneNumber>
    /// ISO 3166 code of the country for national phone numbers; nil if the operator set none.
    var country: String?
    /// nil for the mode that the database has stored.
    var signUp: SignUpMode?
    var operatorContact: String?
    var smsCountries: SMSCountries
    /// The URL that is requested every minute while all is well.
    var heartbeatURL: URL?
    /// The collector of traces; nil to record none.
    var tracesURL: URL?
    /// How many of 100 traces are recorded.
    var tracesPercent: Int
    var logLevel: Logger.Level
    var logFormat: LogFormat
    var logsAddresses: Bool
    var requestsPerUser: Int
    var requestsPerAddress: Int
    var codesPerNumber: Int
    var codesPerAddress: Int
    var ledgerKept: Duration
    var codesPerHour: Int
    var codesToNewNumbers: Int
    var codesToNewNumbersPerCountry: Int
    var checkInsPerHour: Int
    var proxies: TrustedProxies
    var trustsClock: Bool
    /// The networks besides the internet that webhooks may be in, also by plain HTTP.
    var webhookNetworks: [AddressRange]
    /// The proxy for requests to providers; nil for none.
    var outboundProxy: String?
    var allowsDemoIntervals: Bool
    var showsNotifications: Bool
    /// The path of the socket for `lifesignal admin`; nil for none.
    var adminSocket: String?
    /// The settings as the operator gave them, with their origins.
    var inForce: [SettingInForce]
}

extension ServeSettings {
    /// Where the server listens, for errors.
    var place: String { socketPath.map { "unix:\($0)" } ?? "\(host):\(port)" }
}

/// The countries whose numbers get codes before they have an account.
struct SMSCountries: Sendable, Equatable {
    /// nil for all countries.
    var codes: Set<CallingCode>?
    /// True if the countries of people with an account are served, too.
    var includesPeoples: Bool

    /// Throws `SettingError` for an unknown country.
    /// - Parameters:
    ///   - options: the values of `--sms-countries`.
    ///   - country: the operator's country; empty without it.
    init(_ options: [String], country: String, _ read: SettingReader) throws {
        let given = read.list(options, "SMS_COUNTRIES").map { $0.uppercased() }
        includesPeoples = given.isEmpty
        let names = given.isEmpty && !country.isEmpty ? [country] : given
        guard !names.isEmpty, names != ["ALL"] else {
            codes = nil
            return
        }
        var served: Set<CallingCode> = []
        for name in names {
            if let country = PhoneCountry(name) {
                served.formUnion(CallingCode.all(of: country))
            } else if !given.isEmpty {
                throw read.refusal(
                    "SMS_COUNTRIES",
                    "must be countries of two letters (ISO 3166), as DE,AT, or all")
            }
        }
        // The operator's country may have no calling code of its own.
        codes = served.isEmpty ? nil : served
    }
}

enum SMSSettings: Sendable {
    case console, none
    /// Credentials come only from the environment, because everybody on the machine can read a
    /// command line.
    case twilio(TwilioAccount, sender: String)
    case gateway(SMSGateway, sender: String, secret: String)

    init(_ name: String, gatewayFile: String, _ read: SettingReader) throws {
        let environment = read.environment
        switch name {
        case "console": self = .console
        case "none": self = .none
        case "twilio":
            let sender = "LIFESIGNAL_TWILIO_FROM"
            self = .twilio(
                try TwilioAccount(environment, for: "--sms twilio", besides: [sender]),
                sender: environment[sender, default: ""])
        case "gateway":
            self = try Self.gateway(gatewayFile, environment)
        default: throw read.refusal("SMS", "must be console, twilio, gateway or none")
        }
    }

    private static func gateway(
        _ path: String, _ environment: SettingValues
    ) throws -> SMSSettings {
        guard !path.isEmpty else {
            throw Failure("--sms gateway needs --sms-gateway-file, which describes the gateway.")
        }
        guard let file = FileManager.default.contents(atPath: path) else {
            throw Failure("--sms-gateway-file can't be read: \(path)")
        }
        let gateway: SMSGateway
        do {
            gateway = try SMSGateway(file: file)
        } catch {
            throw Failure("--sms-gateway-file \(path): \(error)")
        }
        let secret = try Secrets.text("LIFESIGNAL_SMS_GATEWAY_SECRET", environment)
        let sender = try Secrets.text("LIFESIGNAL_SMS_FROM", environment)
        if gateway.usesSecret, secret == nil {
            throw Failure(
                """
                --sms-gateway-file uses {secret}: give LIFESIGNAL_SMS_GATEWAY_SECRET, or \
                LIFESIGNAL_SMS_GATEWAY_SECRET_FILE.
                """)
        }
        if gateway.usesSender, sender == nil {
            throw Failure("--sms-gateway-file uses {from}: give LIFESIGNAL_SMS_FROM.")
        }
        return .gateway(gateway, sender: sender ?? "", secret: secret ?? "")
    }
}
