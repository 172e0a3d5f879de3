import Cryptography
import Foundation
import HTTPTypes
import Hummingbird
import SafetyNetwork
import WebText

/// A page for people who aren't signed in. Its URL has a secret in the fragment, which browsers
/// don't send. A script posts the secret in a form, and every later form contains it.
struct LinkPage {
    struct Button {
        var action: String
        var title: String
        var isMain = true
    }

    /// The path that the forms post to.
    var path: String
    var title: String
    /// Plain texts, not HTML.
    var paragraphs: [String]
    /// A text that changes with time. Screen readers don't announce its changes.
    var duration = ""
    /// A multi-line text under its own heading.
    var note: (title: String, text: String)?
    /// The time of the content, for a page that reloads itself; nil for others.
    var asOf: String?
    var secret = ""
    /// Phone numbers and the titles of the links that call them.
    var calls: [(number: String, title: String)] = []
    /// The URL and the title of a link to another page.
    var link: (url: String, title: String)?
    /// The initial text of the field for the person's name; nil for no field.
    var name: String?
    var buttons: [Button] = []
    var status = HTTPResponse.Status.ok

    /// Returns the page that a link opens. It shows nothing until the script has posted the secret.
    static func opening(_ path: String) -> Response {
        let body = """
            <h1>LifeSignal</h1><form method="post" action="\(path)">\
            <input type="hidden" name="secret"><input type="hidden" name="action" value="show">\
            <noscript><p><label for="link">Paste the whole link from the message</label>\
            <input id="link" name="link" autocomplete="off" required></p></noscript>\
            <button>Open</button></form><script>\(script)</script>\
            <script>\(following)</script>
            """
        return response("LifeSignal", body)
    }

    /// Returns the secret in a form. Without scripts, the form contains a pasted link, which ends
    /// with the secret.
    static func secret(_ form: [String: String]) -> String {
        if let secret = form["secret"], !secret.isEmpty { return secret }
        let link = form["link"]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return link.split(separator: "#", omittingEmptySubsequences: false).last.map(String.init)
            ?? ""
    }

    /// Returns the page. The script uses the ids to replace only the parts that changed. A screen
    /// reader reads new paragraphs, a new title, and that the connection is lost.
    func response() -> Response {
        var rest = calls.map {
            "<p><a class=\"button\" href=\"tel:\(Markup.escaped($0.number))\">"
                + "\(Markup.escaped($0.title))</a></p>"
        }
        if let link {
            rest.append(
                "<p><a class=\"button\" href=\"\(Markup.escaped(link.url))\">"
                    + "\(Markup.escaped(link.title))</a></p>")
        }
        if let note {
            rest.append(
                "<h2>\(Markup.escaped(note.title))</h2>"
                    + "<p class=\"note\">\(Markup.escaped(note.text))</p>")
        }
        if !buttons.isEmpty { rest.append(form) }
        let news = paragraphs.map { "<p>\(Markup.escaped($0))</p>" }.joined()
        let lasting = duration.isEmpty ? "" : "<p>\(Markup.escaped(duration))</p>"
        let time = asOf.map {
            """
            <p id="as-of" data-stale="No connection now. This is as of \(Markup.escaped($0)).">\
            As of \(Markup.escaped($0)).</p>
            """
        }
        let body = """
            <h1 id="title">\(Markup.escaped(title))</h1><div id="news" aria-live="polite">\(news)\
            </div><div id="duration">\(lasting)</div>\(time ?? "")<div id="rest">\(rest.joined())\
            </div>\(anotherLink)\(asOf == nil ? "" : Self.announcing)\(address)\
            <script>\(Self.following)</script>
            """
        return Self.response(title, body, status)
    }

    /// Gives the answer to a form the address of its link. Back and a reload then open the link
    /// again. Otherwise, a reload would repeat the press, and Back would find no page, because
    /// browsers must not store it.
    private var address: String {
        guard !secret.isEmpty else { return "" }
        return "<script data-secret=\"\(Markup.escaped(secret))\">\(Self.readdressing)</script>"
    }

    private var form: String {
        let field = name.map {
            """
            <p><label for="name">Your name</label>\
            <input id="name" name="name" value="\(Markup.escaped($0))" maxlength="40" \
            autocomplete="name"></p>
            """
        }
        let list = buttons.map { button in
            "<button name=\"action\" value=\"\(button.action)\""
                + (button.isMain ? "" : " class=\"plain\"")
                + ">\(Markup.escaped(button.title))</button>"
        }
        return """
            <form method="post" action="\(path)">\
            <input type="hidden" name="secret" value="\(Markup.escaped(secret))">\
            \(field ?? "")\(list.joined())</form>
            """
    }

