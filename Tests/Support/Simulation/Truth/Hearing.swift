import Domain
import Foundation

/// The messages that people have received, by endpoint and in order. A restore keeps them.
struct Hearing: Sendable {
    struct Link: Hashable, Sendable {
        enum Page: Sendable { case alert, drill, session }
        var page: Page
        var reader: Int
        var owner: Int
        var isByMail: Bool
    }

    struct Secret: Sendable {
        var text: String
        var alert: AlertID?
    }

    struct Place: Hashable, Sendable {
        var endpoint: Endpoint
        var alert: AlertID
    }

    /// An endpoint that was told of an alert but not yet of its end.
    struct Debt: Sendable {
        var place: Place
        var owner: Int
    }

    /// The true times of the alerts' ends.
    var over: [AlertID: Date] = [:]
    /// The true times of the SMS and calls that each person may have caused within a day.
    private var paid: [Int: [Date]] = [:]
    /// The true times of all SMS and calls within a day.
    private var paidByAll: [Date] = []
    /// When a person's budget of a day, and that of all, may last have been used up.
    private var spentAt: [Int: Date] = [:]
    private var allSpentAt: Date?
    /// The true times of each owner's last end of an alert.
    var lastEnd: [Int: Date] = [:]
    private(set) var debts: [Debt] = []
    private(set) var ends: Set<Place> = []
    private var deliveries: Set<String> = []
    /// The places that a message about the alert has reached.
    var reached: Set<Place> = []
    /// The places of `reached` where the provider has refused every call, or the line was busy. The
    /// next call is still charged as the first one.
    var refusedCalls: Set<Place> = []
    /// The true times when webhooks were added.
    var added: [Endpoint: Date] = [:]
    /// The true times when people last read or answered something.
    var acts: [Int: Date] = [:]
    /// The places that an SMS about the alert has reached.
    private(set) var alarmed: Set<Place> = []
    /// Relations whose last SMS says that help is needed.
    private(set) var lastIsAlarm: Set<Edge> = []
    /// The true time when a responder took an alert on, if no SMS has said since then that the
    /// owner needs help.
    var answered: [Edge: Date] = [:]
    /// When each person was last told of each alert, by the server's time. If that was behind, by
    /// the true time, to which its correction moves the alert.
    private(set) var told: [AlertID: [Int: Date]] = [:]
    /// The same of the last question to the responder who is on it.
    private(set) var questions: [AlertID: Date] = [:]
    /// The server's time when each person was last asked whether they are fine.
    private(set) var areYouOK: [Int: Date] = [:]
    /// The people with a notification of each alert's end.
    private(set) var endsMade: [AlertID: Set<Int>] = [:]
    /// The true times when people stopped being responders.
    var left: [Edge: Date] = [:]
    /// The newest link to each page, by reader, owner and channel.
    private(set) var links: [Link: Secret] = [:]
    /// The secret of each invitation, from the owner of the alerts.
    var invitations: [Edge: String] = [:]
    /// When the owner removed the invited person. The next invitation makes the link valid again.
    var endedInvitations: [Edge: Date] = [:]
    /// The unsubscribe token in each person's last e-mail.
    private(set) var unsubscribe: [Int: String] = [:]
    /// The true time of that e-mail.
    private(set) var unsubscribeAt: [Int: Date] = [:]
    /// The address of each open invitation by e-mail.
    var invitedAddresses: [Edge: String] = [:]
    /// The token in that e-mail that ends the mail.
    var refusals: [Edge: String] = [:]
    /// The true times when mailboxes of correspondents were closed.
    var closed: [Int: Date] = [:]
    /// Since when each iPhone shows an old state, as far as the observer knows (true times).
    var stale: [Endpoint: Date] = [:]
    /// The true time when each person's iPhones were last woken.
    var woken: [Int: Date] = [:]
    /// The true time of each person's last SMS about each alert.
    private(set) var texted: [Place: Date] = [:]
    /// The true times of the SMS to a person about starts and ends of another's alerts.
    private(set) var changes: [Edge: [Date]] = [:]
    /// The true times of the SMS to a person about one alert.
    private(set) var news: [Place: [Date]] = [:]

