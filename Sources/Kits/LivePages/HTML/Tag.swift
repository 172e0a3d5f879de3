/// The supported elements. Elements that could run a script or contain a style are excluded.
public enum Tag: String, Sendable, CaseIterable {
    case a, article, aside, audio, br, button, caption, dd, details, dialog, div, dl, dt, em,
        fieldset, figcaption, figure, footer, form, h1, h2, h3, header, hr, img,
        input, label, legend, li, main, nav, ol, option, output, p, progress, section, select,
        small, span, strong, summary, table, tbody, td, textarea, th,
        thead, time, tr, ul, video

    /// True for an element without content and closing tag.
    var isVoid: Bool {
        switch self {
        case .br, .hr, .img, .input: true
        default: false
        }
    }
}

public func element<Action>(
    _ tag: Tag, _ attributes: [Attribute], @HTMLBuilder<Action> _ content: () -> HTML<Action>
) -> HTML<Action> {
    HTML(.element(Element(tag, attributes, content().node)))
}
