extension Origin {
    /// The answer as a deed makes it; `nil` where that deed would mean nothing, or could be believed by anybody.
    func changedAnswer(_ answer: Answer, to request: Request, current: Int, _ deed: Deed) -> Answer? {
        let version = plan.versions[current]
        var changed = answer
        switch deed {
        case .cut, .reset, .stall:
            guard answer.length > 0 else { return nil }
            changed.break = place(of: deed, in: answer.length)
            return changed
        case .unavailable:
            return Answer("503 Service Unavailable", [], text: "the server has a rest\n")
        case .unaskedPart(let number):
            guard request.part == nil, version.size > 1 else { return nil }
            let start = 1 + number % (version.size - 1)
            return part(start..<version.size, of: version)
        case .ignoredCondition:
            guard request.part != nil, request.condition != nil, answer.status.hasPrefix("200") else {
                return nil
            }
            let range = request.range(of: version.size)
            return range.isEmpty ? nil : part(range, of: version)
        default:
            guard answer.status.hasPrefix("206") else { return nil }
            return changedPart(answer, current: current, deed)
        }
    }

    /// A part of the file that was asked for, as a deed makes it.
    private func changedPart(_ answer: Answer, current: Int, _ deed: Deed) -> Answer? {
        let version = plan.versions[current]
        let (range, size) = (answer.range, version.size)
        switch deed {
        case .wholeFile:
            return Answer("200 OK", version.validators.fields, version, 0..<size)
        case .shorterRange(let number):
            return part(range.lowerBound..<range.upperBound - number % answer.length, of: version)
        case .otherStart(let number):
            guard answer.length > 1 else { return nil }
            // Further on, or at the very beginning.
            let start = range.lowerBound + 1 + number % (answer.length - 1)
            let isBefore = number % 3 == 0 && range.lowerBound > 0
            return part((isBefore ? 0 : start)..<range.upperBound, of: version)
        case .otherTotal(let number):
            // A smaller one is a lie to those only who know better, by the whole file's Content-Length.
            let mayBeSmaller = !plan.isChunked && range.lowerBound > 0
            guard mayBeSmaller, number % 3 > 0, answer.length > 1 else {
                return part(range, of: version, total: size + 1 + number % (size + 1))
            }
            let total = range.lowerBound + 1 + number % (answer.length - 1)
            return part(range.lowerBound..<total, of: version, total: total)
        case .noContentRange:
            return Answer("206 Partial Content", version.validators.fields, version, range)
        case .otherVersion:
            guard range.lowerBound > 0 else { return nil }
            let other = plan.versions[(current + 1) % plan.versions.count]
            return Answer("206 Partial Content", [contentRange(range, size)], other, range)
        case .unsatisfiable(let number):
            return unsatisfiable(number, start: range.lowerBound, version)
        case .multipart:
            var changed = Answer(
                "206 Partial Content",
                version.validators.fields + ["Content-Type: multipart/byteranges; boundary=THAT"], version,
                range)
            changed.text = "\r\n--THAT\r\n\(contentRange(range, size))\r\n\r\n"
            changed.textBehind = "\r\n--THAT--\r\n"
            return changed
        case .otherLength(let number):
            let isLess = number % 2 == 0 && answer.length > 1
            let difference = 1 + number / 2 % (isLess ? answer.length - 1 : 4096)
            var changed = part(range, of: version)
            changed.range =
                range.lowerBound..<(isLess ? range.upperBound - difference : range.upperBound + difference)
            return changed
        case .cut, .reset, .stall, .unavailable, .unaskedPart, .ignoredCondition:
            return nil  // not for parts alone; done above
        }
    }

    /// 416 with a length that would make the client's part the whole file, or with others.
    private func unsatisfiable(_ number: UInt64, start: UInt64, _ version: FileVersion) -> Answer? {
        // Where no length was told before, a client has to believe that its part is all.
        let lengths: [UInt64?] =
            (plan.isChunked || start == 0 ? [] : [start, start]) + [0, version.size + 1 + number % 1000, nil]
        let length = lengths[Int(number / 1000 % UInt64(lengths.count))]
        // An empty file is what a client has to believe in who knows nothing else.
        if length == 0, start == 0 { return nil }
        return Answer(
            "416 Range Not Satisfiable",
            version.validators.fields + (length.map { ["Content-Range: bytes */\($0)"] } ?? []),
            text: "there is no such part\n")
    }

    private func part(_ range: Range<UInt64>, of version: FileVersion, total: UInt64? = nil) -> Answer {
        Answer(
            "206 Partial Content",
            version.validators.fields + [contentRange(range, total ?? version.size)], version, range)
    }

    private func place(of deed: Deed, in length: UInt64) -> Answer.Break? {
        switch deed {
        case .cut(let number): .cut(number % length)
        case .reset(let number): .reset(number % length)
        case .stall(let number): .stall(number % length)
        default: nil
        }
    }
}
