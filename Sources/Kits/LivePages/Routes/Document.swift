import WebText

/// The HTML document around the page's parts.
public struct Document: Sendable {
    public let assets: AssetLibrary
    /// See ``PageApp/base``.
    public let base: String
    private let head: String
    private let beforeContent: String
    private let afterContent: String
    private let withoutScript: String

    /// Creates a document. The arguments aren't escaped, so they must be constant markup of the
    /// program.
    /// - Parameters:
    ///   - base: See ``PageApp/base``.
    ///   - head: Elements for the head, such as theme colours.
    ///   - beforeContent: Markup before the parts. Changes of the page don't affect it.
    ///   - afterContent: Markup after the parts. Changes of the page don't affect it.
    ///   - withoutScript: Markup before the parts, for browsers that run no scripts.
    public init(
        assets: AssetLibrary, base: String = "", head: String, beforeContent: String,
        afterContent: String, withoutScript: String
    ) {
        self.assets = assets
        self.base = base
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

    /// Returns the document around the markup `content`. If `hasScript` is false, the document
    /// loads no script.
    public func text(
        title: String, attributes: [(String, String)] = [], hasScript: Bool = true, content: String
    ) -> String {
        var text = "<!doctype html><html lang=\"en\""
        for (name, value) in base.isEmpty ? attributes : attributes + [("base", base)] {
            text += " data-\(name)=\""
            text += Markup.escaped(value)
            text += "\""
        }
        text += """
            ><head><meta charset="utf-8"><meta name="viewport" \
            content="width=device-width,initial-scale=1,viewport-fit=cover">\
            \(head)<title>
            """
        text += Markup.escaped(title)
        text += """
            </title><link rel="stylesheet" href="\(address(of: assets.style))">\
            <link rel="icon" href="\(address(of: assets.icons.drawing))">\
            <link rel="apple-touch-icon" href="\(address(of: assets.icons.small))">\
            <link rel="manifest" href="\(base)/\(assets.manifest.name)">\
            \(hasScript ? scripts : "")</head><body>\(beforeContent)\
            <noscript>\(withoutScript)</noscript>
            """
        text += content
        text += """
            \(afterContent)<div id="polite" class="unseen" role="status"></div>\
            <div id="assertive" class="unseen" role="alert"></div></body></html>
            """
        return text
    }

    /// The page's script, with preloads of the modules that it imports. The browser then loads all
    /// of them in one round trip.
    private var scripts: String {
        assets.scripts.dropFirst().map {
            "<link rel=\"modulepreload\" href=\"\(address(of: $0))\">"
        }.joined()
            + "<script type=\"module\" src=\"\(address(of: assets.scripts[0]))\"></script>"
    }

    private func address(of asset: Asset) -> String { base + assets.path(asset.name) }
}
