// In a file of their own, so that the values do not take the isolation of `View`.
extension Color: View {
    public var body: Never { fatalError() }
}
extension Text: View, Drawable {
    public var body: Never { fatalError() }
    func draw(on canvas: Canvas, into sketch: inout Sketch) { sketch.words += pieces }
}
extension Image: View {
    public var body: Never { fatalError() }
}
