import Domain

/// An event. A run is a list of steps, and any part of the list can be run, too. People are
/// numbered from 0. A step that is impossible at its time changes nothing.
public enum Step: Sendable, Equatable {
    // People and their devices
    case join(Int)
    case leave(Int)
    case checkIn(Int, answerLost: Bool)
    case repeatCheckIn(Int)
    case setInterval(Int, minutes: Int)
    /// The number draws the windows.
    case setTimes(Int, Place, windows: Int)
    case setNone(Int)
    /// The number draws the sleep hours.
    case setSleep(Int, Place, hours: Int)
    case setLastCall(Int, message: Bool, Calling, answers: Bool)
    /// Begins a pause, or changes its end.
    case pause(Int, minutes: Int)
    case endPause(Int)
    /// `chosen` is the number of chosen responders; 0 for all.
    case startJourney(Int, minutes: Int, grace: Int, chosen: Int, tells: Bool)
    /// The new return is later than the present one, and than the press.
    case extendJourney(Int, minutes: Int)
    case arrive(Int)
    case addSource(Int)
    /// Uses the newest source, or the last one that was removed.
    case useSource(Int, isRemoved: Bool)
    case removeSource(Int)
    case mute(Int, Bool)
    case offline(Int, seconds: Int)
    case openApp(Int, seconds: Int)
    case deviceClock(Int, seconds: Int)
    case addEndpoint(Int)
    case removeEndpoint(Int)
    case addApp(Int, DeviceKind)
    case testEndpoint(Int)
    case setMail(Int)
    case confirmMail(Int, isRight: Bool)
    case endMail(Int, byLink: Bool)
    case readAll(Int)
    case refresh(Int, answerLost: Bool)
    case signInElsewhere(Int)
    case endOtherSession(Int)
    case endSessionByMail(Int)
    case export(Int)
    case timeZone(Int, Zone)
    case changeProfile(Int)

    // Alerts and pings
    case raise(Int, answerLost: Bool)
    case end(Int)
    case raiseAndEnd(Int, times: Int)
    case acknowledge(Int, of: Int)
    case withdraw(Int, from: Int)
    case report(Int, AlertReport, on: Int)
    case resume(Int, on: Int)
    case refuse(Int, of: Int)
    case look(Int, at: Int)
    case text(Int, Words)
    case press(Int, Button, of: Int, byMail: Bool)
    case drill(Int)
    case answerDrill(Int, of: Int, byLink: Bool)
    case stopDrill(Int)
    case changeMind(Int, of: Int, times: Int)
    case ping(Int, Int)
    case answerPings(Int)
    case clearPings(Int)

    // Contacts
    case seeCode(Int, of: Int)
    case scan(Int, codeOf: Int, both: Bool)
    case setRoles(Int, of: Int, isResponder: Bool, isDependent: Bool)
    case remove(Int, Int)
    case renewCode(Int)
    case orderResponders(Int)
    case accept(Int, from: Int)
    case decline(Int, from: Int)
    case takeBack(Int, from: Int)
    case invite(Int, Int)
    case answerInvitation(Int, from: Int, isYes: Bool)
    case takeInvitationBack(Int, from: Int)
    case block(Int, Int)
    case unblock(Int, Int)

    // Sign-in
    case signInLock(Int, isOn: Bool, byCode: Bool)
    /// Somebody who gets the person's text messages enters a code.
    case enterCode(Int)
    case stopWait(Int)
    case makeCodes(Int)
    /// Signs in by a recovery code.
    case useCode(Int, isUsed: Bool)

    /// Makes calls that the server must refuse. Some concern the other person.
    case mistake(Int, other: Int, Mistake)
    // Ways into an account
    case changeNumber(Int, NumberChange)
    /// Somebody enters wrong codes, and then the right one.
    case guessCode(Int, tries: Int)
    case keepCode(Int)
    case enterKeptCode(Int)
    /// One address asks for codes again and again.
    case floodCodes(Int, times: Int)
    case useSession(Int)
    /// Signs in on another device, and ends that session.
    case endNewSession(Int)
    /// Two devices use one refresh token.
    case copyToken(Int)
    /// Makes recovery codes twice by one request.
    case repeatCodes(Int, isUsed: Bool)
    case addPasskey(Int)
    case removePasskey(Int)
    case usePasskey(Int, PasskeyUse)
    /// Limits who may sign up, for a moment.
    case limitSignUp(Int, Admission)

    // Administrators
    case lock(Int)
    case unlock(Int)
    /// A recovery code skips the wait.
    case move(Int, byCode: Bool)
    case stopMove(Int)
    case announce(maintenance: Bool)
    case makeToken(Int)
    /// Uses the last token, also one that was used.
    case useToken(Int)
    case delete(Int)
    case rotateKey(forgets: Bool)
    case readActs(Int)

    // Administrators at their desk
    /// `length` is how much of the name or number is typed, and `page` how many fit on one page.
    case findPeople(Int, Search, length: Int, page: Int)
    case showPerson(Int, byID: Bool)
    case showAlert(Int)
    /// Looks for this person among what is stuck.
    case showStuck(Int)
    case readLog(Int)
    case testPerson(Int)
    case exportPerson(Int)
    /// Exports and deletes the account.
    case moveOut(Int)
    /// Imports the last export of an account that was moved out.
    case moveIn(Int)
    case listTokens(Int)
    /// Ends the last token for the person, or else the last one for a group.
    case revokeToken(Int)
    /// Makes a token that opens several accounts.
    case makeGroupToken(uses: Int, days: Int)
    case joinByToken(Int)
    /// Gives a wrong command.
    case misuse(Int, Misuse)
    // Reading
    case browse(Int, Shelf)
    // Invitations by e-mail, and answers without an account
    /// The number of a correspondent. Higher ones invite other people by their own address.
    case inviteByMail(Int, letter: Int)
    /// Declines by the link that ends the mail, in the message of the invitation.
    case refuseByMail(Int, from: Int)
    /// One of the owner's guests ends the messages by the last link. The number chooses the guest.
    case stopHelp(Int, guest: Int)
    case undoStop(Int, guest: Int)
    /// Gets a pass for an alert.
    case getPass(Int)
    /// Raises the alert of the last pass, or another one.
    case usePass(Int, another: Bool)
    /// Converts phone numbers to the canonical form, if it is another one: for one of so many.
    case convertNumbers(oneOf: Int)

