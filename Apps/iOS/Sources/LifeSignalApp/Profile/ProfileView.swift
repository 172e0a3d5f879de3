import ComposableArchitecture
import Domain
import Features
import PhotosUI
import SwiftUI
import UIKit

struct ProfileView<Messages: View>: View {
    @Bindable var store: StoreOf<ProfileFeature>
    @ViewBuilder let messages: Messages

    var body: some View {
        Page { content }
            .navigationTitle("Profile")
            .onAppear { store.send(.onAppear) }
            .onDisappear { store.send(.onDisappear) }
            .navigationDestination(
                item: $store.scope(
                    state: \.destination?.settings, action: \.destination.settings)
            ) { settings in
                SettingsView(store: settings) { messages }
            }
            .sheet(isPresented: $store[presented: \.isEditing, close: \.cancelEditButtonTapped]) {
                ProfileForm(store: store)
            }
            .sheet(
                item: $store.scope(
                    state: \.destination?.phoneNumberChange,
                    action: \.destination.phoneNumberChange)
            ) { PhoneNumberChangeView(store: $0) }
            .sheet(
                item: $store.scope(
                    state: \.destination?.emailAddress, action: \.destination.emailAddress)
            ) { EmailAddressView(store: $0) }
            .sheet(item: $store.scope(state: \.qrCode, action: \.qrCode)) { code in
                SheetFrame(title: "Your code", close: { store.send(.qrCode(.dismiss)) }) {
                    QRCodeView(store: code)
                }
            }
            .alert($store.scope(state: \.confirmSignOut, action: \.confirmSignOut))
    }

    @ViewBuilder private var content: some View {
        messages
        if !store.isEditing { ErrorNotice(store.error) { store.send(.dismissError) } }
        WaitingBanner(store.waitingWords)
        ProfilePictureCard(store: store)
        note
        if store.copiesToGoogle { googleCopy }
        WideButton("Edit name and note") { store.send(.editButtonTapped) }
            .disabled(store.isLoading)
        WideButton("My QR code", .scan) { store.send(.qrCodeButtonTapped) }
        WideButton("Change phone number", .phone) { store.send(.changePhoneNumberButtonTapped) }
            .disabled(store.isLoading)
        WideButton("E-mail") { store.send(.emailButtonTapped) }.disabled(store.isLoading)
        WideButton("Settings") { store.send(.settingsButtonTapped) }
        WideButton("Sign out", kind: .danger) { store.send(.signOutButtonTapped) }
            .disabled(store.isLoading)
    }

    private var note: some View {
        Card {
            Heading("Emergency note")
            if store.emergencyNote.isEmpty {
                Quiet(
                    """
                    Empty. Write what your responders should know: illnesses, medicines, who has a \
                    key.
                    """)
            } else {
                Text(store.emergencyNote)
            }
            Quiet("Your responders can read it.")
        }
    }

    private var googleCopy: some View {
        Card {
            Heading(CopyWords.title)
            Text(CopyWords.explanation)
            Toggle(
                CopyWords.leaveNoteOut,
                isOn: $store[value: \.leavesNoteOutOfCopy, toggle: \.leaveNoteOutToggled]
            )
            .disabled(store.isLoading)
        }
    }
}

struct ProfilePictureCard: View {
    @Bindable var store: StoreOf<ProfileFeature>
    @State private var chosen: PhotosPickerItem?
    @ScaledMetric private var side: CGFloat = 88

    var body: some View {
        Card {
            HStack(alignment: .top, spacing: 12) {
                picture
                VStack(alignment: .leading, spacing: 4) {
                    Heading(store.displayName)
                    Quiet(store.phoneNumber)
                }
            }
            buttons
            Quiet(AppWords.picture)
        }
        .photosPicker(
            isPresented: $store.isImagePickerPresented.sending(\.setImagePickerPresented),
            selection: $chosen, matching: .images
        )
        .task(id: chosen) {
            guard let bytes = try? await chosen?.loadTransferable(type: Data.self) else { return }
            store.send(.imageSelected(bytes))
        }
    }

    @ViewBuilder private var picture: some View {
        if let bytes = store.newProfilePicture, let picture = UIImage(data: bytes) {
            Image(uiImage: picture)
                .resizable()
                .scaledToFill()
                .frame(width: side, height: side)
                .clipShape(.circle)
                .accessibilityLabel("The new picture")
        } else {
            PersonPicture(store.displayName, url: store.profilePictureURL, isLarge: true)
        }
    }

    @ViewBuilder private var buttons: some View {
        if store.newProfilePicture == nil {
            WideButton(store.pictureWords) { store.send(.setImagePickerPresented(true)) }
                .disabled(store.isLoading)
            if store.profilePictureURL != nil {
                WideButton("Remove picture") { store.send(.removeProfilePictureButtonTapped) }
                    .disabled(store.isLoading)
            }
        } else {
            WideButton("Use this picture", .check, kind: .primary) {
                store.send(.updateProfilePicture)
            }
            .disabled(store.isLoading)
            WideButton("Discard") { store.send(.removeProfilePictureButtonTapped) }
                .disabled(store.isLoading)
        }
    }
}

struct ProfileForm: View {
    @Bindable var store: StoreOf<ProfileFeature>

    var body: some View {
        SheetFrame(
            title: "Edit profile", closeLabel: "Cancel",
            close: { store.send(.cancelEditButtonTapped) }
        ) {
            ErrorNotice(store.error?.outsideOfFields) { store.send(.dismissError) }
            Field(
                "Name", text: $store.editingName.sending(\.editingNameChanged),
                error: store.isNameRefused ? store.error?.fieldWords : nil
            )
            .textContentType(.name)
            .disabled(store.isLoading)
            Field(
                "Emergency note",
                text: $store.editingDescription.sending(\.editingDescriptionChanged),
                hint: "What your responders should know. No other contact can read it.",
                error: store.isNameRefused ? nil : store.error?.fieldWords, lines: 6
            )
            .disabled(store.isLoading)
            SubmitButton(
                store.saveWords, isEnabled: store.canSaveProfile && !store.isLoading
            ) {
                store.send(.saveButtonTapped)
            }
        }
    }
}
