import Domain
import Foundation
import LivePages

enum Assets {
    static let library = AssetLibrary(
        scripts: [
            Asset(script: "app.js", PackageResources.app_js),
            Asset(script: "alert.js", PackageResources.alert_js),
            Asset(script: "offline.js", PackageResources.offline_js),
        ],
        style: Asset(style: "styles.css", PackageResources.styles_css),
        icons: .init(
            drawing: Asset("icon.svg", "image/svg+xml", PackageResources.icon_svg),
            small: picture("icon-192.png", PackageResources.icon_192_png)),
        others: [
            picture("icon-512.png", PackageResources.icon_512_png),
            picture("plain-192.png", PackageResources.plain_192_png),
            picture("plain-512.png", PackageResources.plain_512_png),
            picture("badge-96.png", PackageResources.badge_96_png),
            picture("check-in-96.png", PackageResources.check_in_96_png),
            picture("call-96.png", PackageResources.call_96_png),
            picture("screen-narrow.png", PackageResources.screen_narrow_png),
            picture("screen-wide.png", PackageResources.screen_wide_png),
            Asset(script: "passkey.js", PackageResources.passkey_js),
            Asset(script: "push.js", PackageResources.push_js),
            Asset(script: "device.js", PackageResources.device_js),
            Asset(script: "copy.js", PackageResources.copy_js),
            Asset(script: "kept.js", PackageResources.kept_js),
        ],
        shellOnly: [Asset(script: "shell.js", PackageResources.shell_js)],
        worker: classic(PackageResources.kept_js) + pushActions + PackageResources.push_worker_js,
        manifest: WebManifest.asset)

    /// Declares `ACTIONS`, the words of each button on a push notification.
    private static var pushActions: [UInt8] {
        let actions = PushAction.allCases.map { action in
            """
            "\(action.rawValue)":{"button":"\(action.button)","done":"\(action.done)",\
            "then":"\(action.then)"}
            """
        }
        return Array("const ACTIONS = {\(actions.joined(separator: ","))};\n".utf8)
    }

    private static func picture(_ name: String, _ bytes: [UInt8]) -> Asset {
        Asset(name, "image/png", bytes)
    }

    /// Turns a module into a classic script, because Firefox doesn't support modules in service
    /// workers.
    private static func classic(_ module: [UInt8]) -> [UInt8] {
        Array(
            String(decoding: module, as: UTF8.self)
                .replacing("\nexport const ", with: "\nconst ").utf8)
    }
}
