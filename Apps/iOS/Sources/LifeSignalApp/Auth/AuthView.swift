import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UIKit

struct AuthView: View {
    @Bindable var store: StoreOf<AuthFeature>

    var body: some View {
        switch store.step {
        case .phoneNumber: phoneNumber
        case .code(let number): code(sentTo: number)
        case .recoveryCode: recovery
        }
    }

    @ViewBuilder private var phoneNumber: some View {
        Heading("Sign in to LifeSignal")
        if let words = store.inviterWords { Banner(.plain, .responders) { Text(words) } }
        if let words = store.signUpWords { Banner(.plain, .responders) { Text(words) } }
        Text(
            """
            LifeSignal tells the people you chose when you don’t check in, or when you call \
            for help.
            """)
        ErrorNotice(store.error?.outsideOfFields) { store.send(.dismissError) }
        CountryPicker(country: $store.country.sending(\.countryChosen)).disabled(store.isLoading)
        Field(
            "Phone number", text: $store.phoneNumber.sending(\.phoneNumberChanged),
            hint: store.country.hint, error: store.error?.fieldWords
        )
        .keyboardType(.phonePad)
        .textContentType(.telephoneNumber)
        .disabled(store.isLoading)
        SubmitButton(store.sendWords, isEnabled: !store.isLoading) {
            store.send(.sendCodeButtonTapped)
        }
        Quiet(store.codeHint)
        WideButton(AuthFeature.passkeyWords, kind: .plain) { store.send(.passkeyButtonTapped) }
            .disabled(store.isLoading)
            .usesPasskey(for: store.passkeyRequest) { store.send(.passkeyAnswered($0)) }
        recoveryButton
    }

    private var changeNumberButton: some View {
        WideButton("Change the phone number", .back, kind: .plain) {
            store.send(.changePhoneNumberButtonTapped)
        }
        .disabled(store.isLoading)
    }

    private var recoveryButton: some View {
        WideButton(AuthFeature.recoveryWords, kind: .plain) { store.send(.recoveryButtonTapped) }
            .disabled(store.isLoading)
    }

    @ViewBuilder private var recovery: some View {
        Heading(AuthFeature.recoveryTitle)
        ErrorNotice(store.error?.outsideOfFields) { store.send(.dismissError) }
        Field(
            AuthFeature.recoveryField, text: $store.recoveryCode.sending(\.recoveryCodeChanged),
            hint: AuthFeature.recoveryHint, error: store.error?.fieldWords
        )
        .disabled(store.isLoading)
        SubmitButton(store.recoverWords, isEnabled: !store.isLoading) {
            store.send(.recoverButtonTapped)
        }
        changeNumberButton
    }

    @ViewBuilder private func code(sentTo number: PhoneNumber) -> some View {
        Heading("Enter the code")
        Text(store.state.sentWords(to: number))
        ErrorNotice(store.error?.outsideOfFields) { store.send(.dismissError) }
        CodeField(
            title: "6-digit code",
            code: $store.verificationCode.sending(\.verificationCodeChanged),
            hint: store.triesWords, error: store.error?.fieldWords
        )
        .disabled(store.isLoading)
        SubmitButton(store.verifyWords, isEnabled: store.canVerify) {
            store.send(.verifyButtonTapped)
        }
        if let date = store.resendAvailableAt {
            Quiet(
                Text("Didn’t get a code? You can ask for another in ")
                    + .countdown(to: date, from: .now) + Text(verbatim: "."))
        } else {
            WideButton("Send another code") { store.send(.resendCodeButtonTapped) }
                .disabled(!store.canResend)
        }
        changeNumberButton
        recoveryButton
    }
}
