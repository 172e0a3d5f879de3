import SwiftUI

public struct PHPickerFilter: Equatable, Sendable {
    public static let images = PHPickerFilter()
}
public struct PhotosPickerItem: Equatable, Hashable, Sendable {
    public func loadTransferable<T: Transferable>(type: T.Type) async throws -> T? { fatalError() }
}
public struct PhotosPicker<Label: View>: View {
    public init(
        selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil,
        @ViewBuilder label: () -> Label
    ) {}
    public var body: Never { fatalError() }
}
extension PhotosPicker where Label == Text {
    public init(
        _ titleKey: LocalizedStringKey, selection: Binding<PhotosPickerItem?>,
        matching filter: PHPickerFilter? = nil
    ) {}
    @_disfavoredOverload
    public init<S: StringProtocol>(
        _ title: S, selection: Binding<PhotosPickerItem?>, matching filter: PHPickerFilter? = nil
    ) {}
}
