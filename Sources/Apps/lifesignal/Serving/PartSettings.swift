import Domain
import Foundation
import HTTPServer
import SafetyNetwork

extension SafetyNetwork.Options {
    init(_ settings: ServeSettings, hasSMS: Bool) {
        self.init(publicURL: settings.publicURL)
        otherURLs = settings.otherURLs
        intervalLimits = settings.allowsDemoIntervals ? .demonstration : .standard
        testNumbers = settings.testNumbers
        canaryNumbers = settings.canaryNumbers
        codesPerNumber = settings.codesPerNumber
        codesPerAddress = settings.codesPerAddress
        codesPerHour = settings.codesPerHour
        codesToNewNumbers = settings.codesToNewNumbers
        codesToNewNumbersPerCountry = settings.codesToNewNumbersPerCountry
        checkInsPerHour = settings.checkInsPerHour
        operatorContact = settings.operatorContact
        let policy = SignUpPolicy(settings)
        signUp = policy.mode
        smsCountries = policy.countries
        includesCountriesOfPeople = policy.includesCountriesOfPeople
        isSMSAvailable = hasSMS
        sendsCodes = hasSMS
        if case .console = settings.sms { channelsShownHere.insert(.sms) }
        if case .console = settings.reach.mail { channelsShownHere.insert(.email) }
        takesTextAnswers = settings.smsAnswers != nil
        if case .none = settings.reach.mail {
            isEmailAvailable = false
        } else {
            isEmailAvailable = true
        }
        isVoiceAvailable = settings.reach.voice != nil
        copiesToGoogle = settings.firestore != nil
        budgets = settings.reach.budgets
        if settings.apps.apns != nil { pushKinds.insert(.apns) }
        if settings.apps.fcm != nil { pushKinds.insert(.fcm) }
        acceptsNewKey = settings.acceptsNewKey
        isKeyInEnvironment = settings.key.isInEnvironment
        retention.ledger = settings.ledgerKept
        showsNotifications = settings.showsNotifications
    }
}

extension SignUpPolicy {
    init(_ settings: ServeSettings) {
        self.init(
            mode: settings.signUp, countries: settings.smsCountries.codes,
            includesCountriesOfPeople: settings.smsCountries.includesPeoples)
    }
}

extension ServerApplication.Configuration {
    init(_ settings: ServeSettings) {
        self.init(publicURL: settings.publicURL)
        hostname = settings.host
        port = settings.port
        socketPath = settings.socketPath
        internalPort = settings.internalPort
        proxies = settings.proxies
        logsAddresses = settings.logsAddresses
        allowsPrivateWebhooks = !settings.webhookNetworks.isEmpty
        linkedApps = settings.linkedApps
        requestsPerUser = settings.requestsPerUser
        requestsPerAddress = settings.requestsPerAddress
        connections = ConnectionBounds(
            descriptors: Process.descriptorLimit,
            // Behind a proxy, all connections come from one address.
            isBoundPerAddress: !settings.proxies.isInUse && settings.requestsPerAddress > 0)
    }
}