    /// What each endpoint last heard of who is on an alert.
    private(set) var claims: [Place: Claim] = [:]
    /// The places whose last message says that a responder is on the alert, or asks one who is.
    private(set) var believingInHelp: Set<Place> = []
    /// The true time when each place last heard of an alert.
    var heardAt: [Place: Date] = [:]
    /// The people whom a message about each alert has reached, even if they saw nothing of it.
    var reachedPeople: [AlertID: Set<Int>] = [:]
    /// The last delivery of each notification to each endpoint.
    private var deliveryOf: [String: DeliveryID] = [:]
    /// The owners of all alerts so far.
    var owners: [AlertID: Int] = [:]
    /// When the owner was last told that nobody is on the alert, after its beginning; by the time
    /// of `told`.
    private(set) var ownerTold: [AlertID: Date] = [:]
    /// The true time of each person's last repeated alarm, by the alert.
    private(set) var rounds: [AlertID: [Int: Date]] = [:]
    /// The server's time of the last repeat that each person heard of, by the alert.
    var repeated: [AlertID: [Int: Date]] = [:]
    /// The true times of the reminders about each person's present deadline.
    var reminders: [Int: Reminders] = [:]
    /// The true time when each person's deadline last moved by a check-in.
    var checkedIn: [Int: Date] = [:]
    /// The true time when each person last changed what reminds them.
    var reminderChange: [Int: Date] = [:]
    /// The news of schedules that responders must be told at once.
    var untold: [Untold] = []
    /// The true time when each responder was last told that a pause has ended.
    var pauseEnds: [Edge: Date] = [:]
    /// The last ring of each person's phone about an alert.
    var rings: [Place: Ring] = [:]
    /// The places whose last ring found a busy line.
    var busyLines: Set<Place> = []
    /// What each owner's alerts have cost, by channel and day.
    var costs: [Cost: [DeliveryID: Date]] = [:]

    /// News of the account that people must be told at once.
    var owed: [Owed] = []
    /// News of the account on the way to each device.
    var onTheWay: [OnTheWay] = []
    /// The link of each person's last token for signing in.
    var tokens: [Int: TokenLink] = [:]
    /// The link of the last token that opens accounts.
    var groupToken: TokenLink?
    /// All notifications of each account so far, and the newest of each.
    private(set) var notices: [UserID: Set<NotificationID>] = [:]
    private(set) var newestNotice: [UserID: NotificationID] = [:]

    struct Owed: Sendable {
        var person: Int
        var title: String
    }

    struct OnTheWay: Sendable {
        var endpoint: Endpoint
        var title: String
        /// The true time.
        var madeAt: Date
    }

    struct TokenLink: Sendable {
        var text: String
        var id: SignUpTokenID
        /// The account that the number had when the token was made.
        var user: UserID?
        var isUsed = false
    }

    /// The reminders about each person's present return.
    var returns: [Int: Returns] = [:]

    struct Returns: Sendable {
        var expectedReturn: Date
        /// The true times of the reminders; true for the one at the return.
        var made: [Bool: Date] = [:]
    }

    struct Untold: Sendable {
        var edge: Edge
        var news: ScheduleNews
    }

    struct Reminders: Sendable {
        var deadline: Date
        var lastCalls: [LastCallStep: Date] = [:]
        var made: [Reminder: Date] = [:]
    }

    struct Ring: Sendable {
        var delivery: DeliveryID
        var at: Date
    }

    struct Cost: Hashable, Sendable {
        var owner: Int
        var isCall: Bool
        var day: Int64
    }

    /// Returns when the person last added an endpoint; the true time.
    func lastAddition(by person: Int) -> Date {
        added.filter { $0.key.person == person }.values.max() ?? .distantPast
    }

    /// Records whose notification this is.
    mutating func note(_ id: NotificationID, of user: UserID) {
        notices[user, default: []].insert(id)
        newestNotice[user] = id
    }

    /// Records a notification that the server has made.
    /// - Parameter now: the true time.
    mutating func made(
        _ item: NotificationItem, meaning: Meaning, for person: Int, at now: Date
    ) {
        if meaning == .areYouOK { areYouOK[person] = item.createdAt }
        guard let alert = item.alertID else { return }
        if Self.isRound(meaning, item) { rounds[alert, default: [:]][person] = now }
        switch meaning {
        case .untaken: ownerTold[alert] = max(item.createdAt, now)
        case .begins, .goesOn, .missedAgain, .lapsed:
            told[alert, default: [:]][person] = max(item.createdAt, now)
        case .question: questions[alert] = max(item.createdAt, now)
        case .isOver: endsMade[alert, default: []].insert(person)
        default: break
        }
    }

