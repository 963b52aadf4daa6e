import Glibc
import System
import Testing

@Suite("The environment of the process")
struct ProcessEnvironmentTests {
    @Test("variables and the home are what the system says")
    func values() {
        #expect(ProcessEnvironment.variable("PATH") == getenv("PATH").map { String(cString: $0) })
        #expect(ProcessEnvironment.variable("RAWGET_NO_SUCH_VARIABLE") == nil)
        #expect(
            ProcessEnvironment.homeOfUser == getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) })
    }
}
