import Domain
import HTTPServer
import HTTPTypes
import Hummingbird
import LivePages

/// Answers browsers with an error page and API clients with a problem document.
struct ErrorPages: RouterMiddleware {
    private let missing: String
    private let tooBusy: String

    init(_ document: Document) {
        missing = document.missing
        tooBusy = document.tooBusy
    }

    func handle(
        _ request: Request, context: LifeSignalContext,
        next: (Request, LifeSignalContext) async throws -> Response
    ) async throws -> Response {
        do {
            do {
                return try await next(request, context)
            } catch PageError.tooManyFiles {
                throw LargeBodies.Full()
            } catch let error as PageError {
                throw CommandError(error)
            }
        } catch let error as HTTPError where error.status == .notFound && Self.isByAPerson(request)
        {
            return .page(missing, status: .notFound)
        } catch CommandError.notFound where Self.isByAPerson(request) {
            return .page(missing, status: .notFound)
        } catch CommandError.unavailable where Self.isByAPerson(request) {
            return .page(tooBusy, status: .serviceUnavailable)
        }
    }

    private static func isByAPerson(_ request: Request) -> Bool {
        request.method == .get && request.headers[.accept]?.contains("text/html") == true
            && !request.uri.path.hasPrefix("/v1/")
    }
}

extension CommandError {
    init(_ error: PageError) {
        switch error {
        case .noSession: self = .unauthenticated(error.message)
        case .otherSite, .unknownTicket: self = .permissionDenied(error.message)
        case .unreadable(let field, let reason):
            self = .invalidArgument(field: field, reason)
        case .tooLarge(let limit): self = .payloadTooLarge(limitInBytes: limit)
        case .missing: self = .notFound(error.message)
        case .tooManySessions, .tooManyFiles, .notStored: self = .unavailable(error.message)
        }
    }
}
