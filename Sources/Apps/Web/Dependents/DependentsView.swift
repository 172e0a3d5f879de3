import Domain
import Features
import LivePages

extension DependentsFeature {
    /// The user's dependents. Those in trouble come first in every sort order.
    /// - Parameters:
    ///   - helper: returns, for example, "Ben is on it"; nil before an acknowledgement.
    ///   - report: returns the report that pauses the alarms; nil if they aren't paused.
    ///   - journey: returns the open alert about the person's journey; nil if there is none.
    static func view(
        _ state: State, helper: (ContactData) -> String? = { _ in nil },
        report: (ContactData) -> ReportNotice? = { _ in nil },
        journey: (ContactData) -> AlertRecord? = { _ in nil }
    ) -> HTML<Action> {
        let (inTrouble, others) = (state.inTrouble, state.others)
        return main(.id("content")) {
            header(.class("bar")) {
                h1 { "People I watch over" }
                actionButton("Add", .scan, .showQRScanner).attributes(
                    .label("Add someone to watch over"))
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
                            troubledCard(
                                contact, state.ping, helper: helper(contact),
                                report: report(contact), journey: journey(contact)
                            ).key("\(contact.id)")
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
                    loadingLine("Loading the people you watch over …")
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
        .dependents, "You watch over no one yet",
        "You’re told when someone you watch over needs help. Scan their code to add them."
    ) {
        actionButton("Add someone to watch over", .scan, class: "primary", .showQRScanner)
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
