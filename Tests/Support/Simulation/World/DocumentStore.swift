import Delivery
import Domain
import Foundation
import HTTPClient
import SeededGenerator
import Synchronization

/// How the document store misbehaves.
public enum CopyTrouble: String, Sendable, Equatable, CaseIterable {
    /// Refuses connections.
    case down
    /// Answers 500.
    case failing
    /// Answers 429, and asks for two minutes.
    case busy
    /// Answers 403.
    case forbidden
    /// Answers 200 with another server's page.
    case garbled
    /// Answers each commit with 409.
    case conflicting
    /// Delays commits until the sender times out, and applies them up to five minutes later.
    case slow
    /// Applies commits, but the answer never arrives.
    case deaf
}

/// Firestore in memory: atomic commits with preconditions, look-ups and lists in pages. Tokens are
/// worthless after an hour.
final class DocumentStore: Sendable {
    /// A value in Firestore's JSON format. Numbers and times stay texts.
    enum Value: Codable, Equatable, Sendable {
        case text(String)
        case boolean(Bool)
        case number(String)
        case time(String)
        case null

        private enum Key: String, CodingKey {
            case stringValue, booleanValue, integerValue, timestampValue, nullValue
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            if let text = try container.decodeIfPresent(String.self, forKey: .stringValue) {
                self = .text(text)
            } else if let value = try container.decodeIfPresent(Bool.self, forKey: .booleanValue) {
                self = .boolean(value)
            } else if let text = try container.decodeIfPresent(String.self, forKey: .integerValue) {
                self = .number(text)
            } else if let text = try container.decodeIfPresent(
                String.self, forKey: .timestampValue)
            {
                self = .time(text)
            } else {
                self = .null
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            switch self {
            case .text(let text): try container.encode(text, forKey: .stringValue)
            case .boolean(let value): try container.encode(value, forKey: .booleanValue)
            case .number(let text): try container.encode(text, forKey: .integerValue)
            case .time(let text): try container.encode(text, forKey: .timestampValue)
            case .null: try container.encodeNil(forKey: .nullValue)
            }
        }
    }

    struct Document: Codable, Sendable {
        var name: String
        var fields: [String: Value]?
        var updateTime: String?
    }

    private struct Write: Decodable, Sendable {
        struct Condition: Decodable, Sendable {
            var exists: Bool?
            var updateTime: String?
        }

        var update: Document?
        var delete: String?
        var currentDocument: Condition?

        var name: String { update?.name ?? delete ?? "" }
    }

    private struct Commit: Decodable {
        var writes: [Write]
    }

    private struct State {
        var documents: [String: Document] = [:]
        var updates = 0
        var trouble: (trouble: CopyTrouble, until: Date)?
        /// Commits whose sender has given up, and when they are applied.
        var late: [(at: Date, writes: [Write])] = []
        /// The documents that a late commit has created.
        var lateCreations: Set<String> = []
        /// The client's token.
        var token: String?
        var leases: UInt64 = 0
    }

    private static let project = "lifesignal-1"
    private static let root = "projects/\(project)/databases/(default)/documents"
    private static let pageSize = 7
    /// The field that changes with each copy.
    private static let version = "version"

    private let seed: UInt64
    private let time: SimulatedTime
    private let state = Mutex(State())

    init(seed: UInt64, time: SimulatedTime) {
        self.seed = seed
        self.time = time
    }

    // MARK: Troubles

    /// Sets the trouble of all requests, in place of the last one.
    func trouble(_ trouble: CopyTrouble, until: Date) {
        state.withLock { $0.trouble = (trouble: trouble, until: until) }
    }

    /// The end of the last trouble; nil if there was none.
    var lastTrouble: Date? { state.withLock { $0.trouble?.until } }

    /// Returns a number that no other lease has.
    func lease() -> Int64 {
        let count = state.withLock { state in
            state.leases += 1
            return state.leases
        }
        return Int64(bitPattern: SeededGenerator.number(seed, count, 0xC0))
    }

    // MARK: The observer's view

    /// The paths of all documents, without the database's.
    var paths: [String] {
        state.withLock { $0.documents.keys.sorted() }.map {
            String($0.dropFirst(Self.root.count + 1))
        }
    }

    /// Returns a document's fields without the version; nil without the document.
    func fields(_ path: String) -> [String: Value]? {
        let document = state.withLock { $0.documents["\(Self.root)/\(path)"] }
        return document.map { ($0.fields ?? [:]).filter { $0.key != Self.version } }
    }

    /// Returns whether a late commit has left an empty document (Deploy/firestore/README.md).
    func isLateCreation(_ path: String) -> Bool {
        fields(path)?.isEmpty == true
            && state.withLock { $0.lateCreations.contains("\(Self.root)/\(path)") }
    }

    // MARK: Requests

    /// - Parameter isHonest: true for the observer, whose requests meet no trouble.
    func client(isHonest: Bool) -> FirestoreClient {
        FirestoreClient(
            project: Self.project,
            baseURL: URL(string: "https://firestore.example") ?? URL(fileURLWithPath: "/"),
            send: { [self] request in try handle(request, isHonest: isHonest) },
            authorize: { [self] refused in token(after: refused) })
    }

    private var goodToken: String { "token-\(time.monotonic.components.seconds / 3_600)" }

