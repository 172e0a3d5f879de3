import Domain
import Features
import SwiftUI
import UIKit

/// An error in words: what happened, what to do next, and a button that dismisses the error.
/// VoiceOver reads the error out when it appears.
struct ErrorNotice: View {
    let error: UserFacingError?
    let dismiss: @MainActor () -> Void

    init(_ error: UserFacingError?, dismiss: @escaping @MainActor () -> Void) {
        (self.error, self.dismiss) = (error, dismiss)
    }

    /// Creates a notice for a feature whose error is a single text.
    init(_ error: String?, dismiss: @escaping @MainActor () -> Void) {
        self.init(
            error.map {
                UserFacingError(
                    title: "That did not work", message: $0, recoverySuggestion: "", code: "")
            },
            dismiss: dismiss)
    }

    var body: some View {
        if let error {
            Card(tone: .critical) {
                HStack(spacing: 8) {
                    Symbol.alert.picture
                    Text(error.title).bold()
                }
                Text(error.message)
                if !error.recoverySuggestion.isEmpty { Text(error.recoverySuggestion) }
                WideButton("Dismiss", kind: .danger, action: dismiss)
            }
            .announced(error.title)
        }
    }
}

/// Says that something has not reached the server yet. Empty if `words` is nil.
struct WaitingBanner: View {
    let words: String?

    init(_ words: String?) { self.words = words }

    var body: some View {
        if let words { Banner(.warning, .bell) { Text(words) }.announced(words) }
    }
}

/// Says that something has been done. Empty if `words` is nil.
struct SuccessBanner: View {
    let words: String?

    init(_ words: String?) { self.words = words }

    var body: some View {
        if let words { Banner(.fine, .check) { Text(words) }.announced(words) }
    }
}

struct Banner<Content: View>: View {
    let tone: CardTone
    let symbol: Symbol
    @ViewBuilder var content: Content

    init(_ tone: CardTone, _ symbol: Symbol, @ViewBuilder content: () -> Content) {
        (self.tone, self.symbol, self.content) = (tone, symbol, content())
    }

    var body: some View {
        HStack(alignment: .firstTextBaseline, spacing: 8) {
            symbol.picture
            content
            Spacer(minLength: 0)
        }
        .padding(12)
        .foregroundStyle(tone.ink)
        .background(tone.ground, in: .rect(cornerRadius: 14))
    }
}

struct EmptyState<Actions: View>: View {
    let symbol: Symbol
    let title: String
    let message: String
    @ViewBuilder var actions: Actions

    init(
        _ symbol: Symbol, _ title: String, _ message: String,
        @ViewBuilder actions: () -> Actions = { EmptyView() }
    ) {
        (self.symbol, self.title, self.message) = (symbol, title, message)
        self.actions = actions()
    }

    var body: some View {
        VStack(spacing: 12) {
            symbol.picture.font(.largeTitle).foregroundStyle(Color.quiet)
            Text(title).bold()
            Quiet(message).multilineTextAlignment(.center)
            actions
        }
        .frame(maxWidth: .infinity)
        .padding(24)
    }
}

struct LoadingLine: View {
    var words = "Loading …"

    var body: some View { Quiet(words) }
}

extension View {
    /// Makes VoiceOver read out `words` when the view appears, and after each change.
    /// - Parameters:
    ///   - initial: false to read out only changes.
    ///   - isMuted: true while another view reads out more important words.
    func announced(_ words: String, initial: Bool = true, isMuted: Bool = false) -> some View {
        onChange(of: words, initial: initial) { _, words in
            if isMuted { return }
            UIAccessibility.post(notification: .announcement, argument: words)
        }
    }

    func dismissed(after time: Duration, _ dismiss: @escaping @MainActor () -> Void) -> some View {
        task {
            guard (try? await ContinuousClock().sleep(for: time)) != nil else { return }
            dismiss()
        }
    }
}
