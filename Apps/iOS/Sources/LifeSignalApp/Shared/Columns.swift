import SwiftUI

/// Two columns on an iPad and on an iPhone in landscape, otherwise one below the other. The reading
/// order is the same, and rotating the phone keeps open sheets open.
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
    /// Accessibility text sizes need the whole width.
    var hasTwoColumns: Bool {
        (horizontalSizeClass == .regular || isLow) && !dynamicTypeSize.isAccessibilitySize
    }

    /// True on an iPhone in landscape.
    var isLow: Bool { verticalSizeClass == .compact }
}
