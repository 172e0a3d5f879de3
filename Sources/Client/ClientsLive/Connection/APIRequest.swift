import API
import Domain
import Foundation
import WebText

struct APIRequest: Sendable {
    var endpoint: Endpoint
    var request: TransportRequest

    struct Body {
        var bytes: Data
        var mediaType: String

        /// Returns nil for a route without a body.
        static func json<Value: Encodable>(_ value: Value) throws -> Body? {
            guard Value.self != Empty.self else { return nil }
            return Body(bytes: try WireJSON.encoder().encode(value), mediaType: "application/json")
        }
    }

    init(
        _ endpoint: Endpoint, id: UUID? = nil, query: [String: String] = [:], body: Body? = nil,
        timeout: Duration
    ) {
        assert(endpoint.path.contains("{id}") == (id != nil), "\(endpoint.path) with \(id as Any)")
        self.endpoint = endpoint
        var path = endpoint.path.replacing(
            "{id}", with: id.map { $0.uuidString.lowercased() } ?? "")
        if !query.isEmpty {
            path +=
                "?"
                + query.sorted { $0.key < $1.key }
                .map { "\($0.key)=\(PercentEncoding.unreserved($0.value))" }.joined(separator: "&")
        }
        var headers = ["Accept": "*/*"]
        if let body, !body.bytes.isEmpty { headers["Content-Type"] = body.mediaType }
        request = TransportRequest(
            method: endpoint.method, path: path, headers: headers, body: body?.bytes ?? Data(),
            isRepeatable: endpoint.isRepeatable, timeout: timeout)
    }
}

extension TransportRequest {
    func with(_ tokens: SessionTokens) -> TransportRequest {
        var request = self
        request.headers["Authorization"] = "Bearer \(tokens.accessToken)"
        return request
    }
}

enum APIReply {
    /// Ignores unknown fields, which a newer server may send.
    static func decode<Output: Payload>(_ type: Output.Type, from answer: TransportResponse)
        throws(ClientFailure) -> Output
    {
        if let empty = Empty() as? Output { return empty }
        guard let output = try? WireJSON.tolerantDecoder().decode(Output.self, from: answer.body)
        else { throw .malformedAnswer }
        return output
    }

    static func accepted(_ answer: TransportResponse, for endpoint: Endpoint) throws(ClientFailure)
        -> TransportResponse
    {
        guard answer.status == endpoint.status else { throw failure(of: answer) }
        return answer
    }

    /// The header `Retry-After`. Its date is compared with the answer's own date. A wait of more
    /// than a day is ignored.
    private static func retryAfter(_ headers: [String: String]) -> Duration? {
        let wait = RetryAfter.wait(
            headers["retry-after"], now: headers["date"].flatMap(HTTPDate.date))
        return wait.flatMap { $0 <= RetryAfter.limit ? $0 : nil }
    }

    static func failure(of answer: TransportResponse) -> ClientFailure {
        let wait = retryAfter(answer.headers)
        let read = try? WireJSON.tolerantDecoder().decode(Problem.self, from: answer.body)
        if var problem = read, problem.status == answer.status {
            // For an unknown error code, the status decides whether to retry.
            if problem.code == .unknown {
                let known = ErrorCode.allCases.first { $0.status == problem.status }
                switch problem.status {
                case 401, 429: problem.code = known ?? .unknown
                case 500...: problem.code = known ?? .internal
                default: break
                }
            }
            return .refused(problem, retryAfter: wait)
        }
        // Without a problem document, the answer may be from a proxy whose server is down.
        switch answer.status {
        case 429:
            return .refused(Problem(.rateLimited, detail: "", requestID: ""), retryAfter: wait)
        case 502, 503, 504:
            return .refused(Problem(.unavailable, detail: "", requestID: ""), retryAfter: wait)
        case 413: return .refused(Problem(.payloadTooLarge, detail: "", requestID: ""))
        default: return .malformedAnswer
        }
    }
}
