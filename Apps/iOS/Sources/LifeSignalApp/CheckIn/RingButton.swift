import Features
import SwiftUI

/// The check-in button, in a ring that shows the remaining part of the time from the last check-in
/// to the deadline.
struct RingButton: View {
    let title: String
    /// The last check-in and the deadline, by this device's clock; nil without a deadline, and
    /// during a pause.
    let span: ClosedRange<Date>?
    let isEnabled: Bool
    let action: @MainActor () -> Void
    @Environment(\.accessibilityReduceMotion) private var reduceMotion
    @Environment(\.isLow) private var isLow
    @ScaledMetric(relativeTo: .title) private var tall: CGFloat = 220
    /// The side length on a phone in landscape, where the button must fit between the bars.
    @ScaledMetric(relativeTo: .title) private var low: CGFloat = 150

    private var side: CGFloat { isLow ? low : tall }

    var body: some View {
        Button(action: action) {
            VStack(spacing: 8) {
                Symbol.check.picture.font(.largeTitle)
                Text(title).font(.title2).bold().multilineTextAlignment(.center)
                if let span {
                    Text.countdown(to: span.upperBound, from: span.lowerBound)
                }
            }
            .foregroundStyle(Color.onBrand)
            .padding(24)
            .frame(minWidth: diameter, minHeight: diameter)
            .background(Color.brand, in: .circle)
            .contentShape(.circle)
        }
        .buttonStyle(.plain)
        .disabled(!isEnabled)
        .padding(12)
        .overlay { ring }
        .frame(maxWidth: .infinity)
    }

    /// The limit of 260 points lets the button fit on the first screen of the narrowest phone.
    private var diameter: CGFloat { min(side, 260) }

    /// The ring. With reduced motion, it is redrawn only once a minute.
    private var ring: some View {
        TimelineView(.periodic(from: .now, by: reduceMotion ? 60 : 1)) { context in
            ZStack {
                Circle().stroke(Color.line, lineWidth: 8)
                Circle()
                    .trim(from: 0, to: share(at: context.date))
                    .stroke(Color.fine, style: StrokeStyle(lineWidth: 8, lineCap: .round))
                    .rotationEffect(.degrees(-90))
            }
        }
        .allowsHitTesting(false)
        .accessibilityHidden(true)
    }

    private func share(at now: Date) -> Double {
        guard let span else { return 0 }
        let whole = span.upperBound.timeIntervalSince(span.lowerBound)
        let left = span.upperBound.timeIntervalSince(now)
        return whole > 0 ? min(1, max(0, left / whole)) : 0
    }
}
