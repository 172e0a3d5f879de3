import Foundation
import HTTPServer
import Logging
import SafetyNetwork
import ServiceLifecycle
import Settings
import TLS
import UnixSignals

/// Reads the settings again at each SIGHUP. Applies those that can change in a running server, and
/// reports the others in the log.
struct Reload: Service {
    private let options: ServeOptions
    private let reach: ReachOptions
    private let started: [SettingInForce]
    private let tls: TLSSettings?
    private let certificate: LiveCertificate?
    /// Whether connections came from proxies at the start. Without them, one address may have
    /// fewer connections, and that limit stays.
    private let isBehindProxies: Bool
    /// The operator's country at the start, which stays. Other countries depend on it.
    private let country: String?
    let limits: LiveLimits
    let proxies: LiveProxies
    let signUp: LiveSignUpPolicy
    private let logger: Logger

    init(
        _ settings: ServeSettings, options: ServeOptions, reach: ReachOptions,
        certificate: LiveCertificate? = nil, logger: Logger
    ) {
        self.options = options
        self.reach = reach
        self.logger = logger
        started = settings.inForce
        tls = settings.tls
        self.certificate = certificate
        isBehindProxies = settings.proxies.isInUse
        country = settings.country
        proxies = LiveProxies(settings.proxies)
        signUp = LiveSignUpPolicy(SignUpPolicy(settings))
        limits = LiveLimits(
            perUser: settings.requestsPerUser, perAddress: settings.requestsPerAddress)
    }

    /// Whether SIGHUP may have this meaning. Where a person has started the server in a terminal,
    /// it means that the terminal is gone, and stops the server.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 0 }

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            readAgain()
        }
    }

    private func readAgain() {
        if let certificate { tls?.renew(certificate, logger: logger) }
        let settings: ServeSettings
        do {
            settings = try options.settings(reach)
        } catch {
            // Other errors may name a phone number, which no log may hold.
            let reason = (error as? SettingError)?.description ?? "lifesignal config names it"
            logger.error(
                "the settings are invalid and stay as they were", metadata: ["reason": "\(reason)"])
            return
        }
        let canChangeProxies = settings.proxies.isInUse == isBehindProxies
        let canChangeCountries = settings.country == country
        var fixed: Set<String> = []
        if !canChangeProxies { fixed.insert("trusted-proxies") }
        if !canChangeCountries { fixed.insert("sms-countries") }
        for setting in SettingInForce.changed(from: started, to: settings.inForce)
        where !setting.isReread || fixed.contains(setting.name) {
            logger.warning(
                "a changed setting needs a restart", metadata: ["setting": "\(setting.name)"])
        }
        Logs.level = settings.logLevel
        if canChangeProxies { proxies.set(settings.proxies) }
        signUp.change(to: SignUpPolicy(settings), withCountries: canChangeCountries)
        limits.set(perUser: settings.requestsPerUser, perAddress: settings.requestsPerAddress)
        logger.notice(
            "the settings were read again",
            metadata: [
                "log-level": "\(settings.logLevel)",
                "requests-per-address": "\(settings.requestsPerAddress)",
                "requests-per-user": "\(settings.requestsPerUser)",
            ])
    }
}
