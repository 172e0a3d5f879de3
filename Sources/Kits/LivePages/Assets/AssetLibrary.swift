/// The files of an app and of LivePages. Scripts import each other by name.
public struct AssetLibrary: Sendable {
    /// The app's scripts, then those of LivePages. The first script imports the others.
    public let scripts: [Asset]
    public let style: Asset
    public let icons: Icons
    /// One version for all files, because scripts import each other by relative URLs.
    public let version: String
    /// The service worker. Served at the root, because a worker controls only URLs below its own.
    /// It contains the files' URLs, so each new version makes browsers install a new worker.
    public let worker: Asset
    public let manifest: Asset
    private let others: [Asset]

    public struct Icons: Sendable {
        /// An SVG icon for any size.
        public let drawing: Asset
        /// The icon for `/favicon.ico` and for a phone's home screen.
        public let small: Asset

        public init(drawing: Asset, small: Asset) {
            (self.drawing, self.small) = (drawing, small)
        }

        var all: [Asset] { [drawing, small] }
    }

    /// The files that browsers may cache permanently.
    public var all: [Asset] { scripts + [style] + icons.all + others }

    /// - Parameters:
    ///   - scripts: The app's scripts. A page loads the first script, which imports the others and
    ///     those of LivePages.
    ///   - others: Files that are fetched on demand.
    ///   - shellOnly: Scripts that only the shell loads. They are cached with it.
    ///   - worker: The app's part of the service worker, appended to that of LivePages. It can use
    ///     `VERSION`, the version of the files.
    ///   - manifest: Creates the app's manifest from its files' URLs, relative to the manifest's.
    public init(
        scripts: [Asset], style: Asset, icons: Icons, others: [Asset],
        shellOnly: [Asset] = [], worker: [UInt8] = [],
        manifest: (_ path: (_ name: String) -> String) -> Asset
    ) {
        self.scripts = scripts + Self.kitScripts
        (self.style, self.icons) = (style, icons)
        self.others =
            others + shellOnly + [
                Asset(script: "scanner.js", PackageResources.scanner_js),
                Asset(script: "drafts.js", PackageResources.drafts_js),
            ]
        let all = self.scripts + [style] + icons.all + self.others
        let workerScript = PackageResources.sw_js + worker
        let version = Asset.version(of: all.flatMap(\.bytes) + workerScript)
        self.version = version
        let path = { (name: String) in "/web/assets/\(version)/\(name)" }
        let kept = self.scripts + shellOnly + [style, icons.drawing]
        let shell = kept.map { "\"\(path($0.name))\"" }
        let head = """
            const VERSION = "\(version)";
            const SHELL = ["/web/shell", \(shell.joined(separator: ", "))];

            """
        self.worker = Asset(script: "sw.js", Array(head.utf8) + workerScript)
        self.manifest = manifest { String(path($0).dropFirst()) }
    }

    /// Returns a file's URL path. Browsers may cache the path permanently.
    public func path(_ name: String) -> String { "/web/assets/\(version)/\(name)" }

    private static let kitScripts = [
        Asset(script: "back.js", PackageResources.back_js),
        Asset(script: "changes.js", PackageResources.changes_js),
        Asset(script: "connection.js", PackageResources.connection_js),
        Asset(script: "events.js", PackageResources.events_js),
        Asset(script: "page.js", PackageResources.page_js),
        Asset(script: "time.js", PackageResources.time_js),
    ]
}
