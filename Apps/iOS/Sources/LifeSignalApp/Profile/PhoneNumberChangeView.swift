import ComposableArchitecture
import Features
import SwiftUI
import UIKit

struct PhoneNumberChangeView: View {
    @Bindable var store: StoreOf<PhoneNumberChangeFeature>

    var body: some View {
        SheetFrame(
            title: "Change phone number", closeLabel: store.closeWords,
            close: { store.send(.dismissButtonTapped) }
        ) {
            ErrorNotice(store.error?.outsideOfFields) { store.send(.dismissError) }
            switch store.step {
            case .number: number
            case .code: code
            case .done:
                SuccessBanner(store.doneWords)
            }
        }
    }

    @ViewBuilder private var number: some View {
        CountryPicker(country: $store.country.sending(\.countryChosen)).disabled(store.isLoading)
        Field(
            "New phone number", text: $store.newPhoneNumber.sending(\.newPhoneNumberChanged),
            hint: "\(store.country.hint). We’ll text you a 6-digit code.",
            error: store.error?.fieldWords
        )
        .keyboardType(.phonePad)
        .textContentType(.telephoneNumber)
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
        WideButton("Use another number, or get another code", kind: .plain) {
            store.send(.otherNumberButtonTapped)
        }
    }
}
