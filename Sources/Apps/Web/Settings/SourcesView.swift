import Domain
import Features
import LivePages

extension SourcesFeature {
    static func view(_ state: State) -> HTML<Action> {
        section(.class("card"), .labelled(by: "sources-title")) {
            h2(.id("sources-title")) { SourcesFeature.title }
            p { SourcesFeature.hint }
            errorNotice(state.error, dismiss: .dismissError)
            if let sources = state.sources { list(sources, state) } else { unknown(state) }
            announcement(.polite, .class("notice")) {
                if let added = state.added { address(added, state) }
            }
            if state.added == nil, state.sources != nil { nameForm(state) }
            confirmation(state.confirmation, id: "source-question").map { .confirmation($0) }
        }
        .key("sources").onAppear(.onAppear).onDisappear(.onDisappear)
    }

    private static func list(_ sources: [CheckInSource], _ state: State) -> HTML<Action> {
        guard !sources.isEmpty else { return p(.class("quiet")) { SourcesFeature.noSources } }
        return ul(.class("list")) {
            for source in sources {
                li(.class("row")) {
                    div(.class("grow")) {
                        strong { source.name }
                        use(of: source)
                    }
                    actionButton(
                        state.removeWords(source.id), class: "danger",
                        .removeButtonTapped(source.id)
                    )
                    .attributes(.label("Remove \(source.name)"))
                    .disabled(state.removing != nil)
                }
                .key("\(source.id)")
            }
        }
        .key("source-list")
    }

    private static func use(of source: CheckInSource) -> HTML<Action> {
        p(.class("hint")) {
            if let time = source.lastUsedAt {
                "Last check-in "
                moment(time, .relative)
            } else {
                "Not used yet"
            }
            ", added "
            moment(source.createdAt, .absolute)
        }
    }

    /// The address of a new source, with a command as an example.
    private static func address(_ added: NewSource, _ state: State) -> HTML<Action> {
        div(.class("stack")) {
            h3 { "\(SourcesFeature.addressTitle) \(added.source.name)" }
            p(.class("code")) { added.address.absoluteString }
            p { SourcesFeature.addressHint }
            p(.class("code")) { added.example }
            div(.class("row")) {
                button(
                    .type("button"), .class("primary grow"), .copies(added.address.absoluteString)
                ) {
                    icon(.copy)
                    state.copyWords
                }
                .onTap(.copyButtonTapped)
                actionButton("Done", class: "grow", .doneButtonTapped)
            }
        }
        .key("source-address")
    }

    private static func nameForm(_ state: State) -> HTML<Action> {
        guard !state.isFull else {
            return p(.class("quiet")) { RefusalWords.sourcesFull.detail }
        }
        return form(.class("stack")) {
            field(
                SourcesFeature.nameTitle, id: "source-name", hint: SourcesFeature.nameHint,
                control: input(
                    .type("text"), .name("source-name"), .plain(.autocomplete, "off"), .draft,
                    .value(state.name)
                )
                .readOnly(state.isAdding).onInput { .nameChanged($0) })
            submitButton(state.addWords, isEnabled: !state.isAdding)
        }
        .onSubmit(.addButtonTapped)
        .key("source-form")
    }

    private static func unknown(_ state: State) -> HTML<Action> {
        guard state.error != nil else { return loadingLine() }
        return actionButton("Load again", .retryButtonTapped)
    }
}
