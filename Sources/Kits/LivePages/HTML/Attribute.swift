import Foundation

/// An attribute of an element. Event handlers and styles can't be created, so attributes can't run
/// code.
public struct Attribute: Sendable, Equatable {
    let prefix: Prefix
    let name: String
    /// `nil` for a boolean attribute.
    let value: String?

    /// The prefix of the name. Stored separately, because a joined name would need its own memory.
    /// A rendering creates thousands of attributes.
    enum Prefix: Sendable {
        case none, aria, data

        var text: StaticString {
            switch self {
            case .none: ""
            case .aria: "aria-"
            case .data: "data-"
            }
        }
    }

    /// True for the attributes that only a ``Link`` and a ``Source`` make. If the value begins with
    /// a slash, it is a path of this server.
    var isAddress: Bool { prefix == .none && (name == "href" || name == "src") }

    private init(_ name: String, _ value: String?) { self.init(.none, name, value) }

    private init(_ prefix: Prefix, _ name: String, _ value: String?) {
        self.prefix = prefix
        self.name = name
        self.value = value
    }

    /// Attributes whose values the browser treats as plain text.
    public enum Name: String, Sendable, CaseIterable {
        case accept, alt, autocapitalize, autocomplete, `class`, cols, datetime, dir, download,
            enterkeyhint, `for`, form, height, id, inputmode, lang, list,
            max,
            maxlength, min, minlength, name, pattern, placeholder, rel, role, rows, scope,
            spellcheck, step, tabindex, title, type, value, width
    }

    public static func aria(_ name: StaticString, _ value: String) -> Attribute {
        Attribute(.aria, name.description, value)
    }

    public static func data(_ name: StaticString, _ value: String? = nil) -> Attribute {
        Attribute(.data, name.description, value)
    }

    public static func plain(_ name: Name, _ value: String) -> Attribute {
        Attribute(name.rawValue, value)
    }

    public static func `class`(_ names: String...) -> Attribute {
        Attribute(
            "class",
            names.count == 1 ? names[0] : names.filter { !$0.isEmpty }.joined(separator: " "))
    }
    public static func id(_ id: String) -> Attribute { Attribute("id", id) }
    public static func role(_ role: StaticString) -> Attribute {
        Attribute("role", role.description)
    }
    public static func label(_ text: String) -> Attribute { Attribute(.aria, "label", text) }
    public static func labelled(by id: String) -> Attribute { Attribute(.aria, "labelledby", id) }
    public static func described(by id: String) -> Attribute { Attribute(.aria, "describedby", id) }
    public static func current(_ isCurrent: Bool) -> Attribute {
        Attribute(.aria, "current", isCurrent ? "page" : "false")
    }
    public static func pressed(_ isPressed: Bool) -> Attribute {
        Attribute(.aria, "pressed", isPressed ? "true" : "false")
    }
    public static func type(_ type: StaticString) -> Attribute {
        Attribute("type", type.description)
    }
    public static func name(_ name: String) -> Attribute { Attribute("name", name) }
    public static func value(_ value: String) -> Attribute { Attribute("value", value) }
    public static func placeholder(_ text: String) -> Attribute { Attribute("placeholder", text) }
    public static func alt(_ text: String) -> Attribute { Attribute("alt", text) }
    public static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
    public static func datetime(_ date: Date) -> Attribute { Attribute("datetime", date.wireText) }

    public static let disabled = Attribute("disabled", nil)
    public static let required = Attribute("required", nil)
    public static let hidden = Attribute("hidden", nil)
    public static let readonly = Attribute("readonly", nil)
    public static let playsinline = Attribute("playsinline", nil)
    public static let muted = Attribute("muted", nil)
    /// Writes one attribute for each state, so that each change of the state changes the markup.
    public static func checked(_ isChecked: Bool) -> Attribute {
        isChecked ? Attribute("checked", nil) : Attribute(.data, "unchecked", nil)
    }
    public static func selected(_ isSelected: Bool) -> Attribute {
        isSelected ? Attribute("selected", nil) : Attribute(.data, "unselected", nil)
    }

    public static func href(_ link: Link) -> Attribute { Attribute("href", link.text) }
    public static func src(_ source: Source) -> Attribute { Attribute("src", source.text) }
}
