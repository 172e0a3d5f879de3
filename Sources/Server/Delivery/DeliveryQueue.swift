import Domain
import Foundation
import Persistence

/// Decides which delivery is tried next. The queue holds at most one row per endpoint and a few
/// rows per person. So one person's backlog doesn't delay others. The queue remembers endpoints
/// with further rows, but not those rows. After a restart, the queue reads everything from the
/// database.
struct DeliveryQueue {
    private static let standardTriesPerUser = 4
    /// The maximum number of rows per read.
    static let page = 500
    /// Back-off while another server sends to the endpoint.
    private static let pauseWhenBlocked: Duration = .seconds(1)
    /// Back-off while another server holds the recipient's lease: about the length of its
    /// transaction. It doubles with each consecutive wait.
    private static let pauseWhenBusy: Duration = .milliseconds(20)
    private static let longestPauseWhenBusy: Duration = .milliseconds(640)
    /// How long an endpoint's failures are remembered after its back-off.
    private static let memory: Duration = .hours(1)

    /// An endpoint whose next row is in `ready` or being tried.
    private struct Claim {
        var row: DeliveryID
        var priority: Int
        var isSuspect: Bool
        var isRunning = false
    }

    private struct Rest {
        var until: Date
        /// Whether the endpoint has failed or was slow. Suspect endpoints together get at most half
        /// of the places.
        var isSuspect: Bool
        var pauseWhenBusy: Duration?
    }

    let lanes: [Lane]
    private let rereading: Rereading
    private let limit: Int
    private let triesPerUser: Int
    /// Rows to try next, by priority and due time.
    private var ready: [DueDelivery] = []
    private var running = 0
    private var claims: [DeliveryEndpoint: Claim] = [:]
    private var claimsOfUser: [UserID: Int] = [:]
    private var suspectClaims = 0
    /// Each person's endpoints with due rows outside the queue. The endpoint that has waited
    /// longest is first.
    private var backlog: [UserID: [DeliveryEndpoint]] = [:]
    /// People whose backlog must be checked.
    private var freed = UniqueQueue<UserID>()
    /// Suspect endpoints that wait for a free place.
    private var parked = UniqueQueue<DeliveryEndpoint>()
    private var rests: [DeliveryEndpoint: Rest] = [:]
    /// The current back-offs, ordered by their ends.
    private var restEnds: [(time: Date, endpoint: DeliveryEndpoint)] = []
    private var positions: [Lane: DueDelivery] = [:]
    private var begunAt: Date?
    private var sweptAt: Date?
    /// Whether more than one page has been due since the last sweep.
    private var isLong = false

    /// - Parameter isShared: whether transactions commit concurrently (PostgreSQL).
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

    /// Prepares for a reading. The caller must call this before each reading.
    mutating func begin(at now: Date) {
        let latest = now.adding(EndpointRules.longestRestOnSecondDay)
        let isTooLong = restEnds.last.map { $0.time > latest } ?? false
        if isTooLong || begunAt.map({ now < $0 }) ?? false { endRests(at: now) }
        begunAt = now
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

    /// Returns an endpoint whose next row the caller should read and offer; nil if there is none.
    mutating func wanted(at now: Date) -> DeliveryEndpoint? {
        while suspectClaims < suspectLimit, let endpoint = parked.popFirst() {
            // An endpoint that can't be tried now stays in its person's backlog.
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

    /// Adds the next row of a wanted endpoint. `row` is nil if the endpoint has none.
    mutating func offer(_ row: DueDelivery?, at now: Date) {
        guard let row else { return }
        note(row.endpoint)
        offer(row, at: now)
    }

    /// Returns where to continue reading a lane; nil if enough rows are ready.
    func position(in lane: Lane) -> (after: DueDelivery?, limit: Int)? {
        let count = ready.count { $0.priority <= lane.priority }
        return count < free ? (positions[lane], Self.page) : nil
    }

    /// Adds rows of a lane. Returns whether the lane may have more.
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
            // A row of a higher priority (a lower number) replaces the endpoint's ready row.
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
            // A row of a higher priority replaces the person's last ready row of a lower one.
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

    /// Moves the last row that meets the condition from `ready` back to the backlog.
    private mutating func withdraw(where isMeant: (DueDelivery) -> Bool) {
        guard let index = ready.lastIndex(where: isMeant) else { return }
        let endpoint = ready.remove(at: index).endpoint
        release(endpoint)
        note(endpoint)
    }

    /// Adds an endpoint with due rows outside the queue to the backlog.
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

    /// Takes one row for each free place.
    mutating func take() -> [DueDelivery] {
        let taken = Array(ready.prefix(free))
        ready.removeFirst(taken.count)
        for row in taken { claims[row.endpoint]?.isRunning = true }
        running += taken.count
        return taken
    }

    /// Frees the place of an attempt that is over or was skipped.
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

    /// Ends all back-offs. After a correction of the clock, they would be too long.
    private mutating func endRests(at now: Date) {
        rests = rests.mapValues { rest in
            var rest = rest
            rest.until = min(rest.until, now)
            return rest
        }
        restEnds = restEnds.map { (min($0.time, now), $0.endpoint) }
    }

    var nextRestEnd: Date? { restEnds.first?.time }
}

extension DeliveryQueue {
    private static let pushServices: Set<DeliveryChannel> = [.webPush, .apns, .fcm]
    /// The maximum number of concurrent attempts for one person, enough for all devices. A push
    /// service accepts a message immediately. If one hangs, it must not delay the other devices.
    private static let triesPerUserOfPushServices = PushEndpoint.limit

    /// The outcome of a row that the queue handed out.
    enum End {
        /// Nothing was sent.
        case notTried
        /// Another message to the endpoint about the same alert is in flight.
        case blocked
        /// Another server holds the recipient's lease.
        case busy
        case done
        /// The message was sent, but the try took long.
        case slow
        /// The endpoint's back-off ends at this time.
        case rests(until: Date)
    }
}

extension DeliveryQueue {
    /// The due rows of one channel and one priority.
    struct Lane: Hashable {
        var channel: DeliveryChannel
        var priority: Int
    }

    /// How often due rows are read repeatedly. A row is due at the start of its transaction, but
    /// visible only after the commit. By then, the queue may have read rows with later due times.
    /// Reading the same range twice finds the late row.
    struct Rereading: Sendable {
        /// How far before the last row each reading starts.
        var overlap: Duration
        /// How often all due rows are read from the beginning.
        var sweep: Duration
        /// Replaces `sweep` while more than one page is due.
        var sweepOfMany: Duration = .seconds(5)

        /// SQLite: transactions commit in the order of their starts, except in a group commit.
        static let oneWriter = Rereading(overlap: .milliseconds(20), sweep: .seconds(5))
        /// PostgreSQL: transactions run concurrently, and a commit waits for a replica's disk.
        static let sideBySide = Rereading(overlap: .seconds(2), sweep: .seconds(1))
    }
}
