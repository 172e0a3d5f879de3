import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

struct EmailAddressView: View {
    @Bindable var store: StoreOf<EmailAddressFeature>

    var body: some View {
        SheetFrame(title: "E-mail", close: { store.send(.dismissButtonTapped) }) {
            ErrorNotice(store.error?.outsideOfFields) { store.send(.dismissError) }
            switch store.step {
            case .loading: LoadingLine()
            case .address: address
            case .code: code
            case .confirmed: confirmed
            }
        }
        .onAppear { store.send(.onAppear) }
    }

    @ViewBuilder private var address: some View {
        Field(
            "E-mail address", text: $store.newAddress.sending(\.newAddressChanged),
            hint: "Alerts come there, too. We’ll send a 6-digit code to make sure it is yours.",
            error: store.error?.fieldWords
        )
        .keyboardType(.emailAddress)
        .textContentType(.emailAddress)
        .textInputAutocapitalization(.never)
        .disabled(store.isLoading)
        SubmitButton(store.sendWords, isEnabled: !store.isLoading) {
            store.send(.sendCodeButtonTapped)
        }
    }

    @ViewBuilder private var code: some View {
        CodeField(
            title: "6-digit code",
            code: $store.verificationCode.sending(\.verificationCodeChanged),
            hint: store.codeHint, error: store.error?.fieldWords
        )
        .disabled(store.isLoading)
        SubmitButton(store.confirmWords, isEnabled: store.canConfirm) {
            store.send(.confirmButtonTapped)
        }
        WideButton("Use another address", kind: .plain) { store.send(.otherAddressButtonTapped) }
            .disabled(store.isLoading)
    }

    @ViewBuilder private var confirmed: some View {
        SuccessBanner(store.confirmedWords)
        if let words = store.failureWords { Banner(.warning, .alert) { Text(words) } }
        WideButton("Use another address") { store.send(.otherAddressButtonTapped) }
            .disabled(store.isLoading)
        WideButton("Remove", kind: .danger) { store.send(.removeButtonTapped) }
            .disabled(store.isLoading)
    }
}
