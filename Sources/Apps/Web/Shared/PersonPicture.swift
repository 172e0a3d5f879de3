import Domain
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

/// The first letters of the first and the last word; "?" without any.
func initials(of name: String) -> String {
    let words = name.split(whereSeparator: \.isWhitespace)
    guard let first = words.first?.first else { return "?" }
    let last = words.count > 1 ? words.last?.first : nil
    return String([first, last].compactMap(\.self)).uppercased()
}
