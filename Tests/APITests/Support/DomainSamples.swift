import API
import Domain
import Foundation

extension Samples {
    static let checkIn = CheckInRecord(
        id: id(4), occurredAt: noon, receivedAt: noon, nextCheckInTime: noon.adding(.hours(24)))
    static let earlyCheckIn = CheckInRecord(
        id: id(4), occurredAt: noon, receivedAt: noon, nextCheckInTime: noon.adding(.hours(24)),
        opensAt: noon.adding(.hours(18)), source: "Kitchen button")
    static let checkInWithoutDeadline = CheckInRecord(
        id: id(4), occurredAt: noon, receivedAt: noon, nextCheckInTime: nil)

    static let administratorAct = AdminAct(
        id: id(7), time: noon, kind: .lock, reason: "Asks strangers", doneBy: "root")

    static func signInSecurity(isFull: Bool) -> SignInSecurity {
        guard isFull else { return SignInSecurity() }
        return SignInSecurity(
            isLocked: true, lockEndsAt: noon,
            wait: SignInWait(deviceName: "Phone", startedAt: noon, endsAt: noon),
            recoveryCodes: 9)
    }

    static func source(isFull: Bool) -> CheckInSource {
        CheckInSource(
            id: id(6), name: "Kitchen button", createdAt: noon, lastUsedAt: isFull ? noon : nil)
    }

    /// Has a window with and one without an opening.
    static func settings(isFull: Bool) -> CheckInSettings {
        var settings = CheckInSettings.standard
        if isFull, let opening = TimeOfDay("04:00"), let deadline = TimeOfDay("10:00"),
            let evening = TimeOfDay("22:30")
        {
            settings.lastCall = LastCall(sendsMessage: false, calls: true, takesAnswers: true)
            settings.plan = .times(
                CheckInTimes(
                    timeZone: "Europe/Berlin",
                    windows: [
                        CheckInWindow(
                            days: [.monday, .sunday], opens: opening, deadline: deadline),
                        CheckInWindow(days: [.friday], deadline: evening),
                    ]))
        }
        return settings
    }

    static let settingsWithSleep: CheckInSettings = {
        var settings = Samples.settings(isFull: true)
        let sleep = TimeOfDay("22:00").flatMap { from in
            TimeOfDay("07:00").map { SleepHours(from: from, until: $0, timeZone: "Europe/Berlin") }
        }
        settings.plan = CheckInPlan(intervalWith: sleep)
        return settings
    }()

    static let session = Session(
        id: id(5), deviceName: "Phone", createdAt: noon, lastUsedAt: noon, isCurrent: true)

    static let journey = JourneyRecord(
        id: id(10), name: "Zugspitze", note: "Alone", startTime: noon,
        expectedReturn: noon.adding(.hours(2)), responderIds: [id(2)], tellsResponders: true,
        alertId: id(7), endTime: noon.adding(.hours(1)))

    static func profile(isFull: Bool) throws -> UserProfile {
        var profile = UserProfile(
            id: id(1), name: "Ada", phoneNumber: try PhoneNumber("+4915112345678"),
            emergencyNote: "Diabetic",
            profilePictureURL: isFull ? try url("https://example.org/p") : nil,
            settings: settings(isFull: isFull),
            lastCheckInTime: isFull ? noon : nil, nextCheckInTime: isFull ? noon : nil,
            status: .active, createdAt: noon,
            pause: isFull ? CheckInPause(began: noon, until: noon.adding(.days(1))) : nil,
            start: isFull ? FirstDeadline(from: noon, deadline: noon.adding(.days(2))) : nil,
            timeZone: isFull ? "Europe/Berlin" : nil
        )
        profile.endedPause = isFull ? CheckInPause(began: noon, until: noon.adding(.hours(1))) : nil
        profile.journey = isFull ? journey : nil
        profile.copiesToGoogle = isFull ? true : nil
        profile.leavesNoteOutOfCopy = isFull ? false : nil
        profile.lockedAt = isFull ? noon : nil
        profile.numberMove =
            isFull
            ? NumberMove(phoneNumber: try PhoneNumber("+4915112345679"), takesEffectAt: noon) : nil
        profile.maintenance = isFull ? Maintenance(from: noon, until: noon) : nil
        profile.isSettingUp = isFull ? true : nil
        return profile
    }

    static func contact(isFull: Bool) throws -> ContactData {
        var watch = ContactData.WatchedState(
            emergencyNote: "None", lastCheckInTime: noon, nextCheckInTime: noon,
            checkInIntervalSeconds: 3600, status: .nonResponsive,
            timeZone: isFull ? "Europe/Berlin" : nil,
            plan: settings(isFull: isFull).plan, pausedUntil: isFull ? noon : nil
        )
        watch.journey = isFull ? WatchedJourney(name: "Zugspitze", expectedReturn: noon) : nil
        var contact = ContactData(
            id: id(2), name: "Ben", phoneNumber: isFull ? try PhoneNumber("+4915112345679") : nil,
            profilePictureURL: isFull ? try url("https://example.org/p") : nil,
            roles: try ContactRoles(isResponder: true, isDependent: isFull), dateAdded: noon,
            hasPendingPing: false, pingedAt: isFull ? noon : nil,
            watch: watch,
            requests: isFull ? [.init(role: .responder, isMine: true, requestedAt: noon)] : [],
            reachability: isFull ? .proven(by: .webPush, on: noon) : nil
        )
        contact.position = isFull ? 1 : nil
        if isFull {
            contact.reachability?.hasStoppedTexts = true
            contact.hearsPings = false
            contact.isGuest = true
        }
        return contact
    }

