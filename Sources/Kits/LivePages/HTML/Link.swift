import Foundation

/// The target of a link. These functions are the only way to create links from text, so a link
/// can't run a script.
public struct Link: Sendable, Equatable {
    let text: String

    private init(_ text: String) { self.text = text }

    /// A page of this server, such as `/profile`. Anything but an absolute path becomes `/`.
    public static func page(_ path: String) -> Link {
        let isOurs =
            path.hasPrefix("/") && !path.hasPrefix("//") && !path.contains("\\")
            && !path.utf8.contains { $0 < 0x21 }
        return Link(isOurs ? path : "/")
    }

    /// A file for download, from the user's session.
    public static func download(_ name: String) -> Link {
        Link(
            "/web/downloads/"
                + name.filter {
                    $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".")
                })
    }

    /// A place on the current page, by its id.
    public static func fragment(_ id: String) -> Link {
        Link("#" + id.filter { $0.isLetter || $0.isNumber || $0 == "-" })
    }

    /// Calls a phone number. Removes all characters except digits and "+".
    public static func telephone(_ number: String) -> Link {
        Link("tel:" + number.filter { $0.isASCII && ($0.isNumber || $0 == "+") })
    }

    /// Sends a text message to a number.
    /// - Parameter body: The prepared text. iOS reads it after "&", Android after "?".
    public static func message(_ number: String, body: String? = nil) -> Link {
        let letters = CharacterSet.alphanumerics.intersection(
            CharacterSet(charactersIn: "\0"..."~"))
        let text = body?.addingPercentEncoding(withAllowedCharacters: letters)
        return Link(
            "sms:" + number.filter { $0.isASCII && ($0.isNumber || $0 == "+") }
                + (text.map { "?&body=\($0)" } ?? ""))
    }

    /// A page of another site, over http or https. Any other URL becomes `#`.
    public static func web(_ url: URL) -> Link {
        guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http",
            url.host != nil
        else { return Link("#") }
        return Link(url.absoluteString)
    }
}

/// The source of a picture: a file of this server, or bytes in the page.
public struct Source: Sendable, Equatable {
    let text: String

    private init(_ text: String) { self.text = text }

    /// A file of this server, below a folder such as `/pictures/`. Keeps only letters, digits and
    /// hyphens of the name.
    public static func file(in folder: StaticString, _ name: String) -> Source {
        Source(
            "\(folder)" + name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    }

    /// A PNG or JPEG in the page itself. The content determines the format.
    public static func picture(bytes: Data) -> Source {
        Source(
            "data:image/\(bytes.starts(with: [0xFF, 0xD8]) ? "jpeg" : "png");base64,"
                + bytes.base64EncodedString())
    }

    public static func png(_ bytes: Data) -> Source {
        Source("data:image/png;base64," + bytes.base64EncodedString())
    }
}
