import Domain

extension Routes {
    public static let drills = Route<Empty, DrillOverview>(
        .get, "/v1/drills", "listDrills",
        "The user's newest drill with its answers, and the drills of others that ask them now")
    public static let startDrill = Route<Empty, DrillRecord>(
        .put, "/v1/drills/{id}", "startDrill",
        "Test the whole ladder; at most one begins a day, and responders have to have accepted")
    public static let stopDrill = Route<Empty, DrillRecord>(
        .post, "/v1/drills/{id}/end", "stopDrill", "End the user's own drill",
        errors: [.notFound])
    public static let answerDrill = Route<DrillAnswerRequest, DrillQuestion>(
        .post, "/v1/drills/{id}/answer", "answerDrill",
        "\"Got it\", to somebody else's drill", errors: [.notFound])

    static let ofDrills = [
        drills.endpoint, startDrill.endpoint, stopDrill.endpoint, answerDrill.endpoint,
    ]
}
