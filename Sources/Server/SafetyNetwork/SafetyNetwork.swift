import Cryptography
import Domain
import Foundation
import Persistence

/// The server's commands, by topic. People or deadlines cause them. A command identifies the
/// caller, loads rows, applies a rule of `Domain`, saves, and adds events and deliveries. All this
/// is one transaction.
public final class SafetyNetwork: Commands {
    public let core: Core

    // In the order of creation: each topic needs some of the topics above it.
    let newsLimit: NewsLimit
    let notifier: Notifier

    // Alerts
    let alertRecords: AlertRecords
    public let drills: Drills
    public let reach: Reach
    let refusedAlerts: RefusedAlerts
    let alertLifecycle: AlertLifecycle
    public let responding: Responding
    public let climbing: Climbing
    public let accountNews: AccountNews
    public let alerts: Alerts
    public let alertPasses: AlertPasses

    // Check-ins
    public let pings: Pings
    public let profiles: Profiles
    public let checkIns: CheckIns
    public let calls: Calls
    public let pauses: Pauses
    public let sources: Sources
    public let planRepair: PlanRepair

    // Contacts
    public let qrCodes: QRCodes
    public let signUpTokens: SignUpTokens
    public let invitations: Invitations
    let relations: Relations
    public let blocks: Blocks
    public let contacts: Contacts
    public let invitationAnswers: InvitationAnswers
    public let responderOrder: ResponderOrder
    public let guestAlerts: GuestAlerts
    public let textAnswers: TextAnswers
    public let guestDrills: GuestDrills

    // Notifications
    public let events: Events
    public let pushSubscriptions: PushSubscriptions
    public let appEndpoints: AppEndpoints
    public let endpoints: Endpoints
    public let notifications: Notifications
    public let silentEndpoints: SilentEndpoints

    // Sign-in
    public let codes: Codes
    public let webSessions: WebSessions
    public let recovery: Recovery
    public let passkeys: Passkeys
    public let signInLocks: SignInLocks
    public let signIn: SignIn

    // Accounts
    public let accountDeletion: AccountDeletion
    public let emailAddresses: EmailAddresses
    public let export: Export
    public let numberForms: NumberForms
    public let phoneNumberChange: PhoneNumberChange

    // Time
    public let timeZones: TimeZones
    public let clockCorrections: ClockCorrections
    public let serverLife: ServerLife
    let dueCheckIns: DueCheckIns
    let dueAlerts: DueAlerts
    public let journeys: Journeys
    let dueJourneys: DueJourneys

    // Administration
    public let administration: Administration
    public let accountLocks: AccountLocks
    public let announcements: Announcements
    public let numberMoves: NumberMoves
    public let personTransfers: PersonTransfers
    public let keyRotation: KeyRotation

