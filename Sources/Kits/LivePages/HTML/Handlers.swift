import Foundation

/// The kinds of input on an element.
enum Trigger: String, Sendable {
    case tap, input, toggle, choose, submit, dismiss, hold, file, frame, scan
}

/// The action for an input: fixed, or made from the input's value. Its type is that of the piece
/// that the handler is in.
enum Handler {
    case plain(Any)
    case text((String) -> Any)
    case flag((Bool) -> Any)
    /// The progress from 0 to 1.
    case progress((Double) -> Any)
    case bytes((Data) -> Any)

    /// The action for a value; nil when the value is not of the kind that was asked for, or too
    /// large.
    func action(for value: EventValue) -> Any? {
        switch (self, value) {
        case (.plain(let action), .none): action
        case (.text(let make), .text(let text)) where text.utf8.count <= EventValue.textLimit:
            make(text)
        case (.flag(let make), .flag(let flag)): make(flag)
        case (.progress(let make), .number(let number)) where (0...1).contains(number): make(number)
        case (.bytes(let make), .bytes(let bytes)) where bytes.count <= EventValue.bytesLimit + 1:
            make(bytes)
        default: nil
        }
    }
}

/// The value that an event carries.
public enum EventValue: Sendable, Equatable {
    case none
    case text(String)
    case flag(Bool)
    case number(Double)
    case bytes(Data)

    /// Bytes of UTF-8.
    public static let textLimit = 8 * 1024
    /// The script cuts a larger file one byte behind this, so that the feature sees that it is too
    /// large.
    public static let bytesLimit = 6_000_000
}

extension HTML {
    /// Pressed, by pointer, touch or keyboard.
    public consuming func onTap(_ action: Action) -> HTML {
        HTML(
            node.changed { element in
                element.handlers.append((.tap, .plain(action)))
                // Else a button in a form would submit it besides.
                if element.tag == .button,
                    !element.attributes.contains(where: { $0.name == "type" })
                {
                    element.attributes.append(.type("button"))
                }
            })
    }

    /// Typed into: the whole text of the field, while it is being typed.
    public consuming func onInput(_ action: @escaping (String) -> Action) -> HTML {
        on(.input, .text(action))
    }

    /// A checkbox or switch was changed.
    public consuming func onToggle(_ action: @escaping (Bool) -> Action) -> HTML {
        on(.toggle, .flag(action))
    }

    /// Another value of a `select`, or of a group of radio buttons, was chosen.
    public consuming func onChoose(_ action: @escaping (String) -> Action) -> HTML {
        on(.choose, .text(action))
    }

    /// A form was submitted; what was typed has been sent before.
    public consuming func onSubmit(_ action: Action) -> HTML { on(.submit, .plain(action)) }

    /// A dialog was left by Escape.
    public consuming func onDismiss(_ action: Action) -> HTML { on(.dismiss, .plain(action)) }

    /// Held for so many seconds, by pointer or by keyboard. The progress grows from 0; 1 is the
    /// end, and 0 again means that it was let go.
    public consuming func onHold(seconds: Double, progress action: @escaping (Double) -> Action)
        -> HTML
    {
        HTML(
            node.changed { element in
                element.handlers.append((.hold, .progress(action)))
                element.attributes.append(.data("hold-seconds", "\(seconds)"))
            })
    }

    /// A file was chosen.
    public consuming func onFile(_ action: @escaping (Data) -> Action) -> HTML {
        on(.file, .bytes(action))
    }

    /// A frame of the camera, as JPEG, from a `video` of a scanner; where the browser reads codes
    /// itself, `onScan` comes instead.
    public consuming func onFrame(_ action: @escaping (Data) -> Action) -> HTML {
        on(.frame, .bytes(action))
    }

    /// The text of a code that the browser has read.
    public consuming func onScan(_ action: @escaping (String) -> Action) -> HTML {
        on(.scan, .text(action))
    }

    private consuming func on(_ trigger: Trigger, _ handler: Handler) -> HTML {
        HTML(node.changed { $0.handlers.append((trigger, handler)) })
    }
}
