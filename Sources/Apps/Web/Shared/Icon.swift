import LivePages

/// The app's own icons: one colour, 24 by 24.
public enum Icon: Sendable, CaseIterable {
    case home, responders, dependents, profile, bell, check, alert, close, phone, scan, share, copy
    case back, forward

    var shapes: StaticString {
        switch self {
        case .home:
            #"<path d="M4 11.5 12 5l8 6.5V20h-5.5v-5h-5v5H4z"/>"#
        case .responders:
            """
            <path d="M12 20.5C7 17 4 14 4 10.5 4 5.5 10 5 12 9c2-4 8-3.5 8 1.5 0 3.5-3 6.5-8 \
            10z"/>
            """
        case .dependents:
            #"<path d="M12 4 5 7v5c0 4 3 7 7 8.5 4-1.5 7-4.5 7-8.5V7zM9 12l2 2.5 4-5"/>"#
        case .profile:
            """
            <circle cx="12" cy="8.5" r="4"/><path d="M4.5 20c.7-4 3.5-6 7.5-6s6.8 2 7.5 6"/>
            """
        case .bell:
            #"<path d="M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21h4"/>"#
        case .check:
            #"<path d="m5 12.5 4.5 4.5L19 7"/>"#
        case .alert:
            #"<path d="M12 4 2.5 20h19zM12 10v5M12 17.5v.5"/>"#
        case .close:
            #"<path d="m6 6 12 12M18 6 6 18"/>"#
        case .phone:
            """
            <path d="M5 4h4l1.5 5-2.5 1.5c1 2.5 3 4.5 5.5 5.5L15 13.5l5 1.5v4c0 .6-.5 1-1 1C11 20 \
            4 13 4 5c0-.5.4-1 1-1z"/>
            """
        case .scan:
            #"<path d="M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M4 12h16"/>"#
        case .share:
            #"<path d="M12 15V4M8 8l4-4 4 4M5 12v8h14v-8"/>"#
        case .copy:
            #"<path d="M9 9h11v11H9zM5 15H4V4h11v1"/>"#
        case .back:
            #"<path d="m14 6-6 6 6 6"/>"#
        case .forward:
            #"<path d="m10 6 6 6-6 6"/>"#
        }
    }
}

/// An icon. Hidden from screen readers, because the text beside it has the same meaning.
public func icon<Action>(_ icon: Icon) -> HTML<Action> {
    group {
        HTML<Action>.raw(#"<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">"#)
        HTML<Action>.raw(icon.shapes)
        HTML<Action>.raw("</svg>")
    }
}