    static let blocked = BlockedPerson(id: id(2), name: "Ben", blockedAt: noon)

    static func ping(isFull: Bool) -> PingRecord {
        PingRecord(
            id: id(6), responderID: id(1), dependentID: id(2), createdAt: noon,
            state: isFull ? .answered : .pending, settledAt: isFull ? noon : nil
        )
    }

    static func alert(isFull: Bool) -> AlertRecord {
        var alert = AlertRecord(
            id: "\(id(7) as AlertID)", startTime: noon, endTime: isFull ? noon : nil,
            userId: "\(id(1) as UserID)", isActive: !isFull,
            kind: isFull ? .missedCheckIn : .manual, deadline: isFull ? noon : nil,
            toldLate: isFull,
            receivedTime: isFull ? noon : nil,
            acknowledgement: isFull
                ? .init(
                    responderId: "\(id(2) as UserID)", name: "Ben", time: noon, afterSeconds: 12.5)
                : nil,
            report: isFull ? action(.foundSafe) : nil,
            history: isFull ? [action(.acknowledged)] : [],
            othersTold: isFull ? ["Cleo"] : [],
            ledger: isFull
                ? [
                    .init(
                        recipientId: "\(id(2) as UserID)", name: "Ben", channel: .sms,
                        state: .failed, time: noon, attempts: 2, reason: "http-401")
                ] : []
        )
        if isFull {
            (alert.journey, alert.note) = ("Zugspitze", "Alone")
            alert.refusals = [action(.declined)]
            (alert.isRefusedByAll, alert.isUnheard) = (true, true)
            alert.acknowledgement?.end = .released
            alert.ending = .init(sessionId: "\(id(5) as SessionID)", deviceName: "Phone")
        }
        return alert
    }

    private static func action(_ kind: AlertAction.Kind) -> AlertAction {
        AlertAction(
            kind: kind, responderId: "\(id(2) as UserID)", name: "Ben", time: noon, channel: .sms,
            isLossOfRole: true)
    }

    static func answer(isFull: Bool) -> AlertAnswer {
        AlertAnswer(
            alertID: id(7), ownerName: "Ada", kind: .withThem, time: noon,
            channel: isFull ? .sms : nil)
    }

    static func notification(isFull: Bool) -> NotificationItem {
        NotificationItem(
            id: id(8), type: .alert, title: "Ada needs help", body: "Now", createdAt: noon,
            readAt: isFull ? noon : nil,
            aboutUserID: isFull ? id(1) : nil, alertID: isFull ? id(7) : nil,
            pingID: isFull ? id(6) : nil, sessionID: isFull ? id(5) : nil,
            kind: isFull ? .helpQuestion : nil
        )
    }

    static func device(isFull: Bool = true) throws -> PushEndpoint {
        PushEndpoint(
            id: id(9), kind: .webhook, url: try url("https://example.org/hook"), createdAt: noon,
            lastSuccessAt: isFull ? noon : nil, failingSince: isFull ? noon : nil,
            lastFailure: isFull ? "http-404" : nil, template: isFull ? .matrix : nil,
            chat: isFull ? "!a:example.org" : nil)
    }

    static func email(isFull: Bool) -> EmailStatus {
        guard isFull else { return EmailStatus() }
        var status = EmailStatus(
            address: "ada@example.org", verifiedAt: noon, unverifiedAddress: "ada@example.com",
            lastSuccessAt: noon, failingSince: noon)
        status.lastFailure = "smtp-550"
        return status
    }

    static func export(isFull: Bool) throws -> AccountExport {
        var export = AccountExport(
            exportedAt: noon, profile: try profile(isFull: isFull),
            notificationPreferences: .standard,
            qrCodeID: isFull ? "\(id(3) as QRCodeID)" : nil,
            contacts: [try contact(isFull: isFull)],
            blocks: [BlockedPerson(id: id(4), name: "Eve", blockedAt: noon)],
            checkIns: [checkIn, earlyCheckIn, checkInWithoutDeadline],
            alerts: [alert(isFull: isFull)], pings: [ping(isFull: isFull)],
            notifications: [notification(isFull: isFull)],
            sessions: [session], devices: [try device(isFull: isFull)],
            timeZone: isFull ? "Europe/Berlin" : nil,
            picture: isFull ? Data([1, 2, 3]) : nil
        )
        export.email = isFull ? email(isFull: true) : nil
        export.answers = isFull ? [answer(isFull: true), answer(isFull: false)] : nil
        export.textMessagesStoppedAt = isFull ? noon : nil
        export.journey = isFull ? journey : nil
        export.invitations = isFull ? [invitation(isFull: true)] : nil
        export.administration = isFull ? [administratorAct] : nil
        export.passkeys =
            isFull
            ? [Passkey(id: id(5), name: "Phone", createdAt: noon, lastUsedAt: noon)] : nil
        export.signInSecurity = isFull ? signInSecurity(isFull: true) : nil
        export.sources = isFull ? [source(isFull: true)] : nil
        export.drills = isFull ? drills : nil
        return export
    }
}
