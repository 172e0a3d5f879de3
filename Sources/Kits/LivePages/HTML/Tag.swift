/// The elements that there are. What could run a script or bring its own style is not among them.
public enum Tag: String, Sendable, CaseIterable {
    case a, article, aside, audio, br, button, dd, details, dialog, div, dl, dt, em, fieldset,
        figcaption, figure, footer, form, h1, h2, h3, header, hr, img,
        input, label, legend, li, main, nav, ol, option, output, p, progress, section, select,
        small, span, strong, summary, table, tbody, td, textarea, th,
        thead, time, tr, ul, video

    /// Has no content and no closing tag.
    var isVoid: Bool {
        switch self {
        case .br, .hr, .img, .input: true
        default: false
        }
    }
}

/// An element with content.
public func element<Action>(
    _ tag: Tag, _ attributes: [Attribute], @HTMLBuilder<Action> _ content: () -> HTML<Action>
) -> HTML<Action> {
    HTML(.element(Element(tag, attributes, content().node)))
}
