import Domain
import Foundation

/// What people have heard, at which endpoint and in which order. No restore takes it back.
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
    var owners: [AlertID: Int] = [:]
    private(set) var debts: [Debt] = []
    private(set) var ends: Set<Place> = []
    private var deliveries: Set<String> = []
    /// Of each alert and person, the server's time of the last telling.
    private(set) var told: [AlertID: [Int: Date]] = [:]
    private(set) var questions: [AlertID: Date] = [:]
    private(set) var lapses: [AlertID: Date] = [:]
    /// Of each alert, to whom the server has made a notification of the end.
    private(set) var endsMade: [AlertID: Set<Int>] = [:]
    /// When people stopped being responders, in true time.
    var left: [Edge: Date] = [:]
    /// True times of the SMS about one person to another.
    private(set) var messages: [Edge: [Date]] = [:]

    /// The server has made a notification: it was told, as far as the server can.
    mutating func made(_ item: NotificationItem, meaning: Meaning, for person: Int) {
        guard let alert = item.alertID else { return }
        switch meaning {
        case .begins, .goesOn: told[alert, default: [:]][person] = item.createdAt
        case .lapsed:
            told[alert, default: [:]][person] = item.createdAt
            lapses[alert] = item.createdAt
        case .question: questions[alert] = item.createdAt
        case .isOver: endsMade[alert, default: []].insert(person)
        default: break
        }
    }

    /// A message has reached an endpoint. Returns what is wrong with that, if anything.
    mutating func heard(_ arrival: Outside.Arrival, _ meaning: Meaning) -> String? {
        let endpoint = arrival.endpoint
        // A receiver drops a webhook whose id it knows. A telephone drops nothing.
        if !endpoint.isSMS,
            !deliveries.insert("\(endpoint) \(arrival.delivery)").inserted
        {
            return nil
        }
        if case .parted(let owner) = meaning { forgive { $0.endpoint == endpoint && $1 == owner } }
        if case .rolesChanged(let owner) = meaning,
            left[Edge(responder: endpoint.person, owner: owner)] != nil
        {
            forgive { $0.endpoint == endpoint && $1 == owner }
        }
        guard let alert = arrival.item.alertID else { return nil }
        let place = Place(endpoint: endpoint, alert: alert)
        if case .isOver = meaning {
            if !arrival.isDropped { ends.insert(place) }
            forgive { place, _ in place == Place(endpoint: endpoint, alert: alert) }
        }
        guard let owner = meaning.alarm, !arrival.isDropped else { return nil }
        if endpoint.isSMS { count(Edge(responder: endpoint.person, owner: owner), at: arrival.at) }
        if ends.contains(place) {
            return "\(endpoint) heard \"\(arrival.item.title)\" after the end"
        }
        owners[alert] = owner
        if !debts.contains(where: { $0.place == place }) {
            debts.append(Debt(place: place, owner: owner))
        }
        return nil
    }

    mutating func count(_ edge: Edge, at time: Date) {
        messages[edge, default: []].removeAll { time.since($0) > .minutes(10) }
        messages[edge, default: []].append(time)
    }

    /// Who reads all notifications has read of the ends among them.
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
