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
/// Only this type is generic over the actions. All nodes inside it have the same types for any
/// action, so that building and writing a page needs no generic code.
public struct HTML<Action> {
    let node: HTMLNode

    init(_ node: HTMLNode) { self.node = node }

    /// Creates text, which is escaped when written.
    public static func text(_ text: String) -> HTML { HTML(.text(text)) }

    /// Creates constant markup: a literal in the source code, never a value.
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

/// A child's fragment, and a function that turns the child's actions into its parent's.
public final class MappedNode {
    let content: HTMLNode
    let embed: (Any) -> Any?

    init(_ content: HTMLNode, embed: @escaping (Any) -> Any?) {
        self.content = content
        self.embed = embed
    }
}

/// An element: its tag, attributes, handlers and content. Only an element with a single owner is
/// modified.
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

    /// Makes this element a part of the page that is updated on its own: if it changes, only its
    /// changes are sent. Keys must be unique among the parts that are directly inside the same
    /// part; list elements use their id.
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
    /// A disabled button keeps the focus, so that keyboard users can press it once it is enabled
    /// again. A submit button only looks disabled: pressing Enter still works, because the page may
    /// not have received the last typed letters yet.
    public consuming func disabled(_ isDisabled: Bool) -> HTML {
        guard isDisabled else { return self }
        return HTML(
            node.changed { element in
                element.isDisabled = true
                element.attributes.append(
                    element.tag == .button ? .aria("disabled", "true") : .disabled)
            })
    }

    /// Makes a field read-only. Unlike a disabled field, it keeps the focus.
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
    /// Modifies an element. Any other node is wrapped in an element first, so that every modifier
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
