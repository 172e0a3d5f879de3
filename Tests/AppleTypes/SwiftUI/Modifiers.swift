import UIKit

extension View {
    nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil)
        -> some View
    { self }
    nonisolated public func padding(_ length: CGFloat) -> some View { self }
    nonisolated public func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { self }
    nonisolated public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil,
        minHeight: CGFloat? = nil, idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View { self }
    nonisolated public func background<S: ShapeStyle>(
        _ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all
    ) -> some View { self }
    nonisolated public func background<S: ShapeStyle, T: Shape>(
        _ style: S, in shape: T
    ) -> some View { self }
    nonisolated public func overlay<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View { followed(by: content()) }
    @available(iOS 15.0, *)
    nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
    @available(iOS 15.0, *)
    nonisolated public func tint<S: ShapeStyle>(_ tint: S?) -> some View { self }
    nonisolated public func font(_ font: Font?) -> some View { self }
    nonisolated public func monospacedDigit() -> some View { self }
    nonisolated public func multilineTextAlignment(_ alignment: TextAlignment) -> some View {
        self
    }
    nonisolated public func clipShape<S: Shape>(_ shape: S) -> some View { self }
    nonisolated public func opacity(_ opacity: Double) -> some View { self }
    nonisolated public func rotationEffect(_ angle: Angle) -> some View { self }
    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V)
        -> some View
    { self }
    nonisolated public func contentShape<S: Shape>(_ shape: S) -> some View { self }
    nonisolated public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
    nonisolated public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode)
        -> some View
    { self }
    nonisolated public func scaledToFit() -> some View { self }
    nonisolated public func scaledToFill() -> some View { self }
    nonisolated public func imageScale(_ scale: Image.Scale) -> some View { self }
    nonisolated public func disabled(_ disabled: Bool) -> some View {
        changed { _, sketch in
            guard disabled else { return }
            sketch.isDisabled = true
            for index in sketch.controls.indices { sketch.controls[index].isEnabled = false }
        }
    }
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { self }
    @available(iOS 15.0, *)
    nonisolated public func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }
    nonisolated public func tag<V: Hashable>(_ tag: V) -> some View {
        let tag = Unchecked(AnyHashable(tag))
        return changed { _, sketch in
            sketch.choices = [.init(words: sketch.text, value: tag.value)]
        }
    }
    @available(iOS 15.0, *)
    nonisolated public func textSelection<S: TextSelectability>(_ selectability: S)
        -> some View
    { self }
    nonisolated public func tabViewStyle<S: TabViewStyle>(_ style: S) -> some View { self }
    nonisolated public func allowsHitTesting(_ enabled: Bool) -> some View { self }
    nonisolated public func gesture<T: Gesture>(_ gesture: T) -> some View { self }
    @available(iOS 15.0, *)
    nonisolated public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View {
        self
    }
    nonisolated public func safeAreaInset<V: View>(
        edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> V
    ) -> some View { followed(by: content()) }

    nonisolated private func followed(by other: some View) -> some View {
        let other = Drawing(of: other)
        return changed { canvas, sketch in other.draw(canvas, &sketch) }
    }
}

public enum ContentMode: Hashable, CaseIterable, Sendable { case fit, fill }
public protocol TextSelectability {}
public struct EnabledTextSelectability: TextSelectability {}
extension TextSelectability where Self == EnabledTextSelectability {
    public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}

/// The oldest supported iOS lacks this API. Declared to test that the check rejects its use.
@available(iOS 26.0, *)
extension View {
    nonisolated public func glassEffect() -> some View { self }
}

// MARK: Controls

extension View {
    nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
    nonisolated public func pickerStyle<S: PickerStyle>(_ style: S) -> some View { self }
    nonisolated public func controlSize(_ controlSize: ControlSize) -> some View { self }
    nonisolated public func labelsHidden() -> some View { self }
    nonisolated public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View { self }
    nonisolated public func keyboardType(_ type: UIKeyboardType) -> some View { self }
    nonisolated public func textContentType(_ textContentType: UITextContentType?)
        -> some View
    { self }
    nonisolated public func textInputAutocapitalization(
        _ autocapitalization: TextInputAutocapitalization?
    ) -> some View { self }
    nonisolated public func autocorrectionDisabled(_ disable: Bool = true) -> some View { self }
    nonisolated public func lineLimit(_ limit: PartialRangeFrom<Int>) -> some View { self }
    nonisolated public func lineLimit(_ number: Int?) -> some View { self }
    nonisolated public func minimumScaleFactor(_ factor: CGFloat) -> some View { self }
    nonisolated public func onSubmit(
        of triggers: SubmitTriggers = .text, _ action: @escaping () -> Void
    ) -> some View { self }
}
public protocol TextFieldStyle {}
public struct RoundedBorderTextFieldStyle: TextFieldStyle {}
extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
    public static var roundedBorder: RoundedBorderTextFieldStyle {
        RoundedBorderTextFieldStyle()
    }
}
@available(iOS 15.0, *)
public struct TextInputAutocapitalization: Sendable {
    public static let never = TextInputAutocapitalization()
    public static let words = TextInputAutocapitalization()
}
public struct SubmitTriggers: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let text = SubmitTriggers(rawValue: 1)
}

// MARK: Life of a view

extension View {
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        let action = Unchecked(action)
        return changed { canvas, _ in canvas.appear { action.value?() } }
    }
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        let action = Unchecked(action)
        return changed { canvas, _ in canvas.disappear { action.value?() } }
    }
    @available(iOS 17.0, *)
    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
    ) -> some View {
        let parts = Unchecked((value: value, action: action))
        return changed { canvas, _ in
            let action = parts.value.action
            canvas.watch(parts.value.value, initial: initial) { action($0, $0) }
        }
    }
    @available(iOS 15.0, *)
    nonisolated public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View {
        let parts = Unchecked((value: value, action: action))
        return changed { canvas, _ in
            canvas.watch(parts.value.value, initial: true) { _ in
                Task { await parts.value.action() }
            }
        }
    }
    /// The task isn't run, because in the app tasks only dismiss a message after some seconds.
    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
    @available(iOS 15.0, *)
    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void)
        -> some View
    { self }
    @available(iOS 14.0, *)
    nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
        self
    }
}
