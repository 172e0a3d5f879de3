import Features
import SwiftUI

extension Tone {
    var card: CardTone {
        switch self {
        case .normal: .plain
        case .warning: .warning
        case .critical: .critical
        }
    }

    fileprivate var pill: (tone: CardTone, symbol: Symbol) {
        switch self {
        case .normal: (.fine, .check)
        case .warning: (.warning, .bell)
        case .critical: (.critical, .alert)
        }
    }
}

struct StatusPill: View {
    let words: Text
    let tone: Tone

    init(_ words: String, _ tone: Tone) { self.init(Text(words), tone) }
    init(_ words: Text, _ tone: Tone) { (self.words, self.tone) = (words, tone) }

    var body: some View {
        HStack(spacing: 6) {
            tone.pill.symbol.picture
            words.bold()
        }
        .font(.subheadline)
        .padding(.horizontal, 12)
        .padding(.vertical, 6)
        .foregroundStyle(tone.pill.tone.ink)
        .background(tone.pill.tone.ground, in: .capsule)
        .accessibilityElement(children: .combine)
    }
}
