import LivePages

enum WebManifest {
    /// Shortcuts focus a button but never press it, because any link can contain the same fragment.
    /// Other apps share pictures of codes with `/web/share`, which the service worker answers.
    /// All URLs are relative to the manifest's. So the app's id is its start URL, because an `id`
    /// would be relative to the host.
    static func asset(path: (_ file: String) -> String) -> Asset {
        Asset(
            "manifest.webmanifest", "application/manifest+json",
            Array(
                """
                {"name":"LifeSignal","short_name":"LifeSignal",\
                "description":"A personal safety network","lang":"en","dir":"ltr",\
                "categories":["health","lifestyle","utilities"],\
                "start_url":"./","scope":"./","display":"standalone",\
                "launch_handler":{"client_mode":["navigate-existing","auto"]},\
                "background_color":"#f6f7f4","theme_color":"#0f6b5c",\
                "icons":[\
                \(icon(path("plain-192.png"), "192x192", "any")),\
                \(icon(path("plain-512.png"), "512x512", "any")),\
                \(icon(path("icon-192.png"), "192x192", "maskable")),\
                \(icon(path("icon-512.png"), "512x512", "maskable")),\
                \(icon(path("badge-96.png"), "96x96", "monochrome"))],\
                "shortcuts":[\
                \(shortcut("Check in", "./#check-in", path("check-in-96.png"))),\
                \(shortcut("Call for help", "./#call-for-help", path("call-96.png")))],\
                "screenshots":[\
                \(screenshot(path("screen-narrow.png"), "360x740", "narrow")),\
                \(screenshot(path("screen-wide.png"), "1280x800", "wide"))],\
                "share_target":{"action":".\(WebPath.share)","method":"POST",\
                "enctype":"multipart/form-data","params":{"files":[\
                {"name":"picture","accept":["image/png","image/jpeg"]}]}}}
                """.utf8))
    }

    private static func icon(_ path: String, _ sizes: String, _ purpose: String) -> String {
        """
        {"src":"\(path)","sizes":"\(sizes)","type":"image/png","purpose":"\(purpose)"}
        """
    }

    private static func shortcut(_ name: String, _ url: String, _ picture: String) -> String {
        """
        {"name":"\(name)","url":"\(url)","icons":[\(icon(picture, "96x96", "any"))]}
        """
    }

    private static func screenshot(_ path: String, _ sizes: String, _ form: String) -> String {
        """
        {"src":"\(path)","sizes":"\(sizes)","type":"image/png","form_factor":"\(form)",\
        "label":"Check in, and call for help"}
        """
    }
}
