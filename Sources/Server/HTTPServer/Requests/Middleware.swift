import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1
import SafetyNetwork
import Traces
import Tracing

/// Applies rate limits, turns errors into answers, adds security headers, and updates metrics and
/// the log. The log names the route, never the URL or the body. It gets at most one line a minute
/// for each kind of failure.
struct RequestMiddleware: RouterMiddleware {
    typealias Context = LifeSignalContext

    let proxies: @Sendable () -> TrustedProxies
    let metrics: Metrics
    let limits: RequestLimits
    let epoch: Epoch
    let logLimit: LogLimit
    /// nil if the server records no traces.
    let traces: TraceRecorder?

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let context = context.behind(proxies(), request)
        let span = startSpan(request, context)
        var response: Response
        do {
            let checked = try await limits.check(request, context)
            if let span {
                response = try await ServiceContext.$current.withValue(span.context) {
                    try await next(request, checked)
                }
            } else {
                response = try await next(request, checked)
            }
        } catch let error as HTTPParserError {
            // The bytes are not valid HTTP or end too early. Hummingbird answers 400 and closes the
            // connection, because it can't tell where the next request begins.
            span?.end()
            throw error
        } catch {
            response = refuse(error, request, context)
        }
        harden(&response, context)
        observe(request, response, context, since: start)
        if let span { end(span, request, response, context) }
        // After HEAD a client reads no body. It would read the bytes of a body as the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func refuse(_ error: any Error, _ request: Request, _ context: Context) -> Response {
        let refusal = ProblemResponse.refusal(
            for: AllowedMethods.explain(error, request), requestID: context.requestID)
        let code = refusal.problem.code.rawValue
        if let detail = refusal.internalDetail {
            context.logger.log(
                level: refusal.problem.status >= 500 ? .error : .info, "refused",
                metadata: [
                    "code": "\(code)", "route": "\(route(context))", "reason": "\(detail)",
                ], as: "\(code) \(detail)", within: logLimit)
        }
        return ProblemResponse.response(refusal)
    }

    private func harden(_ response: inout Response, _ context: Context) {
        response.headers[.xRequestID] = context.requestID
        response.headers[.epoch] = epoch.text
        response.headers[.xContentTypeOptions] = "nosniff"
        // A web page sets its own policy. A response of the API needs to load nothing.
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

    /// Starts the request's span; nil if the trace isn't sampled. A request of the web app is part
    /// of the page's trace.
    private func startSpan(_ request: Request, _ context: Context) -> TraceSpan? {
        guard let traces else { return nil }
        if context.isInProcess {
            guard ServiceContext.current?.trace?.isSampled == true else { return nil }
            return traces.startSpan("request", ofKind: .server)
        }
        // A stranger must not decide what is sampled.
        let header = context.isFromTrustedProxy ? request.headers[.traceparent] : nil
        return traces.startRoot(
            "request", ofKind: .server,
            continuing: header.flatMap { TraceContext(traceparent: $0) })
    }

    /// The span has the template of the route, and nothing about a person.
    private func end(
        _ span: TraceSpan, _ request: Request, _ response: Response, _ context: Context
    ) {
        let (method, route) = (self.method(request), self.route(context))
        let status = response.status.code
        span.operationName = "\(method) \(route)"
        span.attributes = [
            "http.request.method": .string(method), "http.route": .string(route),
            "http.response.status_code": .int64(Int64(status)),
        ]
        if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }

    /// Returns the template of the route, not the path, which would put ids into metrics and log.
    private func route(_ context: Context) -> String { context.endpointPath ?? "none" }

    /// Returns the method's label. Unknown methods share one label, because clients can invent any
    /// number.
    private func method(_ request: Request) -> String {
        Endpoint.Method(rawValue: request.method.rawValue)?.rawValue ?? "other"
    }
}

/// Distinguishes an unknown URL from a known one with a wrong method.
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
        // `/v1/pings/responses` also matches `/v1/pings/{id}`. The pattern with fewer variables
        // wins.
        let mostLiteral = matching.map(\.variables).min()
        let methods = Set(matching.filter { $0.variables == mostLiteral }.flatMap(\.methods))
        guard !methods.isEmpty, !methods.contains(request.method.rawValue) else { return error }
        return RequestError.methodNotAllowed(allowed: methods.sorted().joined(separator: ", "))
    }
}
