import Domain
import Features
import LivePages

func troubledCard(
    _ contact: ContactData, _ ping: PingFeature.State, helper: String? = nil,
    report: ReportNotice? = nil, journey: AlertRecord? = nil
) -> HTML<DependentsFeature.Action> {
    let name = ProfileRules.displayName(contact.name)
    return li(.class("card critical")) {
        contactHead(contact, select: .selectContact(contact)) {
            contact.watch.map { statusPill(of: $0) } ?? .empty
        }
        p {
            if let journey {
                span(.alarm(of: contact, journey: journey)) {
                    "\(JourneyWords.notBack(name, from: journey.journey)). "
                }
                if let time = journey.deadline {
                    "\(JourneyWords.expectedAt) "
                    moment(time, .absolute, of: contact.watch)
                    ". "
                }
            } else if let watch = contact.watch {
                span(.alarm(of: contact)) { contact.troubleWords }
                silence(watch)
            }
            lastSeen(contact)
        }
        if let helper {
            p(.class("banner fine")) {
                icon(.check)
                strong { helper }
            }
        }
        if let report { reportLine(report, of: name) { .alertRequested($0) } }
        div(.class("row")) {
            actionButton("See the alert", .alert, class: "primary", .alertTapped(contact))
                .attributes(.label("See \(name)’s alert"), .showsAlert)
            if let number = contact.phoneNumber { callLink(number, name) }
        }
        pingLine(contact, ping)
    }
}

/// The time since a missed deadline. A deadline that a change of schedule moved during the alert is
/// still ahead.
private func silence(_ watch: ContactData.WatchedState) -> HTML<DependentsFeature.Action> {
    guard watch.status == .nonResponsive, let deadline = watch.nextCheckInTime else {
        return .text(". ")
    }
    return span(.turns) {
        span {
            ". \(ScheduleWords.nextDeadlineIs) "
            moment(deadline, .absolute, of: watch)
            ". "
        }
        span(.hidden, .begins(deadline)) {
            ": "
            moment(deadline, .countdown, of: watch)
            ". "
        }
    }
}

extension Attribute {
    /// Marks the text of a dependent's alarm. The app knows the id only of an alert about a
    /// journey. Otherwise, a new status is a new alarm.
    /// - Parameter status: nil for the contact's present status.
    static func alarm(
        of contact: ContactData, status: UserStatus? = nil, journey: AlertRecord? = nil
    ) -> Attribute {
        let status = (status ?? contact.watch?.status)?.rawValue ?? ""
        return .alarm(journey?.id ?? "\(contact.id)-\(status)")
    }
}

/// A dependent's last known state. When the deadline passes, the page's clock changes the state to
/// overdue, even offline.
func statusPill<Action>(of watch: ContactData.WatchedState) -> HTML<Action> {
    let deadline = watch.status == .active ? watch.nextCheckInTime : nil
    return statusPills(
        watch.statusWords, watch.statusTone, isDated: true,
        later: deadline.map { [($0, ContactData.overdueWords, .critical)] } ?? [])
}

/// A report that pauses the alarms. The report may be wrong, so every reader can resume the alarms
/// to the others.
func reportLine<Action>(
    _ report: ReportNotice, of name: String,
    send: (DependentAlertFeature.Request) -> Action
) -> HTML<Action> {
    div(.class("stack")) {
        p(.class("banner")) {
            icon(.bell)
            span {
                strong { report.words }
                " · "
                moment(report.time, .absolute)
            }
        }
        p {
            span {
                "No one is alerted again until "
                moment(report.end, .absolute)
                "."
            }
        }
        actionButton(report.requestWords, .bell, class: "wide", send(report.request))
            .attributes(.label("\(report.requestWords) about \(name)"))
    }
    .key("report")
}

func dependentCard(_ contact: ContactData, _ ping: PingFeature.State) -> HTML<
    DependentsFeature.Action
> {
    if let request = contact.request(.dependent) { return requestCard(contact, request) }
    return li(.class("card")) {
        contactHead(contact, select: .selectContact(contact)) {
            contact.watch.map { statusPill(of: $0) } ?? statusPill("Fine", .normal)
        }
        dl(.class("facts")) {
            if let end = contact.watch?.pausedUntil {
                fact("Paused until") { moment(end, .absolute, of: contact.watch) }
            }
            journeyFact(contact.watch)
            fact("Time left") {
                if let deadline = contact.watch?.nextCheckInTime {
                    moment(deadline, .countdown, of: contact.watch)
                } else {
                    contact.watch?.plan == CheckInPlan.none ? "No deadlines" : "Has not begun yet"
                }
            }
            fact("Last check-in") {
                if let last = contact.watch?.lastCheckInTime {
                    moment(last, .relative, of: contact.watch)
                } else {
                    "None yet"
                }
            }
        }
        pingLine(contact, ping)
    }
}

/// The person's journey, if they tell this responder of it.
func journeyFact<Action>(_ watch: ContactData.WatchedState?) -> HTML<Action> {
    guard let journey = watch?.journey else { return .empty }
    return fact(JourneyWords.onAJourney) {
        "\(JourneyWords.watched(journey)) "
        moment(journey.expectedReturn, .absolute, of: watch)
    }
}

private func requestCard(
    _ contact: ContactData, _ request: RoleRequest
) -> HTML<DependentsFeature.Action> {
    li(.class("card")) {
        contactHead(contact, select: .selectContact(contact)) {
            requestPill(request)
            p(.class("quiet")) { contact.dependentRequestWords ?? "" }
        }
    }
}

private func lastSeen(_ contact: ContactData) -> HTML<DependentsFeature.Action> {
    group {
        if let last = contact.watch?.lastCheckInTime {
            "Last check-in "
            moment(last, .relative, of: contact.watch)
            "."
        } else {
            "There has been no check-in yet."
        }
    }
}

private func pingLine(_ contact: ContactData, _ ping: PingFeature.State) -> HTML<
    DependentsFeature.Action
> {
    let name = ProfileRules.displayName(contact.name)
    return div(.class("row ping-line")) {
        if ping.isWaitingToBeSent(contact.id) {
            p(.class("grow")) { "Your ping is waiting to be sent." }
        } else if let pinged = contact.pingedAt {
            p(.class("grow")) {
                "\(contact.pingedWords) "
                moment(pinged, .relative)
                ". No answer yet."
            }
            silentPing(contact)
            actionButton("Clear ping", .close, .ping(.clearPing(contact.id))).attributes(
                .label("Clear ping to \(name)")
            )
            .disabled(ping.isInFlight(.clear(contact.id)))
        } else {
            actionButton("Ping", .bell, .ping(.pingDependent(contact.id))).attributes(
                .label("Ping \(name)")
            )
            .disabled(ping.isInFlight(.ping(contact.id)))
            p(.class("quiet grow hint")) { "Asks whether \(name) is fine." }
            silentPing(contact)
        }
    }
}

/// A hint that none of the contact's devices announces pings. Empty if a device does, or if the
/// devices are unknown.
func silentPing<Action>(_ contact: ContactData) -> HTML<Action> {
    contact.silentPingWords.map { words in p(.class("hint")) { words } } ?? .empty
}

/// A link that calls with the device's own telephone.
/// - Parameter words: the label, for cards on which several people can be called; nil for just
///   "Call".
func callLink<Action>(
    _ number: PhoneNumber, _ name: String, class names: String = "", words: String? = nil
) -> HTML<Action> {
    a(
        .class("button", names), .href(.telephone(number.text)),
        .label("Call \(name), \(number.text)")
    ) {
        icon(.phone)
        words.map { "Call \($0)" } ?? "Call"
    }
}
