import Cryptography
import Foundation

/// A file that is part of the program.
struct Asset: Sendable {
    let name: String
    let contentType: String
    let bytes: [UInt8]
    /// By gzip; nil for what would not become smaller.
    let compressed: [UInt8]?
    /// From the content, so that a new content has a new one.
    let version: String

    init(_ name: String, _ contentType: String, _ bytes: [UInt8]) {
        self.name = name
        self.contentType = contentType
        self.bytes = bytes
        compressed = Gzip.compress(bytes)
        version = Self.version(of: bytes)
    }

    static func version(of bytes: [UInt8]) -> String {
        String(Base64URL.encode(Digest.sha256(Data(bytes))).prefix(12))
    }
}

enum Assets {
    private static let javaScript = "text/javascript; charset=utf-8"
    /// The parts of the script that a page begins with; the first one asks for the others.
    static let script = [
        Asset("app.js", javaScript, PackageResources.app_js),
        Asset("alert.js", javaScript, PackageResources.alert_js),
        Asset("people.js", javaScript, PackageResources.people_js),
        Asset("changes.js", javaScript, PackageResources.changes_js),
        Asset("events.js", javaScript, PackageResources.events_js),
        Asset("hold.js", javaScript, PackageResources.hold_js),
        Asset("line.js", javaScript, PackageResources.line_js),
        Asset("offline.js", javaScript, PackageResources.offline_js),
        Asset("page.js", javaScript, PackageResources.page_js),
        Asset("drafts.js", javaScript, PackageResources.drafts_js),
        Asset("time.js", javaScript, PackageResources.time_js),
    ]
    static let style = Asset("styles.css", "text/css; charset=utf-8", PackageResources.styles_css)
    static let icon = Asset("icon.svg", "image/svg+xml", PackageResources.icon_svg)
    static let smallIcon = Asset("icon-192.png", "image/png", PackageResources.icon_192_png)
    static let all =
        script + [
            style, icon, smallIcon,
            Asset("icon-512.png", "image/png", PackageResources.icon_512_png),
            Asset("scanner.js", javaScript, PackageResources.scanner_js),
        ]

    /// Of all of them together: the parts of the script name each other without one.
    static let version = Asset.version(of: all.flatMap(\.bytes) + PackageResources.sw_js)

    /// Kept by browsers for good.
    static func path(_ name: String) -> String { "/web/assets/\(version)/\(name)" }

    /// Has to be at the root: it may look after what is below its own address only. Knows the
    /// addresses of the present version, so that a new version brings a new worker.
    static let worker = Asset("sw.js", javaScript, Array(workerHead.utf8) + PackageResources.sw_js)

    private static let workerHead = """
        const VERSION = "\(version)";
        const SHELL = ["/web/shell", \
        \((script + [style, icon]).map { "\"\(path($0.name))\"" }.joined(separator: ", "))];

        """

    /// The page that the service worker stores for offline use.
    static let shell = Asset("shell", "text/html; charset=utf-8", Array(Document.shell.utf8))

    static let manifest = Asset(
        "manifest.webmanifest", "application/manifest+json", Array(manifestText.utf8))

    private static let manifestText = """
        {"name":"LifeSignal","short_name":"LifeSignal","description":"A personal safety \
        network","start_url":"/","scope":"/","display":"standalone",\
        "background_color":"#f6f7f4","theme_color":"#0f6b5c","icons":[\
        {"src":"\(path("icon.svg"))","sizes":"any","type":"image/svg+xml"},\
        {"src":"\(path("icon-192.png"))","sizes":"192x192","type":"image/png","purpose":"any \
        maskable"},\
        {"src":"\(path("icon-512.png"))","sizes":"512x512","type":"image/png","purpose":"any \
        maskable"}]}
        """
}
