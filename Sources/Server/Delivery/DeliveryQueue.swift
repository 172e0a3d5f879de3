import Domain
import Foundation
import Persistence

/// Decides whose turn it is. It holds at most one row of each endpoint, and of each person as many
/// as may be under way, so that nobody's backlog stands in another's way. Of endpoints with more
/// rows only the name is kept. The rows are the truth: a queue that starts anew finds everything.
struct DeliveryQueue {
    /// Tries for one recipient at a time.
    private static let standardTriesPerUser = 4
    /// So many rows are read at once.
    static let page = 500
    /// Another server is busy with the endpoint.
    private static let pauseWhenBlocked: Duration = .seconds(1)
    /// About as long as a transaction of another server. It doubles each time in a row.
    private static let pauseWhenBusy: Duration = .milliseconds(20)
    private static let longestPauseWhenBusy: Duration = .milliseconds(640)
    /// An endpoint that has rested for this long is as good as new.
    private static let memory: Duration = .hours(1)

    /// An endpoint whose next row is ready or under way.
    private struct Claim {
        var row: DeliveryID
        var priority: Int
        var isSuspect: Bool
        var isRunning = false
    }

    private struct Rest {
        var until: Date
        /// It has failed or was slow. Such endpoints share half of the places.
        var isSuspect: Bool
        /// So long, because another server had the recipient.
        var pauseWhenBusy: Duration?
    }

    let lanes: [Lane]
    private let rereading: Rereading
    private let limit: Int
    private let triesPerUser: Int
    /// Rows whose turn has come, in the order of priority and time.
    private var ready: [DueDelivery] = []
    private var running = 0
    private var claims: [DeliveryEndpoint: Claim] = [:]
    private var claimsOfUser: [UserID: Int] = [:]
    private var suspectClaims = 0
    /// Endpoints with further rows that are due, the one that waits longest first.
    private var backlog: [UserID: [DeliveryEndpoint]] = [:]
    /// People whose backlog has to be looked at.
    private var freed = UniqueQueue<UserID>()
    /// Suspects that wait for a place.
    private var parked = UniqueQueue<DeliveryEndpoint>()
    private var rests: [DeliveryEndpoint: Rest] = [:]
    /// The rests that go on, the one that ends first in front.
    private var restEnds: [(time: Date, endpoint: DeliveryEndpoint)] = []
    private var positions: [Lane: DueDelivery] = [:]
    private var sweptAt: Date?
    /// More than a page was due since the last sweep.
    private var isLong = false

    /// - Parameter isShared: rows are committed side by side.
    init(channels: [DeliveryChannel], limit: Int, isShared: Bool = false) {
        self.limit = limit
        rereading = isShared ? .sideBySide : .oneWriter
        triesPerUser =
            Self.pushServices.isSuperset(of: channels)
            ? Self.triesPerUserOfPushServices : Self.standardTriesPerUser
        lanes = DueDelivery.priorities.flatMap { priority in
            channels.map { Lane(channel: $0, priority: priority) }
        }
    }

    var free: Int { limit - running }
    private var suspectLimit: Int { max(1, limit / 2) }

    // MARK: Reading

    /// Before each reading.
    mutating func begin(at now: Date) {
        let isBack = positions.values.contains { $0.dueAt > now }
        let sweep = isLong ? rereading.sweepOfMany : rereading.sweep
        if isBack || sweptAt.map({ now.since($0) >= sweep || $0 > now }) ?? true {
            positions = [:]
            (sweptAt, isLong) = (now, false)
            rests = rests.filter { now.since($0.value.until) < Self.memory }
        }
        while let end = restEnds.first, end.time <= now {
            restEnds.removeFirst()
            let user = end.endpoint.userID
            if backlog[user] != nil { freed.append(user) }
        }
    }

    /// An endpoint whose next row is to be offered; nil when there is none to ask for.
    mutating func wanted(at now: Date) -> DeliveryEndpoint? {
        while suspectClaims < suspectLimit, let endpoint = parked.popFirst() {
            // One that can't go now stays in the backlog until its person is looked at again.
            let user = endpoint.userID
            guard isIdle(endpoint, at: now), claimsOfUser[user, default: 0] < triesPerUser,
                let index = backlog[user]?.firstIndex(of: endpoint)
            else { continue }
            return backlog[user]?.remove(at: index)
        }
        while let user = freed.first {
            if claimsOfUser[user, default: 0] < triesPerUser {
                let index = backlog[user]?.firstIndex { endpoint in
                    isIdle(endpoint, at: now)
                        && !(isSuspect(endpoint) && suspectClaims >= suspectLimit)
                }
                if let index { return backlog[user]?.remove(at: index) }
                for endpoint in backlog[user] ?? []
                where isSuspect(endpoint) && isIdle(endpoint, at: now) { parked.append(endpoint) }
            }
            _ = freed.popFirst()
            if backlog[user]?.isEmpty == true { backlog[user] = nil }
        }
        return nil
    }

    /// Takes the next row of an endpoint that was wanted; nil when it has none.
    mutating func offer(_ row: DueDelivery?, at now: Date) {
        guard let row else { return }
        note(row.endpoint)
        offer(row, at: now)
    }

