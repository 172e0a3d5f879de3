import Domain
import Foundation
import Synchronization

@testable import Delivery
@testable import HTTPClient

/// Firestore in memory: atomic commits with preconditions, look-ups, and lists in small pages.
final class FakeFirestore: Sendable {
    enum Kind: Equatable, Sendable { case commit, batchGet, list }

    enum Trouble: Sendable {
        case status(Int, headers: [String: String] = [:], body: String = "{}")
        case broken(HTTPClientError)
        /// The request takes effect, and its answer is lost.
        case lost
    }

    struct Request: Sendable {
        var kind: Kind
        var body: String
    }

    /// Decides about a request; nil for an honest answer.
    typealias Answer = @Sendable (Request) async -> Trouble?

    private struct Commit: Decodable {
        struct Condition: Decodable {
            var exists: Bool?
            var updateTime: String?
        }

        struct Write: Decodable {
            var update: FirestoreDocument?
            var delete: String?
            var currentDocument: Condition?
        }

        var writes: [Write]
    }

    private struct State {
        var documents: [String: FirestoreDocument] = [:]
        var requests: [Kind] = []
        var commits: [String] = []
        var updates = 0
        var answer: Answer = { _ in nil }
        var pageSize = 2
    }

    static let root = "projects/lifesignal-1/databases/(default)/documents"

    private let state = Mutex(State())

    var client: FirestoreClient {
        FirestoreClient(
            project: "lifesignal-1",
            baseURL: URL(string: "https://firestore.example/") ?? URL(fileURLWithPath: "/"),
            send: { try await self.handle($0) }, authorize: { _ in "token" })
    }

    var requests: [Kind] { state.withLock { $0.requests } }
    /// The bodies of all commits, also of those that failed.
    var commits: [String] { state.withLock { $0.commits } }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
    func answerHonestly() { answer { _ in nil } }

    /// Holds the first commit whose body contains this text; any commit's does without a text.
    func holdFirstCommit(with part: String? = nil) -> RequestGate {
        let gate = RequestGate()
        let isFirst = Mutex(true)
        answer { request in
            guard request.kind == .commit, part.map({ request.body.contains($0) }) ?? true else {
                return nil
            }
            let isHeld = isFirst.withLock { value in
                defer { value = false }
                return value
            }
            if isHeld { await gate.pass() }
            return nil
        }
        return gate
    }

    /// The paths of all documents, without the database's.
    var paths: [String] {
        let names = state.withLock { $0.documents.keys.sorted() }
        return names.map { String($0.dropFirst(Self.root.count + 1)) }
    }

    /// Returns a document's fields without the version; nil without the document.
    func fields(_ path: String) -> [String: FirestoreValue]? {
        let document = state.withLock { $0.documents["\(Self.root)/\(path)"] }
        return document?.fields.filter { $0.key != FirestoreDocuments.version }
    }

    /// Writes a document as another program would.
    func put(_ path: String, _ fields: [String: FirestoreValue]) {
        state.withLock { state in
            state.updates += 1
            let name = "\(Self.root)/\(path)"
            state.documents[name] = FirestoreDocument(
                name: name, fields: fields, updateTime: "time-\(state.updates)")
        }
    }

    func setPageSize(_ documents: Int) { state.withLock { $0.pageSize = documents } }

    func remove(_ path: String) {
        state.withLock { $0.documents["\(Self.root)/\(path)"] = nil }
    }

    // MARK: Requests

    func handle(_ request: OutgoingRequest) async throws -> IncomingResponse {
        let address = request.url.absoluteString
        let kind: Kind =
            address.hasSuffix(":commit")
            ? .commit : address.hasSuffix(":batchGet") ? .batchGet : .list
        let body = String(decoding: request.body, as: UTF8.self)
        let answer = state.withLock { state in
            state.requests.append(kind)
            if kind == .commit { state.commits.append(body) }
            return state.answer
        }
        switch await answer(Request(kind: kind, body: body)) {
        case .status(let status, let headers, let body):
            return IncomingResponse(status: status, headers: headers, body: Data(body.utf8))
        case .broken(let error): throw error
        case .lost:
            _ = try honest(kind, address, request.body)
            throw HTTPClientError.interrupted
        case nil: return try honest(kind, address, request.body)
        }
    }

    private func honest(_ kind: Kind, _ address: String, _ body: Data) throws -> IncomingResponse {
        switch kind {
        case .commit: try commit(JSONDecoder().decode(Commit.self, from: body).writes)
        case .batchGet: try look(body)
        case .list: try list(address)
        }
    }

    private func commit(_ writes: [Commit.Write]) throws -> IncomingResponse {
        let isDone = state.withLock { state in
            for write in writes {
                let present = state.documents[write.update?.name ?? write.delete ?? ""]
                if let exists = write.currentDocument?.exists, exists != (present != nil) {
                    return false
                }
                if let time = write.currentDocument?.updateTime, time != present?.updateTime {
                    return false
                }
            }
            for write in writes {
                if let name = write.delete { state.documents[name] = nil }
                guard var document = write.update else { continue }
                state.updates += 1
                document.updateTime = "time-\(state.updates)"
                state.documents[document.name] = document
            }
            return true
        }
        return isDone
            ? try Self.answer(["commitTime": "2026-03-01T12:00:00Z"])
            : IncomingResponse(status: 400, headers: [:], body: Data("{}".utf8))
    }

    private func look(_ body: Data) throws -> IncomingResponse {
        struct Query: Decodable {
            var documents: [String]
        }
        struct Found: Encodable {
            var found: FirestoreDocument?
            var missing: String?
        }
        let names = try JSONDecoder().decode(Query.self, from: body).documents
        return try Self.answer(
            state.withLock { state in
                names.map { name in
                    let document = state.documents[name]
                    return Found(found: document, missing: document == nil ? name : nil)
                }
            })
    }

    /// The page token is the name of the page's last document.
    private func list(_ address: String) throws -> IncomingResponse {
        struct Page: Encodable {
            var documents: [FirestoreDocument]
            var nextPageToken: String?
        }
        let parts = address.components(separatedBy: "?")
        let path = parts[0].components(separatedBy: "/documents/").last ?? ""
        let query = parts.last ?? ""
        let token = query.components(separatedBy: "&pageToken=").dropFirst().first?
            .removingPercentEncoding
        let prefix = "\(Self.root)/\(path)/"
        let page = state.withLock { state in
            let below = state.documents.keys.filter { $0.hasPrefix(prefix) }
            let ids = below.compactMap { $0.dropFirst(prefix.count).split(separator: "/").first }
            let names = Set(ids.map { "\(prefix)\($0)" }).sorted().filter { name in
                let isShown = state.documents[name] != nil || query.contains("showMissing=true")
                return isShown && token.map { name > $0 } ?? true
            }
            let shown = names.prefix(state.pageSize)
            return Page(
                documents: shown.map {
                    state.documents[$0] ?? FirestoreDocument(name: $0, fields: [:])
                },
                nextPageToken: names.count > shown.count ? shown.last : nil)
        }
        return try Self.answer(page)
    }

    private static func answer(_ value: some Encodable) throws -> IncomingResponse {
        IncomingResponse(status: 200, headers: [:], body: try JSONEncoder().encode(value))
    }
}

/// Holds a request until a test lets it go.
final class RequestGate: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self)
    private let openings = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        arrivals.continuation.yield()
        for await _ in openings.stream { return }
    }

    func arrival() async {
        for await _ in arrivals.stream { return }
    }

    func open() { openings.continuation.yield() }
}