    public init(
        database: any DatabaseEngine, options: Options, key: ServerKey,
        callers: CallerCache = CallerCache(), environment: Environment
    ) {
        let core = Core(
            database: database, options: options, key: key, callers: callers,
            environment: environment)
        self.core = core
        newsLimit = NewsLimit(core: core)
        notifier = Notifier(core: core, newsLimit: newsLimit)

        // Alerts
        alertRecords = AlertRecords(core: core)
        drills = Drills(core: core, notifier: notifier)
        let widening = Widening(core: core, notifier: notifier, alertRecords: alertRecords)
        refusedAlerts = RefusedAlerts(
            core: core, notifier: notifier, alertRecords: alertRecords, widening: widening)
        reach = Reach(core: core, notifier: notifier, refusedAlerts: refusedAlerts)
        alertLifecycle = AlertLifecycle(
            core: core, notifier: notifier, alertRecords: alertRecords, drills: drills, reach: reach
        )
        responding = Responding(
            core: core, notifier: notifier, alertRecords: alertRecords,
            refusedAlerts: refusedAlerts)
        climbing = Climbing(core: core, responding: responding, drills: drills)
        accountNews = AccountNews(core: core, notifier: notifier)
        alerts = Alerts(
            core: core, alertRecords: alertRecords, alertLifecycle: alertLifecycle,
            accountNews: accountNews
        )
        alertPasses = AlertPasses(core: core)

        // Check-ins
        pings = Pings(core: core, notifier: notifier)
        profiles = Profiles(core: core, notifier: notifier, accountNews: accountNews)
        let scheduleNews = ScheduleNews(core: core, notifier: notifier, accountNews: accountNews)
        checkIns = CheckIns(
            core: core, pings: pings, profiles: profiles, scheduleNews: scheduleNews,
            alertLifecycle: alertLifecycle)
        planRepair = PlanRepair(core: core, scheduleNews: scheduleNews)
        let lastCallAnswers = LastCallAnswers(
            core: core, checkIns: checkIns, alerts: alerts, reach: reach)
        calls = Calls(
            core: core, climbing: climbing, alertRecords: alertRecords,
            lastCallAnswers: lastCallAnswers, reach: reach)
        pauses = Pauses(
            core: core, pings: pings, profiles: profiles, scheduleNews: scheduleNews)
        sources = Sources(
            core: core, checkIns: checkIns, notifier: notifier, accountNews: accountNews)

        // Contacts
        qrCodes = QRCodes(core: core, accountNews: accountNews)
        signUpTokens = SignUpTokens(core: core)
        invitations = Invitations(core: core, signUpTokens: signUpTokens)
        relations = Relations(
            core: core, notifier: notifier, refusedAlerts: refusedAlerts, responding: responding,
            invitations: invitations, drills: drills)
        blocks = Blocks(
            core: core, accountNews: accountNews, relations: relations, invitations: invitations,
            qrCodes: qrCodes)
        contacts = Contacts(core: core, relations: relations, qrCodes: qrCodes)
        invitationAnswers = InvitationAnswers(
            core: core, notifier: notifier, relations: relations, invitations: invitations,
            qrCodes: qrCodes)
        responderOrder = ResponderOrder(core: core, accountNews: accountNews)
        guestAlerts = GuestAlerts(
            core: core, alertRecords: alertRecords, responding: responding, contacts: contacts,
            invitationAnswers: invitationAnswers)
        textAnswers = TextAnswers(
            core: core, notifier: notifier, alertRecords: alertRecords,
            refusedAlerts: refusedAlerts, relations: relations, responding: responding,
            drills: drills, invitationAnswers: invitationAnswers, lastCallAnswers: lastCallAnswers)
        guestDrills = GuestDrills(core: core, drills: drills, guestAlerts: guestAlerts)

        // Notifications
        events = Events(core: core)
        pushSubscriptions = PushSubscriptions(
            core: core, notifier: notifier, accountNews: accountNews, relations: relations)
        appEndpoints = AppEndpoints(core: core, pushSubscriptions: pushSubscriptions)
        endpoints = Endpoints(
            core: core, notifier: notifier, accountNews: accountNews,
            pushSubscriptions: pushSubscriptions)
        notifications = Notifications(core: core)
        silentEndpoints = SilentEndpoints(core: core, notifier: notifier)

        // Sign-in
        codes = Codes(core: core, signUpTokens: signUpTokens)
        webSessions = WebSessions(core: core)
        recovery = Recovery(core: core, accountNews: accountNews)
        passkeys = Passkeys(core: core, notifier: notifier, accountNews: accountNews)
        signInLocks = SignInLocks(
            core: core, notifier: notifier, accountNews: accountNews, recovery: recovery)
        signIn = SignIn(
            core: core, accountNews: accountNews, codes: codes, signUpTokens: signUpTokens,
            webSessions: webSessions, signInLocks: signInLocks, recovery: recovery,
            passkeys: passkeys)

        // Accounts
        accountDeletion = AccountDeletion(
            core: core, notifier: notifier, refusedAlerts: refusedAlerts, responding: responding,
            invitations: invitations, relations: relations, drills: drills, codes: codes)
        emailAddresses = EmailAddresses(
            core: core, notifier: notifier, accountNews: accountNews,
            invitationAnswers: invitationAnswers, contacts: contacts)
        export = Export(core: core, profiles: profiles)
        numberForms = NumberForms(core: core, notifier: notifier, profiles: profiles)
        phoneNumberChange = PhoneNumberChange(
            core: core, notifier: notifier, profiles: profiles, codes: codes,
            accountNews: accountNews)

        // Time
        timeZones = TimeZones(core: core)
        dueCheckIns = DueCheckIns(
            core: core, notifier: notifier, scheduleNews: scheduleNews,
            alertLifecycle: alertLifecycle)
        dueAlerts = DueAlerts(
            core: core, notifier: notifier, alertRecords: alertRecords, reach: reach,
            widening: widening)
        journeys = Journeys(
            core: core, notifier: notifier, profiles: profiles, alertLifecycle: alertLifecycle)
        clockCorrections = ClockCorrections(
            core: core, scheduleNews: scheduleNews, journeys: journeys)
        serverLife = ServerLife(
            core: core, clockCorrections: clockCorrections,
            restoredWaits: RestoredWaits(core: core, notifier: notifier))
        dueJourneys = DueJourneys(core: core, notifier: notifier, alertLifecycle: alertLifecycle)

        // Administration
        administration = Administration(
            core: core, notifier: notifier, alertRecords: alertRecords,
            accountDeletion: accountDeletion, signUpTokens: signUpTokens)
        accountLocks = AccountLocks(core: core)
        announcements = Announcements(
            core: core, notifier: notifier, administration: administration)
        numberMoves = NumberMoves(
            core: core, notifier: notifier, profiles: profiles, administration: administration,
            phoneNumberChange: phoneNumberChange, recovery: recovery)
        personTransfers = PersonTransfers(
            core: core, administration: administration, accountExport: export)
        keyRotation = KeyRotation(core: core, administration: administration)
    }

