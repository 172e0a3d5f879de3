import Domain
import Features
import SwiftUI
import UIKit

struct Field: View {
    let title: String
    @Binding var text: String
    var hint: String?
    var error: String?
    var lines = 1

    init(
        _ title: String, text: Binding<String>, hint: String? = nil, error: String? = nil,
        lines: Int = 1
    ) {
        self.title = title
        _text = text
        self.hint = hint
        self.error = error
        self.lines = lines
    }

    var body: some View {
        VStack(alignment: .leading, spacing: 6) {
            Text(title).bold().accessibilityHidden(true)
            if let hint { Quiet(hint).accessibilityHidden(true) }
            TextField(title, text: $text, axis: lines > 1 ? .vertical : .horizontal)
                .lineLimit(lines...)
                .textFieldStyle(.roundedBorder)
                .accessibilityLabel(title)
                .accessibilityValue(
                    [text, hint ?? ""].filter { !$0.isEmpty }.joined(separator: ", "))
            FieldError(error)
        }
    }
}

/// Why an input is refused. Empty if `words` is nil.
struct FieldError: View {
    let words: String?

    init(_ words: String?) { self.words = words }

    var body: some View {
        if let words {
            HStack(spacing: 6) {
                Symbol.alert.picture
                Text(words)
            }
            .foregroundStyle(Color.critical)
            .announced(words)
        }
    }
}

/// The country of a phone number that is typed without a country code.
struct CountryPicker: View {
    @Binding var country: PhoneCountry?

    var body: some View {
        Picker("Country of the number", selection: $country) {
            Text(PhoneCountry?.noneTitle).tag(PhoneCountry?.none)
            ForEach(PhoneCountry.all) { one in Text(one.title).tag(PhoneCountry?.some(one)) }
        }
        .pickerStyle(.menu)
    }
}

/// A field for a code. When the text message with the code arrives, the keyboard offers the code.
struct CodeField: View {
    let title: String
    @Binding var code: String
    var hint: String?
    var error: String?

    var body: some View {
        Field(title, text: $code, hint: hint, error: error)
            .keyboardType(.numberPad)
            .textContentType(.oneTimeCode)
            .font(.title2)
    }
}

struct SubmitButton: View {
    let title: String
    var isEnabled = true
    let action: @MainActor () -> Void

    init(_ title: String, isEnabled: Bool = true, action: @escaping @MainActor () -> Void) {
        (self.title, self.isEnabled, self.action) = (title, isEnabled, action)
    }

    var body: some View {
        WideButton(title, kind: .primary, action: action).disabled(!isEnabled)
    }
}
