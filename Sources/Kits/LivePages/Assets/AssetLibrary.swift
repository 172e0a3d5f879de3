/// The files of an app and of LivePages itself. Scripts import each other by name.
public struct AssetLibrary: Sendable {
    /// The scripts of a page; the first one imports the others.
    public let scripts: [Asset]
    public let style: Asset
    public let icons: Icons
    /// The version of all files together. Scripts import each other by URLs without a version, so
    /// no file can have a version of its own.
    public let version: String
    /// The service worker. It is served at the root, because a worker controls only URLs below its
    /// own. It contains the URLs of the files of this version, so that browsers install a new
    /// worker for a new version.
    public let worker: Asset
    public let manifest: Asset
    private let others: [Asset]

    /// The app's icons.
    public struct Icons: Sendable {
        /// An SVG icon, scalable to any size.
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
    ///   - scripts: the app's scripts. A page loads the first one, which imports the others and
    ///     those of LivePages.
    ///   - others: files that are fetched on demand.
    ///   - worker: the app's part of the service worker, appended to that of LivePages. It can use
    ///     `VERSION`, the version of the files.
    ///   - manifest: creates the app's manifest from the URLs of its files.
    public init(
        scripts: [Asset], style: Asset, icons: Icons, others: [Asset], worker: [UInt8] = [],
        manifest: (_ path: (_ name: String) -> String) -> Asset
    ) {
        self.scripts = scripts + Self.kitScripts
        (self.style, self.icons) = (style, icons)
        self.others =
            others + [
                Asset(script: "scanner.js", PackageResources.scanner_js),
                Asset(script: "drafts.js", PackageResources.drafts_js),
            ]
        let all = self.scripts + [style] + icons.all + self.others
        let workerScript = PackageResources.sw_js + worker
        let version = Asset.version(of: all.flatMap(\.bytes) + workerScript)
        self.version = version
        let path = { (name: String) in "/web/assets/\(version)/\(name)" }
        let shell = (self.scripts + [style, icons.drawing]).map { "\"\(path($0.name))\"" }
        let head = """
            const VERSION = "\(version)";
            const SHELL = ["/web/shell", \(shell.joined(separator: ", "))];

            """
        self.worker = Asset(script: "sw.js", Array(head.utf8) + workerScript)
        self.manifest = manifest(path)
    }

    /// Returns a file's URL path. Browsers may cache that path permanently.
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
