import Delivery
import Foundation
import HTTPServer
import Logging
import Persistence
import SafetyNetwork
import WebPush

extension RunningServer {
    static func options(_ settings: ServeSettings, hasSMS: Bool) -> SafetyNetwork.Options {
        var options = SafetyNetwork.Options(publicURL: settings.publicURL)
        options.intervalLimits = settings.allowsDemoIntervals ? .demonstration : .standard
        options.testNumbers = settings.testNumbers
        options.canaryNumbers = settings.canaryNumbers
        options.codesPerNumber = settings.codesPerNumber
        options.codesPerAddress = settings.codesPerAddress
        options.codesPerHour = settings.codesPerHour
        options.codesToNewNumbers = settings.codesToNewNumbers
        options.codesToNewNumbersPerCountry = settings.codesToNewNumbersPerCountry
        options.checkInsPerHour = settings.checkInsPerHour
        options.isSMSAvailable = hasSMS
        options.sendsCodes = hasSMS
        if case .console = settings.sms { options.channelsShownHere.insert(.sms) }
        if case .console = settings.reach.mail { options.channelsShownHere.insert(.email) }
        options.takesTextAnswers = settings.smsAnswers != nil
        if case .none = settings.reach.mail {
            options.isEmailAvailable = false
        } else {
            options.isEmailAvailable = true
        }
        options.isVoiceAvailable = settings.reach.voice != nil
        options.budgets = settings.reach.budgets
        if settings.apps.apns != nil { options.pushKinds.insert(.apns) }
        if settings.apps.fcm != nil { options.pushKinds.insert(.fcm) }
        options.acceptsNewKey = settings.acceptsNewKey
        options.retention.ledger = settings.ledgerKept
        options.showsNotifications = settings.showsNotifications
        return options
    }

    /// Brings stored phone numbers into canonical form. Must run before the first request, so that
    /// a person can't sign up a second time with another form of a stored number.
    static func canonicaliseNumbers(
        _ network: SafetyNetwork, _ phoneNumbers: PhoneNumberCheck, logger: Logger
    ) async throws {
        let outcome = try await network.canonicaliseNumbers(phoneNumbers.canonical)
        guard outcome != .init() else { return }
        logger.notice(
            "phone numbers were brought into one form",
            metadata: ["changed": "\(outcome.changed)", "taken": "\(outcome.taken)"])
    }

    static func sender(
        _ settings: ServeSettings, _ network: SafetyNetwork
    ) -> WebPushChannel.Sender {
        WebPushChannel.Sender(
            contact: settings.pushContact, allowsPlainHTTP: settings.allowsPrivateWebhooks
        ) { network.pushKey.privateKey }
    }

    static func configuration(_ settings: ServeSettings) -> ServerApplication.Configuration {
        var configuration = ServerApplication.Configuration(publicURL: settings.publicURL)
        configuration.hostname = settings.host
        configuration.port = settings.port
        configuration.proxyHops = settings.proxyHops
        configuration.allowsPrivateWebhooks = settings.allowsPrivateWebhooks
        configuration.linkedApps = settings.linkedApps
        configuration.requestsPerUser = settings.requestsPerUser
        configuration.requestsPerAddress = settings.requestsPerAddress
        configuration.connections = ConnectionBounds(
            descriptors: Process.descriptorLimit,
            // Behind a proxy, all connections come from one address.
            isBoundPerAddress: settings.proxyHops == 0 && settings.requestsPerAddress > 0)
        return configuration
    }
}

extension DatabaseLocation {
    /// The maximum age of a cached session, after which its row is read again; nil for no limit.
    var oldestCaller: Duration? {
        switch self {
        case .file: nil
        case .postgreSQL: CallerCache.ageBesideOthers
        }
    }

    /// Returns the age of the last verified backup in seconds; nil for PostgreSQL, which has its
    /// own backup tools.
    var backupAge: @Sendable (Date) -> Double? {
        switch self {
        case .file(let path): { BackupNote.age(besides: path, at: $0) }
        case .postgreSQL: { _ in nil }
        }
    }
}
