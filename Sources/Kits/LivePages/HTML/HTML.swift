/// A fragment of a page, with the actions that it can send. A view is a pure function from state to
/// `HTML`.
///
/// ```swift
/// func counter(_ state: Counter.State) -> HTML<Counter.Action> {
///     section(.class("card")) {
///         p { "\(state.count) visits" }
///         button { "Visit" }.onTap(.visitButtonTapped)
///     }
///     .key("counter")
/// }
/// ```
///
/// Only this type is generic over the actions. Its nodes aren't, so that building and writing a
/// page runs no generic code.
public struct HTML<Action> {
    let node: HTMLNode

    init(_ node: HTMLNode) { self.node = node }

    /// Creates text. The renderer escapes it.
    public static func text(_ text: String) -> HTML { HTML(.text(text)) }

    /// Creates markup from a literal in the source code, without escaping.
    public static func raw(_ markup: StaticString) -> HTML { HTML(.raw(markup)) }

    public static func fragment(_ pieces: [HTML]) -> HTML {
        HTML(.fragment(pieces.map { $0.node }))
    }

    public static var empty: HTML { HTML(.empty) }
}

/// A fragment of a page, without the type of its actions.
public enum HTMLNode {
    case empty
    case element(Element)
    case text(String)
    case raw(StaticString)
    case fragment([HTMLNode])
    case mapped(MappedNode)
    case part(PartNode)
}

/// A child's fragment, and a function that embeds the child's actions in the parent's.
public final class MappedNode {
    let content: HTMLNode
    let embed: (Any) -> Any?

    init(_ content: HTMLNode, embed: @escaping (Any) -> Any?) {
        self.content = content
        self.embed = embed
    }
}

/// A part that is built only if its input has changed.
public final class PartNode {
    let key: String
    let input: PartInput
    let content: () -> HTMLNode

    init(_ key: String, _ input: PartInput, content: @escaping () -> HTMLNode) {
        self.key = key
        self.input = input
        self.content = content
    }
}

/// What a part was built from, without its type.
class PartInput {
    func equals(_ other: PartInput) -> Bool { false }
}

private final class TypedPartInput<Value: Equatable>: PartInput {
    private let value: Value

    init(_ value: Value) { self.value = value }

    override func equals(_ other: PartInput) -> Bool {
        (other as? TypedPartInput<Value>).map { $0.value == value } ?? false
    }
}

/// Creates a part of the page, as `key(_:)` does, from `input` alone. While the input stays equal,
/// the part of the previous rendering is used again, and `content` isn't called.
///
/// `content` must read nothing but its input, and the functions that embed its actions must not
/// depend on the state. The page keeps the input, so a large input should share its memory with
/// the state.
public func part<Action, Input: Equatable>(
    _ key: String, of input: Input, content: @escaping (Input) -> HTML<Action>
) -> HTML<Action> {
    HTML(.part(PartNode(key, TypedPartInput(input)) { content(input).node }))
}

/// An element. A modifier copies an element with several owners before it changes the element.
public final class Element {
    let tag: Tag
    var attributes: [Attribute]
    let content: HTMLNode
    var handlers: [(trigger: Trigger, handler: Handler)] = []
    var isDisabled = false
    var key: String?
    var appearing: Any?
    var disappearing: Any?

    init(_ tag: Tag, _ attributes: [Attribute], _ content: HTMLNode) {
        self.tag = tag
        self.attributes = attributes
        self.content = content
    }

    fileprivate func copy() -> Element {
        let copy = Element(tag, attributes, content)
        copy.handlers = handlers
        copy.isDisabled = isDisabled
        copy.key = key
        copy.appearing = appearing
        copy.disappearing = disappearing
        return copy
    }
}

extension HTML: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self.init(.text(value)) }
}

extension HTML {
    /// Embeds the fragment in a parent, and each action in the parent's actions.
    public func map<Parent>(_ embed: @escaping (Action) -> Parent) -> HTML<Parent> {
        HTML<Parent>(.mapped(MappedNode(node) { ($0 as? Action).map(embed) }))
    }

    /// Makes this element a part of the page: a change inside it is sent without the rest of the
    /// page. Keys must be unique among sibling parts. List elements use their id.
    public consuming func key(_ key: String) -> HTML { HTML(node.changed { $0.key = key }) }

    public consuming func attributes(_ attributes: Attribute...) -> HTML {
        HTML(node.changed { $0.attributes += attributes })
    }

    public consuming func attribute(_ attribute: Attribute?) -> HTML {
        guard let attribute else { return self }
        return HTML(node.changed { $0.attributes.append(attribute) })
    }

    /// Disables an element: it looks disabled and sends no action.
    ///
    /// A disabled button keeps the focus, so keyboard users can press it after it is enabled. A
    /// disabled submit button only looks disabled. Enter still submits the form, because the page
    /// may not reflect the last typed letters.
    public consuming func disabled(_ isDisabled: Bool) -> HTML {
        guard isDisabled else { return self }
        return HTML(
            node.changed { element in
                element.isDisabled = true
                element.attributes.append(
                    element.tag == .button ? .aria("disabled", "true") : .disabled)
            })
    }

    /// Makes a field read-only. A read-only field keeps the focus, unlike a disabled field.
    public consuming func readOnly(_ isReadOnly: Bool) -> HTML {
        isReadOnly ? attributes(.readonly) : self
    }

    /// Sends an action when this element appears on the page. The element must have a key.
    public consuming func onAppear(_ action: Action) -> HTML {
        HTML(node.changed { $0.appearing = action })
    }

    /// Sends an action after this element has disappeared from the page. The element must have a
    /// key.
    public consuming func onDisappear(_ action: Action) -> HTML {
        HTML(node.changed { $0.disappearing = action })
    }
}

extension HTMLNode {
    /// Modifies an element. Wraps any other node in an element first, so that each modifier takes
    /// effect.
    consuming func changed(_ change: (Element) -> Void) -> HTMLNode {
        switch consume self {
        case .element(var element):
            if !isKnownUniquelyReferenced(&element) { element = element.copy() }
            change(element)
            return .element(element)
        case let content:
            let wrapper = Element(.div, [], content)
            change(wrapper)
            return .element(wrapper)
        }
    }
}
