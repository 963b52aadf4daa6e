// The documents' samples as a person would bring them to this library: Foundation beside it, and only what the column
// `here` of the table of behaviours names (Sources/Rawget/Rawget.docc).
//
//     porting BASE FOLDER           all samples; the last one pauses a download
//     porting BASE FOLDER resume    goes on with it

/// What the server has.
enum Served {
    static let logo = [UInt8]((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
    static let movie = [UInt8]((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ ($0 >> 8)) })
}

/// Opened once, by a completion; waited for by who has begun.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() { check(semaphore.wait(timeout: .now() + 30) == .success, "it has not ended within 30 s") }
}

/// A value that completions set.
final class Shared<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value
    init(_ value: Value) { stored = value }
    var value: Value { lock.withLock { stored } }
    func set(_ value: Value) { lock.withLock { stored = value } }
}

/// Says what does not hold, and ends.
func check(_ holds: Bool, _ what: String) {
    if holds { return }
    FileHandle.standardError.write(Data("porting: \(what)\n".utf8))
    exit(1)
}

let arguments = CommandLine.arguments
check(arguments.count >= 3, "BASE FOLDER [resume]")
let (base, folder) = (arguments[1], arguments[2])
do {
    if arguments.last == "resume" {
        try resumeSession(folder: folder)
    } else {
        try dataWithContentsOfURL(base)
        try sendSynchronousRequest(base)
        try sendAsynchronousRequest(base, savingTo: "\(folder)/async.png")
        try headRequest(base)
        try cachedRequest(base)
        try chineseAddress(base)
        try connectionWithDelegate(base, folder: folder)
        try sharedSession(base, folder: folder)
        try requestOperation(base, folder: folder)
        try requestOperationManager(base)
        try sessionManager(base, folder: folder)
        indicatorAndNames()
        try pauseSession(base, folder: folder)
    }
} catch {
    check(false, "\(error)")
}
print("porting: passed")
