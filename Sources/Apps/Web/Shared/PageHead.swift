import LivePages

func pageHead<Action>(_ title: String, back: Action) -> HTML<Action> {
    header(.class("bar")) {
        actionButton("Back", .back, class: "plain", back)
        h1(.class("grow")) { title }
    }
}
