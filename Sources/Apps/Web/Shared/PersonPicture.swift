import Features
import Foundation
import LivePages

/// A person's picture, or their initials. Hidden from screen readers, because the name is beside
/// it.
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

/// The file types that a file button accepts. Without HEIC, so that a Mac or an iPhone converts
/// such pictures to JPEG.
let acceptedPictures = "image/jpeg,image/png"
