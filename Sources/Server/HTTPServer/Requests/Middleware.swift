import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1
import SafetyNetwork

/// Around every request: the limit for its address, errors turned into answers, the headers that
/// keep browsers out of trouble, metrics and the log. The log names the route, never what was in
/// the address or the body.
struct RequestMiddleware: RouterMiddleware {
    typealias Context = LifeSignalContext

    let metrics: Metrics
    let limits: RequestLimits
    let epoch: Epoch

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response: Response
        do {
            response = try await next(request, try await limits.check(request, context))
        } catch let error as HTTPParserError {
            // The bytes were no HTTP, or ended too early: Hummingbird answers 400 and closes, as
            // there is nothing to go on with.
            throw error
        } catch {
            response = refuse(error, request, context)
        }
        harden(&response, context)
        observe(request, response, context, since: start)
        // A client reads no body after the answer to HEAD: it would take the bytes for the next
        // answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func refuse(_ error: any Error, _ request: Request, _ context: Context) -> Response {
        let refusal = ProblemResponse.refusal(
            for: AllowedMethods.explain(error, request), requestID: context.requestID)
        if let detail = refusal.internalDetail {
            let level: Logger.Level = refusal.problem.status >= 500 ? .error : .info
            context.logger.log(
                level: level, "refused",
                metadata: [
                    "code": "\(refusal.problem.code.rawValue)", "route": "\(route(context))",
                    "reason": "\(detail)",
                ]
            )
        }
        return ProblemResponse.response(refusal)
    }

    private func harden(_ response: inout Response, _ context: Context) {
        response.headers[.xRequestID] = context.requestID
        response.headers[.epoch] = epoch.text
        response.headers[.xContentTypeOptions] = "nosniff"
        // A page says itself what it may load; an answer of the API is no page.
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
        response.headers[.strictTransportSecurity] = "max-age=31536000"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }

    private func observe(
        _ request: Request, _ response: Response, _ context: Context,
        since start: ContinuousClock.Instant
    ) {
        let route = route(context)
        let time = ContinuousClock.now - start
        metrics.count(
            .requests,
            labels:
                """
                method="\(method(request))",route="\(route)",status="\(response.status.code)"
                """
        )
        metrics.observe(.latency, labels: "route=\"\(route)\"", time / .seconds(1))
        context.logger.debug(
            "answered",
            metadata: [
                "method": "\(method(request))", "route": "\(route)",
                "status": "\(response.status.code)",
                "milliseconds": "\(time / .milliseconds(1))",
            ]
        )
    }

    /// The template of the route, never the path itself: ids stay out of metrics and log.
    private func route(_ context: Context) -> String { context.endpointPath ?? "none" }

    /// A method that nobody knows does not become a label of its own.
    private func method(_ request: Request) -> String {
        Endpoint.Method(rawValue: request.method.rawValue)?.rawValue ?? "other"
    }
}

/// Tells an unknown address from a known one that does not take this method.
enum AllowedMethods {
    private static let byPattern: [(parts: [Substring], variables: Int, methods: [String])] = {
        Dictionary(grouping: Routes.all, by: \.path).map { path, endpoints in
            let parts = path.split(separator: "/")
            return (
                parts: parts, variables: parts.count { $0.hasPrefix("{") },
                methods: endpoints.map(\.method.rawValue).sorted()
            )
        }
    }()

    static func explain(_ error: any Error, _ request: Request) -> any Error {
        guard let httpError = error as? HTTPError, httpError.status == .notFound else {
            return error
        }
        let parts = request.uri.path.split(separator: "/")
        let matching = byPattern.filter { pattern in
            pattern.parts.count == parts.count
                && zip(pattern.parts, parts).allSatisfy { $0.0 == $0.1 || $0.0.hasPrefix("{") }
        }
        // `/v1/pings/responses` also fits `/v1/pings/{id}`; the more literal pattern is the one
        // that is meant.
        let mostLiteral = matching.map(\.variables).min()
        let methods = Set(matching.filter { $0.variables == mostLiteral }.flatMap(\.methods))
        guard !methods.isEmpty, !methods.contains(request.method.rawValue) else { return error }
        return RequestError.methodNotAllowed(allowed: methods.sorted().joined(separator: ", "))
    }
}