    public struct Options: Sendable {
        public var intervalLimits = IntervalLimits.standard
        /// Numbers that sign in with a fixed code, without an SMS.
        public var testNumbers: [PhoneNumber: String] = [:]
        /// Test numbers of the operator's canary, which may check in every few seconds.
        public var canaryNumbers: Set<PhoneNumber> = []
        /// Sign-in codes per hour to one number, for one requester. All requesters together get
        /// three times as many.
        public var codesPerNumber = SignInRules.codesPerNumber
        public var codesPerAddress = SignInRules.codesPerAddress
        /// Sign-in codes per hour to all numbers; 0 for no limit.
        public var codesPerHour = SignInRules.codesPerHour
        /// Sign-in codes per hour to numbers without an account; 0 for no limit.
        public var codesToNewNumbers = SignInRules.codesToNewNumbers
        /// Sign-in codes per hour to numbers without an account in one country; 0 for no limit.
        public var codesToNewNumbersPerCountry = SignInRules.codesToNewNumbersPerCountry
        /// Check-ins per hour of one user, without exempt ones; 0 for no limit.
        public var checkInsPerHour = CheckInLimits.perHour
        /// Who may open an account; nil for what the database's first start has stored.
        public var signUp: SignUpMode? = .open
        /// How to reach the people who run the server.
        public var operatorContact: String?
        /// The countries whose numbers get codes before they have an account; nil for all.
        public var smsCountries: Set<CallingCode>?
        /// True if numbers of existing people's countries get them, too.
        public var includesCountriesOfPeople = true
        /// Replaces `signUp`, `smsCountries` and `includesCountriesOfPeople` in a server whose
        /// settings can be read again.
        public var liveSignUpPolicy: LiveSignUpPolicy?
        /// False for a command beside a database that lacks the setting `sign-up`: its server may
        /// have it.
        public var knowsSignUp = true
        /// True if sign-in codes reach phones. Otherwise, only test numbers, and numbers with a
        /// token of their own, can sign in.
        public var sendsCodes = true
        /// The channels whose messages appear only on the operator's terminal.
        public var channelsShownHere: Set<DeliveryChannel> = []
        public var isSMSAvailable = false
        /// True if this server receives the text message START. Otherwise it stores no STOP,
        /// because it could never lift it.
        public var takesTextAnswers = true
        public var isEmailAvailable = false
        public var isVoiceAvailable = false
        /// True if the server keeps a copy of profiles and alerts with Google (Firestore).
        public var copiesToGoogle = false
        public var emailCodeLimits = EmailCodeLimits()
        public var budgets = Budgets.unlimited
        public var pushKinds: Set<PushEndpoint.Kind> = [.webhook, .webPush]
        public var showsNotifications = false
        public var publicURL: URL
        /// Further addresses of the server. Links always have `publicURL`.
        public var otherURLs: [URL] = []
        public var appVersion = "1"
        public var retention = CleanUp.Retention()
        /// True if the database's own key is lost and this server's key replaces it.
        public var acceptsNewKey = false
        /// True if the server's key is in its environment, where nothing can replace it.
        public var isKeyInEnvironment = false