    /// Opens another link without scripts: browsers don't reload a page for another fragment.
    private var anotherLink: String {
        let label = path == LinkPath.alert ? "Link of another alert" : "Another link"
        return """
            <noscript><form method="post" action="\(path)"><p><label for="link">\(label)</label>\
            <input id="link" name="link" autocomplete="off" required></p>\
            <button class="plain" name="action" value="show">Open</button></form></noscript>
            """
    }

    private static let announcing =
        "<div id=\"said\" class=\"unseen\" role=\"status\"></div><script>\(updating)</script>"

    private static let script =
        "const f=document.forms[0];if(location.hash.length>1){"
        + "f.elements.secret.value=location.hash.slice(1);f.submit()}"

    private static let readdressing =
        "history.replaceState(null,'','#'+document.currentScript.dataset.secret)"

    /// Opens a link that is put into the tab of an earlier one. As in `readdressing`, the new state
    /// makes the reload a GET.
    private static let following =
        "addEventListener('hashchange',()=>{"
        + "history.replaceState(null,'',location.href);location.reload()})"

    /// Reloads the page every 10 seconds while it is visible. Replaces nothing during a touch or
    /// after a button press. Reads the secret in the address (`readdressing`), because a page may
    /// have no form.
    private static let updating = """
        const part=(id,page=document)=>page.getElementById(id);let busy=false,held=false,timer;\
        const key=one=>one.value||one.href,say=text=>{if(part('said').textContent!==text)\
        part('said').textContent=text};\
        function show(page){let news='';\
        for(const id of['title','news','duration','rest']){const old=part(id),\
        now=part(id,page);if(!now||old.innerHTML===now.innerHTML)continue;\
        if(id==='title')news=now.textContent;\
        const at=old.contains(document.activeElement)?key(document.activeElement):'';\
        old.innerHTML=now.innerHTML;\
        if(at)for(const one of old.querySelectorAll('button,a'))if(key(one)===at)one.focus()}\
        say(news);document.title=page.title;const time=part('as-of',page);\
        if(time)part('as-of').replaceWith(time);else{part('as-of').remove();busy=true}}\
        async function load(){clearTimeout(timer);if(busy)return;\
        if(!document.hidden&&!held)try{\
        const answer=await fetch(location.pathname,{method:'POST',signal:AbortSignal.timeout(9000),\
        body:new URLSearchParams({secret:location.hash.slice(1),action:'show'})});\
        const text=await answer.text();if(!answer.ok&&answer.status!==404)throw 0;\
        const page=new DOMParser().parseFromString(text,'text/html');\
        if(!part('title',page))throw 0;if(!busy&&!held)show(page)}\
        catch{const time=part('as-of');if(!busy)say(time.textContent=time.dataset.stale)}\
        clearTimeout(timer);timer=setTimeout(load,10000)}\
        addEventListener('submit',()=>{busy=true});\
        addEventListener('pageshow',event=>{if(event.persisted){busy=false;load()}});\
        addEventListener('pointerdown',()=>{held=true});\
        for(const name of['pointerup','pointercancel'])addEventListener(name,()=>{held=false});\
        document.addEventListener('visibilitychange',load);timer=setTimeout(load,10000)
        """

    private static let style = """
        :root{color-scheme:light dark;--ground:#f6f7f4;--text:#14201c;--brand:#0f6b5c;--on:#fff}
        @media (prefers-color-scheme:dark){
        :root{--ground:#101614;--text:#eef3f0;--brand:#6fd0ba;--on:#06251f}}
        body{margin:0;background:var(--ground);color:var(--text);
        font:1.125rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
        h1{font-size:max(1.125rem,min(1.75rem,9vw));line-height:1.2}
        main{max-width:30rem;margin:0 auto;padding:min(1.5rem,5vw)}
        button,.button{display:block;box-sizing:border-box;width:100%;min-height:3rem;
        margin:.75rem 0;padding:.75rem min(.75rem,3vw);border:2px solid var(--brand);
        border-radius:.875rem;background:var(--brand);color:var(--on);font:inherit;
        text-align:center;text-decoration:none}
        .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        .plain{background:none;color:var(--text)}
        label{display:block}
        .note{white-space:pre-wrap;overflow-wrap:anywhere}
        input{box-sizing:border-box;width:100%;min-height:3rem;padding:.5rem;font:inherit}
        """

    private static func response(
        _ title: String, _ body: String, _ status: HTTPResponse.Status = .ok
    ) -> Response {
        let html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">\
            <meta name="viewport" content="width=device-width"><meta name="robots" \
            content="noindex"><title>\(Markup.escaped(title)) · LifeSignal</title>\
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
        "default-src 'none'; script-src '\(source(script))' '\(source(updating))' "
        + "'\(source(readdressing))' '\(source(following))'; "
        + "style-src '\(source(style))'; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    private static func source(_ text: String) -> String {
        "sha256-\(Digest.sha256(Data(text.utf8)).base64EncodedString())"
    }
}
