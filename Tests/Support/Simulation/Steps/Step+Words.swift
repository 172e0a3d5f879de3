import Domain

extension Step: CustomStringConvertible {
    /// The step as text, for the list that a failure prints.
    public var description: String {
        switch self {
        case .join(let one): "\(name(one)) signs up"
        case .leave(let one): "\(name(one)) deletes the account"
        case .checkIn(let one, let lost):
            "\(name(one)) checks in" + (lost ? "; the answer is lost" : "")
        case .repeatCheckIn(let one): "\(name(one))'s device sends the last check-in again"
        case .setInterval(let one, let minutes):
            "\(name(one)) sets the interval to \(span(minutes * 60))"
        case .setTimes(let one, let place, let number):
            "\(name(one)) sets times: \(LocalTimes(place, number: number))"
        case .setSleep(let one, let place, let number):
            "\(name(one)) sets sleep hours: \(SleepTimes(place, number: number))"
        case .setNone(let one): "\(name(one)) has no deadlines any more"
        case .setLastCall(let one, let message, let calling, let answers):
            "\(name(one)) sets the last call: \(message ? "a message" : "no message"), calls "
                + "\(calling.rawValue), \(answers ? "with" : "without") answers by SMS"
        case .pause(let one, let minutes):
            "\(name(one)) pauses, or changes the pause, for \(span(minutes * 60))"
        case .endPause(let one): "\(name(one)) ends the pause"
        case .startJourney(let one, let minutes, let grace, let chosen, let tells):
            "\(name(one)) goes on a journey of \(span(minutes * 60)), with a grace of "
                + "\(span(grace * 60)), for \(chosen == 0 ? "all" : "\(chosen)") responders, who "
                + (tells ? "see it" : "don't see it")
        case .extendJourney(let one, let minutes):
            "\(name(one)) comes back \(span(minutes * 60)) later"
        case .arrive(let one): "\(name(one)) has arrived"
        case .addSource(let one): "\(name(one)) adds a source"
        case .useSource(let one, let isRemoved):
            "\(name(one)) uses a source" + (isRemoved ? " that was removed" : "")
        case .removeSource(let one): "\(name(one)) removes a source"
        case .mute(let one, let on): "\(name(one)) \(on ? "mutes" : "unmutes") what can be muted"
        case .offline(let one, let seconds): "\(name(one))'s device is offline for \(span(seconds))"
        case .openApp(let one, let seconds): "\(name(one)) has the app open for \(span(seconds))"
        case .deviceClock(let one, let seconds): "\(name(one))'s device clock is \(ahead(seconds))"
        case .addEndpoint(let one): "\(name(one)) adds a webhook"
        case .removeEndpoint(let one): "\(name(one)) removes a webhook"
        case .addApp(let one, let kind): "\(name(one)) adds a push endpoint (\(kind))"
        case .testEndpoint(let one): "\(name(one)) tests an endpoint"
        case .setMail(let one): "\(name(one)) enters an e-mail address"
        case .confirmMail(let one, let isRight):
            "\(name(one)) confirms the e-mail address by a \(isRight ? "right" : "wrong") code"
        case .endMail(let one, let byLink):
            "\(name(one)) removes the e-mail address\(byLink ? " by a link" : "")"
        case .readAll(let one): "\(name(one)) reads all notifications"
        case .refresh(let one, let lost):
            "\(name(one))'s device refreshes its tokens" + (lost ? "; the answer is lost" : "")
        case .raise(let one, let lost):
            "\(name(one)) raises an alert" + (lost ? "; the answer is lost" : "")
        case .end(let one): "\(name(one)) ends the alert"
        case .raiseAndEnd(let one, let times):
            "\(name(one)) raises and ends an alert \(times) times"
        case .acknowledge(let one, let owner): "\(name(one)) takes on the alert of \(name(owner))"
        case .withdraw(let one, let owner):
            "\(name(one)) is no longer on the alert of \(name(owner))"
        case .report(let one, let report, let owner):
            "\(name(one)) reports \(report.rawValue) on the alert of \(name(owner))"
        case .resume(let one, let owner):
            "\(name(one)) asks for the repeats of the alert of \(name(owner))"
        case .drill(let one): "\(name(one)) starts a drill"
        case .answerDrill(let one, let owner, let byLink):
            "\(name(one)) answers the drill of \(name(owner))\(byLink ? " by a link" : "")"
        case .stopDrill(let one): "\(name(one)) stops the drill"
        case .clearPings(let one): "\(name(one)) clears all own pings"
        case .signInElsewhere(let one): "\(name(one)) signs in on another device"
        case .endOtherSession(let one): "\(name(one)) ends the sessions of other devices"
        case .endSessionByMail(let one): "\(name(one)) ends a session by a link in an e-mail"
        case .export(let one): "\(name(one)) exports everything"
        case .timeZone(let one, let zone): "\(name(one))'s device is in \(zone.rawValue)"
        case .changeProfile(let one): "\(name(one)) changes the emergency note"
        case .orderResponders(let one): "\(name(one)) reverses the order of the responders"
        case .invite(let one, let other): "\(name(one)) invites \(name(other)) by SMS"
        case .answerInvitation(let one, let other, let isYes):
            "\(name(one)) answers \(isYes ? "yes" : "no") to the invitation of \(name(other))"
        case .takeInvitationBack(let one, let other):
            "\(name(one)) takes back the invitation of \(name(other))"
        case .changeMind(let one, let owner, let times):
            "\(name(one)) changes the answer to the alert of \(name(owner)) \(times) times"
        case .refuse(let one, let owner):
            "\(name(one)) can't come to the alert of \(name(owner))"
        case .look(let one, let owner): "\(name(one)) opens the alert of \(name(owner))"
        case .text(let one, let words): "\(name(one)) sends the SMS \"\(words)\""
        case .press(let one, let button, let owner, let byMail):
            "\(name(one)) presses \"\(button)\" by a link about \(name(owner)) in an "
                + (byMail ? "e-mail" : "SMS")
        case .ping(let one, let other): "\(name(one)) pings \(name(other))"
        case .answerPings(let one): "\(name(one)) answers all pings"
        case .seeCode(let one, let other): "\(name(other)) shows \(name(one)) the code"
        case .scan(let one, let other, let both):
            "\(name(one)) adds \(name(other)) by the code last seen"
                + (both ? ", in both roles" : "")
        case .setRoles(let one, let other, let responder, let dependent):
            "\(name(one)) sets \(name(other)) to \(roles(responder, dependent))"
        case .remove(let one, let other): "\(name(one)) removes \(name(other))"
        case .renewCode(let one): "\(name(one)) renews the code"
        case .accept(let one, let other): "\(name(one)) accepts what \(name(other)) asks for"
        case .decline(let one, let other): "\(name(one)) declines what \(name(other)) asks for"
        case .takeBack(let one, let other):
            "\(name(one)) takes back what was asked of \(name(other))"
        case .block(let one, let other): "\(name(one)) blocks \(name(other))"
        case .unblock(let one, let other): "\(name(one)) unblocks \(name(other))"
        default: administration
        }
    }