        public init(publicURL: URL) { self.publicURL = publicURL }

        /// The live policy, or the one from the options.
        var signUpPolicy: SignUpPolicy {
            liveSignUpPolicy?.current
                ?? SignUpPolicy(
                    mode: signUp, countries: smsCountries,
                    includesCountriesOfPeople: includesCountriesOfPeople)
        }

        /// Returns this server's address of a picture, which needs a session.
        public func pictureURL(_ id: PictureID) -> URL {
            publicURL.appendingPathComponent("v1/pictures/\(id)")
        }

        /// Which of e-mail, SMS and calls the server offers.
        public var carriers: Set<DeliveryChannel> {
            var carriers: Set<DeliveryChannel> = []
            if isEmailAvailable { carriers.insert(.email) }
            if isSMSAvailable { carriers.insert(.sms) }
            if isVoiceAvailable { carriers.insert(.voice) }
            return carriers
        }

        /// The server's channels of messages, except streams.
        public var channels: Set<DeliveryChannel> { carriers.union(pushKinds.map(\.channel)) }
    }

    /// Access to everything outside of the database.
    public struct Environment: Sendable {
        /// Supplies the database's `now` and knows its own error; nil if no error is tracked.
        public var clock: ServerClock?
        public var random = RandomBytes.system
        /// Distinguishes this process from other servers of the same database.
        public var serverID = RandomBytes.system.integer()
        /// Returns an unguessable id for each item that the server creates.
        public var makeID: @Sendable () -> UUID = { .random() }
        /// Waits this long. A start may wait for other servers.
        public var pause: @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
        /// Sends a text message to a phone that may belong to no user. Returns at once.
        public var sendText: @Sendable (PhoneNumber, String) -> Void = { _, _ in }
        /// Sends an e-mail to an address that may belong to no user. Returns at once.
        public var sendMail:
            @Sendable (EmailAddress, _ subject: String, _ paragraphs: [String]) -> Void =
                { _, _, _ in }
        /// Sends a code to an e-mail address. Returns at once; runs `fail` if no mail server
        /// accepts it.
        public var sendEmailCode:
            @Sendable (EmailAddress, String, _ fail: @escaping @Sendable () async -> Void) -> Void =
                { _, _, _ in }
        /// Sends an invitation. Returns at once; runs `fail` if no carrier accepts it.
        public var sendInvitation:
            @Sendable (InvitationMessage, _ fail: @escaping @Sendable () async -> Void) -> Void =
                { _, _ in }
        /// Sends a sign-in code to a phone. Returns at once.
        public var sendCode: @Sendable (PhoneNumber, String) -> Void

        /// Returns the server key with this fingerprint, if this machine has it.
        public var findKey: @Sendable (Int64) -> ServerKey? = { _ in nil }
        /// Called when a limit on codes to all numbers, or to all new numbers, stops a code.
        public var noteCodeBound: @Sendable (CodeBound) -> Void = { _ in }
        /// Called when the server continues with another key, because the database's is lost. Gets
        /// the number of people whose recovery codes ended.
        public var noteNewKey: @Sendable (Int) -> Void = { _ in }
        /// Called after recorded times were corrected.
        public var noteCorrection: @Sendable (ClockCorrection) -> Void = { _ in }

        public init(sendCode: @escaping @Sendable (PhoneNumber, String) -> Void) {
            self.sendCode = sendCode
        }
    }
}
