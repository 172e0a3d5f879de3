import HTTPTypes
import Hummingbird

/// The reason for refusing a page's request.
public enum PageError: Error, Equatable, Sendable {
    /// The browser has no session, or another of its pages has just signed in.
    case noSession
    /// The request does not come from a page of this server.
    case otherSite
    /// The ticket for a new cookie doesn't belong to this page.
    case unknownTicket
    /// `field` can't be parsed, for the given reason.
    case unreadable(field: String, String)
    case tooLarge(limitInBytes: Int)
    case missing(String)
    case tooManySessions
    /// The memory for large files is used up.
    case tooManyFiles

    /// The reason as text.
    public var message: String {
        switch self {
        case .noSession: "This page is no longer connected. Load it again."
        case .otherSite: "This is only for the pages of this server."
        case .unknownTicket: "This ticket is not of this page."
        case .unreadable(_, let reason), .missing(let reason): reason
        case .tooLarge(let limit): "The body has more than \(limit) bytes."
        case .tooManySessions: "Too many people at the moment. Please try again."
        case .tooManyFiles: "Too many files at the moment. Please try again."
        }
    }

    static let unreadableBody = PageError.unreadable(
        field: "body", "This is not what a page sends.")
}

/// The responses for servers that don't translate these errors themselves.
extension PageError: HTTPResponseError {
    public var status: HTTPResponse.Status {
        switch self {
        case .noSession: .unauthorized
        case .otherSite, .unknownTicket: .forbidden
        case .unreadable: .badRequest
        case .tooLarge: .contentTooLarge
        case .missing: .notFound
        case .tooManySessions, .tooManyFiles: .serviceUnavailable
        }
    }

    public func response(from request: Request, context: some RequestContext) throws -> Response {
        var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
        if self == .tooManyFiles { headers[.retryAfter] = "5" }
        return Response(
            status: status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: message)))
    }
}
