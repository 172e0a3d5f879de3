public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}

func control(
    _ kind: Control.Kind, _ label: some View, press: (@MainActor () -> Void)? = nil,
    write: (@MainActor (String) -> Void)? = nil
) -> Drawing {
    let drawing = Drawing(of: label)
    return Drawing { canvas, sketch in
        var own = Sketch()
        drawing.draw(canvas, &own)
        own.controls = [Control(name: own.text, kind: kind)]
        if let press { own.controls[0].press = press }
        if let write { own.controls[0].write = write }
        sketch.add(own)
    }
}

public struct Button<Label: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(
        action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) { drawing = control(.button, label(), press: action) }
    nonisolated public init(
        role: ButtonRole?, action: @escaping @MainActor () -> Void,
        @ViewBuilder label: () -> Label
    ) { drawing = control(.button, label(), press: action) }
    public var body: Never { fatalError() }
}
extension Button where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void
    ) { self.init(action: action) { Text(titleKey) } }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, action: @escaping @MainActor () -> Void
    ) { self.init(action: action) { Text(title) } }
    nonisolated public init(
        _ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) { self.init(action: action) { Text(titleKey) } }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) { self.init(action: action) { Text(title) } }
}

@MainActor @preconcurrency
public protocol PrimitiveButtonStyle {}
public struct BorderedButtonStyle: PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
public struct BorderlessButtonStyle: PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle {
        BorderedProminentButtonStyle()
    }
}
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

public enum ControlSize: CaseIterable, Sendable { case mini, small, regular, large, extraLarge }

public struct Toggle<Label: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {
        drawing = control(.toggle, label(), press: { isOn.wrappedValue.toggle() })
    }
    public var body: Never { fatalError() }
}
extension Toggle where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {
        self.init(isOn: isOn) { Text(titleKey) }
    }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {
        self.init(isOn: isOn) { Text(title) }
    }
}

public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}
extension Picker where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, selection: Binding<SelectionValue>,
        @ViewBuilder content: () -> Content
    ) { self.init(Text(titleKey), selection, content()) }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) { self.init(Text(title), selection, content()) }

    nonisolated private init(
        _ title: Text, _ selection: Binding<SelectionValue>, _ content: Content
    ) {
        let (options, selection) = (Drawing(of: content), Unchecked(selection))
        drawing = Drawing { canvas, sketch in
            var own = Sketch()
            options.draw(canvas, &own)
            let choices = own.choices
            var control = Control(name: title.text, kind: .choice)
            control.write = { words in
                let choice = choices.first { $0.words == words }
                if let value = choice?.value.base as? SelectionValue {
                    selection.value.wrappedValue = value
                }
            }
            own.words = title.pieces + own.words
            own.controls = [control]
            own.choices = []
            sketch.add(own)
        }
    }
}

@MainActor @preconcurrency
public protocol PickerStyle {}
public struct SegmentedPickerStyle: PickerStyle {}
public struct InlinePickerStyle: PickerStyle {}
public struct MenuPickerStyle: PickerStyle {}
extension PickerStyle where Self == SegmentedPickerStyle {
    public static var segmented: SegmentedPickerStyle { SegmentedPickerStyle() }
}
extension PickerStyle where Self == InlinePickerStyle {
    public static var inline: InlinePickerStyle { InlinePickerStyle() }
}
extension PickerStyle where Self == MenuPickerStyle {
    public static var menu: MenuPickerStyle { MenuPickerStyle() }
}

public struct TextField<Label: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}
extension TextField where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        drawing = control(.field, Text(titleKey), write: { text.wrappedValue = $0 })
    }
    nonisolated public init(
        _ titleKey: LocalizedStringKey, text: Binding<String>, axis: Axis
    ) { self.init(titleKey, text: text) }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        drawing = control(.field, Text(title), write: { text.wrappedValue = $0 })
    }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>, axis: Axis) {
        self.init(title, text: text)
    }
}

public struct DatePickerComponents: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let hourAndMinute = DatePickerComponents(rawValue: 1)
    public static let date = DatePickerComponents(rawValue: 2)
}

/// A picker that accepts "10:00", and for a date "2026-11-28T10:00".
public struct DatePicker<Label: View>: View, Drawn {
    public typealias Components = DatePickerComponents
    let drawing: Drawing
    public var body: Never { fatalError() }
}
extension DatePicker where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, selection: Binding<Date>,
        displayedComponents: Components = [.hourAndMinute, .date]
    ) { self.init(Text(titleKey), selection, displayedComponents) }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, selection: Binding<Date>,
        displayedComponents: Components = [.hourAndMinute, .date]
    ) { self.init(Text(title), selection, displayedComponents) }

    nonisolated private init(
        _ title: Text, _ selection: Binding<Date>, _ components: Components
    ) {
        let selection = Unchecked(selection)
        drawing = control(
            .field, title,
            write: { text in
                let format = DateFormatter()
                format.locale = Locale(identifier: "en_US_POSIX")
                format.dateFormat = components.contains(.date) ? "yyyy-MM-dd'T'HH:mm" : "HH:mm"
                if let date = format.date(from: text) { selection.value.wrappedValue = date }
            })
    }
}

@available(iOS 14.0, *)
public struct Link<Label: View>: View, Drawn {
    let drawing: Drawing
    nonisolated public init(destination: URL, @ViewBuilder label: () -> Label) {
        drawing = control(.link, label())
    }
    public var body: Never { fatalError() }
}

@available(iOS 14.0, *)
public struct ProgressView<Label: View, CurrentValueLabel: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}
extension ProgressView where CurrentValueLabel == EmptyView, Label == EmptyView {
    nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) {
        drawing = Drawing()
    }
    nonisolated public init() { drawing = Drawing() }
}
extension ProgressView where CurrentValueLabel == EmptyView, Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey) {
        drawing = Drawing(of: Text(titleKey))
    }
    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S) { drawing = Drawing(of: Text(title)) }
    nonisolated public init<V: BinaryFloatingPoint>(
        _ titleKey: LocalizedStringKey, value: V?, total: V = 1.0
    ) { self.init(titleKey) }
}

@available(iOS 14.0, *)
public struct Menu<Label: View, Content: View>: View, Drawn {
    let drawing: Drawing
    public var body: Never { fatalError() }
}
extension Menu where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content
    ) {
        let (label, content) = (control(.button, Text(titleKey)), Drawing(of: content()))
        drawing = Drawing { canvas, sketch in
            label.draw(canvas, &sketch)
            content.draw(canvas, &sketch)
        }
    }
}
