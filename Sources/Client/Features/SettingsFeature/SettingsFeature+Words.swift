import Domain

extension SettingsFeature.State {
    /// The endpoint of this device, as the server has it.
    public var ownEndpoint: PushEndpoint? {
        endpoints.endpoints?.first { $0.id == push.status?.endpoint }
    }
    public var deleteWords: String { isDeletingAccount ? "Deleting …" : "Delete account" }
    public var exportWords: String { isExporting ? "Preparing …" : "Export my data" }
}

/// The name of the file with a person's data.
public let exportName = "lifesignal-export.json"
