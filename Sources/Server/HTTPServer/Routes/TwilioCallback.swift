import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird

extension RouteBuilder {
    /// In bytes. The longest text message takes 20 KB as a form.
    private static let formLimit = 64 * 1024

    /// Adds the route for Twilio's reports on a message's status. It isn't part of the API, because
    /// only Twilio can sign its requests.
    func addTwilioCallback(
        publicURL: URL,
        _ receive:
            @escaping @Sendable (_ url: String, _ signature: String, _ form: Data) async throws ->
            Bool
    ) {
        router.on(RouterPath(TwilioCallbackPath.path), method: .post) { request, context in
            let call = Call(request: request, context: context)
            let form = try await call.bytes(
                of: ["application/x-www-form-urlencoded"], limit: Self.formLimit)
            let url = publicURL.absoluteString.trimmingSuffix("/") + request.uri.string
            guard try await receive(url, request.headers[.twilioSignature] ?? "", form) else {
                throw CommandError.permissionDenied("The signature is not right.")
            }
            return Response(status: .noContent)
        }
    }

    /// Adds a route for Twilio's requests during a call or after a text message. Twilio asks for
    /// words, or reports the status of the call.
    func addTwiMLCallback(
        _ path: String, publicURL: URL,
        _ receive:
            @escaping @Sendable (_ url: String, _ signature: String, _ form: Data) async throws ->
            String?
    ) {
        router.on(RouterPath(path), method: .post) { request, context in
            let call = Call(request: request, context: context)
            let form = try await call.bytes(
                of: ["application/x-www-form-urlencoded"], limit: Self.formLimit)
            let url = publicURL.absoluteString.trimmingSuffix("/") + request.uri.string
            let signature = request.headers[.twilioSignature] ?? ""
            guard let answer = try await receive(url, signature, form) else {
                throw CommandError.permissionDenied("The signature is not right.")
            }
            return Self.answer(bytes: Data(answer.utf8), contentType: "text/xml; charset=utf-8")
        }
    }
}

public enum TwilioCallbackPath {
    public static let path = "/v1/sms/twilio"
    public static let calls = "/v1/calls/twilio"
    public static let answers = "/v1/sms/twilio/answers"
}

extension String {
    func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
