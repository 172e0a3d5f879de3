import HTTPTypes
import Hummingbird

public enum PageError: Error, Equatable, Sendable {
    /// The browser lacks a session, or another page of the browser has just signed in.
    case noSession
    /// The request comes from another site.
    case otherSite
    /// The ticket for a new cookie belongs to another page.
    case unknownTicket
    /// `field` can't be parsed. The second value is the reason.
    case unreadable(field: String, String)
    case tooLarge(limitInBytes: Int)
    case missing(String)
    case tooManySessions
    case tooManyFiles
    /// An act that the browser keeps isn't stored yet. The browser sends it again.
    case notStored

    public var message: String {
        switch self {
        case .noSession: "This page is no longer connected. Load it again."
        case .otherSite: "This is only for the pages of this server."
        case .unknownTicket: "This ticket is not of this page."
        case .unreadable(_, let reason), .missing(let reason): reason
        case .tooLarge(let limit): "The body has more than \(limit) bytes."
        case .tooManySessions: "Too many people at the moment. Please try again."
        case .tooManyFiles: "Too many files at the moment. Please try again."
        case .notStored: "This is not stored yet. Please try again."
        }
    }

    static let unreadableBody = PageError.unreadable(
        field: "body", "This is not what a page sends.")
}

/// Responses for servers that don't convert `PageError` themselves.
extension PageError: HTTPResponseError {
    public var status: HTTPResponse.Status {
        switch self {
        case .noSession: .unauthorized
        case .otherSite, .unknownTicket: .forbidden
        case .unreadable: .badRequest
        case .tooLarge: .contentTooLarge
        case .missing: .notFound
        case .tooManySessions, .tooManyFiles, .notStored: .serviceUnavailable
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
