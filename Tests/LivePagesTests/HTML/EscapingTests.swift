import Foundation
import Testing

@testable import LivePages

private func markup(_ html: HTML<Int>) -> String {
    let text = Renderer.render(html).markup
    return String(
        text.dropFirst("<div id=\"page\" data-p=\"\(Rendering<Int>.rootID)\">".count).dropLast(
            "</div>".count))
}

@Suite struct EscapingTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
        "&lt;b&gt;", "</textarea><script>x</script>", "]]>",
        "<!--", "\u{0}<b>", "`${x}`", "a\r\nb", "\u{202E}evil", "&#x3C;script&#x3E;",
    ]

    @Test(arguments: hostile) func hostileTextStaysText(text: String) {
        let body = markup(p { text })
        #expect(body.hasPrefix("<p>") && body.hasSuffix("</p>"))
        #expect(!body.dropFirst(3).dropLast(4).contains { "<>\"'\0".contains($0) })
        #expect(
            read(String(body.dropFirst(3).dropLast(4))) == text.replacing("\0", with: "\u{FFFD}"))
    }

    @Test(arguments: hostile) func hostileTextStaysInAttribute(text: String) {
        for attribute in [
            Attribute.label(text), .value(text), .plain(.title, text), .class(text), .copies(text),
            .name(text),
        ] {
            let body = markup(input(attribute))
            #expect(body.filter { $0 == "\"" }.count == 2, "\(body)")
            #expect(body.filter { $0 == "<" }.count == 1 && body.filter { $0 == ">" }.count == 1)
        }
    }

    @Test(arguments: hostile) func keyIsNeverWritten(text: String) {
        #expect(!markup(div {}.key(text)).contains(text))
        #expect(
            markup(div {}.key(text)).wholeMatch(of: #/<div data-p="[A-Za-z0-9_-]{8}"></div>/#)
                != nil)
    }

    @Test func textAreaKeepsLeadingLineFeed() {
        #expect(markup(textarea { "\nnote" }) == "<textarea>\n\nnote</textarea>")
    }

    @Test(arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)",
        "data:text/html,<script>", "vbscript:x", "file:///etc/passwd",
    ])
    func linksCannotRunScripts(text: String) throws {
        if let url = URL(string: text) { #expect(Link.web(url).text == "#") }
        #expect(Link.page(text).text == "/")
        #expect(!Link.telephone(text).text.dropFirst(4).contains { $0.isLetter || $0 == ":" })
        #expect(
            !Link.message(text, body: text).text.dropFirst(4).contains {
                ":<>/\" ".contains($0)
            })
        #expect(Link.fragment(text).text.hasPrefix("#") && !Link.fragment(text).text.contains(":"))
        #expect(
            Source.file(in: "/files/", text).text.hasPrefix("/files/")
                && !Source.file(in: "/files/", text).text.dropFirst(7).contains {
                    ":/<.".contains($0)
                })
    }

    @Test(arguments: ["//evil.example/x", "/\\evil.example", "https://evil.example", "/a\nb", ""])
    func pageLinksStayOnThisServer(path: String) {
        #expect(Link.page(path).text == "/")
        #expect(Link.page("/add/" + "x").text == "/add/x")
    }

    /// Links and sources are the only addresses that a view can contain.
    @Test func ownAddressesBeginWithTheBase() {
        let page: HTML<Int> = div {
            a(.href(.page("/profile"))) { "Profile" }
            a(.href(.download("x.csv"))) { "Table" }
            a(.href(.fragment("content"))) { "Content" }
            a(.href(.telephone("+1555"))) { "Call" }
            img(.src(.file(in: "/pictures/", "1")), .alt("/profile"), .data("copy", "/profile"))
        }
        let below = Renderer.render(page, below: "/app").markup
        #expect(
            below.contains("href=\"/app/profile\"")
                && below.contains("href=\"/app/web/downloads/x.csv\"")
                && below.contains("src=\"/app/pictures/1\""))
        #expect(below.contains("href=\"#content\"") && below.contains("href=\"tel:+1555\""))
        #expect(below.contains("alt=\"/profile\"") && below.contains("data-copy=\"/profile\""))
        #expect(Renderer.render(page).markup == below.replacing("\"/app/", with: "\"/"))
    }

    @Test func executableTagsAndAttributesDoNotExist() {
        for tag in [
            "script", "style", "iframe", "object", "embed", "link", "meta", "base", "template",
            "svg", "math",
        ] { #expect(Tag(rawValue: tag) == nil) }
        for name in ["onclick", "style", "srcdoc", "formaction", "action", "href", "src"] {
            #expect(Attribute.Name(rawValue: name) == nil)
        }
    }

    private func read(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing(
            "&quot;", with: "\""
        ).replacing("&#39;", with: "'").replacing(
            "&#13;", with: "\r"
        ).replacing("&amp;", with: "&")
    }
}

