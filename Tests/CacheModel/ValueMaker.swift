/// Random field values, right and wrong ones.
struct ValueMaker {
    let theme: Theme

    private func letterCase(_ text: String, _ random: inout SplitMix64) -> String {
        guard random.percent(theme.oddity / 2) else { return text }
        return String(text.map { random.percent(50) ? Character($0.uppercased()) : $0 })
    }

    /// The argument of max-age and the like.
    private func seconds(_ random: inout SplitMix64) -> String {
        let number = theme.seconds(using: &random)
        guard random.percent(theme.oddity / 2) else { return String(number) }
        return random.pick(
            "\"\(number)\"", "-\(number)", "\(number).5", "x", "", "\"\"", " \(number)", "00\(number)",
            "+\(number)",
            "'\(number)'", "2147483648", "4294967297", "9223372036854775807", "18446744073709551617",
            "99999999999999999999999999", "\(number) s", "\"\(number)")
    }

    /// The directives of a response, as the values of one line or more.
    func responseControl(_ random: inout SplitMix64) -> [String] {
        guard random.percent(80) else { return [] }
        var directives: [String] = []
        func name(_ text: String) -> String { letterCase(text, &random) }
        if let favourite = theme.favourite, random.percent(60) {
            directives.append(favourite.hasPrefix("stale") ? "\(favourite)=\(seconds(&random))" : favourite)
        }
        if random.percent(75) { directives.append("\(name("max-age"))=\(seconds(&random))") }
        if random.percent(12) { directives.append("\(name("stale-while-revalidate"))=\(seconds(&random))") }
        if random.percent(12) { directives.append("\(name("stale-if-error"))=\(seconds(&random))") }
        if random.percent(10) { directives.append(name("must-revalidate")) }
        if random.percent(7) { directives.append(name("no-cache")) }
        if random.percent(5) {
            directives.append(
                "\(name("no-cache"))=\(random.pick("\"X-Note\"", "\"x-note, set-cookie\"", "X-Note", "\"\""))"
            )
        }
        if random.percent(6) { directives.append(name("no-store")) }
        if random.percent(5) { directives.append(name("must-understand")) }
        if random.percent(10) { directives.append(name("public")) }
        if random.percent(7) { directives.append(random.pick(name("private"), "private=\"X-Note\"")) }
        if random.percent(8) { directives.append(name("immutable")) }
        if random.percent(6) {
            directives.append(
                random.pick("s-maxage=0", "s-maxage=\(theme.unit * 10)", "proxy-revalidate", "no-transform"))
        }
        if random.percent(theme.oddity / 2) {
            directives.append(
                random.pick("foo", "foo=\"max-age=0, no-store\"", "community=\"UCI\"", "x=no-store", ","))
        }
        if random.percent(theme.oddity / 3) { directives.append("max-age=\(seconds(&random))") }
        directives.shuffle(using: &random)
        return lines(directives, &random)
    }

    /// The directives of a request.
    func requestControl(_ random: inout SplitMix64) -> [String] {
        guard random.percent(theme.requestDirectives) else { return [] }
        var directives: [String] = []
        if random.percent(30) { directives.append("max-age=\(theme.seconds(using: &random))") }
        if random.percent(25) {
            directives.append(random.pick("max-stale", "max-stale=\(theme.seconds(using: &random))"))
        }
        if random.percent(12) { directives.append("min-fresh=\(theme.seconds(using: &random))") }
        if random.percent(10) { directives.append("no-cache") }
        if random.percent(10) { directives.append("no-store") }
        if random.percent(15) { directives.append("only-if-cached") }
        if random.percent(15) { directives.append("stale-if-error=\(theme.seconds(using: &random))") }
        if random.percent(5) {
            directives.append(random.pick("immutable", "foo=bar", "no-transform", "public"))
        }
        directives = directives.map { letterCase($0, &random) }
        return lines(directives, &random)
    }

    private func lines(_ directives: [String], _ random: inout SplitMix64) -> [String] {
        guard !directives.isEmpty else { return [] }
        guard directives.count > 1, random.percent(20) else {
            return [directives.joined(separator: random.pick(", ", ",", " ,\t"))]
        }
        let cut = Int.random(in: 1..<directives.count, using: &random)
        return [directives[..<cut], directives[cut...]].map { $0.joined(separator: ", ") }
    }

    /// Values of Expires.
    func expires(from now: Int64, _ random: inout SplitMix64) -> [String] {
        guard random.percent(25) else { return [] }
        let date = now + theme.seconds(using: &random) * random.pick(1, 1, 1, -1)
        if random.percent(theme.oddity) {
            return [
                random.pick(
                    "0", "-1", "", "never", "Mon, 32 Jan 2024 00:00:00 GMT", zoned(date, "UTC"),
                    zoned(date, "EST"))
            ]
        }
        let text = form(date, &random)
        return random.percent(theme.oddity / 4) ? [text, form(now + theme.unit * 20, &random)] : [text]
    }

    /// Values of Date: mostly right.
    func date(at now: Int64, _ random: inout SplitMix64) -> [String] {
        guard random.percent(theme.oddity) else { return [FieldText.dateText(now)] }
        return random.weighted([
            4: [], 2: ["yesterday"], 2: [""], 4: [form(now - theme.unit, &random)],
            3: [form(now + theme.unit, &random)],
            4: [form(now, &random)],
        ])
    }

    /// Values of Age: mostly none.
    func age(_ random: inout SplitMix64) -> [String] {
        guard random.percent(theme.ages) else { return [] }
        let number = theme.seconds(using: &random)
        guard random.percent(theme.oddity) else { return [String(number)] }
        return random.pick(
            ["-\(number)"], ["\(number).5"], ["old"], ["\(number), 3"], ["\(number)", "0"],
            ["0", "\(number)"],
            ["\"\(number)\""], ["2147483649"], ["99999999999999999999999"], ["9223372036854775807"], ["+1"],
            ["0\(number)"])
    }

    private func zoned(_ date: Int64, _ zone: String) -> String {
        String(FieldText.dateText(date).dropLast(3)) + zone
    }

    /// A date in one of the three forms (RFC 9110, section 5.6.7).
    func form(_ date: Int64, _ random: inout SplitMix64) -> String {
        let text = FieldText.dateText(date)
        guard random.percent(theme.oddity / 2) else { return text }
        // Sun, 06 Nov 1994 08:49:37 GMT
        let parts = text.split(separator: " ").map(String.init)
        let day = String(parts[0].dropLast())
        let long =
            [
                "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
                "Sat": "Saturday", "Sun": "Sunday",
            ][day] ?? day
        let number = parts[1].hasPrefix("0") ? " " + parts[1].dropFirst() : parts[1]
        return random.pick(
            "\(long), \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT",
            "\(day) \(parts[2]) \(number) \(parts[4]) \(parts[3])", text.uppercased(), text.lowercased())
    }
}
