import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import SafetyNetwork

extension RouteBuilder {
    func addSourceRoutes() {
        let network = network
        signedIn(Routes.sources) { _, call in
            List(items: try await network.sources.sources(of: call.caller))
        }
        signedIn(Routes.addSource) { input, call in
            try await network.sources.add(
                input.name, of: call.caller, key: try call.idempotencyKey())
        }
        signedIn(Routes.removeSource) { _, call in
            try await network.sources.remove(try call.id(), of: call.caller)
            return Empty()
        }
        on(Routes.checkInBySource) { call in
            // LifeSignal's own message doesn't show that the user is well. Older servers send Web
            // Push without a User-Agent; this encoding has no other use (RFC 8188, RFC 8291).
            let headers = call.request.headers
            guard headers[.userAgent] != PushEndpoint.userAgent,
                headers[.contentEncoding]?.lowercased() != "aes128gcm"
            else { throw CommandError.permissionDenied("LifeSignal's messages can't check in.") }
            let secret = call.context.parameters.get("secret") ?? ""
            let answer = try await network.sources.checkIn(
                bySource: secret, unlessRefused: call.context.refusal)
            return Self.answer(
                bytes: Data("\(answer)\n".utf8), contentType: "text/plain; charset=utf-8")
        }
        // Keeps link previews from any other page of this path.
        router.on(RouterPath(Routes.checkInBySource.path), method: .get) { _, _ -> Response in
            throw RequestError.methodNotAllowed(allowed: Routes.checkInBySource.method.rawValue)
        }
    }
}
