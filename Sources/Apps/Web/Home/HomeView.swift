import ComposableArchitecture
import Features
import LivePages

extension HomeFeature {
    /// The first tab. An alert that is on takes the whole of it.
    static func view(_ state: State) -> HTML<Action> {
        main(.id("content"), .class(state.alert.isOnOrBeingRaised ? "in-alert" : "")) {
            if state.alert.isOnOrBeingRaised {
                AlertFeature.screen(
                    state.alert, emergency: state.emergencyNumber,
                    responders: state.respondersToCall
                )
                .map(Action.alert)
            } else {
                header(.class("bar")) {
                    h1 { "Home" }
                    actionButton("Your code", .scan, .qrCodeButtonTapped)
                }
                AlertFeature.view(state.alert).map(Action.alert)
                DrillFeature.questions(state.drill).map(Action.drill)
                // Somebody who is late needs the button, not a list of what else waits.
                if !state.hasMissed { HomeCardsFeature.view(state.cards).map(Action.cards) }
                CheckInFeature.view(
                    state.checkIn, isProtected: state.cards.isProtected, hasMissed: state.hasMissed
                )
                .map(Action.checkIn)
                PushFeature.card(state.hasMissed ? nil : state.pushCard, state.push)
                    .map(Action.push)
                announcement(.assertive, .class("notice")) {
                    AlertFeature.missedCheckIn(
                        state.alert, responders: state.respondersToCall, checkIn: nil,
                        embed: Action.alert)
                }
                if state.hasMissed { HomeCardsFeature.view(state.cards).map(Action.cards) }
                CheckInFeature.history(state.checkIn).map(Action.checkIn)
                AlertFeature.history(state.alert).map(Action.alert)
            }
            CheckInFeature.sheets(state.checkIn).map(Action.checkIn)
            if let code = state.qrCode {
                sheet("Your code", id: "your-code", close: .qrCode(.dismiss)) { codeSheet(code) }
            }
        }
        .onAppear(.onAppear)
        .onDisappear(.onDisappear)
        .key("home")
    }

    private static func codeSheet(_ code: QRCodeFeature.State) -> HTML<Action> {
        QRCodeFeature.view(code).map { .qrCode(.presented($0)) }
    }
}