    /// Returns true for an alarm that climbs the ladder and that no limit holds back.
    private static func isRound(_ meaning: Meaning, _ item: NotificationItem) -> Bool {
        let isByAct = [
            "is no longer on it", "reported is not true", "reported no longer counts",
            "asked that everyone", "Everyone is alerted again",
        ].contains(where: item.body.contains)
        return switch meaning {
        case .goesOn, .missedAgain, .lapsed: !isByAct
        default: false
        }
    }

    /// Returns true if an endpoint gets a notification by a second delivery.
    mutating func isSecond(_ arrival: Outside.Arrival) -> Bool {
        let known = deliveryOf.updateValue(
            arrival.delivery, forKey: "\(arrival.endpoint) \(arrival.item.id)")
        return known.map { $0 != arrival.delivery } ?? false
    }

    /// Whether a message to the place is charged as a repeat.
    func isRepeat(at place: Place) -> Bool {
        reached.contains(place) && !refusedCalls.contains(place)
    }

    /// Records a message that has reached an endpoint. Returns a description of a violated rule.
    /// - Parameter about: the person that the message is about.
    mutating func heard(
        _ arrival: Outside.Arrival, _ meaning: Meaning, about: Int?
    ) -> String? {
        let endpoint = arrival.endpoint
        // The receiver of a webhook ignores a known id. A phone shows every SMS.
        let isFirst = deliveries.insert("\(endpoint) \(arrival.delivery)").inserted
        if !isFirst, !endpoint.isSMS { return nil }
        if case .parted(let owner) = meaning { forgive { $0.endpoint == endpoint && $1 == owner } }
        // This news tells the reader that they are not a responder any more.
        if let about, arrival.item.alertID == nil,
            [.contactAdded, .contactRemoved, .roleChanged].contains(arrival.item.type),
            left[Edge(responder: endpoint.person, owner: about)] != nil
        {
            forgive { $0.endpoint == endpoint && $1 == about }
        }
        if !arrival.isDropped { readLinks(arrival, about: about) }
        guard let alert = arrival.item.alertID else { return nil }
        let place = Place(endpoint: endpoint, alert: alert)
        if endpoint.isSMS, !arrival.isDropped { texted[place] = arrival.at }
        if case .isOver(let owner) = meaning {
            if !arrival.isDropped { ends.insert(place) }
            forgive { place, _ in place == Place(endpoint: endpoint, alert: alert) }
            if !endpoint.isWebhook { forgiveStorm(of: owner, before: alert, at: endpoint) }
        }
        if isFirst, endpoint.isSMS { count(arrival, meaning, place) }
        if endpoint.isSMS, !arrival.isDropped { noteLast(meaning, at: place) }
        // The server doesn't learn that an SMS was lost.
        if endpoint.isSMS, let owner = meaning.alarm {
            answered[Edge(responder: endpoint.person, owner: owner)] = nil
        }
        switch meaning {
        case .takenOn, .reported, .question: believingInHelp.insert(place)
        case .begins, .goesOn, .missedAgain, .lapsed, .untaken: believingInHelp.remove(place)
        default: break
        }
        if !arrival.isDropped {
            heardAt[place] = arrival.at
            if let claim = meaning.claim { claims[place] = claim }
        }
        guard let owner = meaning.alarm, !arrival.isDropped else { return nil }
        reached.insert(place)
        if ends.contains(place) {
            return "\(endpoint) heard \"\(arrival.item.title)\" after the end"
        }
        if !debts.contains(where: { $0.place == place }) {
            debts.append(Debt(place: place, owner: owner))
        }
        return nil
    }

    /// Except on webhooks, a new alert replaces an undelivered end of an earlier one. The end of
    /// the last alert covers all of that owner's alerts.
    private mutating func forgiveStorm(
        of owner: Int, before alert: AlertID, at endpoint: Endpoint
    ) {
        guard let end = over[alert] else { return }
        let over = over
        forgive { place, other in
            place.endpoint == endpoint && other == owner
                && over[place.alert].map { $0 <= end } == true
        }
    }

    /// Counts an SMS or a call for its reader and for the person it is about.
    mutating func count(_ arrival: Outside.Arrival, about: Int?) {
        guard arrival.endpoint.isSMS || arrival.endpoint.isCall else { return }
        paidByAll.removeAll { arrival.at.since($0) > .days(1) }
        paidByAll.append(arrival.at)
        if mayAllHaveSpent(at: arrival.at) { allSpentAt = arrival.at }
        for person in Set([arrival.endpoint.person, about ?? arrival.endpoint.person]) {
            var times = paid[person] ?? []
            times.removeAll { arrival.at.since($0) > .days(1) }
            paid[person] = times + [arrival.at]
            if mayHaveSpent(person, at: arrival.at) { spentAt[person] = arrival.at }
        }
    }

