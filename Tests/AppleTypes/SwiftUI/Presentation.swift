import UniformTypeIdentifiers

extension View {
    nonisolated public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { presenting { item.wrappedValue.map(content) } }
    nonisolated public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> Content
    ) -> some View { presenting { isPresented.wrappedValue ? content() : nil } }
    @available(iOS 15.0, *)
    nonisolated public func alert<S: StringProtocol, A: View, M: View, T>(
        _ title: S, isPresented: Binding<Bool>, presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View {
        let question = data.map { data in
            Group {
                Text(String(title))
                message(data)
                actions(data)
            }
        }
        return presenting(isWhole: false) { isPresented.wrappedValue ? question : nil }
    }
    nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View {
        titled(Text(titleKey))
    }
    @_disfavoredOverload
    nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        titled(Text(title))
    }
    nonisolated public func navigationBarTitleDisplayMode(
        _ displayMode: NavigationBarItem.TitleDisplayMode
    ) -> some View { self }
    @available(iOS 17.0, *)
    nonisolated public func navigationDestination<D: Hashable, C: View>(
        item: Binding<D?>, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View {
        left(for: { item.wrappedValue.map(destination) }, back: { item.wrappedValue = nil })
    }
    @available(iOS 16.0, *)
    nonisolated public func navigationDestination<C: View>(
        isPresented: Binding<Bool>, @ViewBuilder destination: () -> C
    ) -> some View {
        let content = destination()
        return left(
            for: { isPresented.wrappedValue ? content : nil },
            back: { isPresented.wrappedValue = false })
    }
    nonisolated public func toolbar<Content: ToolbarContent>(
        @ToolbarContentBuilder content: () -> Content
    ) -> some View {
        let items = Unchecked(content())
        return changed { canvas, sketch in
            (items.value as? any Drawable)?.draw(on: canvas, into: &sketch)
        }
    }

    nonisolated private func titled(_ title: Text) -> some View {
        changed { _, sketch in sketch.words += title.pieces }
    }

    /// Draws this view, and presents the content above everything else.
    /// - Parameter isWhole: whether the content covers everything else, so that nothing else can be
    ///   seen or tapped.
    nonisolated func presenting<Content: View>(
        isWhole: Bool = true, _ content: @escaping () -> Content?
    ) -> some View {
        let content = Unchecked(content)
        return changed { canvas, _ in
            if let view = content.value() { canvas.present(view, isWhole: isWhole) }
        }
    }

    /// Draws the next screen, if there is one, instead of this screen.
    nonisolated private func left<Next: View>(
        for next: @escaping () -> Next?, back: @escaping () -> Void
    ) -> some View {
        let (next, back) = (Unchecked(next), Unchecked(back))
        return changed { canvas, sketch in
            guard let view = next.value() else { return }
            sketch = Sketch()
            sketch.controls.append(Control(name: "Back", kind: .button))
            sketch.controls[0].press = { back.value() }
            canvas.within(Next.self) { canvas.add(view, to: &sketch) }
        }
    }
}

public struct NavigationBarItem: Sendable {
    public enum TitleDisplayMode: Sendable { case automatic, inline, large }
}

@MainActor @preconcurrency
public protocol ToolbarContent {}
@resultBuilder
public struct ToolbarContentBuilder {
    public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content {
        content
    }
    public static func buildBlock<Content: ToolbarContent>(
        _ content: Content
    ) -> some ToolbarContent { content }
    public static func buildBlock<A: ToolbarContent, B: ToolbarContent>(
        _ first: A, _ second: B
    ) -> some ToolbarContent {
        let both = Unchecked((first, second))
        return ToolbarItems(
            drawing: Drawing { canvas, sketch in
                (both.value.0 as? any Drawable)?.draw(on: canvas, into: &sketch)
                (both.value.1 as? any Drawable)?.draw(on: canvas, into: &sketch)
            })
    }
}
private struct ToolbarItems: ToolbarContent, Drawable {
    let drawing: Drawing
    func draw(on canvas: Canvas, into sketch: inout Sketch) { drawing.draw(canvas, &sketch) }
}
public struct ToolbarItem<Content: View>: ToolbarContent, Drawable {
    private let drawing: Drawing
    nonisolated public init(
        placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content
    ) { drawing = Drawing(of: content()) }
    func draw(on canvas: Canvas, into sketch: inout Sketch) { drawing.draw(canvas, &sketch) }
}
@available(iOS 14.0, *)
public struct ToolbarItemPlacement: Sendable {
    public static let automatic = ToolbarItemPlacement()
    public static let topBarLeading = ToolbarItemPlacement()
    public static let topBarTrailing = ToolbarItemPlacement()
    public static let cancellationAction = ToolbarItemPlacement()
    public static let confirmationAction = ToolbarItemPlacement()
}

