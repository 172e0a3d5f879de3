import SwiftUI

/// Two columns on an iPad and on an iPhone in landscape; otherwise the second part is below the
/// first. The reading order stays the same. Rotating the phone keeps sheets open.
struct Columns<First: View, Second: View>: View {
    @ViewBuilder let first: First
    @ViewBuilder let second: Second
    @Environment(\.hasTwoColumns) private var hasTwoColumns

    var body: some View {
        let layout =
            hasTwoColumns
            ? AnyLayout(HStackLayout(alignment: .top, spacing: 16))
            : AnyLayout(VStackLayout(alignment: .leading, spacing: 16))
        layout {
            VStack(alignment: .leading, spacing: 16) { first }
                .frame(maxWidth: .infinity, alignment: .topLeading)
            VStack(alignment: .leading, spacing: 16) { second }
                .frame(maxWidth: .infinity, alignment: .topLeading)
        }
    }
}

extension EnvironmentValues {
    /// True if there is room for two columns. Accessibility text sizes need the whole width.
    var hasTwoColumns: Bool {
        (horizontalSizeClass == .regular || isLow) && !dynamicTypeSize.isAccessibilitySize
    }

    /// True on an iPhone in landscape.
    var isLow: Bool { verticalSizeClass == .compact }
}
