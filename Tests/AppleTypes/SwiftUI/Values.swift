// In a separate file, so that the values aren't isolated to the main actor like `View`.
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
