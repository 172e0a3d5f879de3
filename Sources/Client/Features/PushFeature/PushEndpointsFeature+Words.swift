import Domain

extension PushEndpointsFeature.State {
    public func removeWords(_ endpoint: PushEndpointID) -> String {
        removing == endpoint ? "Removing …" : "Remove"
    }
}
