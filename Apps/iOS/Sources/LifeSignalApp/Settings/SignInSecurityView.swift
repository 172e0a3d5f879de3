import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The sign-in lock and recovery codes.
struct SignInSecurityView: View {
    @Bindable var store: StoreOf<SignInSecurityFeature>

    var body: some View {
        Card {
            Heading(SignInSecurityFeature.title)
            ErrorNotice(store.error) { store.send(.dismissError) }
            if let security = store.security {
                if let wait = security.wait { waiting(wait) }
                lock(security)
                codes
            } else if store.error == nil {
                LoadingLine()
            } else {
                WideButton("Load again") { store.send(.retryButtonTapped) }
            }
        }
        .onAppear { store.send(.onAppear) }
        .onDisappear { store.send(.onDisappear) }
        .onChange(of: store.isCopied) { _, isCopied in
            if isCopied { Clipboard.copySecret(store.copiedText) }
        }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    @ViewBuilder private func waiting(_ wait: SignInWait) -> some View {
        let words = SignInSecurityFeature.waitWords(wait)
        Text(words).announced(words)
        Text("\(SignInSecurityFeature.waitEndsTitle) ") + Text.moment(wait.endsAt)
            + Text(". \(SignInSecurityFeature.waitHint)")
        WideButton(SignInSecurityFeature.stopWords, kind: .primary) {
            store.send(.stopWaitButtonTapped)
        }
        .disabled(store.isChanging)
    }

    @ViewBuilder private func lock(_ security: SignInSecurity) -> some View {
        Quiet(SignInSecurityFeature.lockHint)
        if !security.isLocked {
            WideButton(SignInSecurityFeature.lockWords) { store.send(.lockButtonTapped) }
                .disabled(store.isChanging)
        } else {
            if let end = security.lockEndsAt {
                Text("\(SignInSecurityFeature.lockEndsTitle) ") + Text.moment(end)
                    + Text(verbatim: ".")
                WideButton(SignInSecurityFeature.keepLockWords) { store.send(.lockButtonTapped) }
                    .disabled(store.isChanging)
            } else {
                Text(SignInSecurityFeature.lockedHint)
            }
            Field(
                SignInSecurityFeature.codeTitle,
                text: $store.recoveryCode.sending(\.recoveryCodeChanged),
                hint: SignInSecurityFeature.codeHint
            )
            .disabled(store.isChanging)
            SubmitButton(store.unlockWords, isEnabled: !store.isChanging) {
                store.send(.unlockButtonTapped)
            }
        }
    }

    @ViewBuilder private var codes: some View {
        Text(SignInSecurityFeature.codesTitle).bold()
        Quiet(SignInSecurityFeature.codesHint)
        if let codes = store.newCodes {
            Text(SignInSecurityFeature.newCodesTitle).bold()
                .announced(SignInSecurityFeature.newCodesTitle)
            Text(SignInSecurityFeature.newCodesHint)
            Text(codes.joined(separator: "\n"))
                .font(.system(.body, design: .monospaced))
                .textSelection(.enabled)
            WideButton(store.copyWords, .copy, kind: .primary) { store.send(.copyButtonTapped) }
            WideButton("Done") { store.send(.doneButtonTapped) }
        } else {
            Quiet(store.leftWords)
            WideButton(store.makeWords) { store.send(.makeCodesButtonTapped) }
                .disabled(store.isChanging)
        }
    }
}
