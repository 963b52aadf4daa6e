import TestSupport
import Testing

@Suite("rawget batch as a process", .timeLimit(.minutes(3)))
struct BatchProcessTests {
    private static let driver =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        + "/batch_driver.py"

    @Test("Python's standard library drives it: 10,000 lines, hostile ones among them, by little memory")
    func python() async {
        let folder = TemporaryFolder()
        let errors = NamelessFile()
        let process = ChildProcess(
            "python3", ["-B", Self.driver, Executable.path], in: folder.path, errors: errors.descriptor)
        #expect(await process.ending(within: .seconds(120)) == .exit(0), "\(errors.text)")
    }

    @Test("standard streams that are closed: no line, and nobody to tell")
    func closedStreams() async {
        let errors = NamelessFile()
        let output = NamelessFile()
        let noInput = ChildProcess(
            "bash", ["-c", "exec '\(Executable.path)' batch <&-"], output: output.descriptor,
            errors: errors.descriptor)
        #expect(await noInput.ending() == .exit(0), "\(errors.text)")
        #expect(output.octets.isEmpty)
        let noOutput = ChildProcess(
            "bash", ["-c", "echo '{}' | '\(Executable.path)' batch >&-"], errors: errors.descriptor)
        #expect(await noOutput.ending() == .exit(23), "\(errors.text)")
    }
}
