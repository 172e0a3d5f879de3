import ComposableArchitecture
import Features
import LivePages

extension HomeFeature {
    /// The first tab. The open alert, or else the check-in button, comes before the notices, to be
    /// visible without scrolling at every text size.
    /// - Parameters:
    ///   - notices: the notices that every page has at its top.
    ///   - embed: turns an action of this tab into one of the parent.
    static func view<Parent>(
        _ state: State, notices: HTML<Parent>, embed: @escaping (Action) -> Parent
    ) -> HTML<Parent> {
        main(.id("content"), .class(state.alert.isOnOrBeingRaised ? "in-alert" : "")) {
            first(state).map(embed)
            notices
            rest(state).map(embed)
        }
        .onAppear(embed(.onAppear))
        .onDisappear(embed(.onDisappear))
        .key("home")
    }

    static func view(_ state: State) -> HTML<Action> {
        view(state, notices: .empty) { $0 }
    }

    private static func first(_ state: State) -> HTML<Action> {
        guard !state.alert.isOnOrBeingRaised else {
            return AlertFeature.screen(
                state.alert, emergency: state.emergencyNumber, responders: state.respondersToCall,
                missed: missedCheckIn(state), embed: Action.alert)
        }
        return group {
            h1(.class("unseen")) { "Home" }
            journey(state)
            CheckInFeature.view(
                state.checkIn, isProtected: state.isProtected, hasMissed: state.hasMissed,
                missedDeadline: state.missedDeadline, showsPause: state.situation != .journey
            )
            .map(Action.checkIn)
        }
    }

    /// The running journey, or the alert about it.
    private static func journey(_ state: State) -> HTML<Action> {
        group {
            announcement(.assertive, .class("notice")) {
                AlertFeature.overdueJourney(
                    state.alert, journey: state.journey, told: state.journeyTold,
                    responders: state.respondersToCall, emergency: state.emergencyNumber,
                    press: Action.journey, embed: Action.alert)
            }
            .key("overdue-journey")
            if state.alert.overdueJourney == nil {
                JourneyFeature.card(state.journey, told: state.journeyTold).map(Action.journey)
            }
        }
    }

    /// The alert about a missed check-in. A call for help hides the check-in button, so this then
    /// has one, and shows what became of the press.
    private static func missedCheckIn(_ state: State) -> HTML<Action> {
        let isInAlert = state.alert.isOnOrBeingRaised
        return group {
            announcement(.assertive, .class("notice")) {
                AlertFeature.missedCheckIn(
                    state.alert, responders: state.respondersToCall,
                    emergency: state.emergencyNumber,
                    checkIn: isInAlert ? Action.checkIn(.checkInButtonTapped) : nil,
                    embed: Action.alert)
            }
            .key("missed-check-in")
            if isInAlert, state.alert.missedCheckIn != nil {
                waitingBanner(state.checkIn.waitingWords).key("check-in-waiting")
                errorNotice(state.checkIn.error, dismiss: Action.checkIn(.dismissError))
                    .key("check-in-error")
            }
        }
    }

    private static func rest(_ state: State) -> HTML<Action> {
        group {
            if !state.alert.isOnOrBeingRaised {
                // An open alert comes before the notices about ended ones.
                missedCheckIn(state)
                AlertFeature.view(state.alert).map(Action.alert)
                DrillFeature.questions(state.drillQuestions, state.drill).map(Action.drill)
                AdministrationFeature.notices(state.accountNotices)
                HomeCardsFeature.view(state.cards, mayDrill: state.mayDrill).map(Action.cards)
                PushFeature.card(state.hasMissed ? nil : state.pushCard, state.push)
                    .map(Action.push)
                CheckInFeature.facts(
                    state.checkIn, showsPause: state.situation == .journey
                )
                .map(Action.checkIn)
                journeyEntry(state)
                actionButton("Your code", .scan, class: "wide", .qrCodeButtonTapped)
                checkIns(state)
                AlertFeature.history(state.alert).map(Action.alert)
            } else {
                journey(state)
            }
            CheckInFeature.sheets(state.checkIn).map(Action.checkIn)
            JourneyFeature.sheets(state.journey).map(Action.journey)
            if let code = state.qrCode {
                sheet("Your code", id: "your-code", close: .qrCode(.dismiss)) { codeSheet(code) }
            }
        }
    }

    /// The button that opens the form. Empty during a journey.
    private static func journeyEntry(_ state: State) -> HTML<Action> {
        guard state.journey.journey == nil else { return .empty }
        return actionButton(JourneyWords.title, class: "wide", .journey(.formButtonTapped))
    }

    private static func checkIns(_ state: State) -> HTML<Action> {
        details(.class("card")) {
            summary { h2 { "Your check-ins" } }
            div(.class("stack")) {
                if let month = state.month, let calendar = state.checkInMonth {
                    actionButton(listWords, .listButtonTapped)
                    CheckInMonthFeature.view(month, calendar).map(Action.month)
                } else {
                    actionButton(monthWords, .monthButtonTapped)
                    CheckInFeature.history(state.checkIn).map(Action.checkIn)
                }
            }
            .key("shown")
        }
        .key("check-ins")
    }

    private static func codeSheet(_ code: QRCodeFeature.State) -> HTML<Action> {
        QRCodeFeature.view(code).map { .qrCode(.presented($0)) }
    }
}
