import Cryptography
import Domain
import Foundation
import SafetyNetwork

/// The calls of mistakes about schedules, journeys, sources, the account and drills.
extension Simulator {
    // MARK: Schedules and check-ins

    func aboutSchedules(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .badInterval:
            return [3_599, 604_801, 0, -1].map { saving(.interval, seconds: $0) }
        case .badTimes: return Self.badTimes.map { saving(.times($0)) }
        case .badSleep: return Self.badSleep.map { saving(.intervalWithSleep($0)) }
        case .badPause:
            let now = setting.now
            let ends = [
                now, now.adding(.hours(-1)), now.adding(.days(30) + .minutes(1)),
                now.adding(.days(400)),
            ]
            return ends.map { pause(until: $0, .invalid("until")) }
        case .pauseInAlert:
            guard hasAlarm(setting.person), !setting.me.isPaused(at: setting.now) else {
                return []
            }
            return [pause(until: setting.now.adding(.hours(20)), .invalid("until", .alertOpen))]
        case .futureCheckIn:
            let id: CheckInID = newID()
            // No wrong clock explains this.
            let moment = setting.now.adding(.days(30))
            return [
                Attempt(.invalid("occurredAt")) {
                    _ = try await $0.checkIns.checkIn(id, occurredAt: moment, by: $1)
                }
            ]
        case .oldCheckIn: return oldCheckIns(setting)
        default: return nil
        }
    }

    private func saving(_ plan: CheckInPlan, seconds: Int = 86_400) -> Attempt {
        let settings = CheckInSettings(
            plan: plan, intervalSeconds: seconds, remindTwoHoursBefore: true,
            remindThirtyMinutesBefore: true)
        return Attempt(.invalid(plan == .interval ? "intervalSeconds" : "plan")) {
            _ = try await $0.checkIns.updateSettings(settings, of: $1)
        }
    }

    private func pause(until end: Date, _ refusal: Attempt.Refusal) -> Attempt {
        Attempt(refusal) { _ = try await $0.pauses.pause(until: end, of: $1) }
    }

    /// An unknown zone, no window, no day, windows that are too short, too many, too close, and
    /// overlapping.
    private static let badTimes: [CheckInTimes] = {
        func window(
            _ deadline: Int, opens: Int? = nil, days: Set<Weekday> = [.monday]
        ) -> [CheckInWindow] {
            guard let end = TimeOfDay(minutes: deadline) else { return [] }
            let begin = opens.flatMap { TimeOfDay(minutes: $0) }
            return [CheckInWindow(days: days, opens: begin, deadline: end)]
        }
        func times(_ windows: [CheckInWindow], zone: String = "Europe/Berlin") -> CheckInTimes {
            CheckInTimes(timeZone: zone, windows: windows)
        }
        return [
            times(window(600), zone: "Nowhere/Land"), times([]), times(window(600, days: [])),
            times(window(600, opens: 590)),
            times((0..<7).flatMap { window(180 * $0 + 60) }),
            times(window(600) + window(630)),
            times(window(600) + window(720, opens: 540)),
        ]
    }()

    /// Too short, too long, and in an unknown zone.
    private static let badSleep: [SleepHours] = {
        func hours(_ from: Int, _ until: Int, zone: String = "Europe/Berlin") -> [SleepHours] {
            guard let begin = TimeOfDay(minutes: from), let end = TimeOfDay(minutes: until)
            else { return [] }
            return [SleepHours(from: begin, until: end, timeZone: zone)]
        }
        return hours(1_320, 1_340) + hours(1_200, 420) + hours(1_320, 420, zone: "Nowhere/Land")
    }()

    /// Above the request limit, the server takes only check-ins of the last 7 days that are newer
    /// than the last one.
    private func oldCheckIns(_ setting: Setting) -> [Attempt] {
        var moments = [setting.now.adding(.days(-30))]
        // A wrong clock could make the moment newer.
        let isSure = isClockSound && abs(setting.now.since(now).milliseconds) < 1_000
        if isSure, setting.me.receiptError == .zero, let last = setting.me.lastCheckIn,
            last <= setting.now
        {
            moments.append(last.adding(.hours(-1)))
        }
        return moments.map { moment in
            let id: CheckInID = newID()
            return Attempt(.rateLimited) {
                _ = try await $0.checkIns.checkIn(
                    id, occurredAt: moment, by: $1,
                    unlessRefused: .rateLimited(retryAfter: .seconds(7)))
            }
        }
    }

    // MARK: Journeys

    func aboutJourneys(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        let now = setting.now
        let isRunning = setting.me.journey?.isRunning ?? false
        switch mistake {
        case .badJourney: return badJourneys(setting)
        case .badReturn:
            guard !isRunning else { return [] }
            let returns = [
                now.adding(.minutes(4)), now, now.adding(.hours(-1)),
                now.adding(.days(7) + .minutes(1)),
            ]
            return returns.map { moment in
                var draft = newDraft(setting)
                draft.expectedReturn = moment
                return start(draft, .invalid("expectedReturn"))
            }
        case .secondJourney:
            return isRunning ? [start(newDraft(setting), .invalid("id", .journeyRuns))] : []
        case .strangersJourney:
            guard !isRunning else { return [] }
            let chosen: [[UserID]] = [[], [newID()], [setting.me.caller.userID]]
            return chosen.map { people in
                var draft = newDraft(setting)
                draft.responders = people
                return start(draft, .invalid("responderIds", .noResponders))
            }
        case .unknownJourney:
            return strangeIDs(setting.them?.journey?.id).flatMap { id in
                [
                    later(id, now.adding(.hours(1)), setting, .notFound),
                    Attempt(.notFound) {
                        _ = try await $0.journeys.end(id, pressedAt: now, of: $1)
                    },
                ]
            }
        case .badExtension:
            guard isRunning, let id = setting.me.journey?.id else { return [] }
            return [now.adding(.hours(-1)), now.adding(.days(7) + .minutes(1))].map {
                later(id, $0, setting, .invalid("expectedReturn"))
            }
        default: return nil
        }
    }

    private func newDraft(_ setting: Setting) -> JourneyDraft {
        JourneyDraft(id: newID(), name: "the hill", expectedReturn: setting.now.adding(.hours(3)))
    }

    private func start(_ draft: JourneyDraft, _ refusal: Attempt.Refusal) -> Attempt {
        Attempt(refusal) { _ = try await $0.journeys.start(draft, of: $1) }
    }

    private func later(
        _ id: JourneyID, _ until: Date, _ setting: Setting, _ refusal: Attempt.Refusal
    ) -> Attempt {
        let press = setting.now
        return Attempt(refusal) {
            _ = try await $0.journeys.extend(id, until: until, pressedAt: press, of: $1)
        }
    }

    private func badJourneys(_ setting: Setting) -> [Attempt] {
        var attempts = ["", "  ", "two\nlines", String(repeating: "n", count: 61)].map { name in
            var draft = newDraft(setting)
            draft.name = name
            return start(draft, .invalid("name"))
        }
        for note in [String(repeating: "n", count: 1_001), "\0"] {
            var draft = newDraft(setting)
            draft.note = note
            attempts.append(start(draft, .invalid("note")))
        }
        for minutes in [-1, 61] {
            var draft = newDraft(setting)
            draft.graceMinutes = minutes
            attempts.append(start(draft, .invalid("graceMinutes")))
        }
        // What a device sends after a restore has the same limits.
        let known = newDraft(setting)
        for begin in [known.expectedReturn, known.expectedReturn.adding(.hours(1))] {
            attempts.append(
                Attempt(.invalid("expectedReturn")) {
                    _ = try await $0.journeys.resend(
                        known, startedAt: begin, endedAt: nil, of: $1)
                })
        }
        return attempts
    }

    // MARK: Sources

    func aboutSources(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .badSource:
            return Self.badNames.map { name in
                Attempt(.invalid("name")) { _ = try await $0.sources.add(name, of: $1) }
            }
        case .unknownSource:
            let removals = strangeIDs(setting.them?.sources.first?.id).map { id in
                Attempt(.notFound) { try await $0.sources.remove(id, of: $1) }
            }
            // The second has the form of a secret.
            let uses = ["nonsense", String(repeating: "A", count: 43)].map { secret in
                Attempt(.notFound) { network, _ in
                    _ = try await network.sources.checkIn(bySource: secret)
                }
            }
            return removals + uses
        default: return nil
        }
    }

    /// Empty, too long, on two lines, and invisible.
    private static let badNames = [
        "", "  ", String(repeating: "n", count: 101), "two\nlines", "\u{2800}",
    ]

    // MARK: The account

    func aboutAccounts(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .badName:
            return Self.badNames.map { name in
                Attempt(.invalid("name")) {
                    _ = try await $0.profiles.updateProfile(name: name, emergencyNote: nil, of: $1)
                }
            }
        case .badNote:
            return [String(repeating: "n", count: 4_001), "\0"].map { note in
                Attempt(.invalid("emergencyNote")) {
                    _ = try await $0.profiles.updateProfile(name: nil, emergencyNote: note, of: $1)
                }
            }
        case .badMail:
            let addresses = [
                "ana.example.org", "ana@", "@example.org", "ana@example", "a na@example.org",
                "änä@example.org", String(repeating: "a", count: 65) + "@example.org",
                "ana@-example.org", "ana@example.42",
            ]
            return addresses.map { text in
                Attempt(.invalid("address")) { network, caller in
                    let address = try EmailAddress(text)
                    _ = try await network.emailAddresses.setEmailAddress(
                        address, from: "10.1.0.1", of: caller)
                }
            }
        case .badMailCode:
            // A code that waits would lose a try.
            let codes = setting.me.newMail == nil ? ["12", "abcdef", "123456"] : ["12", "abcdef"]
            return codes.map { code in
                Attempt(.invalid("code")) {
                    _ = try await $0.emailAddresses.confirmEmailAddress(code: code, of: $1)
                }
            }
        case .badNumberCode:
            guard let number = try? Phone.number(900, of: setting.person) else { return [] }
            let codes: [(String, Attempt.Refusal)] = [
                ("12", .invalid("code")), ("abcdef", .invalid("code")),
                ("123456", .unauthenticated),
            ]
            return codes.map { code, refusal in
                Attempt(refusal) {
                    _ = try await $0.phoneNumberChange.changePhoneNumber(
                        to: number, code: code, of: $1)
                }
            }
        case .unknownSession:
            return strangeIDs(setting.them?.caller.sessionID).map { id in
                Attempt(.notFound) { try await $0.signIn.endSession(id, of: $1) }
            }
        case .mutedAlerts:
            return [
                Attempt(.invalid("muted")) { network, caller in
                    let preferences = try NotificationPreferences(muted: [.alert, .ping])
                    try await network.notifications.setPreferences(preferences, of: caller)
                }
            ]
        case .secondExport:
            return [
                Attempt(.rateLimited) { network, caller in
                    let first = try await network.export.export(of: caller)
                    defer { withExtendedLifetime(first) {} }
                    _ = try await network.export.export(of: caller)
                }
            ]
        case .unknownNotification: return unknownNotifications(setting)
        case .keyOfAnother: return keysOfAnother(setting)
        default: return nil
        }
    }

    private func unknownNotifications(_ setting: Setting) -> [Attempt] {
        let id: NotificationID = newID()
        var attempts = [
            Attempt(.notFound) { try await $0.notifications.markRead(id, of: $1) },
            Attempt(.notFound) { try await $0.notifications.deleteNotification(id, of: $1) },
        ]
        guard let them = setting.them?.caller else { return attempts }
        attempts += [
            Attempt(.notFound) { network, caller in
                let theirs = try await network.notifications.notifications(of: them, page: Page())
                guard let item = theirs.first else { throw Attempt.Inapplicable() }
                try await network.notifications.markRead(item.id, of: caller)
            },
            Attempt(.notFound) { network, caller in
                let theirs = try await network.notifications.notifications(of: them, page: Page())
                guard let item = theirs.last else { throw Attempt.Inapplicable() }
                try await network.notifications.deleteNotification(item.id, of: caller)
            },
        ]
        return attempts
    }

    /// Uses one key for preferences, which stay as they are, and then for something else.
    private func keysOfAnother(_ setting: Setting) -> [Attempt] {
        let key = world.makeID()
        let end = setting.now.adding(.hours(20))
        var attempts = [
            Attempt(.alreadyExists) {
                _ = try await $0.profiles.updateProfile(
                    name: nil, emergencyNote: "Other", of: $1, key: key)
            },
            Attempt(.alreadyExists) {
                _ = try await $0.checkIns.updateSettings(.standard, of: $1, key: key)
            },
            Attempt(.alreadyExists) { _ = try await $0.pauses.pause(until: end, of: $1, key: key) },
            Attempt(.alreadyExists) { _ = try await $0.pauses.endPause(of: $1, key: key) },
            Attempt(.alreadyExists) { _ = try await $0.sources.add("Lamp", of: $1, key: key) },
        ]
        if let them = setting.them?.caller.userID, areRelated(setting) {
            attempts.append(
                Attempt(.alreadyExists) { network, caller in
                    let roles = try ContactRoles(isResponder: true, isDependent: true)
                    _ = try await network.contacts.changeRoles(
                        of: them, to: roles, by: caller, key: key)
                })
        }
        attempts[0].preparation = { network, caller in
            let present = try await network.notifications.preferences(of: caller)
            try await network.notifications.setPreferences(present, of: caller, key: key)
        }
        return attempts
    }

    // MARK: Endpoints

    func aboutEndpoints(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        switch mistake {
        case .unknownEndpoint:
            let theirs = setting.them?.endpoints.min(by: { $0.key < $1.key })?.value
            return strangeIDs(theirs).flatMap { id in
                [
                    Attempt(.notFound) { try await $0.endpoints.deletePushEndpoint(id, of: $1) },
                    Attempt(.notFound) { try await $0.endpoints.testPushEndpoint(id, of: $1) },
                ]
            }
        case .badWebhook: return badWebhooks()
        case .badApp:
            let id: PushEndpointID = newID()
            return [
                Attempt(.invalid("token")) { network, caller in
                    let token = try AppToken(apns: "no hexadecimal digits", environment: .sandbox)
                    _ = try await network.appEndpoints.saveAppEndpoint(id, token, of: caller)
                },
                Attempt(.invalid("token")) { network, caller in
                    let token = try AppToken(fcm: "short")
                    _ = try await network.appEndpoints.saveAppEndpoint(id, token, of: caller)
                },
            ]
        case .badReceipt:
            let old = ReceiptToken(
                person: setting.me.caller.userID.uuid, delivery: world.makeID(),
                expiresAt: setting.now.adding(.minutes(-1)))
            return ["nonsense", old.text(key: setting.server.key)].map { text in
                Attempt(.invalid("token")) { network, _ in
                    try await network.pushSubscriptions.enterReceipt(text)
                }
            }
        default: return nil
        }
    }

    private func badWebhooks() -> [Attempt] {
        let id: PushEndpointID = newID()
        func webhook(
            _ url: String, _ template: WebhookTemplate, chat: String? = nil, token: String? = nil,
            _ field: String
        ) -> Attempt {
            Attempt(.invalid(field)) { network, caller in
                let webhook = try Webhook(
                    url: url, template: template, chat: chat, token: token, allowsPlainHTTP: false)
                _ = try await network.endpoints.saveWebhook(id, webhook, of: caller)
            }
        }
        let (hook, matrix) = ("https://hook.example/1", "https://matrix.example")
        return [
            webhook("http://hook.example/1", .lifesignal, "url"),
            webhook("https://me:secret@hook.example/1", .lifesignal, "url"),
            webhook("", .lifesignal, "url"),
            webhook("https://" + String(repeating: "h", count: 2_000), .lifesignal, "url"),
            webhook(hook, .unknown, "template"),
            webhook(hook, .text, chat: "room", "chat"),
            webhook(hook, .lifesignal, token: "secret", "token"),
            webhook("https://ntfy.sh", .ntfy, "url"),
            webhook(hook, .matrix, chat: "!room:example", token: "secret", "url"),
            webhook(matrix, .matrix, chat: "#alias:example", token: "secret", "chat"),
            webhook(matrix, .matrix, chat: "!room:example", "token"),
            webhook("https://api.telegram.org", .telegram, token: "1:A", "chat"),
            webhook("https://api.telegram.org", .telegram, chat: "42", token: "1:A", "token"),
        ]
    }

    // MARK: Drills

    func aboutDrills(_ mistake: Step.Mistake, _ setting: Setting) -> [Attempt]? {
        let hasAlarm = hasAlarm(setting.person)
        let hasResponders = hasResponders(setting.person)
        switch mistake {
        case .unknownDrill:
            let theirs = setting.them.flatMap { _ in truth.drills[setting.other]?.id }
            let own = truth.drills[setting.person]?.id
            // Nobody stops another's drill, or answers their own.
            let stopped = strangeIDs(theirs).map { id in
                Attempt(.notFound) { _ = try await $0.drills.stopDrill(id, by: $1) }
            }
            let answered = strangeIDs(own).map { id in
                Attempt(.notFound) {
                    _ = try await $0.drills.answerDrill(id, by: .stream, of: $1)
                }
            }
            return stopped + answered
        case .drillInAlert: return hasAlarm ? [startDrill(.alertOpen)] : []
        case .drillForNobody:
            return hasAlarm || hasResponders ? [] : [startDrill(.noResponders)]
        case .drillTwice:
            guard !hasAlarm, hasResponders, let last = truth.drills[setting.person],
                isSure(since: last.at), last.at <= setting.now,
                setting.now.since(last.at) < .hours(23)
            else { return [] }
            return [startDrill(.drillToday)]
        default: return nil
        }
    }

    private func startDrill(_ reason: InvalidInputReason) -> Attempt {
        let id: DrillID = newID()
        return Attempt(.invalid("id", reason)) {
            _ = try await $0.drills.startDrill(id, by: $1)
        }
    }
}
