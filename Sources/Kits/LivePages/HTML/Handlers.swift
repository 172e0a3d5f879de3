import Foundation

/// The kinds of input on an element.
enum Trigger: String, Sendable {
    case tap, input, toggle, choose, submit, dismiss, hold, file, frame, scan
}

/// The action for an input: either fixed or created from the input's value. The action has the type
/// of the fragment that contains the handler.
enum Handler {
    case plain(Any)
    case text((String) -> Any)
    case flag((Bool) -> Any)
    /// The progress from 0 to 1.
    case progress((Double) -> Any)
    case bytes((Data) -> Any)

    /// Returns the action for a value; nil if the value is of the wrong kind or too large.
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

/// The value of an event.
public enum EventValue: Sendable, Equatable {
    case none
    case text(String)
    case flag(Bool)
    case number(Double)
    case bytes(Data)

    /// The maximum length of a text, in bytes of UTF-8.
    public static let textLimit = 8 * 1024
    /// The maximum size of a file, in bytes. The script cuts a larger file off one byte after this
    /// limit, so that the feature can tell that the file is too large.
    public static let bytesLimit = 6_000_000
}

extension HTML {
    /// Sends an action when the element is pressed by pointer, touch or keyboard.
    public consuming func onTap(_ action: Action) -> HTML {
        HTML(
            node.changed { element in
                element.handlers.append((.tap, .plain(action)))
                // Without a type, a button in a form would also submit the form.
                if element.tag == .button,
                    !element.attributes.contains(where: { $0.name == "type" })
                {
                    element.attributes.append(.type("button"))
                }
            })
    }

    /// Sends the field's whole text each time it changes while the user types.
    public consuming func onInput(_ action: @escaping (String) -> Action) -> HTML {
        on(.input, .text(action))
    }

    /// Sends an action when a checkbox or switch is changed.
    public consuming func onToggle(_ action: @escaping (Bool) -> Action) -> HTML {
        on(.toggle, .flag(action))
    }

    /// Sends an action when another value of a `select`, or of a group of radio buttons, is chosen.
    public consuming func onChoose(_ action: @escaping (String) -> Action) -> HTML {
        on(.choose, .text(action))
    }

    /// Sends an action when a form is submitted. Typed text has already been sent.
    public consuming func onSubmit(_ action: Action) -> HTML { on(.submit, .plain(action)) }

    /// Sends an action when a dialog is closed with Escape.
    public consuming func onDismiss(_ action: Action) -> HTML { on(.dismiss, .plain(action)) }

    /// Sends the progress while the element is held for this many seconds, by pointer or keyboard.
    /// The progress grows from 0 to 1, and returns to 0 if the element is released early.
    public consuming func onHold(seconds: Double, progress action: @escaping (Double) -> Action)
        -> HTML
    {
        HTML(
            node.changed { element in
                element.handlers.append((.hold, .progress(action)))
                element.attributes.append(.data("hold-seconds", "\(seconds)"))
            })
    }

    /// Sends an action when a file is chosen.
    public consuming func onFile(_ action: @escaping (Data) -> Action) -> HTML {
        on(.file, .bytes(action))
    }

    /// Sends each camera frame, as JPEG, from a scanner's `video`. If the browser can read codes
    /// itself, `onScan` is used instead.
    public consuming func onFrame(_ action: @escaping (Data) -> Action) -> HTML {
        on(.frame, .bytes(action))
    }

    /// Sends the text of a code that the browser has read.
    public consuming func onScan(_ action: @escaping (String) -> Action) -> HTML {
        on(.scan, .text(action))
    }

    private consuming func on(_ trigger: Trigger, _ handler: Handler) -> HTML {
        HTML(node.changed { $0.handlers.append((trigger, handler)) })
    }
}
