import Features
import Foundation
import LivePages

/// A person's picture, or the first letters of their name. It stands beside the name, so a screen
/// reader passes over it.
func personPicture<Action>(_ name: String, url: URL?, isLarge: Bool = false) -> HTML<Action> {
    if let url {
        return img(
            .class("picture", isLarge ? "large" : ""), .src(.picture(url.lastPathComponent)),
            .alt(""))
    }
    return span(.class("picture", isLarge ? "large" : ""), .aria("hidden", "true")) {
        initials(of: name)
    }
}
