import Foundation

/// The kinds of input on an element.
enum Trigger: String, Sendable {
    case tap, input, toggle, choose, submit, dismiss, hold, file, frame, scan
}

/// The action for an input: fixed, or made from the input's value.
enum Handler<Action> {
    case plain(Action)
    case text((String) -> Action)
    case flag((Bool) -> Action)
    /// From 0 to 1.
    case progress((Double) -> Action)
    case bytes((Data) -> Action)

    func map<Parent>(_ embed: @escaping (Action) -> Parent) -> Handler<Parent> {
        switch self {
        case .plain(let action): .plain(embed(action))
        case .text(let make): .text { embed(make($0)) }
        case .flag(let make): .flag { embed(make($0)) }
        case .progress(let make): .progress { embed(make($0)) }
        case .bytes(let make): .bytes { embed(make($0)) }
        }
    }

    /// The action for a value; nil when the value is not of the kind that was asked for, or too
    /// large.
    func action(for value: EventValue) -> Action? {
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
    public func onTap(_ action: Action) -> HTML {
        on(.tap, .plain(action)).changed { element in
            // Else a button in a form would submit it besides.
            if element.tag == .button, !element.attributes.contains(where: { $0.name == "type" }) {
                element.attributes.append(.type("button"))
            }
        }
    }

    /// Typed into: the whole text of the field, while it is being typed.
    public func onInput(_ action: @escaping (String) -> Action) -> HTML {
        on(.input, .text(action))
    }

    /// A checkbox or switch was changed.
    public func onToggle(_ action: @escaping (Bool) -> Action) -> HTML {
        on(.toggle, .flag(action))
    }

    /// Another value of a `select`, or of a group of radio buttons, was chosen.
    public func onChoose(_ action: @escaping (String) -> Action) -> HTML {
        on(.choose, .text(action))
    }

    /// A form was submitted; what was typed has been sent before.
    public func onSubmit(_ action: Action) -> HTML { on(.submit, .plain(action)) }

    /// A dialog was left by Escape.
    public func onDismiss(_ action: Action) -> HTML { on(.dismiss, .plain(action)) }

    /// Held for so many seconds, by pointer or by keyboard. The progress grows from 0; 1 is the
    /// end, and 0 again means that it was let go.
    public func onHold(seconds: Double, progress action: @escaping (Double) -> Action) -> HTML {
        on(.hold, .progress(action)).changed {
            $0.attributes.append(.data("hold-seconds", "\(seconds)"))
        }
    }

    /// A file was chosen.
    public func onFile(_ action: @escaping (Data) -> Action) -> HTML { on(.file, .bytes(action)) }

    /// A frame of the camera, as JPEG, from a `video` of a scanner; where the browser reads codes
    /// itself, `onScan` comes instead.
    public func onFrame(_ action: @escaping (Data) -> Action) -> HTML { on(.frame, .bytes(action)) }

    /// The text of a code that the browser has read.
    public func onScan(_ action: @escaping (String) -> Action) -> HTML { on(.scan, .text(action)) }

    private func on(_ trigger: Trigger, _ handler: Handler<Action>) -> HTML {
        changed { $0.handlers.append((trigger, handler)) }
    }
}
