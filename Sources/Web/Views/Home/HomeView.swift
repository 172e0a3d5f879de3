import ComposableArchitecture
import Features

/// The first tab. An alert that is on takes the whole of it.
func homeView(_ state: HomeFeature.State) -> HTML<HomeFeature.Action> {
    div(.class("stack")) {
        if state.alert.isOnOrBeingRaised {
            AlertFeature.screen(state.alert).map(HomeFeature.Action.alert)
        } else {
            CheckInFeature.view(state.checkIn).map(HomeFeature.Action.checkIn)
            AlertFeature.view(state.alert).map(HomeFeature.Action.alert)
            actionButton("Your code", .scan, class: "wide", HomeFeature.Action.qrCodeButtonTapped)
            CheckInFeature.history(state.checkIn).map(HomeFeature.Action.checkIn)
            AlertFeature.history(state.alert).map(HomeFeature.Action.alert)
        }
        CheckInFeature.sheets(state.checkIn).map(HomeFeature.Action.checkIn)
        if let code = state.qrCode { qrCodeSheet(code, close: .qrCode(.dismiss)) { .qrCode(.presented($0)) } }
    }
}
