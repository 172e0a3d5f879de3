import ComposableArchitecture
import Domain
import Features
import SwiftUI

/// The check-ins of a month. Each day has a mark besides its colour, and words for VoiceOver.
struct CheckInMonthView: View {
    let store: StoreOf<CheckInMonthFeature>
    let calendar: CheckInMonth

    var body: some View {
        ErrorNotice(store.error) { store.send(.dismissError) }
        Heading(store.month.words)
        HStack {
            Button(store.month.previous.name) { store.send(.previousMonthTapped) }
                .frame(minHeight: 44)
                .accessibilityLabel(store.previousLabel)
                .disabled(!store.hasPrevious)
            Spacer()
            Button(store.month.next.name) { store.send(.nextMonthTapped) }
                .frame(minHeight: 44)
                .accessibilityLabel(store.nextLabel)
                .disabled(!store.hasNext)
        }
        VStack(spacing: 2) {
            HStack(spacing: 2) {
                ForEach(Weekday.allCases, id: \.self) { weekday in
                    Text(weekday.shortWord).font(.subheadline).lineLimit(1)
                        .minimumScaleFactor(0.5)
                        .frame(maxWidth: .infinity)
                        .accessibilityHidden(true)
                }
            }
            ForEach(Array(calendar.weeks.enumerated()), id: \.offset) { _, week in
                HStack(spacing: 2) {
                    ForEach(Array(week.enumerated()), id: \.offset) { _, day in cell(day) }
                }
            }
        }
        ForEach(calendar.legend, id: \.self) { mark in
            Quiet("\(mark.symbol) \(mark.explanation)")
        }
        if let words = store.zoneWords { Quiet(words) }
        if let words = store.statusWords { Quiet(words) }
        if store.canLoadMore {
            WideButton(CheckInMonthFeature.State.loadMoreWords) { store.send(.loadMoreTapped) }
        }
        chosen
    }

    @ViewBuilder private func cell(_ day: CheckInMonth.Day?) -> some View {
        if let day, day.canBeChosen {
            Button(action: { store.send(.dayTapped(day.number)) }) { face(day) }
                .buttonStyle(.plain)
                .accessibilityLabel(day.words(in: calendar.month))
                .accessibilityAddTraits(
                    day.number == store.chosenDay ? .isSelected : AccessibilityTraits())
        } else if let day {
            face(day)
                .accessibilityElement(children: .ignore)
                .accessibilityLabel(day.words(in: calendar.month))
        } else {
            Text(verbatim: "").frame(maxWidth: .infinity, minHeight: 44).accessibilityHidden(true)
        }
    }

    private func face(_ day: CheckInMonth.Day) -> some View {
        VStack(spacing: 0) {
            Text(verbatim: "\(day.number)")
            Text(verbatim: day.mark.symbol).bold()
        }
        .font(.subheadline)
        .lineLimit(1)
        .minimumScaleFactor(0.5)
        .frame(maxWidth: .infinity, minHeight: 44)
        .background(ground(day), in: .rect(cornerRadius: 8))
    }

    private func ground(_ day: CheckInMonth.Day) -> Color {
        if day.number == store.chosenDay { return .line }
        return switch day.mark {
        case .kept: .fineGround
        case .late: .warningGround
        case .missed: .criticalGround
        case .paused, .noCheckIn, .unknown, .future: .surface
        }
    }

    @ViewBuilder private var chosen: some View {
        if let day = calendar.day(store.chosenDay) {
            Heading(day.words(in: calendar.month))
            if day.checkIns.isEmpty { Quiet(CheckInMonthFeature.State.noCheckInsWords) }
            ForEach(day.checkIns) { checkIn in
                Text.moment(checkIn.occurredAt)
                LateArrival(checkIn: checkIn)
            }
        } else {
            Quiet(CheckInMonthFeature.State.chooseWords)
        }
    }
}