    /// Returns whether a person may have used up the day's budget. Failed attempts count, too, so
    /// this limit is far below the server's.
    func mayHaveSpent(_ person: Int, at now: Date) -> Bool {
        (paid[person] ?? []).count { now.since($0) <= .days(1) } >= 8
    }

    /// Returns whether all people together may have used up the day's budget. Codes and failed
    /// attempts count, too.
    func mayAllHaveSpent(at now: Date) -> Bool {
        paidByAll.count { now.since($0) <= .days(1) } >= 12
    }

    /// Returns whether the budget of a person, or of all, may have been used up at a past time.
    func mayHaveLackedBudget(_ person: Int?, at time: Date) -> Bool {
        let spent = person.map { spentAt[$0] } ?? allSpentAt
        return spent.map { time.since($0) <= .days(1) } ?? false
    }

    private mutating func readLinks(_ arrival: Outside.Arrival, about: Int?) {
        guard let text = arrival.text else { return }
        let reader = arrival.endpoint.person
        for word in text.split(whereSeparator: \.isWhitespace) where word.hasPrefix("https://") {
            let parts = word.split(separator: "#")
            guard parts.count == 2, let path = parts.first?.suffix(2) else { continue }
            if parts[0].hasSuffix("unsubscribe") {
                unsubscribe[reader] = String(parts[1])
                unsubscribeAt[reader] = arrival.at
            }
            let page: Link.Page
            switch path {
            case "/a": page = .alert
            case "/d": page = .drill
            case "/s": page = .session
            default: continue
            }
            let link = Link(
                page: page, reader: reader, owner: about ?? reader,
                isByMail: arrival.endpoint.isMail)
            links[link] = Secret(text: String(parts[1]), alert: arrival.item.alertID)
        }
    }

    private mutating func noteLast(_ meaning: Meaning, at place: Place) {
        let reader = place.endpoint.person
        if let owner = meaning.alarm {
            alarmed.insert(place)
            lastIsAlarm.insert(Edge(responder: reader, owner: owner))
        } else if case .isOver(let owner) = meaning {
            lastIsAlarm.remove(Edge(responder: reader, owner: owner))
        }
    }

    private mutating func count(_ arrival: Outside.Arrival, _ meaning: Meaning, _ place: Place) {
        func add(to times: inout [Date]) {
            times.removeAll { arrival.at.since($0) > .minutes(10) }
            times.append(arrival.at)
        }
        add(to: &news[place, default: []])
        switch meaning {
        case .begins(let owner), .isOver(let owner):
            let edge = Edge(responder: place.endpoint.person, owner: owner)
            // A reader who has acted since the last SMS gets any number of alarms.
            if meaning.alarm != nil, let last = changes[edge]?.last,
                acts[edge.responder].map({ $0 >= last }) == true
            {
                return
            }
            add(to: &changes[edge, default: []])
        default: break
        }
    }

    /// Records that a person has read all notifications, including ends.
    mutating func read(_ person: Int) {
        let made = endsMade
        forgive { place, _ in
            place.endpoint.person == person && made[place.alert]?.contains(person) == true
        }
    }

    /// Resets to a restore: the server knows only these alerts, as open ones, and these listeners.
    mutating func goBack(to open: Set<AlertID>, _ listeners: Set<Edge>) {
        for alert in open { over[alert] = nil }
        ends = ends.filter { !open.contains($0.alert) }
        forgive { place, owner in
            let reader = Edge(responder: place.endpoint.person, owner: owner)
            return !open.contains(place.alert)
                || reader.responder != owner && !listeners.contains(reader)
        }
        questions = [:]
        left = [:]
        (untold, returns) = ([], [:])
        (owed, onTheWay, tokens, groupToken) = ([], [], [:], nil)
        answered = [:]
        stale = [:]
        (ownerTold, rounds, repeated, reminders, costs) = ([:], [:], [:], [:], [:])
    }

    /// Forgets what only a former key of the server can read.
    mutating func forgetLinks() {
        (links, unsubscribe, invitations, refusals) = ([:], [:], [:], [:])
    }

    mutating func forgive(_ isForgiven: (Place, _ owner: Int) -> Bool) {
        debts.removeAll { isForgiven($0.place, $0.owner) }
    }
}
