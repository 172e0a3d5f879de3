import ComposableArchitecture
import Features

extension HomeFeature {
    /// The first tab. An alert that is on takes the whole of it.
    static func view(_ state: State) -> HTML<Action> {
        main(.id("content"), .class(state.alert.isOnOrBeingRaised ? "in-alert" : "")) {
            if state.alert.isOnOrBeingRaised {
                AlertFeature.screen(state.alert).map(Action.alert)
            } else {
                header(.class("bar")) {
                    h1 { "Home" }
                    actionButton("Your code", .scan, .qrCodeButtonTapped)
                }
                announcement(.assertive, .class("notice")) { AlertFeature.missedCheckIn(state.alert, checkIn: nil, embed: Action.alert) }
                CheckInFeature.view(state.checkIn).map(Action.checkIn)
                AlertFeature.view(state.alert).map(Action.alert)
                CheckInFeature.history(state.checkIn).map(Action.checkIn)
                AlertFeature.history(state.alert).map(Action.alert)
            }
            CheckInFeature.sheets(state.checkIn).map(Action.checkIn)
            if let code = state.qrCode { sheet("Your code", id: "your-code", close: .qrCode(.dismiss)) { codeSheet(code) } }
        }
        .onAppear(.onAppear)
        .onDisappear(.onDisappear)
        .key("home")
    }

    private static func codeSheet(_ code: QRCodeFeature.State) -> HTML<Action> {
        QRCodeFeature.view(code).map { .qrCode(.presented($0)) }
    }
}
