import Clients
import ComposableArchitecture
import Domain
import Features
import SwiftUI
import UniformTypeIdentifiers

struct SettingsView<Messages: View>: View {
    @Bindable var store: StoreOf<SettingsFeature>
    @ViewBuilder let messages: Messages

    var body: some View {
        Page {
            messages
            ErrorNotice(store.error) { store.send(.dismissError) }
            Card {
                Heading("Notifications")
                NotificationPreferencesView(
                    store: store.scope(state: \.preferences, action: \.preferences))
            }
            alertTrigger
            PushSettings(
                store: store.scope(state: \.push, action: \.push), endpoint: store.ownEndpoint)
            PushEndpointsView(
                store: store.scope(state: \.endpoints, action: \.endpoints),
                sessions: store.sessions, own: store.push.status?.endpoint)
            sessions
            PasskeysView(store: store.scope(state: \.passkeys, action: \.passkeys))
            SignInSecurityView(
                store: store.scope(state: \.signInSecurity, action: \.signInSecurity))
            SourcesView(store: store.scope(state: \.sources, action: \.sources))
            BlockedPeopleView(store: store.scope(state: \.blocked, action: \.blocked))
            AdministrationView(
                store: store.scope(state: \.administration, action: \.administration))
            export
            leaving
        }
        .navigationTitle("Settings")
        .onAppear { store.send(.onAppear) }
        .alert($store.scope(state: \.confirmation, action: \.confirmation))
    }

    private var alertTrigger: some View {
        Card {
            Heading(SettingsFeature.alertTriggerTitle)
            Quiet(SettingsFeature.alertTriggerHint)
            ForEach(AlertTrigger.allCases, id: \.self) { trigger in
                ChoiceRow(trigger.words, isOn: trigger == store.alertTrigger) {
                    store.send(.alertTriggerChosen(trigger))
                }
            }
        }
    }

    private var sessions: some View {
        Card {
            Heading("Your devices")
            if store.sessions.isEmpty, store.isLoading { LoadingLine() }
            ForEach(store.sessions) { session in
                VStack(alignment: .leading, spacing: 4) {
                    Text(session.deviceName).bold()
                    Quiet(
                        (session.isCurrent
                            ? Text("This device")
                            : Text("Last used ") + .since(session.lastUsedAt))
                            + Text(", signed in ") + .moment(session.createdAt))
                    if !session.isCurrent {
                        WideButton("Sign out", kind: .danger) {
                            store.send(.endSessionButtonTapped(session.id))
                        }
                        .accessibilityLabel("Sign out \(session.deviceName)")
                        .disabled(store.endingSession != nil)
                    }
                }
            }
        }
    }

    private var export: some View {
        Card {
            Heading("Your data")
            Text("Everything LifeSignal has about you, as one JSON file.")
            if let bytes = store.exportedFile {
                Text("Your file is ready.").announced("Your file is ready.")
                ShareLink(
                    "Save the file", item: ExportedFile(bytes: bytes),
                    preview: SharePreview(ExportedFile.fileName)
                )
                .frame(minHeight: 44)
                WideButton("Done") { store.send(.exportHandedOver) }
            } else {
                WideButton(store.exportWords) {
                    store.send(.exportButtonTapped)
                }
                .disabled(store.isExporting)
            }
        }
    }

    private var leaving: some View {
        Card {
            Heading("Delete account")
            Text(
                """
                Deleting your account removes everything about you at once. Your contacts are \
                told.
                """)
            if store.deletionCode != nil {
                CodeField(
                    title: "6-digit code",
                    code: $store[value: \.deletionDigits, send: \.deletionCodeChanged],
                    hint: "We sent it to your phone number.")
                WideButton(store.deleteWords, kind: .danger) {
                    store.send(.deletionCodeSubmitted)
                }
                .disabled(!store.canDeleteWithCode)
                WideButton("Keep my account") { store.send(.deletionCancelled) }
            } else {
                WideButton(store.deleteWords, kind: .danger) {
                    store.send(.deleteAccountButtonTapped)
                }
                .disabled(store.isDeletingAccount)
            }
        }
    }
}

struct ExportedFile: Transferable {
    static let fileName = exportName
    let bytes: Data

    static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .json) { (file: ExportedFile) in
            file.bytes
        }
        .suggestedFileName(fileName)
    }
}
