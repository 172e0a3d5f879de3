import Cryptography
import Foundation
import HTTPTypes
import Hummingbird

/// A page for people without an account. Its address has a secret in the fragment, which browsers
/// send to nobody: a script brings it to the server in a form, and from then on each form holds it.
struct LinkPage {
    struct Button {
        var action: String
        var title: String
        var isMain = true
    }

    /// The path that its forms are sent to.
    var path: String
    var title: String
    /// Plain texts.
    var paragraphs: [String]
    var secret = ""
    /// The numbers and the words of links to call somebody.
    var calls: [(number: String, title: String)] = []
    /// The name that the person is asked for; nil if they are not asked.
    var name: String?
    var buttons: [Button] = []
    var status = HTTPResponse.Status.ok

    /// The page that a link opens: it shows nothing before the script has sent the secret.
    static func opening(_ path: String) -> Response {
        let body = """
            <h1>LifeSignal</h1><form method="post" action="\(path)">\
            <input type="hidden" name="secret"><input type="hidden" name="action" value="show">\
            <button>Open</button></form><noscript><p>Please allow JavaScript for this page, or \
            open the link in another browser.</p></noscript><script>\(script)</script>
            """
        return response("LifeSignal", body)
    }

    func response() -> Response {
        var parts = ["<h1>\(Self.escaped(title))</h1>"]
        parts += paragraphs.map { "<p>\(Self.escaped($0))</p>" }
        parts += calls.map {
            "<p><a class=\"button\" href=\"tel:\(Self.escaped($0.number))\">"
                + "\(Self.escaped($0.title))</a></p>"
        }
        if !buttons.isEmpty { parts.append(form) }
        return Self.response(title, parts.joined(), status)
    }

    private var form: String {
        let field = name.map {
            """
            <p><label for="name">Your name</label>\
            <input id="name" name="name" value="\(Self.escaped($0))" maxlength="40" \
            autocomplete="name"></p>
            """
        }
        let list = buttons.map { button in
            "<button name=\"action\" value=\"\(button.action)\""
                + (button.isMain ? "" : " class=\"plain\"")
                + ">\(Self.escaped(button.title))</button>"
        }
        return """
            <form method="post" action="\(path)">\
            <input type="hidden" name="secret" value="\(Self.escaped(secret))">\
            \(field ?? "")\(list.joined())</form>
            """
    }

    private static let script =
        "const f=document.forms[0];if(location.hash.length>1){"
        + "f.elements.secret.value=location.hash.slice(1);f.submit()}"

    private static let style = """
        :root{color-scheme:light dark;--ground:#f6f7f4;--text:#14201c;--brand:#0f6b5c;--on:#fff}
        @media (prefers-color-scheme:dark){
        :root{--ground:#101614;--text:#eef3f0;--brand:#6fd0ba;--on:#06251f}}
        body{margin:0;background:var(--ground);color:var(--text);
        font:1.125rem/1.5 system-ui,sans-serif}
        main{max-width:30rem;margin:0 auto;padding:1.5rem}
        button,.button{display:block;box-sizing:border-box;width:100%;min-height:3rem;
        margin:.75rem 0;padding:.75rem;border:2px solid var(--brand);border-radius:.875rem;
        background:var(--brand);color:var(--on);font:inherit;text-align:center;
        text-decoration:none}
        .plain{background:none;color:var(--text)}
        label{display:block}
        input{box-sizing:border-box;width:100%;min-height:3rem;padding:.5rem;font:inherit}
        """

    private static func response(
        _ title: String, _ body: String, _ status: HTTPResponse.Status = .ok
    ) -> Response {
        let html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width"><meta name="robots" \
            content="noindex"><title>\(escaped(title)) · LifeSignal</title>\
            <style>\(style)</style></head><body><main>\(body)</main></body></html>
            """
        var response = RouteBuilder.answer(
            bytes: Data(html.utf8), contentType: "text/html; charset=utf-8",
            headers: [.cacheControl: "no-store", .contentSecurityPolicy: policy])
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "no-referrer" }
        response.status = status
        return response
    }

    private static let policy =
        "default-src 'none'; script-src '\(source(script))'; style-src '\(source(style))'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    private static func source(_ text: String) -> String {
        "sha256-\(Digest.sha256(Data(text.utf8)).base64EncodedString())"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
            .replacing("'", with: "&#39;")
    }
}
