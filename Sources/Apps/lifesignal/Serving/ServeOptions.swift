import ArgumentParser
import Domain
import Foundation
import HTTPServer
import Logging
import Settings
import WebPush

/// The options for the server's address and data. Each can also be set by an environment variable
/// or in the settings file; the option wins. `SettingsEnvironment` lists them all. `ReachOptions`
/// is not nested in this group, but is a second group of the commands. A debug build checks a
/// nested group five times as often, which would double the start time.
struct ServeOptions: ParsableArguments {
    @Option(
        help:
            """
            The settings file: YAML with the names of these options. (default: \
            /etc/lifesignal/lifesignal.yaml, if it exists)
            """
    )
    var config: String?

    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port to listen on; 0 takes a free one. (default: 8080)")
    var port: Int?

    @Option(
        help:
            """
            A Unix socket to listen on in place of host and port, as \
            unix:/run/lifesignal/http.sock. The group of the server may connect to it.
            """
    )
    var listen: String?

    @Option(
        help:
            """
            A port of its own for /health and /metrics, which are then missing on the other; 0 \
            takes a free one.
            """
    )
    var internalPort: Int?

    @Option(
        help:
            """
            The server's certificate and those of its issuers (PEM), to speak TLS without a proxy. \
            The server notices new files within a minute.
            """
    )
    var tlsCertificate: String?

    @Option(help: "The key of the certificate (PEM), which no other user may be able to read.")
    var tlsKey: String?

    @Option(
        help:
            """
            The SQLite file, created if missing; or, for several servers on one database, \
            postgres://USER@HOST/NAME. (default: ./data/lifesignal.sqlite)
            """
    )
    var database: String?

    @Option(help: "Connections to PostgreSQL for writes; half as many for reads. (default: 16)")
    var databaseConnections: Int?

    @Option(
        help:
            """
            The file with the server's secret key; created if missing. All servers of one database \
            need the same. (default: the database's path with .key, or ./data/lifesignal.key)
            """
    )
    var keyFile: String?

    @Option(
        help:
            """
            The socket for lifesignal admin on this machine; none for no socket. (default: the \
            SQLite file's path with .admin; with PostgreSQL none)
            """
    )
    var adminSocket: String?

    @Flag(help: "Continue with another key, because the database's is lost.")
    var acceptNewKey = false

    @Flag(
        help: "Create the missing database although the server has a key.")
    var beginAnew = false

    @Option(
        help:
            """
            The address at which people reach the server, for links, as \
            https://lifesignal.example.org or https://example.org/lifesignal. (default: \
            http://localhost:PORT)
            """
    )
    var publicURL: String?

    @Option(
        name: .customLong("other-urls"),
        help:
            """
            Further addresses of the server, as https://www.example.org. Links keep the public \
            URL. Repeatable; separated by commas in the environment.
            """
    )
    var otherURLs: [String] = []

    @Option(
        help:
            """
            Where push services of browsers can reach you: mailto:you@example.org or an https URL. \
            (default: the public URL)
            """
    )
    var pushContact: String?

    @Option(
        help:
            """
            What sends text messages: console (prints them here), twilio, gateway, or none. \
            (default: console)
            """
    )
    var sms: String?

    @Option(
        help:
            """
            An app for iOS that opens the links of this server: its team id and bundle id, as \
            TEAM012345.org.example.lifesignal. Repeatable; separated by commas in the environment.
            """
    )
    var iosApp: [String] = []

    @Option(
        help:
            """
            An app for Android that opens the links of this server: its package and the SHA-256 \
            of its certificate, as org.example.lifesignal=AA:BB:…. Repeatable; separated by \
            commas in the environment.
            """
    )
    var androidApp: [String] = []

    @Option(
        help:
            """
            The Google Cloud project whose Firestore gets a copy of profiles and alerts. All \
            servers of one database need the same.
            """
    )
    var firestoreProject: String?

    @Option(help: "The JSON key file of a service account that may write to that Firestore.")
    var firestoreCredentials: String?

