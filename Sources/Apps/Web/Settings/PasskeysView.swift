import Domain
import Features
import Foundation
import LivePages

extension PasskeysFeature {
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "passkeys-title")) {
            h2(.id("passkeys-title")) { PasskeysFeature.title }
            p { PasskeysFeature.hint }
            errorNotice(state.error, dismiss: .dismissError)
            if let passkeys = state.passkeys {
                list(passkeys, state)
                adding(state)
            } else if state.error == nil {
                loadingLine()
            } else {
                actionButton("Load again", .retryButtonTapped)
            }
            if let request = state.request {
                passkeyRequest(request) { (answer: Result<PasskeyRegistration, UserFacingError>) in
                    .passkeyMade(answer)
                }
            }
            confirmation(state.confirmation, id: "passkey-question").map { .confirmation($0) }
        }
        .key("passkeys").onAppear(.onAppear).onDisappear(.onDisappear)
    }

    /// The offer after onboarding.
    static func offer(_ state: State) -> HTML<Action> {
        div(.class("stack")) {
            p { PasskeysFeature.hint }
            errorNotice(state.error, dismiss: .dismissError)
            announcement(.polite) {
                if state.passkeys?.isEmpty == false { p { PasskeysFeature.added } }
            }
            if state.passkeys?.isEmpty != false {
                actionButton(state.addWords, class: "wide", .addButtonTapped)
                    .disabled(state.isAdding)
            }
            if let request = state.request {
                passkeyRequest(request) { (answer: Result<PasskeyRegistration, UserFacingError>) in
                    .passkeyMade(answer)
                }
            }
        }
        .key("passkey-offer")
    }

    private static func adding(_ state: State) -> HTML<Action> {
        guard !state.isFull else {
            return p(.class("quiet")) { RefusalWords.passkeysFull.detail }
        }
        return actionButton(state.addWords, class: "wide", .addButtonTapped)
            .disabled(state.isAdding)
    }

    private static func list(_ passkeys: [Passkey], _ state: State) -> HTML<Action> {
        guard !passkeys.isEmpty else {
            return p(.class("quiet")) { PasskeysFeature.noPasskeys }
        }
        return ul(.class("list")) {
            for passkey in passkeys {
                li(.class("row")) {
                    if passkey.id == state.renaming {
                        nameForm(state)
                    } else {
                        row(passkey, state)
                    }
                }
                .key("\(passkey.id)")
            }
        }
        .key("passkey-list")
    }

    private static func row(_ passkey: Passkey, _ state: State) -> HTML<Action> {
        group {
            div(.class("grow")) {
                strong { passkey.name }
                p(.class("hint")) {
                    if let time = passkey.lastUsedAt {
                        "Last used "
                        moment(time, .relative)
                    } else {
                        "Not used yet"
                    }
                    ", added "
                    moment(passkey.createdAt, .absolute)
                }
            }
            actionButton("Rename", .renameButtonTapped(passkey.id))
                .attributes(.label("Rename \(passkey.name)"))
                .disabled(state.isChanging)
            actionButton("Remove", class: "danger", .removeButtonTapped(passkey.id))
                .attributes(.label("Remove \(passkey.name)"))
                .disabled(state.isChanging)
        }
    }

    private static func nameForm(_ state: State) -> HTML<Action> {
        form(.class("stack grow")) {
            field(
                PasskeysFeature.nameTitle, id: "passkey-name",
                control: input(
                    .type("text"), .name("passkey-name"), .plain(.autocomplete, "off"),
                    .value(state.name), .focusWhenShown
                )
                .readOnly(state.isChanging).onInput { .nameChanged($0) })
            submitButton("Save", isEnabled: !state.isChanging)
            actionButton("Keep the name", class: "plain", .cancelNameButtonTapped)
        }
        .onSubmit(.saveNameButtonTapped)
        .key("passkey-form")
    }
}

/// Makes the script ask the device for a passkey (`Assets/passkey.js`), once for each request.
func passkeyRequest<Action, Answer: Decodable & Sendable>(
    _ request: PasskeyRequest,
    _ action: @escaping (Result<Answer, UserFacingError>) -> Action
) -> HTML<Action> {
    let json = (try? WireJSON.encoder().encode(request)) ?? Data()
    return span(.hidden, .data("passkey", String(decoding: json, as: UTF8.self))) { "" }
        .onInput { action(passkeyAnswer($0)) }
        .key("passkey-\(request.challenge)")
}

private struct ScriptFailure: Decodable { var failure: String }

/// Reads the script's answer: the passkey, or the name of the browser's error.
func passkeyAnswer<Answer: Decodable>(_ text: String) -> Result<Answer, UserFacingError> {
    let data = Data(text.utf8)
    if let answer = try? JSONDecoder().decode(Answer.self, from: data) { return .success(answer) }
    guard let failure = try? JSONDecoder().decode(ScriptFailure.self, from: data) else {
        return .failure(.noPasskeyGiven)
    }
    return switch failure.failure {
    case "NotSupportedError", "SecurityError": .failure(.passkeysUnsupported)
    case "InvalidStateError": .failure(.passkeyIsThere)
    default: .failure(.noPasskeyGiven)
    }
}
