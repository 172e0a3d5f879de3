import Features
import SwiftUI

/// The button that checks in, in a ring that shows how much of the interval is left.
struct RingButton: View {
    let title: String
    /// The last check-in and the deadline; nil before the first check-in.
    let span: ClosedRange<Date>?
    let isEnabled: Bool
    let action: @MainActor () -> Void
    @Environment(\.accessibilityReduceMotion) private var reduceMotion
    @ScaledMetric(relativeTo: .title) private var side: CGFloat = 220

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
            .frame(minWidth: side, minHeight: side)
            .background(Color.brand, in: .circle)
            .contentShape(.circle)
        }
        .buttonStyle(.plain)
        .disabled(!isEnabled)
        .padding(12)
        .overlay { ring }
        .frame(maxWidth: .infinity)
    }

    /// Without movement the ring is drawn anew each minute only.
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
