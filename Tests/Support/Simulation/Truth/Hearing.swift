import Domain
import Foundation

/// The messages people have had, by endpoint and in order. No restore takes them back.
struct Hearing: Sendable {
    struct Place: Hashable, Sendable {
        var endpoint: Endpoint
        var alert: AlertID
    }

    /// An endpoint that was told of an alert and has not been told of its end.
    struct Debt: Sendable {
        var place: Place
        var owner: Int
    }

    /// True time at which an alert was over, with the reason.
    var over: [AlertID: Date] = [:]
    private(set) var debts: [Debt] = []
    private(set) var ends: Set<Place> = []
    private var deliveries: Set<String> = []
    /// Where anything has told of an alert.
    var reached: Set<Place> = []
    /// True times at which webhooks were added.
    var added: [Endpoint: Date] = [:]
    /// True times at which people last read or answered something.
    var acts: [Int: Date] = [:]
    /// Where an SMS has told of an alert.
    private(set) var alarmed: Set<Place> = []
    /// The last SMS about an owner said that help is needed.
    private(set) var lastIsAlarm: Set<Edge> = []
    /// Of each alert and person, the server's time of the last telling.
    private(set) var told: [AlertID: [Int: Date]] = [:]
    private(set) var questions: [AlertID: Date] = [:]
    /// Of each person, when they were last asked whether they are fine, by the server's time.
    private(set) var areYouOK: [Int: Date] = [:]
    /// Of each alert, to whom the server has made a notification of the end.
    private(set) var endsMade: [AlertID: Set<Int>] = [:]
    /// When people stopped being responders, in true time.
    var left: [Edge: Date] = [:]
    /// True times of the SMS about the begins and ends of one person's alerts to another.
    private(set) var changes: [Edge: [Date]] = [:]
    /// True times of the SMS about one alert to one person.
    private(set) var news: [Place: [Date]] = [:]

    /// The server has made a notification: it was told, as far as the server can.
    mutating func made(_ item: NotificationItem, meaning: Meaning, for person: Int) {
        if meaning == .areYouOK { areYouOK[person] = item.createdAt }
        guard let alert = item.alertID else { return }
        switch meaning {
        case .begins, .goesOn, .lapsed: told[alert, default: [:]][person] = item.createdAt
        case .question: questions[alert] = item.createdAt
        case .isOver: endsMade[alert, default: []].insert(person)
        default: break
        }
    }

    /// A message has reached an endpoint. Returns what is wrong with that, if anything.
    /// - Parameter about: whom the message is about.
    mutating func heard(
        _ arrival: Outside.Arrival, _ meaning: Meaning, about: Int?
    ) -> String? {
        let endpoint = arrival.endpoint
        // A receiver drops a webhook whose id it knows. A telephone drops nothing.
        let isFirst = deliveries.insert("\(endpoint) \(arrival.delivery)").inserted
        if !isFirst, !endpoint.isSMS { return nil }
        if case .parted(let owner) = meaning { forgive { $0.endpoint == endpoint && $1 == owner } }
        // News of the contact says that the reader is no responder any more.
        if let about, arrival.item.alertID == nil,
            [.contactAdded, .contactRemoved, .roleChanged].contains(arrival.item.type),
            left[Edge(responder: endpoint.person, owner: about)] != nil
        {
            forgive { $0.endpoint == endpoint && $1 == about }
        }
        guard let alert = arrival.item.alertID else { return nil }
        let place = Place(endpoint: endpoint, alert: alert)
        if case .isOver(let owner) = meaning {
            if !arrival.isDropped { ends.insert(place) }
            forgive { place, _ in place == Place(endpoint: endpoint, alert: alert) }
            if endpoint.isSMS { forgiveStorm(of: owner, before: alert, at: endpoint) }
        }
        if isFirst, endpoint.isSMS { count(arrival, meaning, place) }
        if endpoint.isSMS, !arrival.isDropped { noteLast(meaning, at: place) }
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

    /// In a storm the SMS about an end waits, and another alert takes its place: the end of the
    /// last one stands for all of the same owner.
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
            add(to: &changes[Edge(responder: place.endpoint.person, owner: owner), default: []])
        default: break
        }
    }

    /// A person who reads all notifications has read of the ends among them.
    mutating func read(_ person: Int) {
        let made = endsMade
        forgive { place, _ in
            place.endpoint.person == person && made[place.alert]?.contains(person) == true
        }
    }

    /// After a restore the server knows of these alerts only, and takes them for open.
    mutating func goBack(to open: Set<AlertID>) {
        for alert in open { over[alert] = nil }
        ends = ends.filter { !open.contains($0.alert) }
        forgive { place, _ in !open.contains(place.alert) }
        questions = [:]
        left = [:]
    }

    /// Nothing more is owed there.
    mutating func forgive(_ isForgiven: (Place, _ owner: Int) -> Bool) {
        debts.removeAll { isForgiven($0.place, $0.owner) }
    }
}
