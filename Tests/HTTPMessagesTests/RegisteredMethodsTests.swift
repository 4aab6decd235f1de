import Testing

@testable import HTTPMessages

struct RegisteredMethodsTests {
    @Test func `the table of registered methods is IANA's, sorted, without the asterisk`() {
        let names = RegisteredMethods.names
        #expect(names.count == 40)
        #expect(names == Set(names).sorted())
        #expect(!names.contains("*"))
        for name in ["GET", "QUERY", "PROPFIND", "MKCALENDAR", "UPDATEREDIRECTREF", "VERSION-CONTROL", "PRI"] {
            #expect(names.contains(name), "\(name)")
        }
    }

    @Test(arguments: RegisteredMethods.names)
    func `a registered method in another case is no registered method but resembles one`(name: String) {
        let (own, lower) = (Array(name.utf8), Array(name.lowercased().utf8))
        let resembles = (RegisteredMethods.resemble(own.span), RegisteredMethods.resemble(lower.span))
        #expect(resembles == (false, true))
    }
}
