import Domain
import Features
import LivePages

extension DependentsFeature {
    /// The people I watch over. Whoever is in trouble comes first, however the rest is sorted.
    /// - Parameter helper: "Ben is on it"; nil while no one is.
    static func view(
        _ state: State, helper: (ContactData) -> String? = { _ in nil }
    ) -> HTML<Action> {
        let (inTrouble, others) = (state.inTrouble, state.others)
        return main(.id("content")) {
            header(.class("bar")) {
                h1 { "Dependents" }
                actionButton("Add", .scan, .showQRScanner).attributes(.label("Add a dependent"))
            }
            errorNotice(state.error, dismiss: .dismissError)
            contactNotices(state.alerts, dismiss: .dismissAlerts)
            announcement(.assertive, .class("notice")) {
                if let words = state.troubleWords {
                    p(.class("banner critical")) {
                        icon(.alert)
                        words
                    }
                }
            }
            if !inTrouble.isEmpty {
                section(.class("stack"), .labelled(by: "trouble-title")) {
                    h2(.id("trouble-title"), .class("unseen")) { "In trouble" }
                    ul(.class("stack")) {
                        for contact in inTrouble {
                            troubledCard(contact, state.ping, helper: helper(contact)).key(
                                "\(contact.id)")
                        }
                    }
                    .key("troubled")
                }
                .key("trouble")
            }
            if !others.isEmpty {
                section(.class("stack"), .labelled(by: "others-title")) {
                    h2(.id("others-title"), .class("unseen")) { state.othersTitle }
                    sortChoice(state.sortOption)
                    ul(.class("stack")) {
                        for contact in others {
                            dependentCard(contact, state.ping).key("\(contact.id)")
                        }
                    }
                    .key("cards")
                }
                .key("others")
            }
            if state.sortedDependents.isEmpty {
                if state.isLoading {
                    loadingLine("Loading your dependents …")
                } else {
                    nobodyToWatchOver()
                }
            }
            ContactDetailsSheetViewFeature.view(state.contactDetails).map { .contactDetails($0) }
            QRScannerFeature.view(state.qrScanner).map { .qrScanner($0) }
            AddContactFeature.view(state.addContact).map { .addContact($0) }
            if let alert = state.dependentAlert {
                DependentAlertFeature.view(alert).map { .dependentAlert(.presented($0)) }
            }
        }
        .key("dependents").onAppear(.onAppear).onDisappear(.onDisappear)
    }
}

private func nobodyToWatchOver() -> HTML<DependentsFeature.Action> {
    emptyState(
        .dependents, "You have no dependents yet",
        "You’re told when a dependent needs help. Scan their code to add them."
    ) {
        actionButton("Add a dependent", .scan, class: "primary", .showQRScanner)
    }
}

private func sortChoice(_ selected: DependentsFeature.State.SortOption) -> HTML<
    DependentsFeature.Action
> {
    div(.class("segments"), .role("group"), .label("Sort by")) {
        for option in DependentsFeature.State.SortOption.allCases {
            button(.type("button"), .pressed(option == selected)) { option.words }.onTap(
                .setSortOption(option))
        }
    }
    .key("sort")
}
