import Testing

@testable import HTTPServing

@Suite("The table of connections")
struct ConnectionTableTests {
    @Test("a request has its time, however many bytes come; a stream has as long as it likes")
    func overdue() {
        var table = ConnectionTable(limit: 4, patience: 10)
        table.open(3, from: "a", at: 0)
        table.open(4, from: "a", at: 5)
        table.open(5, from: "b", at: 0)
        table.stream(5)
        #expect(table.pause(at: 4) == 6)
        #expect(table.closeOverdue(at: 9.9).isEmpty)
        #expect(table.closeOverdue(at: 10) == [3])
        #expect(table.closeOverdue(at: 11).isEmpty, "each is named once")
        table.restart(4, at: 12)
        #expect(table.closeOverdue(at: 21).isEmpty)
        #expect(table.closeOverdue(at: 22) == [4])
        table.restart(5, at: 30)
        #expect(table.closeOverdue(at: 41) == [5], "after its stream it waits for a request again")
    }

    @Test("room is made by the address that has most connections waiting, the oldest of them first")
    func room() {
        var table = ConnectionTable(limit: 5, patience: 10)
        table.open(3, from: "viewer", at: 0)
        table.stream(3)
        table.open(4, from: "visitor", at: 1)
        for (socket, seconds) in [(5, 2.0), (6, 3), (7, 4)] { table.open(Int32(socket), from: "flood", at: seconds) }
        #expect(table.isFull)
        #expect(table.closeOldest() == 5)
        table.remove(5)
        #expect(!table.isFull && table.address(of: 5) == nil)
        #expect(table.closeOldest() == 6)
        #expect(table.closeOldest() == 4, "as many as the flood by now, and older")
        #expect(table.closeOldest() == 7)
        #expect(table.closeOldest() == nil, "streams stay")
    }

    @Test("addresses of one network of version 6 are one client")
    func network() {
        var table = ConnectionTable(limit: 3, patience: 10)
        table.open(3, from: "2001:db8:1::1", at: 0)
        for number in 4...5 { table.open(Int32(number), from: "2001:db8:2::\(number)", at: Double(number)) }
        #expect(table.closeOldest() == 4)
    }
}