@Suite struct BuilderTests {
    private enum Parent: Equatable { case child(Child), own }
    private enum Child: Equatable { case tapped, typed(String) }

    @Test func builderProducesMarkup() {
        let names = ["Ada", "Ben"]
        let page: HTML<Int> = section(.class("card", ""), .label("People")) {
            h2 { "People" }
            ul { for name in names { li { name } } }
            if names.isEmpty { p { "Nobody" } } else { p { "\(names.count) people" } }
            if let last = names.last { small { last } }
        }
        #expect(
            markup(page)
                == """
                <section class="card" \
                aria-label="People"><h2>People</h2><ul><li>Ada</li><li>Ben</li></ul><p>2 \
                people</p><small>Ben</small></section>
                """
        )
    }

    @Test func childActionsBecomeParentActions() {
        func child() -> HTML<Child> {
            form {
                input(.name("name")).onInput { .typed($0) }
                button { "Go" }.onTap(.tapped)
            }
        }
        let page: HTML<Parent> = div {
            child().map { Parent.child($0) }
            button { "Own" }.onTap(.own)
        }
        let rendering = Renderer.render(page)
        let handlers = rendering.root?.handlers ?? []
        #expect(handlers.count == 3)
        #expect(handlers.first?.action(for: .text("Ada")) == Parent.child(.typed("Ada")))
        #expect(handlers.dropFirst().first?.action(for: .none) == Parent.child(.tapped))
        #expect(handlers.last?.action(for: .none) == Parent.own)
    }

    /// Without a type, a press would also submit the form.
    @Test func tappableButtonDoesNotSubmitForm() {
        #expect(markup(button { "Add" }.onTap(1)).contains("type=\"button\""))
        #expect(!markup(button { "Send" }).contains("type="))
        #expect(markup(button(.type("submit")) { "Send" }.onTap(1)).contains("type=\"submit\""))
    }

    @Test func disabledButtonKeepsFocusAndSendsNothing() {
        let rendering = Renderer.render(button { "Save" }.disabled(true).onTap("saved"))
        #expect(
            rendering.markup.contains(
                "<button aria-disabled=\"true\" type=\"button\">Save"))
        #expect(rendering.root?.handlers.isEmpty == true)
    }

    @Test func valueOfWrongKindOrSizeIsIgnored() {
        let text = Handler.text { $0 }
        #expect(text.action(for: .text(String(repeating: "x", count: 8 * 1024))) != nil)
        #expect(text.action(for: .text(String(repeating: "x", count: 8 * 1024 + 1))) == nil)
        #expect(text.action(for: .text(String(repeating: "é", count: 4 * 1024 + 1))) == nil)
        let long = Handler.longText { $0 }
        for (length, kept) in [(64_000, 64_000), (64_001, 16_001)] {
            let action = long.action(for: .text(String(repeating: "x", count: length)))
            #expect((action as? String)?.count == kept)
        }
        let wide = long.action(for: .text(String(repeating: "𞤀", count: 16_002)))
        #expect((wide as? String)?.utf8.count == 64_004)
        #expect(long.action(for: .flag(true)) == nil)
        for value in [EventValue.none, .flag(true), .number(1), .bytes(Data())] {
            #expect(text.action(for: value) == nil)
        }
        let progress = Handler.progress { $0 }
        #expect(
            [0, 0.5, 1].map { progress.action(for: .number($0)) as? Double } == [0, 0.5, 1])
        for value in [-0.01, 1.01, .nan, .infinity] {
            #expect(progress.action(for: .number(value)) == nil)
        }
        let bytes = Handler.bytes { $0.count }
        #expect(bytes.action(for: .bytes(Data(count: 6_000_001))) as? Int == 6_000_001)
        #expect(bytes.action(for: .bytes(Data(count: 6_000_002))) == nil)
        #expect(Handler.plain(1).action(for: .text("x")) == nil)
        #expect(Handler.flag { $0 }.action(for: .flag(true)) as? Bool == true)
    }
}