    private var administration: String {
        switch self {
        case .signInLock(let one, let isOn, let byCode):
            "\(name(one)) turns the sign-in lock \(isOn ? "on" : "off")"
                + (byCode && !isOn ? " by a recovery code" : "")
        case .enterCode(let one): "somebody enters a code that was sent to \(name(one))"
        case .stopWait(let one): "\(name(one)) stops the sign-in that waits"
        case .makeCodes(let one): "\(name(one)) makes recovery codes"
        case .useCode(let one, let isUsed):
            "\(name(one)) signs in by a recovery code" + (isUsed ? " that was used" : "")
        case .mistake(let one, let other, let mistake):
            "\(name(one)) \(mistake.rawValue) (\(name(other)))"
        case .lock(let one): "an administrator locks the account of \(name(one))"
        case .unlock(let one): "an administrator unlocks the account of \(name(one))"
        case .move(let one, let byCode):
            "an administrator moves \(name(one)) to another number"
                + (byCode ? " by a recovery code" : "")
        case .stopMove(let one): "\(name(one)) stops the change of the number"
        case .announce(let maintenance):
            "an administrator announces " + (maintenance ? "a maintenance" : "news")
        case .makeToken(let one): "an administrator makes a token for \(name(one))"
        case .useToken(let one): "\(name(one)) signs in by the administrators' token"
        case .delete(let one): "an administrator deletes the account of \(name(one))"
        case .rotateKey(let forgets):
            "an administrator " + (forgets ? "ends the former keys" : "replaces the server's key")
        case .readActs(let one): "\(name(one)) reads what administrators did"
        default: office
        }
    }

    private var office: String {
        switch self {
        case .findPeople(let one, let search, let length, let page):
            "an administrator looks for \(name(one)) by \(search.rawValue), typing \(length) "
                + "characters, \(page) people a page"
        case .showPerson(let one, let byID):
            "an administrator looks at \(name(one))\(byID ? " by the account's id" : "")"
        case .showAlert(let one): "an administrator looks at the alert of \(name(one))"
        case .showStuck(let one): "an administrator looks whether \(name(one)) is stuck"
        case .readLog(let one): "an administrator reads the log, also about \(name(one))"
        case .testPerson(let one): "an administrator sends \(name(one)) a test message"
        case .exportPerson(let one): "an administrator exports \(name(one))"
        case .moveOut(let one): "an administrator moves \(name(one)) to another server"
        case .moveIn(let one): "an administrator brings \(name(one)) back by the export"
        case .listTokens(let one): "an administrator lists the tokens, also for \(name(one))"
        case .revokeToken(let one): "an administrator ends the last token for \(name(one))"
        case .makeGroupToken(let uses, let days):
            "an administrator makes a token for \(uses) accounts and \(days) days"
        case .joinByToken(let one): "\(name(one)) signs up by a token"
        case .misuse(let one, let misuse):
            "an administrator gives a wrong command about \(name(one)) (\(misuse.rawValue))"
        default: ways
        }
    }

