/// The HTML document around the page's parts, which a browser loads first.
public struct Document: Sendable {
    public let assets: AssetLibrary
    private let head: String
    private let beforeContent: String
    private let afterContent: String
    private let withoutScript: String

    /// Creates a document. All arguments must be the program's own markup and never contain values,
    /// because nothing is escaped.
    /// - Parameters:
    ///   - head: elements for the head, such as theme colours.
    ///   - beforeContent: markup before the parts; it stays when the parts change.
    ///   - afterContent: markup after the parts; it stays when the parts change.
    ///   - withoutScript: markup for a browser that runs no scripts.
    public init(
        assets: AssetLibrary, head: String, beforeContent: String, afterContent: String,
        withoutScript: String
    ) {
        self.assets = assets
        self.head = head
        self.beforeContent = beforeContent
        self.afterContent = afterContent
        self.withoutScript = withoutScript
    }

    func text(_ page: FirstPage) -> String {
        text(
            title: page.outline.title,
            attributes: [
                ("view", page.view), ("generation", "\(page.generation)"),
                ("user", page.outline.user), ("path", page.outline.path),
                ("now", "\(page.time.wholeMilliseconds)"),
            ],
            content: page.html
        )
    }

    /// Returns a whole document around `content`, which is markup. If `hasScript` is false, the
    /// document loads no script.
    public func text(
        title: String, attributes: [(String, String)] = [], hasScript: Bool = true, content: String
    ) -> String {
        var text = "<!doctype html><html lang=\"en\""
        for (name, value) in attributes {
            text += " data-\(name)=\""
            text += Escaping.escaped(value)
            text += "\""
        }
        text += """
            ><head><meta charset="utf-8"><meta name="viewport" \
            content="width=device-width,initial-scale=1,viewport-fit=cover">\
            \(head)<title>
            """
        text += Escaping.escaped(title)
        text += """
            </title><link rel="stylesheet" href="\(assets.path(assets.style.name))">\
            <link rel="icon" href="\(assets.path(assets.icons.drawing.name))">\
            <link rel="apple-touch-icon" href="\(assets.path(assets.icons.small.name))">\
            <link rel="manifest" href="/\(assets.manifest.name)">\
            \(hasScript ? scripts : "")</head><body>\(beforeContent)
            """
        text += content
        text += """
            \(afterContent)<div id="polite" class="unseen" role="status"></div>\
            <div id="assertive" class="unseen" role="alert"></div>\
            <noscript>\(withoutScript)</noscript></body></html>
            """
        return text
    }

    /// The page's script, with preloads of the modules that it imports, so that all of them arrive
    /// in one round trip.
    private var scripts: String {
        assets.scripts.dropFirst().map {
            "<link rel=\"modulepreload\" href=\"\(assets.path($0.name))\">"
        }.joined()
            + "<script type=\"module\" src=\"\(assets.path(assets.scripts[0].name))\"></script>"
    }
}