    @Option(
        help:
            """
            The address of Firestore's REST API, for tests with a substitute. (default: \
            https://firestore.googleapis.com)
            """
    )
    var firestoreURL: String?

    @Option(help: "How many minutes an alert may wait at the SMS provider. (default: 30)")
    var smsValidityMinutes: Int?

    @Option(
        help:
            """
            A number that signs in with a fixed code and gets no SMS, as +15550100=000000. \
            Repeatable; separated by commas in the environment.
            """
    )
    var testPhone: [String] = []

    @Option(
        help:
            """
            The country of phone numbers without a country code, as DE. (default: that of the \
            person's browser)
            """
    )
    var country: String?

    @Option(
        help:
            """
            Who may open an account: open (everyone), invited, or closed (no one). (default: \
            invited; open for a database from before this option)
            """
    )
    var signUp: String?

    @Option(
        help: "How to reach you, as the sign-in page says it: a name, an address, or a number.")
    var operatorContact: String?

    @Option(
        help:
            """
            The countries whose numbers get codes before they have an account, as DE,AT; or all. \
            Repeatable. (default: --country, and the countries of people with an account; without \
            it, all)
            """
    )
    var smsCountries: [String] = []

    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?

    @Option(help: "text or json. (default: text)")
    var logFormat: String?

    @Flag(
        help: "Log the client's address of each failed sign-in, for fail2ban.")
    var logAddresses = false

    @Option(
        help:
            """
            Requests a minute for one user; 0 for no limit. (default: \
            \(ServerApplication.Configuration.standardRequestsPerUser))
            """
    )
    var requestsPerUser: Int?

    @Option(
        help:
            """
            Requests a minute from one address; 0 for no limit. (default: \
            \(ServerApplication.Configuration.standardRequestsPerAddress))
            """
    )
    var requestsPerAddress: Int?

    @Option(
        help: "Sign-in codes an hour for a number by one asker; for all, 3 times it. (default: 5)")
    var codesPerNumber: Int?

    @Option(
        help: "Sign-in codes an hour from an address or /64; a /48 has 5 times it. (default: 20)")
    var codesPerAddress: Int?

    @Option(help: "How many days an alert and its ledger are kept after its end. (default: 365)")
    var ledgerDays: Int?

    @Option(help: "Sign-in codes an hour, without test numbers; 0 for no limit. (default: 1000)")
    var codesPerHour: Int?

    @Option(
        help:
            """
            Sign-in codes an hour to numbers without an account, and 3 times as many a day; 0 for \
            no limit. (default: 100)
            """
    )
    var codesToNewNumbers: Int?

    @Option(help: "The same for the numbers of one country. (default: 50)")
    var codesToNewNumbersPerCountry: Int?

    @Option(help: "Check-ins an hour within 10 s of the last one; 0 for no limit. (default: 60)")
    var checkInsPerHour: Int?

    @Option(
        help:
            """
            An address that is called every minute while the server does its work: https, or http \
            within your network.
            """
    )
    var heartbeatURL: String?

    @Option(
        help:
            """
            The collector that gets traces by OTLP over HTTP, as http://localhost:4318: https, or \
            http within your network.
            """
    )
    var tracesURL: String?

    @Option(help: "How many of 100 traces are recorded. (default: 1)")
    var tracesPercent: Int?

    @Flag(help: "Trust X-Forwarded-For. Use it only behind your own proxy that sets it.")
    var trustProxy = false

    @Option(
        help:
            """
            Trust it only from these addresses or networks, as 127.0.0.1 or 10.0.0.0/8, and from \
            a Unix socket. Repeatable; separated by commas in the environment.
            """
    )
    var trustedProxies: [String] = []

    @Option(
        help:
            """
            How many of your proxies in a row add an entry to it. (default: those of \
            --trusted-proxies, else 1)
            """
    )
    var proxyHops: Int?

    @Option(help: "The header with the client's address. (default: X-Forwarded-For)")
    var proxyHeader: String?

    @Flag(help: "Trust this machine's clock even if its kernel does not call it synchronised.")
    var trustClock = false