    private var ways: String {
        switch self {
        case .changeNumber(let one, let change):
            "\(name(one)) changes the number (\(change.rawValue))"
        case .guessCode(let one, let tries):
            "somebody enters \(tries) wrong codes for \(name(one)), and then the right one"
        case .keepCode(let one): "\(name(one)) asks for a code"
        case .enterKeptCode(let one): "\(name(one)) enters the code of before"
        case .floodCodes(let one, let times):
            "one address asks \(times) times for a code to \(name(one))"
        case .useSession(let one): "\(name(one))'s app uses its access token"
        case .endNewSession(let one): "\(name(one)) signs in elsewhere and ends that session"
        case .copyToken(let one): "somebody copies a refresh token of \(name(one))"
        case .repeatCodes(let one, let isUsed):
            "\(name(one)) makes recovery codes twice by one request"
                + (isUsed ? ", and again after the use of one" : "")
        case .addPasskey(let one): "\(name(one)) adds a passkey"
        case .removePasskey(let one): "\(name(one)) removes a passkey"
        case .usePasskey(let one, let use):
            "\(name(one)) signs in by a passkey (\(use.rawValue))"
        case .limitSignUp(let one, let admission):
            "strangers like \(name(one)) ask for codes while sign-up is \(admission.rawValue)"
        case .browse(let one, let shelf): "\(name(one)) reads in the app: \(shelf.rawValue)"
        default: letters ?? machine
        }
    }

    private var machine: String {
        switch self {
        case .endpointTrouble(let one, let trouble, let seconds):
            "\(name(one))'s webhooks are \(trouble.rawValue) for \(span(seconds))"
        case .carrierTrouble(let trouble, let seconds):
            "the SMS carrier is \(trouble.rawValue) for \(span(seconds))"
        case .restart(let kill, let seconds):
            "the server is \(kill ? "killed" : "stopped") and starts after \(span(seconds))"
        case .diskFull(let late, let seconds):
            "the disk is full for \(span(seconds))" + (late ? ", noticed at the commit" : "")
        case .backUp: "a backup is made"
        case .restore(let seconds): "the last backup is restored, which takes \(span(seconds))"
        case .wallClock(let error, let seconds):
            "the machine's clock is \(ahead(error)) for \(span(seconds))"
        case .startWrong(let error, let down, let seconds):
            "the server is killed and starts after \(span(down)) with a clock that is "
                + "\(ahead(error)) for \(span(seconds))"
        case .clockDrift(let perMillion, let hours):
            "the machine's clock runs \(perMillion) millionths fast for \(hours) h"
        case .breakRow(let table, let one, let seconds):
            "\(name(one))'s row in \(table.rawValue) refuses changes for \(span(seconds))"
        case .copyTrouble(let trouble, let seconds):
            "the document store is \(trouble.rawValue) for \(span(seconds))"
        case .leaveNoteOut(let one, let leavesOut):
            "\(name(one)) \(leavesOut ? "leaves the note out of" : "takes the note into") the copy"
        case .fillCopies: "an administrator lets everyone be copied again"
        default: ""
        }
    }

    func name(_ person: Int) -> String { Names.of(person) }

    private func roles(_ responder: Bool, _ dependent: Bool) -> String {
        [responder ? "responder" : nil, dependent ? "dependent" : nil].compactMap(\.self)
            .joined(separator: " and ")
    }

    private func ahead(_ seconds: Int) -> String {
        seconds == 0 ? "right" : "\(span(abs(seconds))) \(seconds > 0 ? "ahead" : "behind")"
    }

    func span(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension Step {
    public var label: String {
        Mirror(reflecting: self).children.first?.label
            ?? (self == .fillCopies ? "fillCopies" : "backUp")
    }
}

extension TimedStep: CustomStringConvertible {
    public var description: String { "\(Self.clock(at))  \(step)" }

    /// The step as Swift code, for a test.
    public var code: String {
        guard let value = Mirror(reflecting: step).children.first?.value else {
            return "TimedStep(\(at), .\(step.label)),"
        }
        let parts = Mirror(reflecting: value).children
        let values =
            parts.isEmpty ? [Self.code(nil, value)] : parts.map { Self.code($0.label, $0.value) }
        return "TimedStep(\(at), .\(step.label)(\(values.joined(separator: ", ")))),"
    }

    static func code(_ label: String?, _ value: Any) -> String {
        let isCase = Mirror(reflecting: value).displayStyle == .enum
        return (label.map { $0.hasPrefix(".") ? "" : "\($0): " } ?? "")
            + (isCase ? ".\(value)" : "\(value)")
    }

    static func clock(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = "\(two(seconds / 3_600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        let rest = milliseconds % 1_000
        let thousandths = rest < 10 ? "00\(rest)" : rest < 100 ? "0\(rest)" : "\(rest)"
        return "day \(seconds / 86_400) \(time).\(thousandths)"
    }
}
