import LivePages

/// The files of the web app.
enum Assets {
    static let library = AssetLibrary(
        scripts: [
            Asset(script: "app.js", PackageResources.app_js),
            Asset(script: "alert.js", PackageResources.alert_js),
            Asset(script: "people.js", PackageResources.people_js),
            Asset(script: "offline.js", PackageResources.offline_js),
        ],
        style: Asset(style: "styles.css", PackageResources.styles_css),
        icons: .init(
            drawing: Asset("icon.svg", "image/svg+xml", PackageResources.icon_svg),
            small: Asset("icon-192.png", "image/png", PackageResources.icon_192_png)),
        others: [
            Asset("icon-512.png", "image/png", PackageResources.icon_512_png),
            Asset(script: "push.js", PackageResources.push_js),
        ],
        worker: PackageResources.push_worker_js
    ) { path in
        Asset(
            "manifest.webmanifest", "application/manifest+json",
            Array(
                """
                {"name":"LifeSignal","short_name":"LifeSignal",\
                "description":"A personal safety network","start_url":"/","scope":"/",\
                "display":"standalone","background_color":"#f6f7f4","theme_color":"#0f6b5c",\
                "icons":[\
                {"src":"\(path("icon.svg"))","sizes":"any","type":"image/svg+xml"},\
                {"src":"\(path("icon-192.png"))","sizes":"192x192","type":"image/png",\
                "purpose":"any maskable"},\
                {"src":"\(path("icon-512.png"))","sizes":"512x512","type":"image/png",\
                "purpose":"any maskable"}]}
                """.utf8))
    }
}
