import Domain
import Features
import LivePages

extension MainTabFeature {
    /// The four tabs with their badges, and the notification centre.
    /// - Parameters:
    ///   - messages: the app's messages, which every page shows.
    ///   - embed: turns an action of the tabs into one of the app.
    static func view<Parent>(
        _ state: State, messages: HTML<Parent>, embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        let notices = notices(state, messages, embed)
        return div(.class("app")) {
            tabs(state).map(embed)
            AlertFeature.bar(state.home.alert)
            phoneNumbers(state).map(embed)
            header(.class("top")) {
                brand(state).map(embed)
                if !state.shows(.home) { notices }
            }
            if state.shows(.home) {
                HomeFeature.view(state.home, notices: notices) { embed(.home($0)) }
            } else {
                page(state).map(embed)
            }
            responders(state).map(embed)
            if !state.shows(.home) {
                JourneyFeature.sheets(state.home.journey).map { embed(.home(.journey($0))) }
            }
            if let alert = state.dependentAlert {
                DependentAlertFeature.view(alert).map { embed(.dependentAlert(.presented($0))) }
            }
        }
        .key("app").onAppear(embed(.onAppear)).onDisappear(embed(.onDisappear))
    }

    /// The notices that every page shows: Home below the check-in button, every other page at the
    /// top.
    private static func notices<Parent>(
        _ state: State, _ messages: HTML<Parent>, _ embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        div(.class("notices")) {
            messages
            ownAlert(state).map(embed)
            trouble(state).map(embed)
            AlertNewsFeature.view(state.alertNews, contacts: state.responders.contacts.contacts)
                .map { embed(.alertNews($0)) }
            additions(state).map { embed(.notifications($0)) }
            errorNotice(state.error, dismiss: embed(.dismissError))
        }
        .key("notices")
    }

    private static func page(_ state: State) -> HTML<Action> {
        guard !state.isNotificationCentrePresented else {
            return main(.id("content")) {
                pageHead("Notifications", back: .notificationCentreDismissed)
                NotificationFeature.view(state.notifications, alerts: state.alertNews).map {
                    .notifications($0)
                }
                PushFeature.card(state.home.pushCard, state.home.push).map { .home(.push($0)) }
            }
            .key("notification-centre")
        }
        return switch state.selectedTab {
        case .home: .empty
        case .responders: RespondersFeature.view(state.responders).map { .responders($0) }
        case .dependents:
            DependentsFeature.view(
                state.dependents, helper: state.helperWords, report: state.reportNotice,
                journey: { state.alertNews.journeys[$0.id] }
            ).map {
                .dependents($0)
            }
        case .profile: ProfileFeature.view(state.profile).map { .profile($0) }
        }
    }
}

private func tabs(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    nav(.class("tabs"), .label("Main")) {
        for tab in MainTabFeature.Tab.allCases {
            part(tab.rawValue, of: ShownTab(tab, state), content: link)
        }
    }
    .key("tabs")
}

private struct ShownTab: Equatable {
    var tab: MainTabFeature.Tab
    var isCurrent: Bool
    var badge: Int
    /// Empty without a badge.
    var badgeWords: String

    init(_ tab: MainTabFeature.Tab, _ state: MainTabFeature.State) {
        self.tab = tab
        isCurrent = state.shows(tab)
        badge = state.badge(of: tab)
        badgeWords = badge > 0 ? state.badgeWords(of: tab) : ""
    }
}

private func link(_ shown: ShownTab) -> HTML<MainTabFeature.Action> {
    a(.href(.page(shown.tab.path)), .current(shown.isCurrent)) {
        icon(shown.tab.icon)
        span { shown.tab.title }
        badge("\(shown.badge)", shown.badgeWords)
    }
    .onTap(.tabSelected(shown.tab))
}

private func brand(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    div(.class("bar")) {
        span(.class("brand")) { "LifeSignal" }
        a(
            .class("button plain bell"), .href(.page(WebPath.notifications)),
            .current(state.isNotificationCentrePresented)
        ) {
            icon(.bell)
            span(.class("unseen")) { "Notifications" }
            badge(state.unreadNotificationsNumber, "unread")
        }
        .onTap(.notificationCentreButtonTapped)
        announcement(.polite, .class("unseen")) { state.news }.key("news")
    }
    .key("brand")
}

/// Says on every page except Home that the user's own alert is on. Home has its own notice.
private func ownAlert(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    guard !state.shows(.home) else { return .empty }
    return AlertFeature.notice(
        state.home.alert, responders: state.home.respondersToCall,
        emergency: state.home.emergencyNumber, show: .tabSelected(.home),
        checkIn: .home(.checkIn(.checkInButtonTapped)), journey: state.home.journey,
        told: state.home.journeyTold, press: { .home(.journey($0)) }, embed: { .home(.alert($0)) })
}

/// Announces a new contact on every page until the user has answered, because the contact may be a
/// stranger who found the user's code.
private func additions(_ state: MainTabFeature.State) -> HTML<NotificationFeature.Action> {
    announcement(.polite, .class("notice")) {
        if let item = state.newContactBanner {
            div(.class("banner")) {
                icon(.profile)
                div(.class("grow")) {
                    p { item.title }
                    small { item.body }
                }
                actionButton("Remove or block", class: "plain", .notificationTapped(item.id))
                    .attributes(.label("Remove or block: \(item.title)"))
                actionButton("OK", class: "plain", .markAsReadButtonTapped(item.id))
                    .attributes(.label("OK: \(item.title)"))
            }
            .key("\(item.id)")
        }
    }
    .key("additions")
}

private func trouble(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    announcement(.assertive, .class("notice")) {
        for person in state.troubled {
            let name = ProfileRules.displayName(person.name)
            div(.class("card critical trouble")) {
                p {
                    icon(.alert)
                    strong(.alarm(of: person, journey: state.alertNews.journeys[person.id])) {
                        state.troubleWords(for: person)
                    }
                }
                if let words = state.helperWords(for: person) {
                    p(.class("banner fine")) {
                        icon(.check)
                        strong { words }
                    }
                }
                if let report = state.reportNotice(for: person) {
                    reportLine(report, of: name) { .alertRequested($0) }
                }
                div(.class("row")) {
                    actionButton("See the alert", class: "primary grow", .alertTapped(person))
                        .attributes(.label("See \(name)’s alert"), .showsAlert)
                    if let number = person.phoneNumber { callLink(number, name, class: "grow") }
                }
            }
            .key("\(person.id)")
        }
    }
    .key("trouble")
}

/// - Parameter number: "0" hides the badge.
private func badge<Action>(_ number: String, _ words: String) -> HTML<Action> {
    guard number != "0" else { return .empty }
    return span(.class("badge")) {
        number
        span(.class("unseen")) { " \(words)" }
    }
}

extension MainTabFeature.Tab {
    var icon: Icon {
        switch self {
        case .home: .home
        case .responders: .responders
        case .dependents: .dependents
        case .profile: .profile
        }
    }
}
