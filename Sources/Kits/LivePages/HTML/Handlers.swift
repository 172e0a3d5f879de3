import Foundation

enum Trigger: String, Sendable {
    case tap, input, toggle, choose, submit, dismiss, hold, file, frame, scan
}

/// The action for an input: fixed, or created from the input's value. The action has the type of
/// the fragment with the handler.
enum Handler {
    case plain(Any)
    case text((String) -> Any)
    /// For a text up to `EventValue.longTextLimit`. A longer text is cut after the limit, so that
    /// the feature refuses it. If the page dropped it, the feature would save an older text.
    case longText((String) -> Any)
    case flag((Bool) -> Any)
    /// The progress, from 0 to 1.
    case progress((Double) -> Any)
    case bytes((Data) -> Any)

    /// Returns the action for a value. Returns nil if the value has the wrong kind or is too large.
    func action(for value: EventValue) -> Any? {
        switch (self, value) {
        case (.plain(let action), .none): action
        case (.text(let make), .text(let text)) where text.utf8.count <= EventValue.textLimit:
            make(text)
        case (.longText(let make), .text(let text)): make(EventValue.cut(text))
        case (.flag(let make), .flag(let flag)): make(flag)
        case (.progress(let make), .number(let number)) where (0...1).contains(number): make(number)
        case (.bytes(let make), .bytes(let bytes)) where bytes.count <= EventValue.bytesLimit + 1:
            make(bytes)
        default: nil
        }
    }
}

public enum EventValue: Sendable, Equatable {
    case none
    case text(String)
    case flag(Bool)
    case number(Double)
    case bytes(Data)

    /// The maximum length of a text, in UTF-8 bytes. Sessions without a sign-in keep texts, too, so
    /// the limit is low.
    public static let textLimit = 8 * 1024
    /// The maximum length of a long text, in UTF-8 bytes: 4,000 characters of up to four Unicode
    /// scalars, with up to four bytes each.
    public static let longTextLimit = 64_000
    /// The most Unicode scalars that fit into `longTextLimit` in any script.
    static let longTextScalars = longTextLimit / 4

    /// Shortens a text over `longTextLimit` to one scalar more than `longTextScalars`, which the
    /// feature still refuses. Returns other texts unchanged.
    fileprivate static func cut(_ text: String) -> String {
        guard text.utf8.count > longTextLimit else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longTextScalars + 1)))
    }

    /// The maximum size of a file, in bytes. The script cuts a larger file one byte after the
    /// limit, so that the feature notices its size.
    public static let bytesLimit = 6_000_000
}

extension HTML {
    /// Sends an action when the element is pressed by pointer, touch or keyboard.
    public consuming func onTap(_ action: Action) -> HTML {
        HTML(
            node.changed { element in
                element.handlers.append((.tap, .plain(action)))
                // Sets a type, because a button without a type would submit its form.
                if element.tag == .button,
                    !element.attributes.contains(where: { $0.name == "type" })
                {
                    element.attributes.append(.type("button"))
                }
            })
    }

    /// Sends the field's whole text after each change.
    public consuming func onInput(_ action: @escaping (String) -> Action) -> HTML {
        on(.input, .text(action))
    }

    /// Sends the whole text of a field for a long text after each change.
    public consuming func onLongInput(_ action: @escaping (String) -> Action) -> HTML {
        on(.input, .longText(action))
    }

    /// Sends an action when a checkbox or switch changes.
    public consuming func onToggle(_ action: @escaping (Bool) -> Action) -> HTML {
        on(.toggle, .flag(action))
    }

    /// Sends an action when the user chooses another value of a `select` or a radio group.
    public consuming func onChoose(_ action: @escaping (String) -> Action) -> HTML {
        on(.choose, .text(action))
    }

    /// Sends an action when a form is submitted. The text typed before has already been sent.
    public consuming func onSubmit(_ action: Action) -> HTML { on(.submit, .plain(action)) }

    /// Sends an action when the user closes a dialog with Escape.
    public consuming func onDismiss(_ action: Action) -> HTML { on(.dismiss, .plain(action)) }

    /// Sends the progress of a hold by pointer or keyboard, from 0 to 1. An early release resets
    /// the progress to 0.
    /// - Parameter seconds: The duration of a complete hold.
    public consuming func onHold(seconds: Double, progress action: @escaping (Double) -> Action)
        -> HTML
    {
        HTML(
            node.changed { element in
                element.handlers.append((.hold, .progress(action)))
                element.attributes.append(.data("hold-seconds", "\(seconds)"))
            })
    }

    /// Sends the content of a file that the user chooses.
    public consuming func onFile(_ action: @escaping (Data) -> Action) -> HTML {
        on(.file, .bytes(action))
    }

    /// Sends camera frames from a scanner's `video`, as JPEG. Browsers that can read codes send the
    /// code instead (`onScan`).
    public consuming func onFrame(_ action: @escaping (Data) -> Action) -> HTML {
        on(.frame, .bytes(action))
    }

    /// Sends the text of a code that the browser has read in the camera's picture.
    public consuming func onScan(_ action: @escaping (String) -> Action) -> HTML {
        on(.scan, .text(action))
    }

    private consuming func on(_ trigger: Trigger, _ handler: Handler) -> HTML {
        HTML(node.changed { $0.handlers.append((trigger, handler)) })
    }
}
