import Domain
import Foundation
import HTTPClient
import WebText

/// A request to Firestore that failed.
public struct FirestoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public var reason: DeliveryReason
    /// The back-off that Google asks for.
    var pause: Duration = .zero
    /// True if a request about another person would fail, too.
    var isOfService = true

    public var description: String { "\(reason)" }
}

/// The requests of Firestore's REST API that the copy needs. All throw `FirestoreFailure` or
/// `CancellationError`.
public struct FirestoreClient: Sendable {
    /// Sends one request.
    public typealias Send = @Sendable (OutgoingRequest) async throws -> IncomingResponse
    /// Returns an access token. Gets the token that Google has just rejected, if any.
    public typealias Authorize = @Sendable (_ refused: String?) async throws -> String

    struct Page: Sendable {
        var documents: [FirestoreDocument]
        /// nil on the last page.
        var next: String?
    }

    static let timeout: Duration = .seconds(15)
    private static let pageSize = 300

    /// The path of the database's documents.
    let root: String
    private let address: String
    private let send: Send
    private let authorize: Authorize

    /// Creates a client with another way to Google, for tests and the simulation.
    public init(
        project: String, baseURL: URL, send: @escaping Send, authorize: @escaping Authorize
    ) {
        root = "projects/\(project)/databases/(default)/documents"
        var base = baseURL.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        address = "\(base)/v1/\(root)"
        self.send = send
        self.authorize = authorize
    }

    public init(
        project: String, account: GoogleAccount, baseURL: URL, client: HTTPClient,
        now: @escaping @Sendable () -> Date
    ) {
        let tokens = GoogleTokens(
            account, scope: GoogleAccount.firestoreScope, client: client, now: now)
        self.init(
            project: project, baseURL: baseURL, send: { try await client.send($0) },
            authorize: { try await tokens.token(after: $0) })
    }

    // MARK: Requests

    /// Returns the documents of these people. Omits people without one.
    func users(_ ids: [UserID]) async throws -> [UserID: FirestoreDocument] {
        struct Query: Encodable {
            var documents: [String]
        }
        struct Answer: Decodable {
            var found: FirestoreDocument?
            var missing: String?
        }
        let names = ids.map { "\(root)/\(FirestoreDocuments.path(of: $0))" }
        let answers: [Answer] = try await read(
            OutgoingRequest(
                url: try url(":batchGet"), body: try Self.body(Query(documents: names)),
                isRepeatable: true))
        guard Set(answers.compactMap { $0.found?.name ?? $0.missing }).isSuperset(of: names) else {
            throw Self.unusable
        }
        let found = answers.compactMap(\.found).compactMap { document in
            document.userID.map { ($0, document) }
        }
        return Dictionary(found) { $1 }
    }

    /// Asks for a document that doesn't exist, to find out whether Google accepts this server.
    public func check() async throws { _ = try await users([UserID(.random())]) }

    /// Returns a page of all people with documents, also people who have only documents of alerts.
    func users(after token: String?) async throws -> Page {
        try await page("users", token, "&showMissing=true")
    }

    func alerts(of user: UserID) async throws -> [FirestoreDocument] {
        var documents: [FirestoreDocument] = []
        var token: String?
        repeat {
            let page = try await page("\(FirestoreDocuments.path(of: user))/alerts", token)
            documents += page.documents
            guard page.next == nil || page.next != token else { throw Self.unusable }
            token = page.next
        } while token != nil
        return documents
    }

    func copy(of user: UserID) async throws -> FirestoreCopy {
        let document = try await users([user])[user]
        return FirestoreCopy(user: document, alerts: try await alerts(of: user))
    }

    /// Writes all or nothing.
    func commit(_ writes: [FirestoreWrite]) async throws {
        struct Commit: Encodable {
            var writes: [FirestoreWrite]
        }
        struct Answer: Decodable {
            struct WriteResult: Decodable {}

            var commitTime: String?
            var writeResults: [WriteResult]?
        }
        let response = try await answer(
            OutgoingRequest(
                url: try url(":commit"), body: try Self.body(Commit(writes: writes)),
                // A repeated commit fails by its precondition.
                isRepeatable: true))
        // A precondition that failed is a 400, 404 or 409. A refused value concerns one person,
        // too.
        if [400, 404, 409, 412, 413].contains(response.status) {
            throw FirestoreFailure(reason: .http(response.status), isOfService: false)
        }
        try Self.check(response)
        // Another server may answer any request with 200.
        guard let result = try? JSONDecoder().decode(Answer.self, from: response.body),
            result.commitTime != nil || result.writeResults?.count == writes.count
        else { throw Self.unusable }
    }

    private func page(
        _ path: String, _ token: String?, _ option: String = ""
    ) async throws -> Page {
        struct Answer: Decodable {
            var documents: [FirestoreDocument]?
            var nextPageToken: String?
        }
        let start = token.map { "&pageToken=\(PercentEncoding.unreserved($0))" } ?? ""
        let query = "?pageSize=\(Self.pageSize)\(option)\(start)"
        let result: Answer = try await read(
            OutgoingRequest(method: "GET", url: try url("/\(path)\(query)")))
        return Page(
            documents: result.documents ?? [],
            next: result.nextPageToken.flatMap { $0.isEmpty ? nil : $0 })
    }

    private func read<Answer: Decodable>(_ request: OutgoingRequest) async throws -> Answer {
        let response = try await answer(request)
        try Self.check(response)
        guard let result = try? JSONDecoder().decode(Answer.self, from: response.body) else {
            throw Self.unusable
        }
        return result
    }

    /// Sends a request, with a new token if Google rejects the first one.
    private func answer(_ request: OutgoingRequest) async throws -> IncomingResponse {
        var request = request
        request.timeout = Self.timeout
        var refused: String?
        while true {
            do {
                let token = try await authorize(refused)
                request.headers = [
                    ("content-type", "application/json"), ("authorization", "Bearer \(token)"),
                ]
                let response = try await send(request)
                guard response.status == 401, refused == nil else { return response }
                refused = token
            } catch let failure as GoogleTokens.Failure {
                throw FirestoreFailure(reason: failure.reason, pause: failure.pause)
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw FirestoreFailure(reason: DeliveryReason(error))
            }
        }
    }

    // MARK: Parts

    private static let unusable = FirestoreFailure(reason: .http(502))

    private static func check(_ response: IncomingResponse) throws {
        switch response.status {
        case 200..<300: return
        // A 404 means that the project or its database is missing.
        case 400, 401, 403, 404:
            throw FirestoreFailure(
                reason: .credentials(response.status), pause: response.retryAfter)
        default:
            throw FirestoreFailure(reason: .http(response.status), pause: response.retryAfter)
        }
    }

    private static func body(_ value: some Encodable) throws -> Data {
        do {
            return try WireJSON.encoder().encode(value)
        } catch {
            throw FirestoreFailure(reason: .other, isOfService: false)
        }
    }

    private func url(_ path: String) throws -> URL {
        guard let url = URL(string: address + path) else {
            throw FirestoreFailure(reason: .other)
        }
        return url
    }
}
