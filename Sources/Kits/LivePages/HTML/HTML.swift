/// A fragment of a page, with the actions that it can send. A view is a pure function from state to
/// this value.
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
/// Only this type is generic over the actions. All nodes below it have the same type for any
/// action, so that building and writing a page needs no generic code.
public struct HTML<Action> {
    let node: HTMLNode

    init(_ node: HTMLNode) { self.node = node }

    /// Creates text, which is escaped when written.
    public static func text(_ text: String) -> HTML { HTML(.text(text)) }

    /// Creates constant markup: a literal of the program, never a value.
    public static func raw(_ markup: StaticString) -> HTML { HTML(.raw(markup)) }

    public static func fragment(_ pieces: [HTML]) -> HTML {
        HTML(.fragment(pieces.map { $0.node }))
    }

    /// Creates an empty fragment.
    public static var empty: HTML { HTML(.empty) }
}

/// A fragment of a page, with any type of actions.
public enum HTMLNode {
    case empty
    case element(Element)
    case text(String)
    case raw(StaticString)
    case fragment([HTMLNode])
    /// A child's fragment, with the child's actions.
    case mapped(MappedNode)
}

/// A child's fragment, and a function that turns its actions into its parent's.
public final class MappedNode {
    let content: HTMLNode
    let embed: (Any) -> Any?

    init(_ content: HTMLNode, embed: @escaping (Any) -> Any?) {
        self.content = content
        self.embed = embed
    }
}

/// An element: its tag, attributes, handlers and content. It is modified only while it has a single
/// owner.
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
    /// Embeds the fragment in a parent whose actions contain this fragment's actions.
    public func map<Parent>(_ embed: @escaping (Action) -> Parent) -> HTML<Parent> {
        HTML<Parent>(.mapped(MappedNode(node) { ($0 as? Action).map(embed) }))
    }

    /// Makes this element a part, so that only changes inside it are sent. Keys must be unique
    /// among the parts that are directly inside the same part; list elements use their id.
    public consuming func key(_ key: String) -> HTML { HTML(node.changed { $0.key = key }) }

    /// Adds attributes.
    public consuming func attributes(_ attributes: Attribute...) -> HTML {
        HTML(node.changed { $0.attributes += attributes })
    }

    public consuming func attribute(_ attribute: Attribute?) -> HTML {
        guard let attribute else { return self }
        return HTML(node.changed { $0.attributes.append(attribute) })
    }

    /// Disables an element and shows it as disabled. A disabled element sends no action.
    ///
    /// A disabled button keeps the focus, so that keyboard users can press it when it is enabled
    /// again. A submit button only looks disabled: Enter still works, because the page may be a few
    /// letters behind the typing.
    public consuming func disabled(_ isDisabled: Bool) -> HTML {
        guard isDisabled else { return self }
        return HTML(
            node.changed { element in
                element.isDisabled = true
                element.attributes.append(
                    element.tag == .button ? .aria("disabled", "true") : .disabled)
            })
    }

    /// Makes a field read-only. It keeps the focus, which `disabled` would take away.
    public consuming func readOnly(_ isReadOnly: Bool) -> HTML {
        isReadOnly ? attributes(.readonly) : self
    }

    /// Sends an action when this part appears on the page. The element must have a key.
    public consuming func onAppear(_ action: Action) -> HTML {
        HTML(node.changed { $0.appearing = action })
    }

    /// Sends an action after the part has disappeared from the page.
    public consuming func onDisappear(_ action: Action) -> HTML {
        HTML(node.changed { $0.disappearing = action })
    }
}

extension HTMLNode {
    /// Modifies an element. Anything else is wrapped in an element first, so that every modifier
    /// takes effect.
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