@available(iOS 16.0, *)
public struct ShareLink<Label: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}
extension ShareLink where Label == DefaultShareLinkLabel {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, item: URL, subject: Text? = nil, message: Text? = nil
    ) { drawing = control(.link, Text(titleKey)) }
    nonisolated public init<I: Transferable>(
        _ titleKey: LocalizedStringKey, item: I, subject: Text? = nil, message: Text? = nil,
        preview: SharePreview<Never, Never>
    ) { drawing = control(.link, Text(titleKey)) }
}
public struct DefaultShareLinkLabel: View {
    public var body: Never { fatalError() }
}
@available(iOS 16.0, *)
public struct SharePreview<Image, Icon> {}
extension SharePreview where Image == Never, Icon == Never {
    public init(_ titleKey: LocalizedStringKey) {}
    @_disfavoredOverload
    public init<S: StringProtocol>(_ title: S) {}
}

// MARK: CoreTransferable

@available(iOS 16.0, *)
public protocol Transferable: Sendable {
    associatedtype Representation: TransferRepresentation
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}
@available(iOS 16.0, *)
public protocol TransferRepresentation<Item>: Sendable {
    associatedtype Item: Transferable
}
@resultBuilder
public struct TransferRepresentationBuilder<Item: Transferable> {
    public static func buildBlock<Content: TransferRepresentation>(
        _ content: Content
    ) -> Content where Content.Item == Item { content }
}
@available(iOS 16.0, *)
public struct DataRepresentation<Item: Transferable>: TransferRepresentation {
    public init(
        exportedContentType: UTType,
        exporting: @escaping @Sendable (Item) async throws -> Data
    ) {}
}
extension TransferRepresentation {
    public func suggestedFileName(_ fileName: String) -> some TransferRepresentation<Item> {
        self
    }
}
extension Data: Transferable {
    public static var transferRepresentation: DataRepresentation<Data> {
        DataRepresentation(exportedContentType: .json) { $0 }
    }
}

// MARK: Accessibility

extension View {
    nonisolated public func accessibilityLabel(_ label: Text) -> some View {
        changed { _, sketch in
            sketch.words += label.pieces
            if !sketch.controls.isEmpty { sketch.controls[0].name = label.text }
        }
    }
    nonisolated public func accessibilityLabel(_ key: LocalizedStringKey) -> some View {
        accessibilityLabel(Text(key))
    }
    @_disfavoredOverload
    nonisolated public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
        accessibilityLabel(Text(label))
    }
    nonisolated public func accessibilityValue(_ value: Text) -> some View {
        changed { _, sketch in
            if !sketch.controls.isEmpty { sketch.controls[0].value = value.text }
        }
    }
    @_disfavoredOverload
    nonisolated public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View {
        accessibilityValue(Text(value))
    }
    nonisolated public func accessibilityHint(_ hintKey: LocalizedStringKey) -> some View {
        changed { _, sketch in sketch.words += hintKey.pieces }
    }
    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View { self }
    nonisolated public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View {
        self
    }
    nonisolated public func accessibilityElement(
        children: AccessibilityChildBehavior = .ignore
    ) -> some View { self }
    nonisolated public func accessibilityAction(
        _ actionKind: AccessibilityActionKind = .default, _ handler: @escaping () -> Void
    ) -> some View {
        let handler = Unchecked(handler)
        return changed { _, sketch in
            var control = Control(name: sketch.text, kind: .button)
            control.isEnabled = !sketch.isDisabled
            control.press = { handler.value() }
            sketch.controls.append(control)
        }
    }
}
public struct AccessibilityTraits: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let isHeader = AccessibilityTraits(rawValue: 1)
    public static let isButton = AccessibilityTraits(rawValue: 2)
    public static let isSelected = AccessibilityTraits(rawValue: 4)
    public static let updatesFrequently = AccessibilityTraits(rawValue: 8)
}
public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let ignore = AccessibilityChildBehavior()
    public static let contain = AccessibilityChildBehavior()
    public static let combine = AccessibilityChildBehavior()
}
public struct AccessibilityActionKind: Equatable, Sendable {
    public static let `default` = AccessibilityActionKind()
    public static let escape = AccessibilityActionKind()
}
