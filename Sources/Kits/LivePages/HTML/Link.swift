import Foundation

/// The target of a link. A text from outside becomes a link only through one of these, so none can
/// lead into a script.
public struct Link: Sendable, Equatable {
    let text: String

    private init(_ text: String) { self.text = text }

    /// A page of ours, as `/profile`. Anything that is not a path from the root leads to the
    /// beginning.
    public static func page(_ path: String) -> Link {
        let isOurs =
            path.hasPrefix("/") && !path.hasPrefix("//") && !path.contains("\\")
            && !path.utf8.contains { $0 < 0x21 }
        return Link(isOurs ? path : "/")
    }

    /// A file of this session that is ready to be taken away.
    public static func download(_ name: String) -> Link {
        Link(
            "/web/downloads/"
                + name.filter {
                    $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".")
                })
    }

    /// A part of the present page.
    public static func fragment(_ id: String) -> Link {
        Link("#" + id.filter { $0.isLetter || $0.isNumber || $0 == "-" })
    }

    /// Calls a number. Only what belongs to a number is kept of it.
    public static func telephone(_ number: String) -> Link {
        Link("tel:" + number.filter { $0.isASCII && ($0.isNumber || $0 == "+") })
    }

    /// A text message to a number.
    public static func message(_ number: String) -> Link {
        Link("sms:" + number.filter { $0.isASCII && ($0.isNumber || $0 == "+") })
    }

    /// A page of somebody else: http or https, else nowhere.
    public static func web(_ url: URL) -> Link {
        guard let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http",
            url.host != nil
        else { return Link("#") }
        return Link(url.absoluteString)
    }
}

/// The source of a picture: this server, or the page itself.
public struct Source: Sendable, Equatable {
    let text: String

    private init(_ text: String) { self.text = text }

    /// A file of this server by its name, below an address such as `/pictures/`. Only letters,
    /// digits and hyphens are kept of the name.
    public static func file(in folder: StaticString, _ name: String) -> Source {
        Source(
            "\(folder)" + name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    }

    /// A picture in the page: PNG or JPEG, by its content.
    public static func picture(bytes: Data) -> Source {
        Source(
            "data:image/\(bytes.starts(with: [0xFF, 0xD8]) ? "jpeg" : "png");base64,"
                + bytes.base64EncodedString())
    }

    /// PNG bytes in the page.
    public static func png(_ bytes: Data) -> Source {
        Source("data:image/png;base64," + bytes.base64EncodedString())
    }
}
