/// A piece of a page, with the actions that can be sent from it. A view is a pure function from
/// state to this value.
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
/// The type of the actions is known to the compiler only. Everything below it is one type, so that
/// building and writing a page needs no code that is generic.
public struct HTML<Action> {
    let node: HTMLNode

    init(_ node: HTMLNode) { self.node = node }

    /// Escaped when it is written.
    public static func text(_ text: String) -> HTML { HTML(.text(text)) }

    /// Constant markup of our own: a literal of the program, never a value.
    public static func raw(_ markup: StaticString) -> HTML { HTML(.raw(markup)) }

    public static func fragment(_ pieces: [HTML]) -> HTML {
        HTML(.fragment(pieces.map { $0.node }))
    }

    /// Nothing at all.
    public static var empty: HTML { HTML(.empty) }
}

/// A piece of a page, whatever its actions are.
public enum HTMLNode {
    case empty
    case element(Element)
    case text(String)
    case raw(StaticString)
    case fragment([HTMLNode])
    /// A child's piece, with the child's actions.
    case mapped(MappedNode)
}

/// A child's piece, and how the child's actions become those of its parent.
public final class MappedNode {
    let content: HTMLNode
    let embed: (Any) -> Any?

    init(_ content: HTMLNode, embed: @escaping (Any) -> Any?) {
        self.content = content
        self.embed = embed
    }
}

/// One element: its tag, attributes, handlers and content. It is changed only while it has a single
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
    /// The same piece in a parent, whose actions contain those of this one.
    public func map<Parent>(_ embed: @escaping (Action) -> Parent) -> HTML<Parent> {
        HTML<Parent>(.mapped(MappedNode(node) { ($0 as? Action).map(embed) }))
    }

    /// Makes this element a part of its own: only what changed inside of it is sent. Names are
    /// unique among the parts of the same part; the elements of a list are named by their id.
    public consuming func key(_ key: String) -> HTML { HTML(node.changed { $0.key = key }) }

    /// Adds attributes.
    public consuming func attributes(_ attributes: Attribute...) -> HTML {
        HTML(node.changed { $0.attributes += attributes })
    }

    public consuming func attribute(_ attribute: Attribute?) -> HTML {
        guard let attribute else { return self }
        return HTML(node.changed { $0.attributes.append(attribute) })
    }

    /// Cannot be used at the moment, and is shown so. Nothing is sent from it.
    ///
    /// A button keeps the focus, so that who came by the keyboard is still there when it can be
    /// used again. One that sends a form is only shown so: Enter counts, as the page may be a few
    /// letters behind what was typed.
    public consuming func disabled(_ isDisabled: Bool) -> HTML {
        guard isDisabled else { return self }
        return HTML(
            node.changed { element in
                element.isDisabled = true
                element.attributes.append(
                    element.tag == .button ? .aria("disabled", "true") : .disabled)
            })
    }

    /// A field that takes nothing at the moment. It keeps the focus, which `disabled` takes away.
    public consuming func readOnly(_ isReadOnly: Bool) -> HTML {
        isReadOnly ? attributes(.readonly) : self
    }

    /// Sent when a part with this action comes onto the page. The element has to have a key.
    public consuming func onAppear(_ action: Action) -> HTML {
        HTML(node.changed { $0.appearing = action })
    }

    /// Sent when the part has left the page.
    public consuming func onDisappear(_ action: Action) -> HTML {
        HTML(node.changed { $0.disappearing = action })
    }
}

extension HTMLNode {
    /// Anything but an element is wrapped into one, so that no modifier is lost.
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
