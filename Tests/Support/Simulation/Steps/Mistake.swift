import Domain
import SafetyNetwork

extension Step {
    /// Calls that the server must refuse. The raw value says what the person does.
    public enum Mistake: String, Sendable, Equatable, CaseIterable {
        // Alerts and pings
        case unknownAlert = "acts on an alert that does not exist"
        case strangersAlert = "acts on the alert of a stranger"
        case dependentsAlert = "ends the alert of a dependent"
        case ownAlert = "takes on the own alert"
        case endOfMissed = "ends the own alert about a missed check-in"
        case endOfJourney = "ends the own alert about a journey"
        case unacceptedReport = "reports on an alert without having accepted"
        case strangersPing = "pings a stranger"
        case watchersPing = "pings a responder"
        case unknownPing = "acts on a ping that does not exist"
        case wrongSide = "answers the own ping, or clears another's"

        // Contacts and invitations
        case ownCode = "scans the own code"
        case unknownCode = "scans a code that does not exist"
        case renewedCode = "scans a code that was renewed"
        case contactTwice = "adds a contact twice"
        case blockedCode = "scans the code of a blocked person"
        case blockersCode = "scans the code of a person who has blocked them"
        case unknownContact = "changes a contact that does not exist"
        case strangersContact = "changes a stranger as a contact"
        case nothingToAccept = "accepts a role that nobody asks for"
        case ownRequest = "accepts the own request"
        case acceptedRequest = "declines a request that was accepted"
        case quietRemoval = "quietly removes somebody who must be told"
        case noRole = "leaves a contact without a role"
        case wrongOrder = "puts the wrong people into the calling order"
        case unknownBlock = "blocks or unblocks somebody unknown"
        case ownInvitation = "invites the own number"
        case contactsInvitation = "invites a contact"
        case badInvitation = "invites a person with an impossible name or number"
        case unknownInvitation = "takes back an invitation that does not exist"
        case acceptedInvitation = "takes back an invitation that was accepted"

        // Schedules, journeys and sources
        case badInterval = "sets an interval that is out of bounds"
        case badTimes = "sets impossible times"
        case badSleep = "sets impossible sleep hours"
        case badPause = "pauses until the past, or for too long"
        case pauseInAlert = "pauses during an alert"
        case futureCheckIn = "checks in for a future moment"
        case oldCheckIn = "exceeds the request limit with an old check-in"
        case badJourney = "starts a journey with impossible values"
        case badReturn = "starts a journey with an impossible return"
        case secondJourney = "starts a second journey"
        case strangersJourney = "starts a journey for people who are no responders"
        case unknownJourney = "changes a journey that does not exist"
        case badExtension = "sets an impossible later return"
        case badSource = "adds a source with an impossible name"
        case unknownSource = "removes or uses a source that does not exist"

        // The account
        case badName = "enters an impossible name"
        case badNote = "enters an impossible emergency note"
        case badMail = "enters an impossible e-mail address"
        case badMailCode = "confirms an e-mail address without a code"
        case badNumberCode = "changes the number without a code"
        case unknownSession = "ends a session that is not theirs"
        case unknownEndpoint = "removes or tests an endpoint that is not theirs"
        case badWebhook = "adds an impossible webhook"
        case badApp = "adds an app with an impossible token"
        case badReceipt = "sends a receipt that is not valid"
        case unknownNotification = "reads or deletes a notification that is not theirs"
        case mutedAlerts = "mutes alerts"
        case secondExport = "begins a second export"
        case keyOfAnother = "uses an idempotency key for something else"

        // Drills
        case unknownDrill = "acts on a drill that is not theirs"
        case drillInAlert = "starts a drill during an alert"
        case drillForNobody = "starts a drill without a responder"
        case drillTwice = "starts a second drill within a day"
    }
}

/// One invalid call, and how the server must refuse it (api.md, "Errors").
struct Attempt: Sendable {
    enum Refusal: Sendable, Equatable {
        case unauthenticated, permissionDenied, notFound, alreadyExists, rateLimited
        case invalid(String, InvalidInputReason? = nil)

        /// Returns nil for a refusal that no mistake causes.
        init?(_ error: CommandError) {
            switch error {
            case .unauthenticated: self = .unauthenticated
            case .permissionDenied: self = .permissionDenied
            case .notFound: self = .notFound
            case .alreadyExists: self = .alreadyExists
            case .rateLimited: self = .rateLimited
            case .invalidArgument(let field, _, let reason): self = .invalid(field, reason)
            case .payloadTooLarge, .accountLocked, .unavailable: return nil
            }
        }
    }

    /// A call throws this if there is nothing to make the mistake with.
    struct Inapplicable: Error {}

    typealias Call = @Sendable (SafetyNetwork, Caller) async throws -> Void

    var refusal: Refusal
    var call: Call
    /// A valid call that precedes the invalid one.
    var preparation: Call?

    init(_ refusal: Refusal, _ call: @escaping Call) {
        self.refusal = refusal
        self.call = call
    }
}
