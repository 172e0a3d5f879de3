import Delivery
import Foundation
import HTTPServer
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
        options.checkInsPerHour = settings.checkInsPerHour
        options.isSMSAvailable = hasSMS
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
        configuration.trustsProxy = settings.trustsProxy
        configuration.allowsPrivateWebhooks = settings.allowsPrivateWebhooks
        configuration.requestsPerUser = settings.requestsPerUser
        configuration.requestsPerAddress = settings.requestsPerAddress
        return configuration
    }
}

extension DatabaseLocation {
    /// How long a caller is known without a look at the session's row.
    var oldestCaller: Duration? {
        switch self {
        case .file: nil
        case .postgreSQL: CallerCache.ageBesideOthers
        }
    }

    /// The age in seconds of the last verified backup; nil where other tools make it.
    var backupAge: @Sendable (Date) -> Double? {
        switch self {
        case .file(let path): { BackupNote.age(besides: path, at: $0) }
        case .postgreSQL: { _ in nil }
        }
    }
}
