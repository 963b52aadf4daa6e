extension FixturePrinter {
    mutating func write(_ outcome: Fixture.Outcome) {
        switch outcome {
        case .exit(let code): line("= exit \(code)")
        case .output(let expectation): write("output", expectation)
        case .error(let expectation): write("error", expectation)
        case .file(let path, let expectation): write("file \(FixturePrinter.word(path))", expectation)
        case .fileTime(let path, let time):
            line("= file \(FixturePrinter.word(path)) time \(FixtureDate.text(of: time))")
        case .fileMode(let path, let mode):
            line("= file \(FixturePrinter.word(path)) mode \(FixturePrinter.octal(mode))")
        case .link(let path, let target):
            line("= link \(FixturePrinter.word(path)) -> \(FixturePrinter.word(target))")
        case .folder(let path): line("= folder \(FixturePrinter.word(path))")
        case .noFile(let path): line("= no file \(FixturePrinter.word(path))")
        case .connections(let count, let server): line("= connections \(count)\(to(server))")
        case .requests(let count, let server): line("= requests \(count)\(to(server))")
        case .timeOver(let duration): line("= time over \(FixturePrinter.words(for: duration))")
        case .timeUnder(let duration): line("= time under \(FixturePrinter.words(for: duration))")
        case .status(let status): line("= status \(status)")
        case .field(let field): line("= field \(FixturePrinter.plain(field))")
        case .noField(let name): line("= no field \(name)")
        case .trailer(let field): line("= trailer \(FixturePrinter.plain(field))")
        case .content(let expectation): write("content", expectation)
        case .url(let url): line("= url \(FixturePrinter.word(url))")
        case .redirects(let count): line("= redirects \(count)")
        case .failure(let code, let phase): line("= failure \(code)\(phase.map { " during \($0)" } ?? "")")
        case .source(let source): line("= source \(source.rawValue)")
        case .cacheStatus(let text): line("= cache-status \(FixturePrinter.word(text))")
        case .resumed(let offset): line("= resumed at \(offset)")
        case .retries(let count): line("= retries \(count)")
        }
    }

    private mutating func write(_ subject: String, _ expectation: Fixture.Expectation) {
        switch expectation {
        case .equals(let content): writeData("= \(subject) is", content)
        case .matches(let pattern):
            // Blanks before a pattern are not of it.
            let isIndented = pattern.source.utf8.first.map(FixtureScanner.isBlank) ?? false
            line(
                "= \(subject) matches \(FixturePrinter.source(of: isIndented ? pattern.canonical : pattern))")
        }
    }

    private func to(_ server: Int?) -> String { server.map { " to \(name(ofServer: $0))" } ?? "" }
}
