import Domain
import Features
import LivePages

extension ProfileFeature {
    static func view(_ state: State) -> HTML<Action> {
        guard let settings = state.settings else { return profile(state) }
        return main(.id("content")) {
            pageHead("Settings", back: .destination(.dismiss))
            SettingsFeature.view(settings).map { .destination(.presented(.settings($0))) }
        }
        .key("settings-page")
    }

    private static func profile(_ state: State) -> HTML<Action> {
        main(.id("content")) {
            header(.class("bar")) { h1 { "Profile" } }
            if !state.isEditing { errorNotice(state.error, dismiss: .dismissError) }
            waitingBanner(state.waitingWords)
            who(state)
            section(.class("card"), .labelled(by: "profile-note-title")) {
                h2(.id("profile-note-title")) { "Emergency note" }
                if state.emergencyNote.isEmpty {
                    p(.class("quiet")) {
                        """
                        Empty. Write what your responders should know: illnesses, medicines, who \
                        has a key.
                        """
                    }
                } else {
                    p(.class("note")) { state.emergencyNote }
                }
                p(.class("hint")) { "Your responders can read it." }
            }
            if state.copiesToGoogle { googleCopy(state) }
            actionButton("Edit name and note", class: "wide", .editButtonTapped).disabled(
                state.isLoading)
            actionButton("My QR code", .scan, class: "wide", .qrCodeButtonTapped)
            actionButton(
                "Change phone number", .phone, class: "wide", .changePhoneNumberButtonTapped
            ).disabled(state.isLoading)
            actionButton("E-mail", class: "wide", .emailButtonTapped).disabled(state.isLoading)
            actionButton("Settings", class: "wide", .settingsButtonTapped)
            actionButton("Sign out", class: "danger wide", .signOutButtonTapped).disabled(
                state.isLoading)
            if state.isEditing { profileForm(state) }
            if let change = state.phoneNumberChange {
                PhoneNumberChangeFeature.view(change).map {
                    .destination(.presented(.phoneNumberChange($0)))
                }
            }
            if let email = state.emailAddress {
                EmailAddressFeature.view(email).map { .destination(.presented(.emailAddress($0))) }
            }
            if let code = state.qrCode {
                sheet("Your code", id: "your-code", close: .qrCode(.dismiss)) {
                    QRCodeFeature.view(code).map { .qrCode(.presented($0)) }
                }
            }
            confirmation(state.confirmSignOut, id: "sign-out-question").map { .confirmSignOut($0) }
        }
        .key("profile").onAppear(.onAppear).onDisappear(.onDisappear)
    }
}

private func who(_ state: ProfileFeature.State) -> HTML<ProfileFeature.Action> {
    section(.class("card"), .labelled(by: "profile-who-title")) {
        div(.class("contact-head")) {
            if let bytes = state.newProfilePicture {
                img(.class("picture large"), .src(.picture(bytes: bytes)), .alt("The new picture"))
            } else {
                personPicture(state.displayName, url: state.profilePictureURL, isLarge: true)
            }
            div(.class("grow")) {
                h2(.id("profile-who-title")) { state.displayName }
                p(.class("quiet")) { state.phoneNumber }
            }
        }
        div(.class("row")) {
            if state.newProfilePicture == nil {
                label(.class("button")) {
                    state.pictureWords
                    input(
                        .type("file"), .class("unseen"), .name("picture"), .plain(.list, ""),
                        .plain(.accept, acceptedPictures)
                    )
                    .onFile { .imageSelected($0) }.disabled(state.isLoading)
                }
                if state.profilePictureURL != nil {
                    actionButton("Remove picture", .removeProfilePictureButtonTapped).disabled(
                        state.isLoading)
                }
            } else {
                actionButton("Use this picture", .check, class: "primary", .updateProfilePicture)
                    .disabled(state.isLoading)
                actionButton("Discard", .removeProfilePictureButtonTapped).disabled(state.isLoading)
            }
        }
        .key("picture")
        p(.class("hint")) {
            """
            Your contacts see your name, picture and number. Choose a PNG or JPEG. Location data \
            is removed.
            """
        }
    }
    .key("who")
}

private func googleCopy(_ state: ProfileFeature.State) -> HTML<ProfileFeature.Action> {
    section(.class("card"), .labelled(by: "copy-title")) {
        h2(.id("copy-title")) { CopyWords.title }
        p { CopyWords.explanation }
        checkbox(
            CopyWords.leaveNoteOut, isOn: state.leavesNoteOutOfCopy, isDisabled: state.isLoading
        ) { _ in .leaveNoteOutToggled }
    }
    .key("copy")
}

private func profileForm(_ state: ProfileFeature.State) -> HTML<ProfileFeature.Action> {
    sheet("Edit profile", id: "edit", closeLabel: "Cancel", close: .cancelEditButtonTapped) {
        errorNotice(state.error?.outsideOfFields, dismiss: .dismissError)
        form(.class("stack")) {
            field(
                "Name", id: "edit-name",
                error: state.isNameRefused ? state.error?.fieldWords : nil,
                control: input(
                    .type("text"), .name("name"), .plain(.autocomplete, "name"), .required, .draft,
                    .value(state.editingName)
                )
                .readOnly(state.isLoading).onInput { .editingNameChanged($0) })
            field(
                "Emergency note", id: "edit-note",
                hint: "What your responders should know. No other contact can read it.",
                error: state.isNameRefused ? nil : state.error?.fieldWords,
                control: textarea(.name("note"), .plain(.rows, "6"), .draft) {
                    state.editingDescription
                }
                .readOnly(state.isLoading).onLongInput { .editingDescriptionChanged($0) })
            submitButton(
                state.saveWords,
                isEnabled: state.canSaveProfile && !state.isLoading)
        }
        .onSubmit(.saveButtonTapped)
        .key("edit-form")
    }
}
