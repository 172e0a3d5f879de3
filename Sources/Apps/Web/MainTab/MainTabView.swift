import Domain
import Features
import LivePages

extension MainTabFeature {
    /// The four tabs with their badges, and the notification centre.
    /// - Parameters:
    ///   - messages: what the app has to say on every page.
    ///   - embed: makes an action of the tabs one of the app.
    static func view<Parent>(
        _ state: State, messages: HTML<Parent>, embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        div(.class("app")) {
            tabs(state).map(embed)
            AlertFeature.bar(state.home.alert)
            phoneNumbers(state).map(embed)
            header(.class("top")) {
                brand(state).map(embed)
                messages
                ownAlert(state).map(embed)
                trouble(state).map(embed)
                AlertNewsFeature.view(state.alertNews, contacts: state.responders.contacts.contacts)
                    .map { embed(.alertNews($0)) }
                additions(state).map { embed(.notifications($0)) }
                errorNotice(state.error, dismiss: embed(.dismissError))
            }
            page(state).map(embed)
            responders(state).map(embed)
            if let alert = state.dependentAlert {
                DependentAlertFeature.view(alert).map { embed(.dependentAlert(.presented($0))) }
            }
        }
        .key("app").onAppear(embed(.onAppear)).onDisappear(embed(.onDisappear))
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
        case .home: HomeFeature.view(state.home).map { .home($0) }
        case .responders: RespondersFeature.view(state.responders).map { .responders($0) }
        case .dependents:
            DependentsFeature.view(state.dependents, helper: state.helperWords).map {
                .dependents($0)
            }
        case .profile: ProfileFeature.view(state.profile).map { .profile($0) }
        }
    }
}

private func tabs(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    nav(.class("tabs"), .label("Main")) {
        for tab in MainTabFeature.Tab.allCases {
            a(.href(.page(tab.path)), .current(state.shows(tab))) {
                icon(tab.icon)
                span { tab.title }
                badge(state.badge(of: tab), state.badgeWords(of: tab))
            }
            .onTap(.tabSelected(tab))
        }
    }
    .key("tabs")
}

/// The name of the app, and the bell.
private func brand(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    div(.class("bar")) {
        span(.class("brand")) { "LifeSignal" }
        a(
            .class("button plain bell"), .href(.page(WebPath.notifications)),
            .current(state.isNotificationCentrePresented)
        ) {
            icon(.bell)
            span(.class("unseen")) { "Notifications" }
            badge(state.unreadNotificationsCount, "unread")
        }
        .onTap(.notificationCentreButtonTapped)
        announcement(.polite, .class("unseen")) { state.news }.key("news")
    }
    .key("brand")
}

/// The notice on every page that the person's own call for help is on. Home shows it itself.
private func ownAlert(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    guard !state.shows(.home) else { return .empty }
    return AlertFeature.notice(
        state.home.alert, responders: state.home.respondersToCall, show: .tabSelected(.home),
        checkIn: .home(.checkIn(.checkInButtonTapped)), embed: { .home(.alert($0)) })
}

/// A new contact: shown on every page until the person has answered, since it may be someone who
/// found the user's code.
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

/// The notice on every tab that somebody needs the person.
private func trouble(_ state: MainTabFeature.State) -> HTML<MainTabFeature.Action> {
    announcement(.assertive, .class("notice")) {
        for person in state.troubled {
            let name = ProfileRules.displayName(person.name)
            div(.class("card critical trouble")) {
                p {
                    icon(.alert)
                    strong { person.troubleWords }
                }
                if let words = state.helperWords(for: person) {
                    p(.class("banner fine")) {
                        icon(.check)
                        strong { words }
                    }
                }
                div(.class("row")) {
                    actionButton("See the alert", class: "primary grow", .alertTapped(person))
                        .attributes(.label("See \(name)’s alert"))
                    if let number = person.phoneNumber { callLink(number, name, class: "grow") }
                }
            }
            .key("\(person.id)")
        }
    }
    .key("trouble")
}

/// A number with what it counts; a screen reader hears both.
private func badge<Action>(_ count: Int, _ words: String) -> HTML<Action> {
    guard count > 0 else { return .empty }
    return span(.class("badge")) {
        "\(count)"
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