    @Flag(
        help: "Allow webhooks to http and private addresses. Use it only if you trust all users.")
    var allowPrivateWebhooks = false

    @Option(
        help:
            """
            Allow webhooks to http and private addresses in these networks only, as \
            192.168.1.0/24. Repeatable; separated by commas in the environment.
            """
    )
    var allowNetworks: [String] = []

    @Option(
        help:
            """
            A proxy for requests to Twilio, the gateway, Apple, Google and the push services of \
            large browsers, as http://proxy:3128. Webhooks, other push services, e-mail, the \
            heartbeat and traces go out directly.
            """
    )
    var outboundProxy: String?

    @Flag(help: "Accept check-in intervals and journeys of seconds: for demonstrations.")
    var demoIntervals = false

    @Flag(help: "Show every notification in this terminal: for development.")
    var showNotifications = false
}

extension ServeOptions {
    /// Reads environment and settings file, and validates all values. Throws `Failure` or
    /// `SettingError`, which name the invalid setting.
    func settings(_ reach: ReachOptions) throws -> ServeSettings {
        try settings(reach, environment: try SettingsEnvironment.all(config: config))
    }

    /// Validates all values. Throws `Failure` or `SettingError`, which name the invalid setting.
    func settings(
        _ reach: ReachOptions, environment: SettingValues
    ) throws -> ServeSettings {
        let read = SettingReader(environment: environment)
        let port = try read.integer(port, "PORT", default: 8080, in: 0...65_535)
        let socketPath = try self.socketPath(read)
        let location = try DatabaseLocation(option: database, environment: environment)
        let tls = try TLSSettings(certificate: tlsCertificate, key: tlsKey, read)
        let scheme = tls == nil ? "http" : "https"
        let address = read.text(publicURL, "PUBLIC_URL", default: "\(scheme)://localhost:\(port)")
        let publicURL = try read.publicURL(address, "PUBLIC_URL")
        let contact = read.text(
            pushContact, "PUSH_CONTACT",
            default: VAPIDContact(address)?.text ?? "https://lifesignal.invalid")
        guard let pushContact = VAPIDContact(contact) else {
            throw read.refusal(
                "PUSH_CONTACT", "must be like mailto:you@example.org, or an https URL")
        }
        guard let level = Logger.Level(rawValue: read.text(logLevel, "LOG_LEVEL", default: "info"))
        else {
            throw read.refusal(
                "LOG_LEVEL", "must be trace, debug, info, notice, warning, error or critical")
        }
        guard let format = LogFormat(rawValue: read.text(logFormat, "LOG_FORMAT", default: "text"))
        else { throw read.refusal("LOG_FORMAT", "must be text or json") }
        // The environment's numbers count besides the options'.
        let phones =
            read.list([], "TEST_PHONE")
            + (testPhone.isEmpty ? [] : read.list(testPhone, "TEST_PHONE"))
        let canary = try read.list([], "CANARY_PHONES").map { try Self.canaryNumber($0) }
        let country = read.text(country, "COUNTRY", default: "").uppercased()
        guard country.isEmpty || PhoneNumberCheck.knows(region: country) else {
            throw read.refusal("COUNTRY", "must be a country of two letters (ISO 3166), as DE")
        }
        let countries = try SMSCountries(smsCountries, country: country, read)
        let proxy = try read.proxy(outboundProxy, "OUTBOUND_PROXY")
        let isPublicURLGiven =
            self.publicURL != nil || environment["LIFESIGNAL_PUBLIC_URL"] != nil
        let sms = try SMSSettings(
            read.text(sms, "SMS", default: "console"),
            gatewayFile: read.text(reach.smsGatewayFile, "SMS_GATEWAY_FILE", default: ""), read)
        return ServeSettings(
            host: read.text(host, "HOST", default: "127.0.0.1"),
            port: port,
            socketPath: socketPath,
            internalPort: try ownPort(read, besides: socketPath == nil ? port : nil),
            tls: tls,
            database: location,
            databaseConnections: try read.integer(
                databaseConnections, "DATABASE_CONNECTIONS", default: 16, in: 1...500),
            key: try KeySource(
                path: read.text(keyFile, "KEY_FILE", default: location.standardKeyPath),
                isPathGiven: keyFile != nil, environment: environment),
            acceptsNewKey: try read.flag(acceptNewKey, "ACCEPT_NEW_KEY"),
            beginsAnew: try read.flag(beginAnew, "BEGIN_ANEW"),
            publicURL: publicURL,
            isPublicURLGiven: isPublicURLGiven,
            otherURLs: try read.otherURLs(otherURLs, "OTHER_URLS", besides: publicURL),
            pushContact: pushContact,
            apps: try AppPushSettings(environment: environment),
            linkedApps: try LinkedApps(ios: iosApp, android: androidApp, read),
            firestore: try FirestoreSettings(
                project: firestoreProject, credentials: firestoreCredentials, url: firestoreURL,
                proxy: proxy, read),
            sms: sms,
            smsValidity: .minutes(
                try read.integer(
                    smsValidityMinutes, "SMS_VALIDITY_MINUTES", default: 30, in: 1...600)),
            smsAnswers: try read.flag(reach.smsAnswers, "SMS_ANSWERS")
                ? SMSAnswers(sms, environment, hasPublicURL: isPublicURLGiven) : nil,
            reach: try reach.settings(environment, hasPublicURL: isPublicURLGiven),
            testNumbers: try Dictionary(
                phones.map { try Self.testNumber($0) } + canary, uniquingKeysWith: { $1 }),
            canaryNumbers: Set(canary.map(\.0)),
            country: country.isEmpty ? nil : country,
            signUp: try signUpMode(read),
            operatorContact: try contactOfOperator(read),
            smsCountries: countries,
            heartbeatURL: try read.operatorsURL(
                heartbeatURL, "HEARTBEAT_URL", mayBeInNetwork: true),
            tracesURL: try read.operatorsURL(tracesURL, "TRACES_URL", mayBeInNetwork: true),
            tracesPercent: try read.integer(
                tracesPercent, "TRACES_PERCENT", default: 1, in: 1...100),
            logLevel: level,
            logFormat: format,
            logsAddresses: try read.flag(logAddresses, "LOG_ADDRESSES"),
            requestsPerUser: try read.integer(
                requestsPerUser, "REQUESTS_PER_USER",
                default: ServerApplication.Configuration.standardRequestsPerUser,
                in: 0...10_000_000),
            requestsPerAddress: try read.integer(
                requestsPerAddress, "REQUESTS_PER_ADDRESS",
                default: ServerApplication.Configuration.standardRequestsPerAddress,
                in: 0...10_000_000),
            codesPerNumber: try read.integer(
                codesPerNumber, "CODES_PER_NUMBER", default: SignInRules.codesPerNumber,
                in: 1...1_000_000),
            codesPerAddress: try read.integer(
                codesPerAddress, "CODES_PER_ADDRESS", default: SignInRules.codesPerAddress,
                in: 1...1_000_000),
            ledgerKept: .days(
                try read.integer(ledgerDays, "LEDGER_DAYS", default: 365, in: 1...36_500)),
            codesPerHour: try read.integer(
                codesPerHour, "CODES_PER_HOUR", default: SignInRules.codesPerHour, in: 0...1_000_000
            ),
            codesToNewNumbers: try read.integer(
                codesToNewNumbers, "CODES_TO_NEW_NUMBERS", default: SignInRules.codesToNewNumbers,
                in: 0...1_000_000),
            codesToNewNumbersPerCountry: try read.integer(
                codesToNewNumbersPerCountry, "CODES_TO_NEW_NUMBERS_PER_COUNTRY",
                default: SignInRules.codesToNewNumbersPerCountry, in: 0...1_000_000),
            checkInsPerHour: try read.integer(
                checkInsPerHour, "CHECK_INS_PER_HOUR", default: CheckInLimits.perHour,
                in: 0...1_000_000),
            proxies: try TrustedProxies(self, read, isOnSocket: socketPath != nil),
            trustsClock: try read.flag(trustClock, "TRUST_CLOCK"),
            webhookNetworks: try webhookNetworks(read),
            outboundProxy: proxy,
            allowsDemoIntervals: try read.flag(demoIntervals, "DEMO_INTERVALS"),
            showsNotifications: try read.flag(showNotifications, "SHOW_NOTIFICATIONS"),
            adminSocket: try location.adminSocket(adminSocket, read),
            inForce: environment.inForce
        )
    }
}

