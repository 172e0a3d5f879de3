import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Persistence
import QRCode

/// Turns every error into an answer.
enum ProblemResponse {
    struct Refusal {
        var problem: Problem
        var headers: HTTPFields = [:]
        /// A detail for the log, which clients must not see.
        var internalDetail: String?
    }

    static func refusal(for error: any Error, requestID: String) -> Refusal {
        func refusal(
            _ code: ErrorCode, _ detail: String, field: String? = nil,
            reason: InvalidInputReason? = nil, headers: HTTPFields = [:],
            internalDetail: String? = nil
        ) -> Refusal {
            Refusal(
                problem: Problem(
                    code, detail: detail, field: field, reason: reason, requestID: requestID),
                headers: headers, internalDetail: internalDetail
            )
        }
        switch error {
        case let error as CommandError:
            switch error {
            case .unauthenticated(let detail):
                return refusal(.unauthenticated, detail, headers: [.wwwAuthenticate: "Bearer"])
            case .permissionDenied(let detail): return refusal(.permissionDenied, detail)
            case .notFound(let detail): return refusal(.notFound, detail)
            case .alreadyExists(let detail): return refusal(.alreadyExists, detail)
            case .invalidArgument(let field, let detail, let reason):
                return refusal(.invalidArgument, detail, field: field, reason: reason)
            case .payloadTooLarge(let limit):
                return refusal(.payloadTooLarge, "The body can have at most \(limit) bytes here.")
            case .accountLocked:
                return refusal(.accountLocked, RefusalWords.accountLocked.detail)
            case .rateLimited(let wait):
                let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
                return refusal(
                    .rateLimited, "Try again in \(seconds) seconds.",
                    headers: [.retryAfter: String(seconds)])
            case .unavailable(let detail): return refusal(.unavailable, detail)
            }
        case let error as RequestError:
            switch error {
            case .methodNotAllowed(let allowed):
                return refusal(
                    .methodNotAllowed, "This address takes \(allowed).", headers: [.allow: allowed])
            case .unsupportedMediaType(let expected):
                return refusal(.unsupportedMediaType, "Send \(expected) here.")
            }
        case let error as QRCodeError:
            return refusal(.invalidArgument, "\(error)", field: "body")
        case is LargeBodies.Full:
            return refusal(
                .unavailable, LargeBodies.Full.words,
                headers: [.retryAfter: String(LargeBodies.Full.retryAfter)])
        case is NIOTooManyBytesError:
            return refusal(.payloadTooLarge, "The body is too large.")
        case let error as HTTPError where error.status == .notFound:
            return refusal(.notFound, "There is nothing at this address.")
        case let error as HTTPError where (400..<500).contains(error.status.code):
            return refusal(
                .invalidArgument, "The request can't be understood.", field: "request",
                internalDetail: "\(error)")
        case DatabaseError.outcomeUnknown:
            return refusal(
                .unavailable,
                """
                This may or may not have been stored: the database did not confirm it. Please try \
                again.
                """,
                headers: [.retryAfter: "5"], internalDetail: "the outcome of a commit is unknown")
        // Includes an unexpected unique violation. Commands turn an expected one into a 409
        // themselves. In both cases, nothing was changed.
        case let error as DatabaseError:
            return refusal(
                .unavailable,
                """
                The server can't store anything at the moment. Nothing was changed; please try \
                again.
                """,
                headers: [.retryAfter: "5"], internalDetail: error.description
            )
        case is CancellationError:
            return refusal(
                .unavailable, "The server is stopping. Please try again.",
                headers: [.retryAfter: "1"])
        default:
            return refusal(
                .internal, RefusalWords.internalError.detail,
                internalDetail: "\(type(of: error)): \(error)")
        }
    }

    static func response(_ refusal: Refusal) -> Response {
        let body = (try? WireJSON.encoder().encode(refusal.problem)) ?? Data()
        var headers = refusal.headers
        headers[.contentType] = Problem.contentType
        return Response(
            status: .init(code: refusal.problem.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}

enum RequestError: Error {
    case methodNotAllowed(allowed: String)
    case unsupportedMediaType(expected: String)
}