    private func token(after refused: String?) -> String {
        let good = goodToken
        return state.withLock { state in
            let token = state.token.flatMap { $0 == refused ? nil : $0 } ?? good
            state.token = token
            return token
        }
    }

    private func handle(_ request: OutgoingRequest, isHonest: Bool) throws -> IncomingResponse {
        applyLate()
        let credentials = request.headers.first { $0.name == "authorization" }?.value
        guard credentials == "Bearer \(goodToken)" else { return Self.status(401) }
        let address = request.url.absoluteString
        let isCommit = address.hasSuffix(":commit")
        let now = time.now
        let trouble = state.withLock { state in
            state.trouble.flatMap { now < $0.until && !isHonest ? $0.trouble : nil }
        }
        switch trouble {
        case .down: throw HTTPClientError.refused
        case .failing: return Self.status(500)
        case .busy: return Self.status(429, ["retry-after": "120"])
        case .forbidden: return Self.status(403)
        case .garbled:
            return IncomingResponse(status: 200, headers: [:], body: Data("<html>".utf8))
        case .conflicting where isCommit: return Self.status(409)
        case .slow where isCommit:
            try hold(request.body)
            throw HTTPClientError.timedOut
        case .deaf where isCommit:
            _ = try commit(request.body)
            throw HTTPClientError.interrupted
        case .conflicting, .slow, .deaf, nil: break
        }
        if isCommit { return try commit(request.body) }
        return address.hasSuffix(":batchGet") ? try look(request.body) : try list(address)
    }

    private static func status(_ status: Int, _ headers: [String: String] = [:])
        -> IncomingResponse
    {
        IncomingResponse(status: status, headers: headers, body: Data("{}".utf8))
    }

    private static func answer(_ value: some Encodable) throws -> IncomingResponse {
        IncomingResponse(status: 200, headers: [:], body: try JSONEncoder().encode(value))
    }

    // MARK: Commits

    private func hold(_ body: Data) throws {
        let writes = try JSONDecoder().decode(Commit.self, from: body).writes
        let now = time.now
        let delay = SeededGenerator.number(seed, UInt64(now.milliseconds), UInt64(body.count)) % 300
        let at = now.adding(.seconds(Int64(delay)))
        state.withLock { $0.late.append((at: at, writes: writes)) }
    }

    private func applyLate() {
        let now = time.now
        state.withLock { state in
            let due = state.late.filter { $0.at <= now }.sorted { $0.at < $1.at }
            state.late.removeAll { $0.at <= now }
            for commit in due where Self.apply(commit.writes, to: &state) {
                for write in commit.writes where write.currentDocument?.exists == false {
                    state.lateCreations.insert(write.name)
                }
            }
        }
    }

    private func commit(_ body: Data) throws -> IncomingResponse {
        let writes = try JSONDecoder().decode(Commit.self, from: body).writes
        let isDone = state.withLock { Self.apply(writes, to: &$0) }
        return isDone ? try Self.answer(["commitTime": "2026-03-01T12:00:00Z"]) : Self.status(400)
    }

    /// Applies all writes, or none if a precondition fails.
    private static func apply(_ writes: [Write], to state: inout State) -> Bool {
        for write in writes {
            let present = state.documents[write.name]
            if let exists = write.currentDocument?.exists, exists != (present != nil) {
                return false
            }
            if let time = write.currentDocument?.updateTime, time != present?.updateTime {
                return false
            }
        }
        for write in writes {
            guard var document = write.update else {
                state.documents[write.name] = nil
                continue
            }
            state.updates += 1
            document.updateTime = "time-\(state.updates)"
            state.documents[document.name] = document
        }
        return true
    }

    // MARK: Reads

    private func look(_ body: Data) throws -> IncomingResponse {
        struct Query: Decodable {
            var documents: [String]
        }
        struct Found: Encodable {
            var found: Document?
            var missing: String?
        }
        let names = try JSONDecoder().decode(Query.self, from: body).documents
        let documents = state.withLock { $0.documents }
        return try Self.answer(
            names.map { name in
                Found(found: documents[name], missing: documents[name] == nil ? name : nil)
            })
    }

    /// The page token is the name of the page's last document.
    private func list(_ address: String) throws -> IncomingResponse {
        struct Page: Encodable {
            var documents: [Document]
            var nextPageToken: String?
        }
        let parts = address.components(separatedBy: "?")
        let path = parts[0].components(separatedBy: "/documents/").last ?? ""
        let query = parts.last ?? ""
        let token = query.components(separatedBy: "&pageToken=").dropFirst().first?
            .removingPercentEncoding
        let prefix = "\(Self.root)/\(path)/"
        let documents = state.withLock { $0.documents }
        let showsMissing = query.contains("showMissing=true")
        let below = documents.keys.filter { $0.hasPrefix(prefix) }
        let ids = below.compactMap { $0.dropFirst(prefix.count).split(separator: "/").first }
        let names = Set(ids.map { "\(prefix)\($0)" }).sorted().filter { name in
            (documents[name] != nil || showsMissing) && (token.map { name > $0 } ?? true)
        }
        let shown = names.prefix(Self.pageSize)
        return try Self.answer(
            Page(
                documents: shown.map { name in documents[name] ?? Document(name: name) },
                nextPageToken: names.count > shown.count ? shown.last : nil))
    }
}