extension ServeOptions {
    private func signUpMode(_ read: SettingReader) throws -> SignUpMode? {
        guard let text = read.given(signUp, "SIGN_UP") else { return nil }
        guard let mode = SignUpMode(rawValue: text) else {
            throw read.refusal("SIGN_UP", "must be open, invited or closed")
        }
        return mode
    }

    private func contactOfOperator(_ read: SettingReader) throws -> String? {
        let text = read.given(operatorContact, "OPERATOR_CONTACT")?
            .trimmingCharacters(in: .whitespaces)
        guard let text, !text.isEmpty else { return nil }
        guard text.count <= 200, !text.contains(where: \.isNewline) else {
            throw read.refusal(
                "OPERATOR_CONTACT", "must have at most 200 characters on one line")
        }
        return text
    }

    /// The longest path of a socket, in bytes, on all supported systems.
    private static let longestSocketPath = 103

    private func socketPath(_ read: SettingReader) throws -> String? {
        guard let text = read.given(listen, "LISTEN") else { return nil }
        let path = text.dropFirst("unix:".count)
        guard text.hasPrefix("unix:/"), path.utf8.count <= Self.longestSocketPath else {
            throw read.refusal(
                "LISTEN",
                "must be like unix:/run/lifesignal/http.sock, with a path of at most 103 bytes")
        }
        return String(path)
    }

