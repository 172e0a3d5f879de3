import API
import Foundation
import Hummingbird

extension RouteBuilder {
    func addOperatorRoutes(readiness: Readiness, metrics: Metrics) {
        open(Routes.live) { _, _ in Health() }
        on(Routes.ready.endpoint) { _ in
            let problems = await readiness.problems()
            let health = Health(problems: problems, warnings: readiness.warnings())
            return try Self.answer(health, problems.isEmpty ? 200 : 503)
        }
        on(Routes.metrics) { _ in
            Self.answer(
                bytes: Data(metrics.text().utf8),
                contentType: "text/plain; version=0.0.4; charset=utf-8")
        }
        on(Routes.openAPI) { _ in
            Self.answer(bytes: try Self.openAPIDocument.get(), contentType: "application/json")
        }
    }

    /// Written once a process, when it is asked for first.
    private static let openAPIDocument = Result { try OpenAPIDocument.json() }
}
