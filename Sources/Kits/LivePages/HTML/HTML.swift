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
public indirect enum HTML<Action> {
    case element(Element<Action>)
    /// Escaped when it is written.
    case text(String)
    case fragment([HTML])
    /// Constant markup of our own: a literal of the program, never a value.
    case raw(StaticString)
    /// A child's view, with the child's actions.
    case scoped(any ScopedHTML<Action>)
}

/// One element: its tag, attributes, handlers and content.
public struct Element<Action> {
    public var tag: Tag
    public var attributes: [Attribute]
    public var content: [HTML<Action>]
    var handlers: [(trigger: Trigger, handler: Handler<Action>)] = []
    var isDisabled = false
    var key: String?
    /// One at most: an empty list takes less room than an action that is not there.
    var appearing: [Action] = []
    var disappearing: [Action] = []

    init(_ tag: Tag, _ attributes: [Attribute], _ content: [HTML<Action>]) {
        self.tag = tag
        self.attributes = attributes
        self.content = content
    }
}

extension HTML: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .text(value) }

    /// Nothing at all.
    public static var empty: HTML { .fragment([]) }
}

extension HTML {
    /// The same piece in a parent, whose actions contain those of this one.
    public func map<Parent>(_ embed: @escaping (Action) -> Parent) -> HTML<Parent> {
        .scoped(Scoped(html: self, embed: embed))
    }

    /// Makes this element a part of its own: only what changed inside of it is sent. Names are
    /// unique among the parts of the same part; the elements of a list are named by their id.
    public func key(_ key: String) -> HTML { changed { $0.key = key } }

    /// Adds attributes.
    public func attributes(_ attributes: Attribute...) -> HTML {
        changed { $0.attributes += attributes }
    }

    public func attribute(_ attribute: Attribute?) -> HTML {
        attribute.map { attributes($0) } ?? self
    }

    /// Cannot be used at the moment, and is shown so. Nothing is sent from it.
    ///
    /// A button keeps the focus, so that who came by the keyboard is still there when it can be
    /// used again. One that sends a form is only shown so: Enter counts, as the page may be a few
    /// letters behind what was typed.
    public func disabled(_ isDisabled: Bool) -> HTML {
        guard isDisabled else { return self }
        return changed { element in
            element.isDisabled = true
            element.attributes.append(
                element.tag == .button ? .aria("disabled", "true") : .disabled)
        }
    }

    /// A field that takes nothing at the moment. It keeps the focus, which `disabled` takes away.
    public func readOnly(_ isReadOnly: Bool) -> HTML { isReadOnly ? attributes(.readonly) : self }

    /// Sent when a part with this action comes onto the page. The element has to have a key.
    public func onAppear(_ action: Action) -> HTML { changed { $0.appearing = [action] } }

    /// Sent when the part has left the page.
    public func onDisappear(_ action: Action) -> HTML { changed { $0.disappearing = [action] } }

    /// Anything but an element is wrapped into one, so that no modifier is lost.
    func changed(_ change: (inout Element<Action>) -> Void) -> HTML {
        switch self {
        case .element(var element):
            change(&element)
            return .element(element)
        case .text, .raw, .fragment, .scoped:
            var wrapper = Element<Action>(.div, [], [self])
            change(&wrapper)
            return .element(wrapper)
        }
    }
}

/// A piece whose actions are those of a child.
public protocol ScopedHTML<Action> {
    associatedtype Action
    func render<Root>(in renderer: Renderer<Root>, embed: @escaping (Action) -> Root)
}

private struct Scoped<Child, Action>: ScopedHTML {
    let html: HTML<Child>
    let embed: (Child) -> Action

    func render<Root>(in renderer: Renderer<Root>, embed embedInRoot: @escaping (Action) -> Root) {
        renderer.render(html) { [embed] in embedInRoot(embed($0)) }
    }
}