    private func ownPort(_ read: SettingReader, besides port: Int?) throws -> Int? {
        guard read.given(internalPort.map { String($0) }, "INTERNAL_PORT") != nil else {
            return nil
        }
        let own = try read.integer(internalPort, "INTERNAL_PORT", default: 0, in: 0...65_535)
        guard own == 0 || own != port else {
            throw Failure("--internal-port and --port must be different ports.")
        }
        return own
    }

    private func webhookNetworks(_ read: SettingReader) throws -> [AddressRange] {
        let named = try read.ranges(allowNetworks, "ALLOW_NETWORKS")
        let allowsAll = try read.flag(allowPrivateWebhooks, "ALLOW_PRIVATE_WEBHOOKS")
        return allowsAll ? ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) } : named
    }
}

/// Numbers that sign in with a code chosen by the operator.
extension ServeOptions {
    static func testNumber(_ text: String) throws -> (PhoneNumber, String) {
        let (name, number, code) = numberAndCode(text)
        guard let number, let code = try? SignInRules.code(code) else {
            throw Failure(
                """
                --test-phone must be a number and a code of 6 digits, as +15550100=000000; this \
                is not: \(name)
                """
            )
        }
        return (number, code)
    }

    static func canaryNumber(_ text: String) throws -> (PhoneNumber, String) {
        let (name, number, code) = numberAndCode(text)
        guard let number, let code = try? SignInRules.canaryCode(code) else {
            throw Failure(
                """
                LIFESIGNAL_CANARY_PHONES must have numbers with codes of 20 to 100 letters and \
                digits, as +15550190=CODE,+15550191=CODE (openssl rand -hex 16 makes a code); this \
                is not: \(name)
                """
            )
        }
        return (number, code)
    }

    private static func numberAndCode(
        _ text: String
    ) -> (name: String, number: PhoneNumber?, code: String) {
        let parts = text.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            .map(String.init)
        let name = parts.first ?? ""
        let number = try? PhoneNumberCheck.libphonenumber(except: []).read(name)
        return (name, number, parts.count == 2 ? parts[1] : "")
    }
}
