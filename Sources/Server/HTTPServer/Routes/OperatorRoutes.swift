import API
import Domain
import Foundation
import Hummingbird

extension RouteBuilder {
    /// Adds the routes that monitors call.
    func addHealthRoutes(readiness: Readiness, metrics: Metrics) {
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
    }

    func addPublicDocuments(below prefix: PathPrefix) {
        // Links in messages contain secrets. Search engines must not index their pages.
        router.on("/robots.txt", method: .get) { _, _ in
            Self.answer(
                bytes: Data("User-agent: *\nDisallow: /\n".utf8),
                contentType: "text/plain; charset=utf-8")
        }
        let document: Result<Data, any Error>? =
            prefix == .root ? nil : Result { try OpenAPIDocument.json(below: prefix) }
        on(Routes.openAPI) { _ in
            Self.answer(
                bytes: try (document ?? Self.openAPIDocument).get(),
                contentType: "application/json")
        }
    }

    /// The document of a server without a path, encoded once per process.
    private static let openAPIDocument = Result { try OpenAPIDocument.json() }
}
