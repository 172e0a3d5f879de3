import Domain
import SwiftUI

struct Card<Content: View>: View {
    var tone: CardTone = .plain
    @ViewBuilder var content: Content

    var body: some View {
        VStack(alignment: .leading, spacing: 12) { content }
            .frame(maxWidth: .infinity, alignment: .leading)
            .padding(16)
            .background(tone.ground, in: .rect(cornerRadius: 14))
            .foregroundStyle(Color.words)
    }
}

enum CardTone {
    case plain, fine, warning, critical

    var ground: Color {
        switch self {
        case .plain: .surface
        case .fine: .fineGround
        case .warning: .warningGround
        case .critical: .criticalGround
        }
    }

    var ink: Color {
        switch self {
        case .plain: .words
        case .fine: .fine
        case .warning: .warning
        case .critical: .critical
        }
    }
}

struct Page<Content: View>: View {
    var width = PageWidth.text
    @ViewBuilder var content: Content

    var body: some View {
        ScrollView {
            VStack(alignment: .leading, spacing: 16) { content }
                .frame(maxWidth: width, alignment: .leading)
                .padding(16)
                .frame(maxWidth: .infinity)
        }
        .background(Color.ground)
    }
}

/// The maximum width of a screen's content, in points.
enum PageWidth {
    /// The width for text. Longer lines would be hard to read.
    static let text: CGFloat = 640
    static let columns: CGFloat = 1_100
}

/// A sheet's title, its content, and the alarms and the alert button that it would cover.
struct SheetFrame<Content: View>: View {
    let title: String
    var closeLabel = "Close"
    /// The person whose alerts the sheet shows; nil in other sheets.
    var subject: UserID?
    let close: @MainActor () -> Void
    @ViewBuilder var content: Content

    var body: some View {
        NavigationStack {
            Page {
                TroubleInSheet(subject: subject)
                content
            }
            .safeAreaInset(edge: .bottom, spacing: 0) { AlertInSheet() }
            .navigationTitle(title)
            .navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .cancellationAction) {
                    Button(closeLabel, action: close)
                }
            }
        }
    }
}

/// A title within a screen. VoiceOver lists it among the headings.
struct Heading: View {
    let words: String

    init(_ words: String) { self.words = words }

    var body: some View {
        Text(words).font(.headline).accessibilityAddTraits(.isHeader)
    }
}

struct Quiet: View {
    let words: Text

    init(_ words: Text) { self.words = words }
    init(_ words: String) { self.words = Text(words) }

    var body: some View {
        words.font(.subheadline).foregroundStyle(Color.quiet)
    }
}

struct WideButton: View {
    enum Kind { case primary, normal, plain, danger }

    let title: String
    var symbol: Symbol?
    var kind: Kind
    let action: @MainActor () -> Void
    @Environment(\.isEnabled) private var isEnabled

    init(
        _ title: String, _ symbol: Symbol? = nil, kind: Kind = .normal,
        action: @escaping @MainActor () -> Void
    ) {
        (self.title, self.symbol, self.kind, self.action) = (title, symbol, kind, action)
    }

    var body: some View {
        switch kind {
        case .primary:
            button(role: nil, label: isEnabled ? .onBrand : .quiet)
                .buttonStyle(.borderedProminent).tint(Color.brand)
        case .normal: button(role: nil).buttonStyle(.bordered).tint(Color.brand)
        case .plain: button(role: nil).buttonStyle(.borderless).tint(Color.brand)
        case .danger: button(role: .destructive).buttonStyle(.bordered).tint(Color.critical)
        }
    }

    private func button(role: ButtonRole?) -> some View {
        Button(role: role, action: action) { label }
    }

    /// - Parameter color: the label's colour. The system's white is unreadable on the brand's
    ///   colour in Dark Mode, and a disabled button has the system's grey.
    private func button(role: ButtonRole?, label color: Color) -> some View {
        Button(role: role, action: action) { label.foregroundStyle(color) }
    }

    private var label: some View {
        HStack(spacing: 8) {
            symbol?.picture
            Text(title)
        }
        .frame(maxWidth: .infinity, minHeight: 44)
    }
}
