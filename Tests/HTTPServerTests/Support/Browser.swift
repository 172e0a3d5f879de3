/// The recipient in the example of RFC 8291, appendix A.
enum Browser {
    static let p256dh =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    /// Another point on the curve: the server's in the same example.
    static let serverPoint =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
}
