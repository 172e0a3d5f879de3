/// The page around the parts: what a browser gets first.
enum Document {
    static func text(_ page: FirstPage) -> String {
        document(
            title: page.outline.title,
            attributes: [
                ("view", page.view), ("generation", "\(page.generation)"),
                ("user", page.outline.user), ("path", page.outline.path),
                ("now", "\(page.time.milliseconds)"),
            ],
            content: page.html
        )
    }

    /// The offline page: it can check in and raise an alert.
    static let shell = document(
        title: "LifeSignal", attributes: [("shell", "")],
        content: """
            <div id="page" data-p="shell"><main class="shell" id="content"><h1>LifeSignal</h1>\
            <p>You are offline. What you press here is kept, and sent when the line is back.</p>\
            <button type="button" class="check-in-button" data-offline="checkIn">Check in</button>\
            <button type="button" class="alert-button" data-offline="alert" \
            aria-label="Alert"><span>Alert</span>\
            <small>Call for help: press 4 times</small></button></main></div>
            """
    )

    /// The numbers that the script has kept, and the screen of an alert that has not arrived yet.
    private static let withoutConnection = """
        <details id="numbers" hidden><summary>Phone numbers of your contacts</summary><ul \
        class="stack"></ul></details>
        """
    private static let calling = """
        <template id="calling-template"><dialog id="calling" role="alertdialog" \
        aria-labelledby="calling-title" aria-describedby="calling-words">\
        <div class="stack" role="alert"><h1 id="calling-title"></h1><p \
        id="calling-words"></p></div>\
        <p id="calling-try"></p>\
        <ul id="calling-people" class="stack"></ul>\
        <p id="calling-nobody" hidden><strong>Phone your local emergency number, or shout for \
        help.</strong></p>\
        <button type="button" id="calling-continue" class="wide">Continue</button>\
        <div id="calling-ending" class="stack">\
        <button type="button" id="calling-end" class="hold-button wide" data-hold \
        data-hold-seconds="3">I am safe: hold to end</button>\
        <button type="button" id="calling-end-tap" class="plain wide">End it without \
        holding</button></div></dialog></template>
        """

    /// Shown while a page waits for its cookie; it reloads itself.
    static let soon = plain("Just a moment", "LifeSignal is opening …")

    static let missing = plain(
        "There is nothing here",
        "This address leads to no page of LifeSignal. Perhaps a part of the link was lost.")
    static let tooBusy = plain("Too many people at the moment", "Please try again in a minute.")

    /// A page that nothing has to be done on by the script.
    private static func plain(_ title: String, _ words: String) -> String {
        document(
            title: "\(title) · LifeSignal", attributes: [], scripts: "",
            content: """
                <main class="shell" id="content"><h1>\(title)</h1><p>\(words)</p><p><a \
                class="button primary" href="/">Go to LifeSignal</a></p></main>
                """
        )
    }

    /// The parts are named beforehand, so that all of them come in one round trip.
    private static let scripts =
        Assets.script.dropFirst().map {
            "<link rel=\"modulepreload\" href=\"\(Assets.path($0.name))\">"
        }.joined()
        + "<script type=\"module\" src=\"\(Assets.path("app.js"))\"></script>"

    private static func document(
        title: String, attributes: [(String, String)], scripts: String = scripts, content: String
    ) -> String {
        var text = "<!doctype html><html lang=\"en\""
        for (name, value) in attributes {
            text += " data-\(name)=\""
            Escaping.append(value, to: &text)
            text += "\""
        }
        text += """
            ><head><meta charset="utf-8"><meta name="viewport" \
            content="width=device-width,initial-scale=1,viewport-fit=cover">\
            <meta name="color-scheme" content="light dark"><meta name="theme-color" \
            content="#f6f7f4" media="(prefers-color-scheme: light)">\
            <meta name="theme-color" content="#101614" media="(prefers-color-scheme: dark)"><title>
            """
        Escaping.append(title, to: &text)
        text += """
            </title><link rel="stylesheet" href="\(Assets.path("styles.css"))"><link rel="icon" \
            href="\(Assets.path("icon.svg"))">\
            <link rel="apple-touch-icon" href="\(Assets.path("icon-192.png"))"><link \
            rel="manifest" href="/manifest.webmanifest">\
            \(scripts)</head><body>\
            <a class="skip" href="#content">Skip to content</a>\
            <div id="line" class="line-banner" role="status"></div>\(withoutConnection)
            """
        text += content
        text += """
            \(calling)<div id="presses" class="unseen" role="status"></div>\
            <div id="polite" class="unseen" role="status"></div><div id="assertive" class="unseen" \
            role="alert"></div>\
            <noscript><p class="line-banner">LifeSignal needs JavaScript to keep this page up to \
            date.</p></noscript></body></html>
            """
        return text
    }
}