    // Endpoints, providers, machines
    /// All endpoints and the number of a person misbehave.
    case refusal(Int, Trouble, seconds: Int)
    /// A service misbehaves for everybody.
    case serviceTrouble(Service, Trouble, seconds: Int)
    /// Sends STOP, which only the carrier gets.
    case stopAtCarrier(Int)
    /// The mailbox of a correspondent doesn't exist any more.
    case closeMailbox(letter: Int)
    case endpointTrouble(Int, Trouble, seconds: Int)
    case carrierTrouble(Trouble, seconds: Int)
    case restart(kill: Bool, seconds: Int)
    case diskFull(atCommit: Bool, seconds: Int)
    case backUp
    case restore(seconds: Int)
    case wallClock(error: Int, seconds: Int)
    /// Restarts the server with a wrong clock, which is corrected `seconds` after the start.
    case startWrong(error: Int, down: Int, seconds: Int)
    case clockDrift(perMillion: Int, hours: Int)
    case breakRow(Table, of: Int, seconds: Int)

    // The copy in the document store
    case copyTrouble(CopyTrouble, seconds: Int)
    case leaveNoteOut(Int, Bool)
    case fillCopies
    public enum Service: String, Sendable, Equatable, CaseIterable {
        case push, webhooks, mail, carrier
    }

    public enum Zone: String, Sendable, Equatable, CaseIterable {
        case berlin = "Europe/Berlin"
        case auckland = "Pacific/Auckland"
        case kathmandu = "Asia/Kathmandu"
        case honolulu = "Pacific/Honolulu"
        case nowhere = "Nowhere/Land"
    }

    /// Time zones of schedules, with and without changes of clocks.
    public enum Place: String, Sendable, Equatable, CaseIterable {
        case berlin = "Europe/Berlin"
        case lisbon = "Europe/Lisbon"
        case newYork = "America/New_York"
        case lordHowe = "Australia/Lord_Howe"
        case kolkata = "Asia/Kolkata"
        case saoPaulo = "America/Sao_Paulo"
        case auckland = "Pacific/Auckland"
        case casablanca = "Africa/Casablanca"
    }

    /// Whether the last call rings.
    public enum Calling: String, Sendable, Equatable, CaseIterable {
        case byDefault, always, never
    }

    /// How a person changes the number: as it must be, by a wrong code, or to that of another.
    public enum NumberChange: String, Sendable, Equatable, CaseIterable {
        case right, wrongCode, taken
    }

    /// How a passkey is used. Only `right`, and the first use of `twice`, may sign in.
    public enum PasskeyUse: String, Sendable, Equatable, CaseIterable {
        case right, twice, removed, copied, otherSite, unverified
    }

    /// Who may sign up: nobody without an invitation, nobody, or only numbers of another country.
    public enum Admission: String, Sendable, Equatable, CaseIterable {
        case invited, closed, abroad
    }

    /// The words of a text message to the server.
    public enum Words: String, Sendable, Equatable, CaseIterable {
        case one = "1"
        case onIt = "I'm on it!\nSent from my phone"
        case two = "2"
        case cannot = "I can’t"
        case both = "1 2"
        case thanks = "Thank you"
        case fine = "OK"
        case stop = "STOP"
        case start = "Start"

        enum Meaning: Sendable { case takesOn, declines, isFine, stop, start, unclear }

        var meaning: Meaning {
            switch self {
            case .one, .onIt: .takesOn
            case .two, .cannot: .declines
            case .both, .thanks: .unclear
            case .fine: .isFine
            case .stop: .stop
            case .start: .start
            }
        }
    }

    /// A button on the page behind an alert message's link. `look` only opens the page. Only guests
    /// have `stop` and `undo`.
    public enum Button: String, Sendable, Equatable, CaseIterable {
        case look, onIt, cannot, again, stop, undo
    }

    /// What an administrator types to find a person.
    public enum Search: String, Sendable, Equatable, CaseIterable {
        case name, capitals, accent, number, zeros, digits, everyone
    }

    /// A command that the server must refuse.
    public enum Misuse: String, Sendable, Equatable, CaseIterable {
        case noReason, longReason, takenNumber, takenNumberByCode, usedCode, noUses, twoUses
        case longLife, longNote, unknownToken, noToken, emptyPage, hugeLog, wrongCursor
        case nationalNumber, unknownAlert, noAlert, unknownID, unknownNumber, wrongStart
        case longNews, pastMaintenance, otherKey, shortKey, formerKey, wrongInterval
    }

    /// A table whose rows can be made to refuse every change.
    public enum Table: String, Sendable, Equatable, CaseIterable { case schedules, alerts, pings }
}

/// A step and its time, in milliseconds since the start of the run.
public struct TimedStep: Sendable, Equatable {
    public var at: Int64
    public var step: Step

    public init(_ at: Int64, _ step: Step) {
        self.at = at
        self.step = step
    }

    public init(day: Int = 0, hour: Int = 0, minute: Int = 0, second: Int = 0, _ step: Step) {
        self.init(1_000 * Int64(((day * 24 + hour) * 60 + minute) * 60 + second), step)
    }
}