    /// Where the reading of a lane goes on; nil when enough is ready.
    func position(in lane: Lane) -> (after: DueDelivery?, limit: Int)? {
        let count = ready.count { $0.priority <= lane.priority }
        return count < free ? (positions[lane], Self.page) : nil
    }

    /// Takes rows of a lane. Returns whether there may be more.
    mutating func offer(_ rows: [DueDelivery], in lane: Lane, at now: Date) -> Bool {
        for row in rows { offer(row, at: now) }
        guard var last = rows.last else { return false }
        let mayHaveMore = rows.count >= Self.page
        if mayHaveMore {
            isLong = true
        } else {
            last.dueAt = last.dueAt.adding(.zero - rereading.overlap)
        }
        positions[lane] = last
        return mayHaveMore
    }

    private mutating func offer(_ row: DueDelivery, at now: Date) {
        let endpoint = row.endpoint
        let user = endpoint.userID
        if let claim = claims[endpoint] {
            guard claim.row != row.id else { return }
            note(endpoint)
            // An alert goes before what else waits for the endpoint.
            guard !claim.isRunning, row.priority < claim.priority else { return }
            withdraw { $0.endpoint == endpoint }
        }
        guard isIdle(endpoint, at: now) else { return note(endpoint) }
        let isSuspect = isSuspect(endpoint)
        guard !isSuspect || suspectClaims < suspectLimit else {
            note(endpoint)
            return parked.append(endpoint)
        }
        if claimsOfUser[user, default: 0] >= triesPerUser {
            // … and before what else waits for the person.
            withdraw { $0.endpoint.userID == user && $0.priority > row.priority }
        }
        guard claimsOfUser[user, default: 0] < triesPerUser else { return note(endpoint) }
        claims[endpoint] = Claim(row: row.id, priority: row.priority, isSuspect: isSuspect)
        claimsOfUser[user, default: 0] += 1
        if isSuspect { suspectClaims += 1 }
        let order = (row.priority, row.dueAt)
        let before = ready.lastIndex { ($0.priority, $0.dueAt) <= order }
        ready.insert(row, at: before.map { $0 + 1 } ?? 0)
    }

    /// Lets the last such row wait again.
    private mutating func withdraw(where isMeant: (DueDelivery) -> Bool) {
        guard let index = ready.lastIndex(where: isMeant) else { return }
        let endpoint = ready.remove(at: index).endpoint
        release(endpoint)
        note(endpoint)
    }

    /// The endpoint has more than the row that it was claimed for.
    private mutating func note(_ endpoint: DeliveryEndpoint) {
        guard backlog[endpoint.userID]?.contains(endpoint) != true else { return }
        backlog[endpoint.userID, default: []].append(endpoint)
    }

    private func isIdle(_ endpoint: DeliveryEndpoint, at now: Date) -> Bool {
        claims[endpoint] == nil && (rests[endpoint].map { $0.until <= now } ?? true)
    }

    private func isSuspect(_ endpoint: DeliveryEndpoint) -> Bool {
        rests[endpoint]?.isSuspect ?? false
    }

    // MARK: Tries

    /// Takes rows for the places that are free.
    mutating func take() -> [DueDelivery] {
        let taken = Array(ready.prefix(free))
        ready.removeFirst(taken.count)
        for row in taken { claims[row.endpoint]?.isRunning = true }
        running += taken.count
        return taken
    }

    /// A try is over, or there was none after all.
    mutating func finish(_ endpoint: DeliveryEndpoint, _ end: End, at now: Date) {
        guard claims[endpoint]?.isRunning == true else { return }
        running -= 1
        release(endpoint)
        switch end {
        case .notTried: break
        case .done: rests[endpoint] = nil
        case .slow: rests[endpoint] = Rest(until: now, isSuspect: true)
        case .blocked:
            note(endpoint)
            rest(endpoint, Rest(until: now.adding(Self.pauseWhenBlocked), isSuspect: false))
        case .busy:
            note(endpoint)
            let last = rests[endpoint]?.pauseWhenBusy
            let pause = last.map { min($0 * 2, Self.longestPauseWhenBusy) } ?? Self.pauseWhenBusy
            let until = now.adding(pause)
            rest(endpoint, Rest(until: until, isSuspect: false, pauseWhenBusy: pause))
        case .rests(let until): rest(endpoint, Rest(until: until, isSuspect: true))
        }
    }

    private mutating func release(_ endpoint: DeliveryEndpoint) {
        guard let claim = claims.removeValue(forKey: endpoint) else { return }
        let user = endpoint.userID
        let count = (claimsOfUser[user] ?? 1) - 1
        claimsOfUser[user] = count > 0 ? count : nil
        if claim.isSuspect { suspectClaims -= 1 }
        if backlog[user] != nil { freed.append(user) }
    }

    private mutating func rest(_ endpoint: DeliveryEndpoint, _ rest: Rest) {
        rests[endpoint] = rest
        let later = restEnds.partitioningIndex { $0.time > rest.until }
        restEnds.insert((rest.until, endpoint), at: later)
    }

    /// When the next rest ends.
    var nextRestEnd: Date? { restEnds.first?.time }
}
