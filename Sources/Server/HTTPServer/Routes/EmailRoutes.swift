import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import SafetyNetwork
import WebText

extension RouteBuilder {
    func addEmailRoutes() {
        let network = network
        signedIn(Routes.email) { _, call in
            try await network.emailAddresses.emailStatus(of: call.caller)
        }
        signedIn(Routes.setEmail) { input, call in
            try await network.emailAddresses.setEmailAddress(
                try EmailAddress(input.address),
                from: call.context.address, of: call.caller)
        }
        signedIn(Routes.confirmEmail) { input, call in
            try await network.emailAddresses.confirmEmailAddress(code: input.code, of: call.caller)
        }
        signedIn(Routes.deleteEmail) { _, call in
            try await network.emailAddresses.deleteEmailAddress(of: call.caller)
            return Empty()
        }
        addUnsubscribeLink()
    }

    /// Adds the route of the unsubscribe link in e-mails. Mail programs post to it (RFC 8058);
    /// people see a page. A GET changes nothing, because mail scanners open every link.
    private func addUnsubscribeLink() {
        let network = network
        let path = RouterPath(UnsubscribePath.path)
        router.on(path, method: .get) { request, context in
            if let refusal = context.refusal { throw refusal }
            let token = Self.unsubscribeToken(in: request)
            let view = try await network.emailAddresses.unsubscribeView(token)
            if let page = Self.deadEnd(view) { return page }
            return Self.page(
                "Stop these e-mails?", Self.words(before: view), button: "Stop e-mails")
        }
        router.on(path, method: .post) { request, context in
            if let refusal = context.refusal { throw refusal }
            let token = Self.unsubscribeToken(in: request)
            let view = try await network.emailAddresses.unsubscribeView(token)
            if let page = Self.deadEnd(view) { return page }
            guard try await network.emailAddresses.unsubscribe(token) else {
                return Self.nothingToStop
            }
            let title = view?.inviter == nil ? "No more e-mails" : "No more of these e-mails"
            return Self.page(title, Self.words(after: view))
        }
    }

    private static var nothingToStop: Response {
        page(
            "There is nothing to stop",
            """
            What the link was for is gone, or part of the link is missing. Copy the whole link \
            from the e-mail.
            """, status: .notFound)
    }

    /// Returns the page of a link that ends nothing; nil for other links. Its status isn't 2xx,
    /// because a mail program would say that the e-mails have been stopped.
    private static func deadEnd(_ view: UnsubscribeView?) -> Response? {
        guard let view else { return nothingToStop }
        guard view.isOutdated else { return nil }
        return page(
            "This link is outdated",
            """
            It is from before the address was added again or changed. To stop these e-mails, use \
            the link in the newest e-mail.
            """, status: .gone)
    }

    private static func unsubscribeToken(in request: Request) -> String {
        request.uri.queryParameters[UnsubscribePath.token].map(String.init) ?? ""
    }

    /// - Parameter view: the messages and roles that the link would end; nil if unknown.
    private static func words(before view: UnsubscribeView?) -> String {
        let start =
            view?.inviter.map { "LifeSignal will no longer write to you about \($0)." }
            ?? "LifeSignal will no longer write to this address."
        guard let helped = view?.helped, !helped.isEmpty else { return start }
        let people = helped.joined(separator: ", ")
        let end = "You will then no longer help \(people), and LifeSignal will say so to them."
        return "\(start) \(end)"
    }

    /// - Parameter view: the messages and roles that the link has ended; nil if unknown.
    private static func words(after view: UnsubscribeView?) -> String {
        if view?.hasProfile == true {
            return "You can add the address again in your profile in LifeSignal."
        }
        let end =
            view?.inviter.map { "You get no more e-mails about \($0)." }
            ?? "LifeSignal no longer writes to this address."
        guard let helped = view?.helped, !helped.isEmpty else { return end }
        return "\(end) You no longer help \(helped.joined(separator: ", "))."
    }

    /// Returns a page without a script. Its form posts to the page's own URL, which contains the
    /// token.
    /// - Parameter words: plain text, not HTML.
    private static func page(
        _ title: String, _ words: String, button: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let form =
            button.map { "<form method=\"post\"><button>\($0)</button></form>" } ?? ""
        let html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width"><meta name="robots" \
            content="noindex"><title>\(title) · LifeSignal</title></head><body><main>\
            <h1>\(title)</h1><p>\(Markup.escaped(words))</p>\(form)</main></body></html>
            """
        var response = answer(
            bytes: Data(html.utf8), contentType: "text/html; charset=utf-8",
            headers: [
                .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
                .referrerPolicy: "no-referrer",
            ])
        response.status = status
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .cacheControl
}

public enum UnsubscribePath {
    public static let path = "/v1/email/unsubscribe"
    static let token: Substring = "token"

    /// Returns the URL of the page for one message.
    public static func url(_ publicURL: URL, token: String) -> URL {
        publicURL.appendingPathComponent(path)
            .appending(queryItems: [URLQueryItem(name: String(Self.token), value: token)])
    }
}
